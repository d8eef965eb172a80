"""Benchmarks: `python -m benchmarks [NAME …] [--quick]`, or one alone: `python -m
benchmarks.overhead`.

Rivals take turns inside one run and see the same rows, so that a noisy machine disturbs both. Each
writes a table, and benchmarks/results/NAME.json with the machine it ran on.
"""
