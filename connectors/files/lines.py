r"""Where lines begin and end in an open file: reads of blocks at given places, without state.
`read(length, offset)` gives fewer bytes than asked only at the file's end.

A line ends with `\n`; a `\r` just before it belongs to the line's end. An end is always the first
byte after.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable

# (length, offset) -> bytes.
Read = Callable[[int, int], bytes]

# Digests cover the last page before a place: one read, and no growing log has two equal ones by
# chance.
TAIL_BYTES = 4096
_BLOCK_BYTES = 64 * 2**10
_BIG_BLOCK_BYTES = 2**20


def tail_digest(read: Read, offset: int) -> str:
    """A digest of the last 4 KiB before `offset` ("" at the file's beginning). Shorter files give
    another one.
    """
    if offset == 0:
        return ""
    start = max(0, offset - TAIL_BYTES)
    return hashlib.sha256(read(offset - start, start)).hexdigest()[:32]


def last_line_end(read: Read, start: int, end: int) -> int | None:
    """The end of the last whole line inside [start, end), or None if no line ends there."""
    high = end
    while high > start:
        low = max(start, high - _BLOCK_BYTES)
        found = read(high - low, low).rfind(b"\n")
        if found >= 0:
            return low + found + 1
        high = low
    return None


def next_line_end(read: Read, start: int, end: int) -> int | None:
    """The end of the first line that ends inside [start, end), or None."""
    low = start
    while low < end:
        data = read(min(_BIG_BLOCK_BYTES, end - low), low)
        found = data.find(b"\n")
        if found >= 0:
            return low + found + 1
        if not data:
            break
        low += len(data)
    return None


def begins_a_line(read: Read, offset: int) -> bool:
    """True at the file's beginning and just after a line's end."""
    return offset == 0 or read(1, offset - 1) == b"\n"


def count_lines(read: Read, start: int, end: int) -> int:
    """How many lines reading [start, end) gives: an unterminated last one counts."""
    lines, at, last = 0, start, b"\n"
    while at < end:
        data = read(min(_BIG_BLOCK_BYTES, end - at), at)
        if not data:
            break
        lines += data.count(b"\n")
        at, last = at + len(data), data[-1:]
    return lines + (last != b"\n")


def cut(read: Read, start: int, end: int, piece_bytes: int) -> list[int]:
    """Ends of pieces of about `piece_bytes` that together are [start, end), each cut at a line's
    end.
    """
    ends: list[int] = []
    at = start
    while end - at > piece_bytes + piece_bytes // 2:
        piece_end = last_line_end(read, at, at + piece_bytes)
        piece_end = piece_end or next_line_end(read, at + piece_bytes, end)
        if piece_end is None or piece_end == end:
            break
        ends.append(piece_end)
        at = piece_end
    return [*ends, end]
