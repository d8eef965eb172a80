"""The service starters."""
