"""A word to whoever watches a run."""

from __future__ import annotations

import sys

# Whoever watches wonders by then why nothing happens.
TOLD_S = 3.0


def tell(text: str) -> None:
    """A line on standard error, where a run's progress goes too; into a log as well as on a
    terminal: who reads a log in the morning wants to know what the time went into."""
    if sys.stderr is not None:
        sys.stderr.write(f"{text}\n")
        sys.stderr.flush()
