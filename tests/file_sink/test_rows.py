"""Which rows are taken, and how they stand in files that pyarrow writes: the third table of
docs/file_sink.md."""

from __future__ import annotations

import gzip
import json
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow
import pyarrow.orc
import pyarrow.parquet
import pytest

from file_sink import staging
from file_sink.errors import CountsDiffer, FormatUnavailable, FrameUnsuitable, TooManyFiles
from file_sink.json_lines import to_json
from tests.file_sink.bench import Bench, words

NESTED = pyarrow.schema([("word", pyarrow.string()), ("many", pyarrow.list_(pyarrow.int64()))])


@pytest.mark.parametrize("column", ["window_id", "WINDOW_ID", "Window_Id"])
def test_a_column_of_the_folders_name_is_refused(tmp_path: Path, column: str) -> None:
    """Readers would have it twice; nothing is made."""
    bench = Bench(tmp_path / "out")
    with pytest.raises(FrameUnsuitable, match=f"column {column} is there twice"):
        bench.sink.prepare(pyarrow.schema([("word", pyarrow.string()), (column, pyarrow.int64())]))
    assert not bench.path.exists()
    Bench(tmp_path / "files", layout="files").publish(pyarrow.table({column: [1]}))


@pytest.mark.parametrize(
    ("arguments", "schema", "findings"),
    [
        (
            {"partition_by": ["day", "word"], "sort_by": ["hour"]},
            pyarrow.schema([("word", pyarrow.string()), ("WORD", pyarrow.int64())]),
            ["columns word and WORD differ", "day of partition_by", "hour of sort_by"],
        ),
        (
            {"partition_by": "word"},
            pyarrow.schema([("word", pyarrow.string())]),
            ["all columns are in partition_by"],
        ),
        (
            {"partition_by": ["WORD"]},
            pyarrow.schema([("word", pyarrow.string()), ("n", pyarrow.int64())]),
            ["column WORD of partition_by is missing (did you mean word?)"],
        ),
        (
            {"partition_by": ["many"]},
            NESTED,
            [r"column many (list<item: int64>) cannot be a folder's name"],
        ),
    ],
)
def test_everything_that_is_wrong_is_named_at_once(
    tmp_path: Path, arguments: dict[str, Any], schema: pyarrow.Schema, findings: list[str]
) -> None:
    """In one message, and nothing is changed."""
    bench = Bench(tmp_path / "out", **arguments)
    with pytest.raises(FrameUnsuitable) as caught:
        bench.sink.prepare(schema)
    assert [each for each in findings if each not in str(caught.value)] == []
    assert not bench.path.exists()


@pytest.mark.parametrize(
    ("name", "schema", "finding"),
    [
        ("csv", NESTED, "column many"),
        ("text", NESTED, "exactly one column of type string, and here are: word string, many"),
        ("text", pyarrow.schema([("n", pyarrow.int64())]), "here are: n int64"),
    ],
)
def test_a_format_that_cannot_hold_the_rows_is_refused(
    tmp_path: Path, name: str, schema: pyarrow.Schema, finding: str
) -> None:
    """Before a window is staged."""
    with pytest.raises(FrameUnsuitable, match=finding.replace("(", r"\(")):
        Bench(tmp_path / "out", format=name).sink.prepare(schema)


def test_a_type_that_pyarrow_cannot_write_is_named(tmp_path: Path) -> None:
    """Where only the writer knows: nothing is left."""
    table = pyarrow.table({"n": [pyarrow.MonthDayNano((1, 2, 3))]})
    bench = Bench(tmp_path / "out", format="orc")
    with pytest.raises(FrameUnsuitable, match="month_day_nano_interval"):
        bench.stage(table)
    assert [path for path in bench.staging() if path.startswith("staged")] == []


@pytest.mark.parametrize("compression", [None, "zstd", "none"])
@pytest.mark.parametrize("name", ["parquet", "orc"])
def test_columns_arrive_unchanged(tmp_path: Path, name: str, compression: str | None) -> None:
    """As the format's own reader finds them."""
    bench = Bench(tmp_path / "out", format=name, compression=compression)
    bench.publish(words(("a", 1), ("ü", 2)))
    [path] = bench.published()
    reader = pyarrow.parquet.read_table if name == "parquet" else pyarrow.orc.read_table
    table = reader(str(bench.path / path))
    assert table.select(["word", "n"]).to_pylist() == words(("a", 1), ("ü", 2)).to_pylist()


def test_csv_has_a_header_where_it_is_wanted(tmp_path: Path) -> None:
    """And other separators: RFC 4180, where null is nothing and an empty text a pair of quotes."""
    table = pyarrow.table({"word": ['a"b', "", None], "n": [1, 2, None]})
    for header in (True, False):
        options = {"header": header, "sep": ";"}
        bench = Bench(tmp_path / f"{header}", format="csv", options=options)
        bench.publish(table)
        text = (bench.path / bench.published()[0]).read_text()
        assert text == ('"word";"n"\n' if header else "") + '"a""b";1\n"";2\n;\n'


def test_json_is_one_object_a_line(tmp_path: Path) -> None:
    """In the order of the frame; nothing for what is null."""
    bench = Bench(tmp_path / "out", format="json", compression="gzip")
    bench.publish(pyarrow.table({"b": ["x\ny", None], "a": [[1, None], []]}))
    [path] = bench.published()
    assert path.endswith(".json.gz")
    lines = gzip.decompress((bench.path / path).read_bytes()).decode().splitlines()
    assert lines == ['{"b":"x\\ny","a":[1,null]}', '{"a":[]}']


def test_maps_are_objects_as_spark_writes_them(tmp_path: Path) -> None:
    """Empty ones too, wherever they are; null is a value in a map, and a field's absence."""
    inner = pyarrow.map_(pyarrow.string(), pyarrow.int64())
    schema = pyarrow.schema(
        [
            ("m", inner),
            ("n", pyarrow.map_(pyarrow.date32(), pyarrow.list_(inner))),
            ("s", pyarrow.struct([("m", inner), ("x", pyarrow.int64())])),
        ]
    )
    rows = [
        {
            "m": [("a", 1), ("ü", None)],
            "n": [(date(2024, 5, 1), [[("b", 2)], None, []])],
            "s": {"m": [], "x": None},
        },
        {"m": [], "n": None, "s": None},
    ]
    bench = Bench(tmp_path / "out", format="json")
    bench.publish(pyarrow.Table.from_pylist(rows, schema=schema))
    assert (bench.path / bench.published()[0]).read_text().splitlines() == [
        '{"m":{"a":1,"ü":null},"n":{"2024-05-01":[{"b":2},null,{}]},"s":{"m":{}}}',
        '{"m":{}}',
    ]


@pytest.mark.parametrize(
    ("column", "arguments"),
    [
        (pyarrow.array([1], pyarrow.timestamp("ns")), {"format": "json"}),
        (pyarrow.array([1], pyarrow.duration("us")), {"format": "json"}),
        (pyarrow.array([2**60], pyarrow.timestamp("us")), {"format": "json"}),
        (pyarrow.array([b"0" * 16], pyarrow.uuid()), {"format": "json"}),
        (pyarrow.array(["a\0b"]), {"partition_by": ["x"]}),
    ],
    ids=["nanoseconds", "durations", "years", "ids", "zero bytes"],
)
def test_values_for_which_there_are_no_words_are_refused(
    tmp_path: Path, column: pyarrow.Array, arguments: dict[str, Any]
) -> None:
    """As what cannot be written, and not as a library says it; the next window is held."""
    bench = Bench(tmp_path / "out", **arguments)
    window = bench.story.window()
    table = pyarrow.table({"x": column, "n": [1]})
    bench.sink.prepare(table.schema)
    with pytest.raises(FrameUnsuitable, match="Nothing was published"):
        bench.sink.stage(window, table)
    bench.sink.stage(window, table.slice(0, 0))
    bench.sink.hold(window)


def test_text_is_the_value_and_a_line_end(tmp_path: Path) -> None:
    """Null is an empty line, as Spark writes it."""
    bench = Bench(tmp_path / "out", format="text", layout="files", sort_by=["line"])
    bench.publish(pyarrow.table({"line": ["b", "a", None, ""]}))
    assert (bench.path / bench.published()[0]).read_text().splitlines() == ["", "a", "b", ""]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "null"),
        (True, "true"),
        (Decimal("1.50"), "1.50"),
        (float("nan"), '"NaN"'),
        (float("-inf"), '"-Infinity"'),
        (b"\x00\xff", '"AP8="'),
        (date(2024, 5, 1), '"2024-05-01"'),
        (datetime(2024, 5, 1, 2, 3, 4, 5, UTC), '"2024-05-01T02:03:04.000005+00:00"'),
        ({"a": {"b": None, "c": 1}}, '{"a":{"c":1}}'),
        ('ü\u2028"', '"ü\u2028\\""'),
    ],
)
def test_values_as_json(value: object, text: str) -> None:
    """Written down by hand; each is JSON to others as well."""
    assert to_json(value) == text
    json.loads(text)


def test_rows_are_sorted_in_each_file(tmp_path: Path) -> None:
    """By the columns of sort_by, partition by partition."""
    arguments = {"layout": "files", "format": "json", "partition_by": ["word"], "sort_by": ["n"]}
    bench = Bench(tmp_path / "out", **arguments)
    bench.publish(words(("a", 3), ("b", 9), ("a", 1), ("a", 2)))
    lines = (bench.path / bench.published()[0]).read_text().splitlines()
    assert lines == ['{"n":1}', '{"n":2}', '{"n":3}']


@pytest.mark.parametrize("name", ["csv", "json", "text"])
def test_a_replay_gives_the_same_names_and_bytes(tmp_path: Path, name: str) -> None:
    """Another driver, another folder."""
    found = []
    for place in ("one", "two"):
        bench = Bench(tmp_path / place, format=name, sort_by="word", max_records_per_file=2)
        bench.publish(words(("c", 1), ("b", 1), ("a", 1)).select(["word"]))
        found.append({path: (bench.path / path).read_bytes() for path in bench.published()})
    assert found[0] == found[1]
    assert len(found[0]) == 2


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ({"format": "avro"}, "only Spark writes it"),
        ({"format": "csv", "options": {"quoteAll": True}}, "only Spark knows the options quoteAll"),
        ({"format": "parquet", "options": {"header": True}}, "only Spark knows the options header"),
        ({"format": "parquet", "compression": "lzo"}, "no compression 'lzo'"),
        ({"format": "text", "compression": "lz4"}, "no compression 'lz4'"),
    ],
)
@pytest.mark.parametrize("rows", [[], [("a", 1)]])
def test_what_only_spark_can_write_is_named(
    tmp_path: Path, arguments: dict[str, Any], reason: str, rows: list[tuple[str, int]]
) -> None:
    """Also where a window has no rows: not only the first one with rows fails."""
    bench = Bench(tmp_path / "out", **arguments)
    with pytest.raises(FormatUnavailable, match=reason):
        bench.stage(words(*rows).select(["word"]))
    assert [path for path in bench.staging() if path.startswith("staged")] == []


def test_rows_that_the_writer_lost_are_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Footers are read back, whoever wrote them."""
    bench = Bench(tmp_path / "out", max_records_per_file=1)
    monkeypatch.setattr("file_sink.formats.rows_in", lambda name, stream: 0)
    with pytest.raises(CountsDiffer, match=r"wrote 2 rows of window 1, and the driver finds 0"):
        bench.stage(words(("a", 1), ("b", 2)))


def test_too_many_files_are_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A manifest is read at each start."""
    monkeypatch.setattr(staging, "FILES_MAX", 2)
    bench = Bench(tmp_path / "out", max_records_per_file=1, format="json")
    bench.publish(words(("a", 1), ("b", 2)))
    with pytest.raises(TooManyFiles, match="has 3 files, a manifest lists at most 2"):
        bench.stage(words(("a", 1), ("b", 2), ("c", 3)))
