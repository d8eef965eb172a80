"""windowlog: which window covers what. Knows bytes, names and numbers; nothing of Spark."""
