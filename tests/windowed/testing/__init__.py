"""Tests of what windowed.testing gives to users."""
