"""Tests of the samples: whole jobs, as a person runs them."""
