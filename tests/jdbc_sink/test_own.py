"""sql() and call(): people's own work, inside the ledger's transaction and kept there."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pyarrow
import pytest
import sqlalchemy
from sqlalchemy import Connection, text

from jdbc_sink import call, sql
from jdbc_sink.errors import TargetUnsuitable, TransactionEnded
from tests.jdbc_sink.windows import DATABASES, Bench
from windowed.testing.sink_story import SCHEMA, frame
from windowlog.errors import BadArgument, NotHeld
from windowlog.window import Window

TABLE = "CREATE TABLE words (word TEXT PRIMARY KEY, n BIGINT)"
INSERT = "INSERT INTO words SELECT word, n FROM {rows}"
both = pytest.mark.parametrize("database", DATABASES)
MERGE = {
    "duckdb": "MERGE INTO words USING {rows} AS came ON words.word = came.word"
    " WHEN MATCHED THEN UPDATE SET n = words.n + came.n"
    " WHEN NOT MATCHED THEN INSERT (word, n) VALUES (came.word, came.n)",
    "sqlite": "INSERT INTO words AS w SELECT word, n FROM {rows} WHERE true"
    " ON CONFLICT (word) DO UPDATE SET n = w.n + excluded.n",
}


def bench_with_a_table(tmp_path: Path, database: str, **arguments: Any) -> Bench:
    """A sink, and the user's table."""
    bench = Bench(tmp_path / "x.db", database, **arguments)
    bench.ask(TABLE)
    return bench


@both
def test_ones_own_statement_merges_as_the_database_can(tmp_path: Path, database: str) -> None:
    """MERGE, or INSERT … ON CONFLICT."""
    bench = bench_with_a_table(tmp_path, database, mode=sql(MERGE[database]))
    bench.hold(("a", 1), ("b", 2))
    bench.hold()
    bench.hold(("a", 10), ("c", 3))
    found = bench.ask("SELECT word, n FROM words ORDER BY word")
    assert found == [("a", 11), ("b", 2), ("c", 3)]


@both
def test_several_statements_run_in_order_with_the_windows_number(
    tmp_path: Path, database: str
) -> None:
    """Once a window each, however few rows a statement of other modes would take."""
    mode = sql(
        "DELETE FROM words WHERE n < {window_id}",
        INSERT,
        "INSERT INTO words SELECT 'sum of window {window_id}', sum(n) FROM {rows}",
        "UPDATE words SET word = 'braces {} and %s :a ?' WHERE word = 'b'",
    )
    bench = bench_with_a_table(tmp_path, database, mode=mode, rows_per_statement=1)
    bench.hold(("a", 1), ("b", 2))
    bench.hold(("c", 5))
    found = bench.ask("SELECT word, n FROM words ORDER BY n, word")
    assert found == [
        ("braces {} and %s :a ?", 2),
        ("sum of window 1", 3),
        ("c", 5),
        ("sum of window 2", 5),
    ]


@both
def test_a_statement_that_fails_leaves_nothing_of_those_before_it(
    tmp_path: Path, database: str
) -> None:
    """Rows and ledger."""
    mode = sql(INSERT, "INSERT INTO nowhere SELECT * FROM {rows}")
    bench = bench_with_a_table(tmp_path, database, mode=mode)
    with pytest.raises(NotHeld, match="nowhere"):
        bench.hold(("a", 1))
    _nothing_was_written(bench)


def _nothing_was_written(bench: Bench) -> None:
    assert bench.ask("SELECT * FROM words") == []
    assert bench.ask("SELECT window_id FROM window_ledger") == [(0,)]


@both
@pytest.mark.parametrize(
    "statement",
    [
        "COMMIT",
        "  /* really */ commit -- now",
        "END",
        "ROLLBACK",
        "BEGIN",
        "COMMIT; BEGIN TRANSACTION",
        "INSERT INTO words VALUES ('x', 0); COMMIT",
    ],
)
def test_a_statement_that_would_end_the_transaction_is_refused(
    tmp_path: Path, database: str, statement: str
) -> None:
    """Before it runs: nothing of the window is written. (SQLite's driver takes one statement at a
    time, and says so.)"""
    bench = bench_with_a_table(tmp_path, database, mode=sql(INSERT, statement))
    several = database == "sqlite" and statement.startswith("INSERT")
    kind, words = (NotHeld, "one statement") if several else (TransactionEnded, "was kept from it")
    with pytest.raises(kind, match=words):
        bench.hold(("a", 1))
    _nothing_was_written(bench)


Effect = Callable[[Connection], object]


def _committed_and_hidden(connection: Connection) -> None:
    with suppress(Exception):
        connection.commit()


def _driver(connection: Connection) -> Any:
    return connection.connection.driver_connection


def _begun_again(connection: Connection) -> None:
    with suppress(Exception):
        connection.execute(text("COMMIT"))
    with suppress(Exception):
        connection.execute(text("BEGIN"))
    connection.execute(text("INSERT INTO words VALUES ('late', 9)"))


@both
@pytest.mark.parametrize(
    "effect",
    [
        lambda connection: connection.commit(),
        lambda connection: connection.rollback(),
        lambda connection: connection.close(),
        lambda connection: connection.invalidate(),
        lambda connection: connection.get_transaction().commit(),
        lambda connection: connection.get_transaction().close(),
        lambda connection: connection.execute(text("COMMIT")),
        lambda connection: connection.exec_driver_sql("ROLLBACK"),
        _committed_and_hidden,
        _begun_again,
    ],
)
def test_a_function_is_kept_from_ending_the_transaction(
    tmp_path: Path, database: str, effect: Effect
) -> None:
    """Also if it hides that it was; the next window is held, without leftovers of the guard."""
    tries: list[Effect] = [effect, lambda connection: connection]

    def work(connection: Connection, rows: pyarrow.Table, window: Window) -> None:
        connection.execute(text("INSERT INTO words VALUES ('early', 1)"))
        tries.pop(0)(connection)

    bench = bench_with_a_table(tmp_path, database, mode=call(work))
    window = bench.stage(frame(("a", 1)))
    with pytest.raises(TransactionEnded, match=r"was kept from it: nothing was written"):
        bench.sink.hold(window)
    _nothing_was_written(bench)
    bench.sink.stage(window, frame(("a", 1)))
    bench.sink.hold(window)
    bench.sink.prepare(SCHEMA)
    assert bench.ask("SELECT word FROM words") == [("early",)]


@both
@pytest.mark.parametrize(
    "effect",
    [
        lambda driver: driver.commit(),
        lambda driver: driver.execute("COMMIT"),
        lambda driver: (driver.execute("COMMIT"), driver.execute("BEGIN")),
        lambda driver: driver.rollback(),
        lambda driver: driver.close(),
    ],
)
def test_what_the_drivers_own_connection_is_told_is_at_least_noticed(
    tmp_path: Path, database: str, effect: Callable[[Any], object]
) -> None:
    """SQLite refuses it, but for close(); on DuckDB it is noticed afterwards, and said so."""

    def work(connection: Connection, rows: pyarrow.Table, window: Window) -> None:
        effect(_driver(connection))

    bench = bench_with_a_table(tmp_path, database, mode=call(work))
    with pytest.raises(TransactionEnded, match="Take COMMIT, ROLLBACK"):
        bench.hold(("a", 1))
    if database == "sqlite":
        _nothing_was_written(bench)


def test_a_function_may_use_savepoints(tmp_path: Path) -> None:
    """On SQLite; DuckDB has none. What is rolled back to one is gone, the rest is held."""

    def work(connection: Connection, rows: pyarrow.Table, window: Window) -> None:
        for row in rows.to_pylist():
            with suppress(sqlalchemy.exc.IntegrityError), connection.begin_nested():
                connection.execute(text("INSERT INTO words VALUES (:word, :n)"), row)

    bench = bench_with_a_table(tmp_path, "sqlite", mode=call(work))
    bench.hold(("a", 1), ("a", 2), ("b", 3))
    assert bench.ask("SELECT word, n FROM words ORDER BY n") == [("a", 1), ("b", 3)]


@both
def test_a_function_sees_the_rows_and_the_window(tmp_path: Path, database: str) -> None:
    """As a pyarrow.Table, also an empty one; what it raises rolls everything back."""
    seen: list[tuple[int, list[Any]]] = []

    def work(connection: Connection, rows: pyarrow.Table, window: Window) -> None:
        seen.append((window.id, rows.to_pylist()))
        connection.execute(text("INSERT INTO words VALUES (:word, 0)"), {"word": str(window.id)})
        if window.id == 2:
            raise ValueError("not today")

    bench = bench_with_a_table(tmp_path, database, mode=call(work))
    bench.hold()
    with pytest.raises(NotHeld, match="not today"):
        bench.hold(("a", 1))
    assert seen == [(1, []), (2, [{"word": "a", "n": 1}])]
    assert bench.ask("SELECT word, n FROM words") == [("1", 0)]
    assert bench.ask("SELECT window_id FROM window_ledger") == [(1,)]


@both
def test_ones_own_table_must_be_there(tmp_path: Path, database: str) -> None:
    """It is not made: only the user knows how."""
    bench = Bench(tmp_path / "x.db", database, mode=sql(INSERT))
    with pytest.raises(TargetUnsuitable, match="it is not there: create it first"):
        bench.sink.prepare(SCHEMA)


async def _later(connection: Connection, rows: pyarrow.Table, window: Window) -> None:
    connection.execute(text("INSERT INTO words VALUES ('late', 1)"))


def _in_steps(connection: Connection, rows: pyarrow.Table, window: Window) -> Iterator[None]:
    connection.execute(text("INSERT INTO words VALUES ('late', 1)"))
    yield


@both
@pytest.mark.parametrize("function", [_later, _in_steps])
def test_a_function_that_puts_its_work_off_holds_no_window(
    tmp_path: Path, database: str, function: Callable[..., Any]
) -> None:
    """Called by another one, too: its work would never be done."""
    mode = call(lambda connection, rows, window: function(connection, rows, window))
    bench = bench_with_a_table(tmp_path, database, mode=mode)
    with pytest.raises(BadArgument, match="without async and yield"):
        bench.hold(("a", 1))
    _nothing_was_written(bench)


def test_an_error_that_a_function_hides_from_duckdb_holds_no_window(tmp_path: Path) -> None:
    """DuckDB takes back all of the transaction, and answers COMMIT with a yes."""

    def work(connection: Connection, rows: pyarrow.Table, window: Window) -> None:
        connection.execute(text("INSERT INTO words VALUES ('early', 1)"))
        with suppress(sqlalchemy.exc.IntegrityError):
            connection.execute(text("INSERT INTO words VALUES ('early', 2)"))

    bench = bench_with_a_table(tmp_path, "duckdb", mode=call(work))
    with pytest.raises(TransactionEnded, match="hid an error of the database"):
        bench.hold(("a", 1))
    _nothing_was_written(bench)


@pytest.mark.parametrize(
    ("make", "argument"),
    [
        (lambda: sql(), "statements"),
        (lambda: sql("SELECT 1"), "statements"),
        (lambda: sql(INSERT, " "), "statements"),
        (lambda: sql(INSERT, 3), "statements"),  # type: ignore[arg-type]
        (lambda: call("f"), "function"),  # type: ignore[arg-type]
        (lambda: call(_later), "function"),
        (lambda: call(_in_steps), "function"),
    ],
)
def test_wrong_arguments_are_named(make: Any, argument: str) -> None:
    """On construction."""
    with pytest.raises(BadArgument, match=f"^{argument}="):
        make()
