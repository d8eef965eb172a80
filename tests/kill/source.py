"""What the pipeline under fire reads from, as gears and check see it; and the words of a text."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

_WORD = re.compile(rb"[A-Za-z0-9_]+")
_WORDS = [
    "the",
    "The",
    "a_b",
    "x1",
    "caf\u00e9",
    "don't",
    "\u212aelvin",
    "_",
    "2001",
    "END",
    "word",
]


class Violation(AssertionError):
    """A promise is broken."""


@dataclass(frozen=True)
class Piece:
    """What one part of a plan covers: [start, end) of a place."""

    place: str
    start: int
    end: int


class Source(Protocol):
    """Its own copy, or its own way, of everything that the pipeline reads."""

    # Named moments of this input, without Spark and with it; and those of all that never come.
    moments: tuple[str, ...]
    spark_moments: tuple[str, ...]
    never: tuple[str, ...]
    # Random kills come so long after the first window at most.
    delay_max_s: float

    def save(self, root: Path) -> None:
        """Write down what drivers must know, and make what must be there."""

    def produce(self, rng: random.Random, lines: int) -> None:
        """Add some."""

    def logged(self) -> None:
        """The log has a plan: from now on it is pinned where reading began."""

    def piece(self, part: Mapping[str, Any]) -> Piece:
        """A part of a plan. Violation if it is none of this source."""

    def words(self, piece: Piece) -> Counter[str]:
        """What is there, read without the kit."""

    def start(self, place: str) -> int:
        """Where reading of a place must begin."""

    def ends(self) -> Mapping[str, int]:
        """Up to where each place can be read now."""

    def least(self) -> Mapping[str, int]:
        """Up to where a run that has drained must have come."""

    def inspect(self, read: Mapping[str, int]) -> None:
        """What else must hold after a kill; `read` is where what the sink holds ends. Violation."""


def count_words(data: bytes) -> Counter[str]:
    """By a regular expression over bytes."""
    return Counter(word.decode().lower() for word in _WORD.findall(data))


def new_line(rng: random.Random, words: int) -> str:
    """So many words."""
    return " ".join(rng.choices(_WORDS, k=words))
