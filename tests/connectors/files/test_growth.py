"""Files that grow: bounds, last lines without an end, limits, long lines."""

from __future__ import annotations

import os

import pytest

from connectors.files import identity, lines, planning, split
from connectors.files.errors import LineTooLong
from tests.connectors.files.conftest import MakeWorld
from tests.connectors.files.world import World
from tests.machine import absent


def test_an_empty_file_is_nothing_until_it_has_a_byte(any_world: World) -> None:
    """And then it is read from its beginning."""
    any_world.write("a.txt", "")
    assert any_world.run.plan().empty
    any_world.append("a.txt", "\n")
    assert any_world.values() == [""]


def test_what_grows_past_the_bound_waits(any_world: World) -> None:
    """The bounds of a run's start are its end."""
    any_world.write("a.txt", "one\n")
    bounds = any_world.run.input.bounds()
    any_world.append("a.txt", "two\n")
    assert [row["value"] for row in any_world.run.drain(bounds)] == ["one"]
    assert any_world.run.input.waiting(bounds) == []
    assert any_world.values() == ["two"]


@pytest.mark.parametrize("last_line", ["take", "wait"])
def test_a_bound_inside_a_line_extends_to_its_end(make_world: MakeWorld, last_line: str) -> None:
    """drained() wedged: the line could not be read inside the bound, nor become quiet."""
    world = make_world(quiet_s=60, last_line=last_line)
    world.write("a.txt", "one\ntw")
    bounds = world.run.input.bounds()
    assert [row["value"] for row in world.run.drain(bounds)] == ["one"]
    assert world.run.input.waiting(bounds) == (["a.txt"] if last_line == "take" else [])
    world.append("a.txt", "o\nthree\n")
    assert [row["value"] for row in world.run.drain(bounds)] == ["two"]
    assert world.run.input.waiting(bounds) == []
    assert world.run.plan(bounds).empty
    assert world.values() == ["three"]


def test_a_line_cut_by_the_bound_is_taken_to_where_it_ends_when_quiet(
    make_world: MakeWorld,
) -> None:
    """It grew past the bound and has no end yet: all of it is one line."""
    world = make_world(quiet_s=60)
    world.write("a.txt", "tw")
    bounds = world.run.input.bounds()
    world.append("a.txt", "ofold")
    assert world.run.plan(bounds).empty
    world.ahead_s = 61
    assert [row["value"] for row in world.run.drain(bounds)] == ["twofold"]


def test_a_last_line_without_an_end_is_taken_once_it_is_quiet(make_world: MakeWorld) -> None:
    """Whole lines are taken at once; the rest is named as waiting until then."""
    world = make_world(quiet_s=60)
    world.write("a.txt", "one\ntwo")
    bounds = world.run.input.bounds()
    assert world.values() == ["one"]
    assert world.run.input.waiting(bounds) == ["a.txt"]
    world.ahead_s = 61
    assert world.run.input.waiting(bounds) == ["a.txt"], "it has not been planned yet"
    assert world.values() == ["two"]
    assert world.run.input.waiting(bounds) == []


def test_a_last_line_that_is_not_to_be_taken_is_never_waited_for(make_world: MakeWorld) -> None:
    """So that drained() ends; when its end comes it is read whole."""
    world = make_world(quiet_s=2, last_line="wait")
    world.write("a.txt", "one\ntwo")
    world.ahead_s = 1e6
    assert world.values() == ["one"]
    assert world.run.input.waiting(world.run.input.bounds()) == []
    world.append("a.txt", "fold\n")
    assert world.values() == ["twofold"]


@pytest.mark.parametrize(("more", "then"), [("fold\n", ["fold"]), ("\n", [""]), ("", [])])
def test_a_line_that_goes_on_after_it_was_taken_is_two(
    any_world: World, more: str, then: list[str]
) -> None:
    """What was held stays; guarantees.md says so."""
    any_world.write("a.txt", "two")
    assert any_world.values() == ["two"]
    any_world.append("a.txt", more)
    assert any_world.values() == then


def test_a_window_is_no_larger_than_its_limit(make_world: MakeWorld) -> None:
    """Cut at line ends, over several files; together every line once."""
    world = make_world(max_bytes_per_window=10)
    world.write("a.txt", "1234\n1234\n1234\n")
    world.write("b.txt", "12345678\n12\n")
    sizes, values = [], []
    while (rows := world.run.window()) is not None:
        sizes.append(sum(len(row["value"]) + 1 for row in rows))
        values += [row["value"] for row in rows]
    assert max(sizes) <= 10
    assert sorted(values) == ["12", "1234", "1234", "1234", "12345678"]


def test_a_window_has_no_more_files_than_its_limit(make_world: MakeWorld) -> None:
    """In order of their time."""
    world = make_world(max_files_per_window=2)
    for number in range(5):
        world.write(f"{number}.txt", "x\n")
    found = []
    while (rows := world.run.window()) is not None:
        found.append([row["path"] for row in rows])
    assert found == [["0.txt", "1.txt"], ["2.txt", "3.txt"], ["4.txt"]]


@pytest.mark.parametrize("first", ["", "ab\n"])
def test_a_line_longer_than_a_window_is_a_window_of_its_own(
    make_world: MakeWorld, first: str
) -> None:
    """It waits for a window that holds nothing else."""
    world = make_world(max_bytes_per_window=4)
    world.write("a.txt", f"{first}{'x' * 20}\nb\n")
    found = []
    while (rows := world.run.window()) is not None:
        found.append([row["value"] for row in rows])
    assert found == [*([["ab"]] if first else []), ["x" * 20], ["b"]]


def test_a_long_line_does_not_keep_other_files_waiting(make_world: MakeWorld) -> None:
    """What has room is taken; and the long line is first when its turn comes."""
    world = make_world(max_bytes_per_window=4)
    world.write("a.txt", "a\n")
    world.write("b.txt", "x" * 20 + "\n")
    world.write("c.txt", "c\n")
    found = []
    while (rows := world.run.window()) is not None:
        found.append([row["path"] for row in rows])
    assert found == [["a.txt", "c.txt"], ["b.txt"]]


@pytest.mark.parametrize("end", ["\nb\n", ""])
def test_a_line_longer_than_the_kit_reads_is_refused(
    make_world: MakeWorld, monkeypatch: pytest.MonkeyPatch, end: str
) -> None:
    """Lines before it are read first; the message has path, place, limit and a way past it."""
    monkeypatch.setattr(planning, "LINE_BYTES_MAX", 15)
    world = make_world(max_bytes_per_window=4, quiet_s=60)
    world.write("a.txt", f"a\n{'x' * 20}{end}")
    assert world.run.window() is not None
    with pytest.raises(LineTooLong, match=r"(?s)a\.txt.* byte 2 .*15 bytes.*--to a\.txt@2\d\n"):
        world.run.plan()
    world.run.reset(f"a.txt@{23 if end else 22}")
    world.restart()
    assert world.values() == (["b"] if end else [])


def test_a_line_of_exactly_the_limit_is_read(
    make_world: MakeWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its end counts."""
    monkeypatch.setattr(planning, "LINE_BYTES_MAX", 15)
    world = make_world(max_bytes_per_window=4)
    world.write("a.txt", "x" * 14 + "\n")
    assert world.values() == ["x" * 14]


def test_a_line_of_many_blocks_is_one_value(
    make_world: MakeWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Reading and looking for its end go block by block."""
    for module, name in (
        (split, "BLOCK_BYTES"),
        (lines, "_BLOCK_BYTES"),
        (lines, "_BIG_BLOCK_BYTES"),
    ):
        monkeypatch.setattr(module, name, 7)
    world = make_world()
    text = "äöü" * 30
    world.write("a.txt", f"one\n{text}\ntwo")
    assert world.values() == ["one", text, "two"]


def test_a_large_file_is_cut_into_parts_at_line_ends(
    make_world: MakeWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Parts are what tasks read: each begins where the one before it ends, just after a line."""
    monkeypatch.setattr(planning, "PART_BYTES", 50)
    world = make_world()
    data = "".join(f"line {number}\n" for number in range(100))
    world.write("a.txt", data)
    parts = [part.detail for part in world.run.plan().parts]
    assert len(parts) > 5
    at = 0
    for part in parts:
        start, end = part["start"], part["end"]
        assert isinstance(end, int)
        assert start == at
        assert data[end - 1] == "\n"
        at = end
    assert at == len(data)
    assert world.values() == data.split("\n")[:-1]


@pytest.mark.parametrize("late_s", [1e9, -1e9])
def test_a_time_in_the_future_or_a_clock_set_back_only_delays(
    make_world: MakeWorld, late_s: float
) -> None:
    """The file is read, and its last line is quiet when this process has watched it for that
    long."""
    world = make_world(quiet_s=1000)
    world.write("a.txt", "one\ntwo")
    if late_s > 0:
        world.set_time("a.txt", -late_s)
    else:
        world.ahead_s = late_s
    assert world.values() == ["one"]
    world.ahead_s -= 500
    assert world.values() == []
    world.ahead_s += 900
    assert world.values() == [], "the clock went back: it is watched anew"
    world.ahead_s += 200
    assert world.values() == ["two"]


def test_files_come_in_the_order_of_their_times(world: World) -> None:
    """Modification, where it is older than birth (copies that kept it); then path."""
    for name, ago_s in (("b", 50), ("c", 100), ("a", 50)):
        world.write(name, "x\n")
        world.set_time(name, ago_s)
    for name in ("a", "b"):
        world.set_time(name, 50)
    moment = (world.folder / "a").stat().st_mtime_ns
    import os

    os.utime(world.folder / "b", ns=(moment, moment))
    assert world.paths() == ["c", "a", "b"]


def test_no_file_is_pushed_back_for_ever(make_world: MakeWorld) -> None:
    """One that always grows and new ones that keep coming are served in turn, though each window
    has room for one file only."""
    world = make_world(max_files_per_window=1)
    world.write("hot", "x\n")
    served = []
    for number in range(6):
        world.write(f"new{number}", "x\n")
        world.append("hot", "x\n")
        rows = world.run.window()
        assert rows is not None
        served.append(rows[0]["path"])
    assert served.count("hot") >= 2
    assert {"new0", "new1"} <= set(served)


def test_a_touched_file_that_vanishes_while_it_is_planned_is_not_missed(any_world: World) -> None:
    """All of it was read, so its other time is the only news of it."""
    path = any_world.write("a.txt", "one\n")
    any_world.run.drain()
    any_world.set_time("a.txt", 100)
    bounds = any_world.run.input.bounds()
    path.unlink()
    assert any_world.run.plan(bounds).empty


def test_a_new_file_waits_since_it_came_into_being(world: World) -> None:
    """A time in the future, or one that is set again and again, does not push it back."""
    world.write("a", "a\n")
    if identity.status(os.fsencode(world.folder / "a")).id.born_ns == 0:
        absent("a file system with birth times")
    world.write("b", "b\n")
    world.set_time("a", -1000)
    assert [row["path"] for row in world.run.drain()] == ["a", "b"]
