"""Kafka topics as an input, planned by offsets. docs/kafka.md has the table of cases."""

from connectors.kafka.input import KafkaInput

__all__ = ["KafkaInput"]
