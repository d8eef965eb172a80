"""Word count from files or Kafka into a database, exactly once, whatever instruction the driver
dies at."""

from samples.wordcount.topics import build_from_topics
from samples.wordcount.words import build, count_words

__all__ = ["build", "build_from_topics", "count_words"]
