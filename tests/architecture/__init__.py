"""The law of CONTRIBUTING.md, as far as a program can enforce it."""
