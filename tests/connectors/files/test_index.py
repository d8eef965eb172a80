"""What was read of which file: how it is kept, how it follows plans and resets, what it forgets."""

from __future__ import annotations

import json
import zlib
from typing import Any

import pytest

from connectors.files.errors import IndexLost
from connectors.files.identity import FileId, Head
from connectors.files.index import MISSED_FOLDS_MAX, Entry, Index, entries_to_json
from connectors.files.parts import FileRange, to_part
from connectors.files.walk import Seen, Tree
from tests.connectors.files.conftest import MakeWorld
from tests.connectors.files.world import NAME, World
from windowlog.errors import NewerFormat, RecordTorn
from windowlog.values import Plan

ONE, TWO = FileId(1, 10, 100), FileId(1, 20, 200)


def _range(file_id: FileId, start: int, end: int, **more: Any) -> FileRange:
    return FileRange("a.txt", file_id, 90, 7, start, end, "before", f"end {end}", **more)


def _plan(*pieces: FileRange, files: int, total: int) -> Plan:
    return Plan(tuple(map(to_part, pieces)), {"files": files, "bytes": total})


def _reset(files: int, total: int, clear: bool, drop: list[FileId], entries: Any) -> Plan:
    reset: dict[str, Any] = {"to": "x", "clear": clear, "drop": list(map(str, drop))}
    reset["files"] = entries_to_json(entries.items())
    return Plan((), {"files": files, "bytes": total, "reset": reset})


def _tree(*ids: FileId) -> Tree:
    return Tree({i: Seen("a.txt", 90, 7) for i in ids}, frozenset({1}))


def test_an_index_follows_its_plans() -> None:
    """The last range of a file counts; totals are the plans'."""
    index = Index()
    index.apply(_plan(_range(ONE, 0, 5), _range(ONE, 5, 9), _range(TWO, 0, 3), files=2, total=12))
    assert index.entries == {
        ONE: Entry("a.txt", 9, 90, 7, "end 9"),
        TWO: Entry("a.txt", 3, 90, 7, "end 3"),
    }
    assert index.end() == {"files": 2, "bytes": 12}
    index.expect({"files": 2, "bytes": 12}, "lines")
    assert index.end(1, 4) == {"files": 3, "bytes": 16}


@pytest.mark.parametrize(
    "position", [None, {"files": 1, "bytes": 5}, {"files": 2, "bytes": 4}, {"files": 0, "bytes": 0}]
)
def test_an_index_that_is_not_that_of_its_position_is_refused(position: Any) -> None:
    """What is not known to have been read would be read again."""
    index = Index()
    index.apply(_plan(_range(ONE, 0, 4), files=1, total=4))
    with pytest.raises(IndexLost, match=r"Input lines: its memory knows of 1 files and 4 bytes"):
        index.expect(position, "lines")


def test_an_empty_index_is_that_of_the_start() -> None:
    """And of nothing else."""
    Index().expect(None, "lines")
    with pytest.raises(IndexLost, match="its position is 1 files and 4 bytes"):
        Index().expect({"files": 1, "bytes": 4}, "lines")


def test_plans_that_are_missing_are_not_made_up_for_by_later_ones() -> None:
    """The totals fit again, and still nobody knows which files they were."""
    index = Index()
    index.apply(_plan(_range(ONE, 0, 4), files=1, total=4))
    index.apply(_plan(_range(ONE, 7, 9), files=1, total=9))
    index.apply(_plan(_range(TWO, 0, 1), files=2, total=10))
    with pytest.raises(IndexLost, match="knows of 1 files and 4 bytes"):
        index.expect({"files": 2, "bytes": 10}, "lines")
    index.apply(_reset(2, 10, clear=False, drop=[], entries={}))
    with pytest.raises(IndexLost):
        index.expect({"files": 2, "bytes": 10}, "lines")
    index.apply(_reset(2, 10, clear=True, drop=[], entries={}))
    index.expect({"files": 2, "bytes": 10}, "lines")
    assert index.entries == {}


def test_a_reset_changes_what_it_names_and_may_be_applied_again() -> None:
    """It drops, and sets; other files stay."""
    index = Index()
    index.apply(_plan(_range(ONE, 0, 4), _range(TWO, 0, 3), files=2, total=7))
    three = FileId(2, 30, 300)
    entry = Entry("b.txt", 1, 2, 3, "tail", Head(4, "head"), 2)
    for _ in range(2):
        index.apply(_reset(2, 7, clear=False, drop=[ONE], entries={three: entry}))
        assert index.entries == {TWO: Entry("a.txt", 3, 90, 7, "end 3"), three: entry}
    assert index.end() == {"files": 2, "bytes": 7}


def test_a_plan_without_an_end_is_the_start_again() -> None:
    """An input that was adopted anew."""
    index = Index()
    index.apply(_plan(_range(ONE, 0, 4), files=1, total=4))
    index.apply(Plan((), None))
    index.expect(None, "lines")
    assert index.entries == {}


def test_an_empty_plan_changes_nothing() -> None:
    """Unless it resets."""
    index = Index()
    index.apply(_plan(_range(ONE, 0, 4), files=1, total=4))
    index.apply(Plan((), {"files": 1, "bytes": 4}))
    index.expect({"files": 1, "bytes": 4}, "lines")
    assert list(index.entries) == [ONE]


def test_a_file_that_has_another_device_number_is_taken_over() -> None:
    """By the plan that reads it, which names its old id."""
    index = Index()
    index.apply(_plan(_range(ONE, 0, 4), files=1, total=4))
    new = FileId(9, ONE.inode, ONE.born_ns)
    assert index.known(_tree(new)) == {new: ONE}
    assert index.entry(new, _tree(new)) == index.entries[ONE]
    assert index.gone(_tree(new)) == set()
    index.apply(_plan(_range(new, 4, 6, was=ONE), files=1, total=6))
    assert list(index.entries) == [new]


def test_without_a_birth_time_an_inode_on_another_device_says_nothing() -> None:
    """It may be any file."""
    index = Index()
    index.apply(_plan(_range(FileId(1, 10, 0), 0, 4), files=1, total=4))
    new = FileId(9, 10, 0)
    assert index.known(_tree(new)) == {}
    assert index.entry(new, _tree(new)) is None


def test_a_file_that_is_still_there_is_not_taken_for_another() -> None:
    """A copy of a whole file system may have its inodes and times."""
    index = Index()
    index.apply(_plan(_range(ONE, 0, 4), files=1, total=4))
    new = FileId(9, ONE.inode, ONE.born_ns)
    assert index.known(_tree(ONE, new)) == {}


def test_an_index_comes_back_from_its_bytes() -> None:
    """With every field, and no longer than 100 bytes for a file."""
    index = Index(files=3, bytes=2**40)
    index.entries[ONE] = Entry("a\udcff\n.txt", 9, 90, 7, "end 9", Head(90, "head"), 2)
    index.entries[TWO] = Entry("b.txt", 2**40, 2**41, 2**60, "")
    assert Index.decode(index.encode(), "lines") == index
    many = Index()
    for number in range(1000):
        file_id = FileId(1, number, 1_700_000_000_000_000_000 + number * 977)
        tail = zlib.crc32(b"%d" % number).to_bytes(16).hex()
        many.entries[file_id] = Entry(f"in/{number}.log", 5000, 5000, file_id.born_ns, tail)
    assert len(many.encode()) < 100_000


def test_bytes_that_are_no_index_are_damage() -> None:
    """Cut, empty, or another kind of JSON."""
    good = Index(files=1, bytes=2).encode()
    bodies: list[Any] = [
        [],
        {"format": 1},
        {"format": 1, "files": 0, "bytes": 0, "entries": [[1]]},
        None,
    ]
    damaged = [
        b"",
        good[:-3],
        b"x" + good,
        *(zlib.compress(json.dumps(b).encode()) for b in bodies),
    ]
    for data in damaged:
        with pytest.raises(RecordTorn, match="memory of input lines"):
            Index.decode(data, "lines")


def test_an_index_of_a_newer_format_says_so() -> None:
    """It is not damage: a newer version of the kit reads it."""
    with pytest.raises(NewerFormat, match="memory of input lines"):
        Index.decode(zlib.compress(b'{"format": 2}'), "lines")


def test_a_file_that_is_gone_is_forgotten_after_three_folds() -> None:
    """One walk may have missed it: it was being moved."""
    index = Index(
        entries={ONE: Entry("a.txt", 90, 90, 7, "t"), TWO: Entry("b.txt", 90, 90, 7, "t")}
    )
    assert MISSED_FOLDS_MAX == 3
    for _ in range(2):
        index.forget(_tree(TWO))
        assert set(index.entries) == {ONE, TWO}
    index.forget(_tree(TWO))
    assert set(index.entries) == {TWO}
    assert index.entries[TWO].missed == 0


def test_a_file_that_comes_back_is_missed_anew() -> None:
    """Three folds in a row."""
    index = Index(entries={ONE: Entry("a.txt", 90, 90, 7, "t")})
    for present in (False, False, True, False, False):
        index.forget(_tree(ONE) if present else _tree())
        assert set(index.entries) == {ONE}
    index.forget(_tree())
    assert index.entries == {}


@pytest.mark.parametrize(
    ("entry", "tree"),
    [
        (Entry("a.txt", 89, 90, 7, "t"), _tree()),
        (Entry("a.txt", 90, 90, 7, "t"), Tree({}, frozenset({2}))),
    ],
    ids=["not read to its end", "its file system is away"],
)
def test_a_file_that_may_still_matter_is_never_forgotten(entry: Entry, tree: Tree) -> None:
    """However often it is not there."""
    index = Index(entries={ONE: entry})
    for _ in range(10):
        index.forget(tree)
    assert set(index.entries) == {ONE}


def test_a_fold_takes_over_new_device_numbers() -> None:
    """So that they are looked up once."""
    index = Index(entries={ONE: Entry("a.txt", 90, 90, 7, "t", missed=2)})
    new = FileId(1, ONE.inode, ONE.born_ns)._replace(device=5)
    index.forget(Tree({new: Seen("a.txt", 90, 7)}, frozenset({1, 5})))
    assert index.entries == {new: Entry("a.txt", 90, 90, 7, "t", missed=0)}


def test_vanished_files_leave_the_memory_of_a_run(make_world: MakeWorld) -> None:
    """Seen from outside: what is saved does not grow with history."""
    world = make_world()
    sizes = []
    for number in range(12):
        world.write(f"{number}.txt", f"line {number}\n")
        assert world.values() == [f"line {number}"]
        (world.folder / f"{number}.txt").unlink()
        world.run.stop().start()
        newest = world.run.windows.memory(NAME).newest()
        assert newest is not None
        sizes.append(len(Index.decode(newest[1], NAME).entries))
    assert sizes[:3] == [1, 2, 3]
    assert max(sizes) <= 4


@pytest.mark.parametrize(("to", "rest"), [("beginning", ["one", "new"]), ("end", ["new"])])
def test_a_memory_that_is_lost_is_refused_until_a_reset(
    any_world: World, to: str, rest: list[str]
) -> None:
    """Its plans are purged, so nobody knows what was read; the message has the command."""
    _purged(any_world)
    memories = any_world.run.windows.storage.within("inputs").within(NAME)
    for name in memories.list():
        memories.delete(name)
    any_world.restart()
    with pytest.raises(IndexLost, match=r"reset MODULE:PIPELINE source --to end"):
        any_world.run.plan()
    any_world.run.reset(to)
    any_world.restart()
    any_world.append("a.txt", "new\n")
    assert any_world.values() == rest


def _purged(world: World) -> None:
    """One line read, in a log that has no plan of it any more."""
    world.write("a.txt", "one\n")
    world.run.drain()
    world.run.stop().start()
    world.run.hold(world.run.log(world.run.plan()))
    world.run.stop().start()
    world.run.hold(world.run.log(world.run.plan()))
    world.run.stop().start()
    assert world.run.plan().empty
