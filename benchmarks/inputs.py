"""Rows to measure with: tables in memory, and files of lines of one length, so that a window's
bytes are its lines."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

import pyarrow

from windowed.testing import RowsInput
from windowlog.contracts import Frame
from windowlog.values import Plan, Skip

LINE_BYTES = 64
_VOCABULARY = 5000
_SCHEMA = pyarrow.schema([("word", pyarrow.string()), ("count", pyarrow.int64())])


class TablesInput(RowsInput):
    """RowsInput whose windows are Arrow tables already: reading costs nothing, so that everything
    that is measured is around it."""

    def __init__(self, tables: Sequence[pyarrow.Table]) -> None:
        super().__init__(list(tables), schema=tables[0].schema)

    def read(self, plan: Plan, skips: Sequence[Skip]) -> Frame:
        """The window's table."""
        if plan.empty:
            return self.schema.empty_table()
        at = plan.parts[0].detail["at"]
        assert isinstance(at, int), "plans come from plan()"
        table: pyarrow.Table = self.windows[at]
        return table


def tables(count: int, rows: int, seed: int = 1) -> list[pyarrow.Table]:
    """So many tables of `rows` words with counts."""
    words = _words(seed)
    return [
        pyarrow.table({"word": [next(words) for _ in range(rows)], "count": [1] * rows}, _SCHEMA)
        for _ in range(count)
    ]


def write_lines(path: Path, count: int, seed: int = 1) -> None:
    """A file of `count` lines of words, each LINE_BYTES long with its end."""
    made = made_lines(LINE_BYTES - 1, seed)
    with path.open("w", encoding="ascii", newline="\n") as stream:
        stream.writelines(f"{line}\n" for line in islice(made, count))


def made_lines(length: int, seed: int) -> Iterator[str]:
    """Lines of words without end, each so long."""
    words = _words(seed)
    while True:
        line = ""
        while len(line) < length:
            line += f"{next(words)} "
        yield line[:length]


def _words(seed: int) -> Iterator[str]:
    choose = random.Random(seed)
    while True:
        # Squared: a few words come often, most seldom, as in text.
        yield f"word{int(choose.random() ** 2 * _VOCABULARY)}"
