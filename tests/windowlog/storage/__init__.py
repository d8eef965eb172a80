"""Tests of windowlog.storage."""
