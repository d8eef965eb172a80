"""What runs in the tasks: files with names of their own, counted; a list that is whole or not
there."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any
from uuid import UUID

import duckdb
import pyarrow
import pyarrow.parquet
import pytest
from pyspark.sql import Row
from pyspark.sql.types import LongType, StringType, StructType

from jdbc_sink.spool.source import SpoolWriter, options
from tests.jdbc_sink.spool.tasks import MANIFEST, SCHEMA, table, writer


def written(folder: Path, rows: list[tuple[str | None, int]], rows_per_file: int = 1000) -> Any:
    """What one task attempt counts."""
    return writer(folder, rows_per_file).write(iter(table(rows).to_batches())).files


def test_a_task_counts_its_rows_and_nulls(tmp_path: Path) -> None:
    """In one file, which Arrow itself reads back."""
    (file,) = written(tmp_path, [("a", 1), (None, 2), ("c", 3)])
    assert (file["rows"], file["nulls"]) == (3, {"word": 1})
    assert pyarrow.parquet.read_table(tmp_path / file["name"]) == table(
        [("a", 1), (None, 2), ("c", 3)]
    )


def test_a_file_holds_so_many_rows_at_most(tmp_path: Path) -> None:
    """The next one takes the rest, in order."""
    files = written(tmp_path, [("w", n) for n in range(5)], rows_per_file=2)
    assert [file["rows"] for file in files] == [2, 2, 1]
    found = [pyarrow.parquet.read_table(tmp_path / file["name"])["n"].to_pylist() for file in files]
    assert found == [[0, 1], [2, 3], [4]]


def test_no_note_of_a_file_hides_nan_from_duckdb(tmp_path: Path) -> None:
    """Arrow's own notes leave NaN out; those about times are there, for the driver."""
    numbers = pyarrow.array([1.0, float("nan"), None])
    times = pyarrow.array([1, 2, 3], pyarrow.timestamp("us"))
    rows = pyarrow.table({"x": numbers, "at": times})
    given = options(str(tmp_path), MANIFEST, rows.schema, 10)
    (file,) = SpoolWriter(given).write(iter(rows.to_batches())).files
    path = tmp_path / file["name"]
    query = f"SELECT max(x), count(*) FILTER (x <> 1.0) FROM '{path}' WHERE x <> 1.0 OR x IS NULL"
    with duckdb.connect() as connection:
        assert str(connection.execute(query).fetchall()) == "[(nan, 1)]"
    group = pyarrow.parquet.ParquetFile(path).metadata.row_group(0)
    assert [group.column(at).statistics is not None for at in (0, 1)] == [False, True]


def test_no_rows_make_no_file(tmp_path: Path) -> None:
    """An empty task counts nothing."""
    assert written(tmp_path, []) == []
    assert os.listdir(tmp_path) == []


def test_attempts_of_one_task_have_different_names(tmp_path: Path) -> None:
    """UUIDs: Spark's own ids come again."""
    names = [written(tmp_path, [("a", 1)])[0]["name"] for _ in range(2)]
    assert len({UUID(name.removesuffix(".parquet")) for name in names}) == 2


def test_rows_that_do_not_fit_the_schema_fail_the_task(tmp_path: Path) -> None:
    """They are not written as something else."""
    wrong = pyarrow.table({"word": ["a"], "n": ["one"]})
    with pytest.raises(pyarrow.ArrowInvalid):
        writer(tmp_path).write(iter(wrong.to_batches()))


def test_a_task_makes_no_folder(tmp_path: Path) -> None:
    """Where the driver took it away, nobody waits for the rows."""
    with pytest.raises(FileNotFoundError):
        written(tmp_path / "gone", [("a", 1)])


def test_rows_are_written_as_arrow_is(tmp_path: Path) -> None:
    """Spark 4.0 hands over rows."""
    spark_schema = StructType().add("word", StringType()).add("n", LongType())
    given = options(str(tmp_path), MANIFEST, SCHEMA, 1000)
    rows = iter([Row(word="a", n=1), Row(word=None, n=2)])
    (file,) = SpoolWriter(given, spark_schema).write(rows).files
    assert file["rows"] == 2
    assert pyarrow.parquet.read_table(tmp_path / file["name"]) == table([("a", 1), (None, 2)])


def test_an_abort_after_a_commit_deletes_nothing(tmp_path: Path) -> None:
    """Spark aborts after a commit that failed, and its list may be in use."""
    job = writer(tmp_path)
    messages = [job.write(iter(table([("a", 1)]).to_batches()))]
    job.commit(messages)
    before = sorted(os.listdir(tmp_path))
    job.abort(messages)
    assert sorted(os.listdir(tmp_path)) == before
    assert len(before) == 2


def test_a_list_is_whole_or_not_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It gets its name when it is written."""

    def fails(*_: object) -> None:
        raise OSError("injected")

    monkeypatch.setattr(os, "replace", fails)
    with pytest.raises(OSError, match="injected"):
        writer(tmp_path).commit([])
    assert not (tmp_path / MANIFEST).exists()
