"""Exactly the counted files are a window's rows, and each must be whole."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow
import pyarrow.parquet
import pytest

from jdbc_sink.spool.files import Incomplete, Spool, SpoolFile, take
from jdbc_sink.spool.source import SpoolWriter, options
from tests.jdbc_sink.spool.tasks import MANIFEST, SCHEMA, Frame, save, table, writer


def files(folder: Path) -> list[dict[str, Any]]:
    """What the list says."""
    found: list[dict[str, Any]] = json.loads((folder / MANIFEST).read_text())
    return found


def test_a_second_attempt_that_nobody_counts_is_debris(tmp_path: Path) -> None:
    """Speculation, or a task that was lost: its file is there, whole, and not taken."""
    spool = save(Frame([[("a", 1)], [("b", 2)]]), tmp_path, SCHEMA, 1000)
    writer(tmp_path).write(iter(table([("a", 1)]).to_batches()))
    assert take(tmp_path, MANIFEST, SCHEMA) == spool
    assert spool.read() == table([("a", 1), ("b", 2)])
    assert spool.num_rows == 2


@pytest.mark.parametrize("damage", ["half", "gone", "fewer", "other", "list", "empty"])
def test_a_damaged_spool_is_refused(tmp_path: Path, damage: str) -> None:
    """Half a file, none, other rows, other columns, no list, no bytes."""
    save(Frame([[("a", 1), ("b", 2)]]), tmp_path, SCHEMA, 1000)
    path = tmp_path / files(tmp_path)[0]["name"]
    whole = path.read_bytes()
    if damage == "half":
        path.write_bytes(whole[: len(whole) // 2])
    elif damage == "empty":
        path.write_bytes(b"")
    elif damage == "gone":
        path.unlink()
    elif damage == "fewer":
        pyarrow.parquet.write_table(table([("a", 1)]), path)
    elif damage == "other":
        pyarrow.parquet.write_table(pyarrow.table({"word": ["a", "b"], "n": ["1", "2"]}), path)
    else:
        (tmp_path / MANIFEST).unlink()
    with pytest.raises(Incomplete):
        take(tmp_path, MANIFEST, SCHEMA)


def test_parts_are_groups_of_whole_files(tmp_path: Path) -> None:
    """At most so many rows, in order; one file that is larger is a part of its own."""
    sizes = [2, 2, 1, 5, 1]
    spool = save(Frame([[("w", size)] * size for size in sizes]), tmp_path, SCHEMA, 1000)
    parts = [[file.rows for file in part.files] for part in spool.parts(4)]
    assert parts == [[2, 2], [1], [5], [1]]


def test_rows_come_in_pieces_that_fit_into_memory(tmp_path: Path) -> None:
    """All of them, or one column."""
    spool = save(Frame([[("w", n) for n in range(25)]]), tmp_path, SCHEMA, 1000)
    pieces = list(spool.to_batches(10))
    assert [piece.num_rows for piece in pieces] == [10, 10, 5]
    assert [piece.schema.names for piece in spool.to_batches(25, ["n"])] == [["n"]]


def test_a_spool_without_files_has_no_rows() -> None:
    """And still its columns."""
    assert Spool((), SCHEMA).read() == SCHEMA.empty_table()
    assert Spool((), SCHEMA).parts(10) == []


def _spooled(folder: Path, *tables: pyarrow.Table) -> Spool:
    """A spool of one file for each table."""
    schema = tables[0].schema
    job = SpoolWriter(options(str(folder), MANIFEST, schema, 1000))
    job.commit([job.write(iter(each.to_batches())) for each in tables])
    return take(folder, MANIFEST, schema)


MOMENTS = {
    "date": (pyarrow.date32(), [-(2**31), 7, 2**31 - 1]),
    "time": (pyarrow.timestamp("us"), [-(2**63) + 1, 0, 2**63 - 1]),
    "with a zone": (pyarrow.timestamp("us", "UTC"), [-(2**63) + 1, 0, 2**63 - 1]),
}


@pytest.mark.parametrize("case", MOMENTS)
def test_a_files_own_notes_say_its_least_and_greatest_moment(tmp_path: Path, case: str) -> None:
    """Also where Python has no value for them, beside NULLs, and in files of NULLs only."""
    kind, numbers = MOMENTS[case]
    plain = pyarrow.int32() if kind == pyarrow.date32() else pyarrow.int64()

    def of(*values: int | None) -> pyarrow.Table:
        lists = pyarrow.array([[1, 2]] * len(values))
        return pyarrow.table({"list": lists, "x": pyarrow.array(values, plain).view(kind)})

    least, some, greatest = numbers
    spool = _spooled(tmp_path, of(some, greatest, None), of(None, None), of(some, least, some))
    ends = spool.ends("x")
    assert ends is not None
    assert ends.type == kind
    assert ends.view(plain).to_pylist() == [some, greatest, least, some]
    assert spool.ends("list") is None


def test_what_no_note_speaks_of_has_to_be_read(tmp_path: Path) -> None:
    """Times in other units, times inside of others, and all that comes after two columns in one."""
    times = pyarrow.array([1000, 2000], pyarrow.timestamp("us"))
    pair = pyarrow.StructArray.from_arrays([times, times], ["a", "b"])
    columns = {"pair": pair, "x": times, "ms": times.cast(pyarrow.timestamp("ms"))}
    spool = _spooled(tmp_path, pyarrow.table(columns))
    assert [spool.ends(name) for name in columns] == [None, None, None]


def test_a_note_that_was_not_written_says_nothing(tmp_path: Path) -> None:
    """Only a note counts: a file without one is read."""
    rows = pyarrow.table({"x": pyarrow.array([1], pyarrow.timestamp("us"))})
    path = tmp_path / "x.parquet"
    pyarrow.parquet.write_table(rows, path, write_statistics=False)
    assert Spool((SpoolFile(path, 1),), rows.schema).ends("x") is None
