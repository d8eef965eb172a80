"""The documents' own examples, run as the tests that they are."""
