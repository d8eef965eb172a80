"""Every statement fails in turn, also every commit: afterwards the window is there once, or not at
all and then once."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import duckdb
import pytest
from duckdb_sqlalchemy import ConnectionWrapper, CursorWrapper

from jdbc_sink import JdbcSink, accumulate, append
from jdbc_sink.modes import Mode
from windowed import Pipeline
from windowed.testing import RowsInput
from windowlog import KitError, WindowLog

WINDOWS = [[("a", 1), ("b", 2)], [("a", 3)], [], [("c", 4)]]
STATEMENTS_MAX = 1_000


class Statements:
    """Counts everything sent to DuckDB and fails number `at`, before or after it took effect."""

    def __init__(self, at: int, *, after: bool) -> None:
        self.left = at
        self.after = after
        self.hit = ""

    def sent(self, what: str, action: Any) -> Any:
        """Do it, or fail."""
        self.left -= 1
        if self.left != 0:
            return action()
        self.hit = what
        if self.after:
            action()
        raise duckdb.IOException("injected")


@contextmanager
def failing(statements: Statements, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Stand between SQLAlchemy and DuckDB."""
    with monkeypatch.context() as patched:
        for kind, method in (
            (CursorWrapper, "execute"),
            (ConnectionWrapper, "begin"),
            (ConnectionWrapper, "commit"),
        ):
            original = getattr(kind, method)

            def passed(self: Any, *words: Any, original: Any = original, **more: Any) -> Any:
                what = str(words[0]).split(None, 2)[0] if words else original.__name__
                return statements.sent(what, lambda: original(self, *words, **more))

            patched.setattr(kind, method, passed)
        yield


@pytest.mark.parametrize("after", [False, True])
@pytest.mark.parametrize(
    ("mode", "expected"),
    [
        (append(), [("a", 1), ("a", 3), ("b", 2), ("c", 4)]),
        (accumulate(["word"], add=["n"]), [("a", 4), ("b", 2), ("c", 4)]),
    ],
)
def test_each_statement_may_fail_and_each_row_takes_effect_once(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    mode: Mode,
    expected: list[tuple[str, int]],
    after: bool,
) -> None:
    """A run meets one failure; it gets past it, or ends with an error of ours, and the next run
    finishes."""
    for at in range(1, STATEMENTS_MAX):
        path = tmp_path / f"{at}.duckdb"
        pipeline = Pipeline(
            "faults",
            inputs={"rows": RowsInput(WINDOWS.copy(), schema="word string, n bigint")},
            sinks={"out": JdbcSink(f"duckdb:///{path}", table="words", mode=mode)},
            log=WindowLog.in_memory(),
            transform=lambda rows: rows,
        )
        statements = Statements(at, after=after)
        with failing(statements, monkeypatch), suppress(KitError):
            pipeline.run(None, progress=False)
        pipeline.run(None, progress=False)
        with duckdb.connect(str(path)) as connection:
            found = connection.execute("SELECT word, n FROM words ORDER BY word, n").fetchall()
        assert found == expected, statements.hit
        if not statements.hit:
            break
    assert at > 20
