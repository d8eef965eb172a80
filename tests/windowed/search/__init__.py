"""An exhaustive search through what drivers of one pipeline can do to each other."""
