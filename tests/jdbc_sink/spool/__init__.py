"""The load through executors."""
