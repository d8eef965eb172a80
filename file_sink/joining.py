"""Files joined without Spark: pyarrow's Parquet and ORC a piece at a time, lines as bytes.

A file is left as it is where what is joined would not be what a reader had before: `LeftAlone`
says why.
"""

from __future__ import annotations

import gzip
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, BinaryIO, Protocol

from file_sink.formats import LINES, other_lines
from file_sink.settings import FORMATS
from file_sink.tree import ExchangingTree
from windowlog.errors import BadArgument

if TYPE_CHECKING:
    from file_sink.settings import Settings

Opens = Callable[[str], BinaryIO]
"""Opens a file to read from."""

_PIECE_BYTES = 2**20


class LeftAlone(Exception):
    """Why a file is not joined."""


@dataclass(frozen=True, slots=True)
class Inspected:
    """What files must have in common to be joined, and how many rows (of text: lines) this has."""

    kind: object
    rows: int


class Joiner(Protocol):
    """Joins files of one format."""

    def inspect(self, path: str) -> Inspected:
        """What kind of file this is. LeftAlone."""

    def join(self, paths: Sequence[str], stream: BinaryIO, check: Callable[[], None]) -> None:
        """Write the rows of these files, which are of one kind, in this order; `check` is called
        now and then, and may raise."""


def cannot_join(settings: Settings) -> str | None:
    """Why files of this format, with these options, are not joined; None if they are."""
    if settings.format == "avro":
        others = ", ".join(name for name in FORMATS if name != "avro")
        return f"avro files are joined by Spark only; files of {others} are joined without it"
    unusual = other_lines(settings)
    if settings.format in LINES and unusual:
        return f"with option {unusual[0]} files are not lines that could be put together"
    return None


def check_rollup(settings: Settings, tree: object) -> None:
    """BadArgument for `rollup` where it cannot be."""
    if settings.rollup is None:
        return
    reason = cannot_join(settings)
    if not isinstance(tree, ExchangingTree):
        reason = "this file system cannot exchange two folders in one step"
    if reason is not None:
        allowed = f"a sink without roll-up is wanted, as {reason}"
        raise BadArgument(argument="rollup", value=settings.rollup, allowed=allowed)


def joiner(settings: Settings, opens: Opens) -> Joiner:
    """Who joins files of these settings, for which `cannot_join` has nothing to say."""
    if settings.format in LINES:
        header = settings.format == "csv" and settings.says_true("header")
        return _Lines(opens, LINES[settings.format], header)
    if settings.format == "orc":
        from file_sink.joining_orc import OrcJoiner

        return OrcJoiner(opens)
    from file_sink.joining_parquet import ParquetJoiner

    return ParquetJoiner(opens)


class _Lines:
    """Text of whole lines, plain or in gzip, whose members may follow each other in one file."""

    def __init__(self, opens: Opens, ending: str, header: bool) -> None:
        self._opens = opens
        self._ending = ending
        self._header = header

    def inspect(self, path: str) -> Inspected:
        """By its lines, and its header."""
        packed = path.endswith(f"{self._ending}.gz")
        if not packed and not path.endswith(self._ending):
            raise LeftAlone("their compression cannot be joined")
        if packed and self._header:
            raise LeftAlone("they are compressed, each with a header")
        lines, last = 0, b"\n"
        with self._opens(path) as stream, _unpacked(stream, packed) as text:
            header = text.readline() if self._header else b""
            while piece := text.read(_PIECE_BYTES):
                lines, last = lines + piece.count(b"\n"), piece[-1:]
        if last != b"\n" or header[-1:] not in (b"", b"\n"):
            raise LeftAlone("they do not end with a line's end")
        if header.count(b'"') % 2:
            raise LeftAlone("their header has more than one line")
        return Inspected((packed, header), lines)

    def join(self, paths: Sequence[str], stream: BinaryIO, check: Callable[[], None]) -> None:
        """Bytes after bytes."""
        for path in paths:
            with self._opens(path) as source:
                if self._header and path != paths[0]:
                    source.readline()
                while piece := source.read(_PIECE_BYTES):
                    check()
                    stream.write(piece)


def _unpacked(stream: BinaryIO, packed: bool) -> AbstractContextManager[Any]:
    from contextlib import nullcontext

    return gzip.open(stream) if packed else nullcontext(stream)
