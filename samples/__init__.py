"""Samples: whole jobs to copy from."""
