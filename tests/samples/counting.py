"""A word count by hand: one character after the other, no Spark, no regular expression."""

from __future__ import annotations

import string
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import duckdb

WORD_BYTES = (string.ascii_letters + string.digits + "_").encode()


def words_of(texts: Iterable[bytes]) -> Counter[str]:
    """Maximal runs of ASCII letters, digits and underscore, in lower case."""
    counts: Counter[str] = Counter()
    for text in texts:
        word = bytearray()
        for byte in text + b"\n":
            if byte in WORD_BYTES:
                word.append(byte)
            elif word:
                counts[word.decode("ascii").lower()] += 1
                word.clear()
    return counts


def words_in_files(folder: Path, pattern: str = "*.txt") -> Counter[str]:
    """The words of all files below `folder` whose name matches."""
    return words_of(path.read_bytes() for path in folder.rglob(pattern))


def words_in_database(path: Path) -> Counter[str]:
    """What the sample's table says."""
    return Counter(dict(ask(path, "SELECT word, count FROM word_counts")))


def ask(path: Path, query: str) -> list[Any]:
    """The database's own answer."""
    with duckdb.connect(str(path), read_only=True) as connection:
        return connection.execute(query).fetchall()
