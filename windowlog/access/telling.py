"""A word to whoever sits before a terminal."""

from __future__ import annotations

import sys


def tell_terminal(text: str) -> None:
    """A line on standard error, if that is a terminal: logs and pipes stay as they are."""
    if sys.stderr is not None and sys.stderr.isatty():
        sys.stderr.write(f"{text}\n")
        sys.stderr.flush()
