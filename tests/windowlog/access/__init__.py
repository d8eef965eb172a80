"""Tests of windowlog.access."""
