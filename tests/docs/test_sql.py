"""docs/sql.md: its Python runs, and its SQL says where everything stands."""

from __future__ import annotations

import re
from pathlib import Path

import duckdb
import pytest

from jdbc_sink import JdbcSink
from tests.docs.blocks import DOCS, module_of
from tests.jdbc_sink.windows import DATABASES, ask
from windowed import Pipeline
from windowed.testing import RowsInput
from windowlog import WindowLog

TEXT = (DOCS / "sql.md").read_text()
LEDGER = re.findall(r"^```sql\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)[0]


def run(name: str, sinks: dict[str, JdbcSink], windows: int) -> None:
    """A pipeline of so many windows."""
    Pipeline(
        name,
        inputs={"rows": RowsInput([[("a", 1)]] * windows, schema="word string, n bigint")},
        sinks=sinks,
        transform=lambda rows: rows,
        log=WindowLog.in_memory(),
    ).run(None, progress=False)


@pytest.mark.parametrize("database", DATABASES)
@pytest.mark.parametrize("schema", ["", "main."])
def test_one_ledger_of_many_pipelines_and_sinks_is_read_in_plain_sql(
    tmp_path: Path, database: str, schema: str
) -> None:
    """One row each; table and ledger also by their schema."""
    path = tmp_path / "x.db"

    def sink(table: str) -> JdbcSink:
        ledger = f"{schema}window_ledger"
        return JdbcSink(f"{database}:///{path}", table=f"{schema}{table}", ledger_table=ledger)

    run("counts", {"words": sink("words"), "copy": sink("copies")}, 3)
    run("others", {"words": sink("other_words")}, 1)
    found = [row[:6] for row in ask(path, database, LEDGER)]
    assert found == [
        ("counts", "copy", 3, f"table {schema}copies", "append", 0),
        ("counts", "words", 3, f"table {schema}words", "append", 0),
        ("others", "words", 1, f"table {schema}other_words", "append", 0),
    ]
    assert ask(path, database, "SELECT count(*) FROM copies") == [(3,)]


def test_a_ledger_in_another_schema_is_shared_as_well(tmp_path: Path) -> None:
    """On DuckDB; rows in yet another."""
    path = tmp_path / "x.duckdb"
    for schema in ("books", "data"):
        ask(path, "duckdb", f"CREATE SCHEMA {schema}")
    for name in ("one", "two"):
        sink = JdbcSink(f"duckdb:///{path}", table=f"data.{name}", ledger_table="books.ledger")
        run(name, {"out": sink}, 2)
    query = LEDGER.replace("window_ledger", "books.ledger")
    assert [row[:4] for row in ask(path, "duckdb", query)] == [
        ("one", "out", 2, "table data.one"),
        ("two", "out", 2, "table data.two"),
    ]


def test_the_pages_python_runs(tmp_path: Path) -> None:
    """Both tables are filled, and the user's statement and function do what they say."""
    page = module_of("sql.md")
    path = tmp_path / "x.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute("CREATE TABLE words (word TEXT, n BIGINT, seen_in BIGINT)")
        connection.execute("CREATE TABLE firsts (number BIGINT, n BIGINT)")
    run("merge", {"out": JdbcSink(f"duckdb:///{path}", table="words", mode=page.merge)}, 2)
    run("call", {"out": JdbcSink(f"duckdb:///{path}", table="firsts", mode=page.function)}, 2)
    assert ask(path, "duckdb", "SELECT * FROM words") == [("a", 2, 2)]
    assert ask(path, "duckdb", "SELECT * FROM firsts") == [(1, 1), (2, 1)]
    assert page.counts.tables == tuple(page.both(None)["counts"])
