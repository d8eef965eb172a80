"""Tests of windowlog."""
