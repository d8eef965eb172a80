"""Word count from files into a database, exactly once, whatever instruction the driver dies at."""

from samples.wordcount.words import build, count_words

__all__ = ["build", "count_words"]
