"""The benchmarks run, and their arithmetic is right. Nothing here measures."""
