"""From bytes to lines: ends, marks, bytes that are not text; the same by each reader."""

from __future__ import annotations

import random
from functools import partial
from typing import TYPE_CHECKING

import pyarrow
import pytest

from connectors.files import split
from connectors.files.split import SCHEMA, split_range
from connectors.tasks import as_dataframe
from tests.connectors.files.conftest import MakeWorld
from tests.connectors.files.world import World
from windowlog.contracts import InputContext

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

# File content, and its lines as (value, offset), by hand.
TEXTS = [
    (b"one\ntwo\n", [("one", 0), ("two", 4)]),
    (b"one\r\ntwo\r\n", [("one", 0), ("two", 5)]),
    (b"\n\n\r\n", [("", 0), ("", 1), ("", 2)]),
    (b"no end", [("no end", 0)]),
    (b"a\rb\n", [("a\rb", 0)]),
    (b"a\r\r\n", [("a\r", 0)]),
    (b"\xef\xbb\xbfmark\nnext\n", [("mark", 0), ("next", 8)]),
    (b"a\n\xef\xbb\xbfb\n", [("a", 0), ("\ufeffb", 2)]),
    (b"nul\x00nul\n\x00\n", [("nul\x00nul", 0), ("\x00", 8)]),
    (b"bad \xff\xfe\nna\xc3\xafve\n", [("bad \ufffd\ufffd", 0), ("na\u00efve", 7)]),
    (b"cut \xc3\nnext\n", [("cut \ufffd", 0), ("next", 6)]),
]


@pytest.mark.parametrize(("data", "expected"), TEXTS)
@pytest.mark.parametrize("block", [1, 5, 2**20])
def test_lines_are_those_written_by_hand(
    data: bytes, expected: list[tuple[str, int]], block: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However the file is cut into blocks."""
    monkeypatch.setattr(split, "BLOCK_BYTES", block)
    assert _lines(data) == expected


def test_lines_of_random_bytes_are_those_of_python(monkeypatch: pytest.MonkeyPatch) -> None:
    """Cut at line feeds and decoded one by one."""
    monkeypatch.setattr(split, "BLOCK_BYTES", 16)
    chance = random.Random(1)
    for _ in range(300):
        data = b"x" + bytes(chance.choices(b"ab\r\n\x00\xc3\xa4\xff", k=chance.randrange(60)))
        expected, at = [], 0
        for raw in data.removesuffix(b"\n").split(b"\n"):
            expected.append((raw.removesuffix(b"\r").decode("utf-8", "replace"), at))
            at += len(raw) + 1
        assert _lines(data) == expected


def test_a_file_shorter_than_its_range_is_an_error() -> None:
    """Never fewer rows without a word."""
    with pytest.raises(EOFError, match="ends at byte 3, before byte 9"):
        list(split_range(lambda length, at: b"abc"[at : at + length], "a.txt", 0, 9))


@pytest.mark.spark
@pytest.mark.parametrize("reader", ["driver", "executors"])
def test_each_reader_gives_the_same_rows(
    make_world: MakeWorld, spark: SparkSession, reader: str
) -> None:
    """As reading without Spark does, in order inside each file, with the same schema."""
    world = make_world()
    for number, (data, _) in enumerate(TEXTS):
        world.write(f"{number:02}.txt", data)
    window = world.run.log(world.run.plan())
    plain = world.run.rows(window)
    world.options["reader"] = reader
    other = world.make()
    other.open(_with_spark(world, spark))
    frame = other.read(window.plans["source"], ())
    assert not isinstance(frame, pyarrow.Table)
    assert frame.toArrow().cast(SCHEMA).to_pylist() == plain
    assert [(f.name, f.dataType.simpleString()) for f in frame.schema.fields] == [
        ("value", "string"), ("path", "string"), ("offset", "bigint")
    ]  # fmt: skip


@pytest.mark.spark
def test_lines_are_those_of_sparks_text_reader(make_world: MakeWorld, spark: SparkSession) -> None:
    """Where the two can be compared: without a lone carriage return, and with valid text."""
    world = make_world()
    comparable = [data for data, _ in TEXTS if b"a\r" not in data and b"\xff" not in data]
    for number, data in enumerate(comparable[:-1]):
        world.write(f"{number:02}.txt", data)
    theirs = [row["value"] for row in spark.read.text(str(world.folder)).collect()]
    assert sorted(world.values()) == sorted(theirs)


def test_each_byte_is_in_exactly_one_range(make_world: MakeWorld) -> None:
    """Ranges of each file meet exactly, over many windows, crashes, stops, rotations and growth,
    and together they are the files. Comparing rows with planned ranges could not see that."""
    chance = random.Random(7)
    world = make_world(max_bytes_per_window=64, max_files_per_window=2)
    covered: dict[object, int] = {}
    for step in range(400):
        what = chance.randrange(8)
        if what < 4:
            world.append(chance.choice("abc"), f"{step:05}{'x' * chance.randrange(40)}\n")
        elif what == 4 and (world.folder / "a").exists():
            (world.folder / "a").rename(world.folder / f"a.{step}")
        elif what == 5:
            world.run.stop().start()
        elif _logged(world, covered):
            if what == 6:
                world.restart()
            world.run.replay()
    while _logged(world, covered):
        world.run.replay()
    assert sum(covered.values()) == sum(path.stat().st_size for path in world.folder.iterdir())


def _logged(world: World, covered: dict[object, int]) -> bool:
    """Log the next plan, if it is not empty: each range begins where its file's last one ended."""
    plan = world.run.plan()
    for part in plan.parts:
        start, end = part.detail["start"], part.detail["end"]
        assert isinstance(end, int)
        assert start == covered.get(part.detail["file"], 0)
        covered[part.detail["file"]] = end
    if not plan.empty:
        world.run.log(plan)
    return not plan.empty


def _lines(data: bytes) -> list[tuple[str, int]]:
    read = lambda length, at: data[at : at + length]  # noqa: E731
    table = pyarrow.Table.from_batches(split_range(read, "a", 0, len(data)), SCHEMA)
    return [(row["value"], row["offset"]) for row in table.to_pylist()]


@pytest.mark.spark
@pytest.mark.parametrize(("line", "shuffles"), [("x\n", False), ("x" * 2_000 + "\n", True)])
def test_a_small_window_is_grouped_without_a_shuffle(
    spark: SparkSession, capsys: pytest.CaptureFixture[str], line: str, shuffles: bool
) -> None:
    """A larger one uses all cores. Spark's own plan says which."""
    data = (line * 1_000).encode()
    read = lambda length, at: data[at : at + length]  # noqa: E731
    table = pyarrow.Table.from_batches(split_range(read, "a.txt", 0, len(data)), SCHEMA)
    frame = as_dataframe(spark, table)
    frame.groupBy("value").count().explain()
    assert ("Exchange" in capsys.readouterr().out) is shuffles
    assert frame.count() == 1_000


def _with_spark(world: World, spark: SparkSession) -> InputContext:
    log = world.run.windows
    return InputContext(spark, "source", log.memory("source"), partial(log.plans_after, "source"))
