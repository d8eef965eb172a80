"""Tests of the room jdbc_sink."""
