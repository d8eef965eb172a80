"""Whether two folders, each a path of this machine or a `webhdfs:` URL, share files."""

from __future__ import annotations

import os

from windowlog.access.webhdfs_url import parse_place
from windowlog.errors import BadArgument


def holds(folder: str, other: str) -> bool:
    """Is `other` this folder, or in it? Looks at links, and touches nothing. False for what is
    neither an absolute path nor such a URL."""
    outer, inner = _parsed(folder), _parsed(other)
    if outer is None or inner is None:
        return False
    (machines, path), (others, below) = outer, inner
    # On HDFS: one name node in common.
    same = machines == others or not machines.isdisjoint(others)
    return same and f"{below.rstrip('/')}/".startswith(f"{path.rstrip('/')}/")


def overlap(one: str, other: str) -> bool:
    """Is one of them the other, or in it?"""
    return holds(one, other) or holds(other, one)


def _parsed(folder: str) -> tuple[frozenset[str], str] | None:
    if os.path.isabs(folder):
        return frozenset(), os.path.realpath(folder)
    try:
        place = parse_place(folder, {})
    except BadArgument:
        return None
    return frozenset(place.name_nodes), place.path
