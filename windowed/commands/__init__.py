"""The commands: `python -m windowed show|verify|adopt|skip|reset MODULE:PIPELINE`. They start no
Spark session."""
