"""The Kafka input, against a real broker."""
