"""Tests of windowed/: state from window to window, without Spark."""
