"""The sink of files."""
