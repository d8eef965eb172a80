"""Where rows come from: one room per source. Each input obeys `windowlog.contracts.Input`."""

from connectors.files import FileInput
from connectors.kafka import KafkaInput

__all__ = ["FileInput", "KafkaInput"]
