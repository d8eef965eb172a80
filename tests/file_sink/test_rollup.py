"""What a roll-up joins, into what, and what it leaves alone."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow
import pyarrow.orc
import pyarrow.parquet
import pytest

from tests.file_sink.bench import Bench, words
from tests.file_sink.readers import asked_of_duckdb, rows_by_duckdb, rows_by_pyarrow
from tests.file_sink.world import WatchedTree


def roll_up(bench: Bench) -> list[str]:
    """What the command says, and does."""
    lines, deed = bench.sink.roll_up()
    if deed is not None:
        deed()
    return list(lines)


def filled(path: Path, windows: int, **arguments: Any) -> Bench:
    """Windows of one row each: words w0, w1 and w2 in turn, and the window's number."""
    bench = Bench(path, **arguments)
    for number in range(1, windows + 1):
        bench.publish(words((f"w{number % 3}", number)))
    return bench


def rows(windows: int) -> Counter[tuple[Any, ...]]:
    """What readers must find of them."""
    return Counter((f"w{number % 3}", number) for number in range(1, windows + 1))


def test_files_of_small_windows_are_joined(tmp_path: Path) -> None:
    """All in one, under the last window's name; each reader finds the same rows as before."""
    bench = filled(tmp_path / "out", 20)
    assert roll_up(bench) == ["20 files become 1 (20 rows)"]
    assert bench.published() == ["window_id=00000020/part-00000001-to-00000020-000.snappy.parquet"]
    assert Counter(rows_by_pyarrow(bench.path)) == rows(20)
    assert Counter(rows_by_duckdb(bench.path)) == rows(20)
    assert set(rows_by_duckdb(bench.path, "window_id::int")) == {(20,)}
    in_order = pyarrow.parquet.read_table(bench.path / bench.published()[0]).column("n")
    assert in_order.to_pylist() == list(range(1, 21))


def test_windows_go_on_behind_a_roll_up(tmp_path: Path) -> None:
    """In the same run, in the next one, and into the next roll-up."""
    bench = filled(tmp_path / "out", 4)
    roll_up(bench)
    bench.publish(words(("w2", 5)))
    bench.die()
    bench.sink.prepare(words().schema)
    bench.publish(words(("w0", 6)))
    assert Counter(rows_by_pyarrow(bench.path)) == rows(6)
    roll_up(bench)
    bench.publish(words(("w1", 7)))
    assert Counter(rows_by_pyarrow(bench.path)) == rows(7)


def test_partition_folders_are_kept(tmp_path: Path) -> None:
    """In layout `files` each folder's files are joined; in layout `windows` those inside."""
    bench = filled(tmp_path / "files", 7, layout="files", partition_by=["word"])
    assert roll_up(bench) == ["7 files become 3 (7 rows)"]
    assert bench.published() == [
        "word=w0/part-00000003-to-00000006-000.snappy.parquet",
        "word=w1/part-00000001-to-00000007-000.snappy.parquet",
        "word=w2/part-00000002-to-00000005-000.snappy.parquet",
    ]
    assert Counter(rows_by_pyarrow(bench.path)) == rows(7)
    bench = filled(tmp_path / "windows", 7, partition_by=["word"])
    roll_up(bench)
    assert {path.rpartition("/")[0] for path in bench.published()} == {
        f"window_id=00000007/word=w{number}" for number in range(3)
    }
    assert Counter(rows_by_pyarrow(bench.path)) == rows(7)


FORMATS: dict[str, dict[str, Any]] = {
    "parquet": {},
    "parquet zstd": {"compression": "zstd"},
    "parquet plain": {"compression": "none"},
    "orc": {"format": "orc"},
    "csv": {"format": "csv"},
    "csv with headers": {"format": "csv", "options": {"header": True}},
    "json": {"format": "json"},
    "json gzip": {"format": "json", "compression": "gzip"},
}


@pytest.mark.parametrize("name", FORMATS)
def test_each_format_is_joined_as_it_is(tmp_path: Path, name: str) -> None:
    """The same codec, the same rows in the same order."""
    bench = filled(tmp_path / "out", 5, layout="files", **FORMATS[name])
    ending = bench.published()[0].partition(".")[2]
    assert roll_up(bench) == ["5 files become 1 (5 rows)"]
    (joined,) = bench.published()
    assert joined == f"part-00000001-to-00000005-000.{ending}"
    assert list(_read(bench.path / joined, name)) == sorted(rows(5), key=lambda row: row[1])


def _read(path: Path, name: str) -> Iterator[tuple[Any, ...]]:
    if name.startswith("parquet"):
        codec = {"parquet": "SNAPPY", "parquet zstd": "ZSTD"}.get(name, "UNCOMPRESSED")
        footer = pyarrow.parquet.read_metadata(path)
        assert footer.row_group(0).column(0).compression == codec
        yield from rows_by_pyarrow(path.parent)
    elif name == "orc":
        yield from (tuple(row.values()) for row in pyarrow.orc.read_table(path).to_pylist())
    elif name.startswith("csv"):
        yield from asked_of_duckdb(f"FROM read_csv('{path}', header={name != 'csv'})")
    else:
        yield from asked_of_duckdb(f"FROM read_json('{path}')")


@pytest.mark.parametrize("yes", ["true", "True", "TRUE"])
def test_a_header_is_never_taken_for_a_row(tmp_path: Path, yes: str) -> None:
    """However it is asked for: Spark knows the word in any case."""
    bench = filled(tmp_path / "out", 3, layout="files", format="csv", options={"header": yes})
    (first, *_) = sorted(bench.path.iterdir())
    assert first.read_text().splitlines()[0].replace('"', "") == "word,n"
    roll_up(bench)
    (joined,) = bench.path.iterdir()
    assert Counter(asked_of_duckdb(f"FROM read_csv('{joined}', header=true)")) == rows(3)


def test_what_others_wrote_with_headers_is_joined_without_them(tmp_path: Path) -> None:
    """As Spark writes, and not pyarrow."""
    bench = filled(tmp_path / "out", 3, layout="files", format="csv", options={"header": "true"})
    bench.arguments["options"] = {"Header": "True"}
    bench.die()
    roll_up(bench)
    (joined,) = bench.path.iterdir()
    assert joined.read_text().count("word") == 1


def test_gzip_members_are_read_by_everybody(tmp_path: Path) -> None:
    """One after the other in one file, as its standard says."""
    bench = filled(tmp_path / "out", 3, format="json", compression="gzip")
    roll_up(bench)
    (path,) = bench.path.rglob("*.gz")
    lines = gzip.decompress(path.read_bytes()).splitlines()
    assert [json.loads(line)["n"] for line in lines] == [1, 2, 3]


def test_what_is_large_is_left_alone(tmp_path: Path) -> None:
    """Files of `target_file_bytes`, and what would grow beyond it."""
    bench = Bench(tmp_path / "out", format="text", layout="files", target_file_bytes=25)
    sizes = [9, 30, 9, 9, 9]  # bytes, with the line's end
    for size in sizes:
        bench.publish(pyarrow.table({"line": ["x" * (size - 1)]}))
    roll_up(bench)
    assert bench.published() == [
        "part-00000001-00000-000.txt",
        "part-00000002-00000-000.txt",
        "part-00000003-00000-000.txt",
        "part-00000004-to-00000005-000.txt",
    ]
    assert roll_up(bench) == ["there are no small files to be joined"]


def test_no_file_gets_more_rows_than_it_may(tmp_path: Path) -> None:
    """`max_records_per_file`."""
    bench = filled(tmp_path / "out", 8, max_records_per_file=3)
    assert roll_up(bench) == ["8 files become 3 (8 rows)"]
    counts = [pyarrow.parquet.read_metadata(p).num_rows for p in bench.path.rglob("*.parquet")]
    assert sorted(counts) == [2, 3, 3]
    assert Counter(rows_by_pyarrow(bench.path)) == rows(8)


def test_only_files_of_equal_columns_are_joined(tmp_path: Path) -> None:
    """A column more, or another type: each kind for itself."""
    bench = filled(tmp_path / "out", 2, layout="files")
    for number in (3, 4):
        bench.publish(pyarrow.table({"word": ["x"], "n": [number], "more": [Decimal("1.50")]}))
    roll_up(bench)
    assert bench.published() == [
        "part-00000001-to-00000002-000.snappy.parquet",
        "part-00000003-to-00000004-000.snappy.parquet",
    ]


def test_types_stay_what_they_are(tmp_path: Path) -> None:
    """Decimals, moments with and without zone, nested columns, nulls."""
    table = pyarrow.table(
        {
            "price": pyarrow.array([Decimal("1.50"), None], pyarrow.decimal128(9, 2)),
            "at": pyarrow.array([datetime(2024, 5, 1, tzinfo=UTC), None]),
            "local": pyarrow.array([datetime(2024, 5, 1, tzinfo=UTC).replace(tzinfo=None), None]),
            "nested": [{"list": [1, 2], "map": "x"}, None],
        }
    )
    bench = Bench(tmp_path / "out", layout="files")
    bench.publish(table)
    schema = pyarrow.parquet.read_schema(next(bench.path.iterdir()))
    bench.publish(table)
    roll_up(bench)
    (joined,) = bench.path.iterdir()
    assert pyarrow.parquet.read_schema(joined).equals(schema, check_metadata=True)
    assert pyarrow.parquet.read_table(joined).to_pylist() == table.to_pylist() * 2


def test_moments_in_orc_are_left_alone(tmp_path: Path) -> None:
    """What they mean depends on the writer's time zone: said, and not joined."""
    bench = Bench(tmp_path / "out", format="orc")
    for _ in range(2):
        bench.publish(pyarrow.table({"at": [datetime(2024, 5, 1, tzinfo=UTC)]}))
    assert any("moments" in line for line in roll_up(bench))
    assert len(bench.published()) == 2


def test_a_damaged_file_is_left_alone(tmp_path: Path) -> None:
    """And said; the others are joined around it."""
    bench = filled(tmp_path / "out", 5, layout="files")
    (bench.path / bench.published()[2]).write_bytes(b"PAR1 and no more")
    said = roll_up(bench)
    assert said[0] == "4 files become 2 (4 rows)"
    assert "1 files stay as they are: they cannot be read" in said[1]
    assert len(bench.published()) == 3


def test_other_codecs_are_left_alone(tmp_path: Path) -> None:
    """bzip2: not every reader knows more than one member."""
    bench = filled(tmp_path / "out", 2, format="json", compression="bzip2")
    assert roll_up(bench)[1] == "2 files stay as they are: their compression cannot be joined"


def test_each_row_is_written_again_only_as_all_of_it_doubles(tmp_path: Path) -> None:
    """A hundred roll-ups of two windows each: few files, and few bytes written."""
    bench, written = Bench(tmp_path / "out", format="text", layout="files"), 0
    for _ in range(64):
        for _ in range(2):
            bench.publish(pyarrow.table({"line": ["x" * 99]}))
        before = {path.name for path in bench.path.iterdir()}
        roll_up(bench)
        new = [path for path in bench.path.iterdir() if path.name not in before]
        written += sum(path.stat().st_size for path in new)
    assert len(bench.published()) <= 7
    assert written <= 12_800 * 7, "log2(128) times all bytes"


def test_nothing_is_changed_before_it_is_said(tmp_path: Path) -> None:
    """A dry run only reads."""
    done: list[str] = []

    def moment(name: str, action: Any) -> Any:
        done.append(name.split()[0])
        return action()

    bench = filled(tmp_path / "out", 3, storage=WatchedTree(moment))
    done.clear()
    bench.sink.roll_up()
    assert set(done) <= {"list", "kind", "read", "sync"}
