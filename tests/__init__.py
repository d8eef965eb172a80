"""All tests, by room: tests/windowlog holds the tests of windowlog, and so on."""
