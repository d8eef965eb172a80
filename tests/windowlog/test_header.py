"""The header: the birth certificate of a log. And the records that only one driver may own."""

from __future__ import annotations

import uuid

import pytest

from windowed.testing.forgetful import ForgetfulStorage
from windowlog import codec
from windowlog.errors import NewerFormat, RecordExists, RecordNotFound, RecordTorn
from windowlog.exclusive import create_exclusively, create_once
from windowlog.header import new_header, read_header
from windowlog.marks import Marks
from windowlog.storage.memory import MemoryStorage


def test_a_header_comes_back_as_it_was_made() -> None:
    """Under the same id, with the positions where inputs start."""
    made, data = new_header("counts", "run-a", 8, {"lines": {"a.txt": 70}})
    found = read_header(data, 8)
    assert (made.exists, found.exists) == (False, True)
    assert (found.log_id, found.pipeline, found.first) == (made.log_id, "counts", 8)
    assert found.positions == {"lines": {"a.txt": 70}}
    assert str(uuid.UUID(found.log_id)) == found.log_id


def test_a_header_has_the_digest_of_its_bytes() -> None:
    """What the first window's `previous` will be, before the header is even created."""
    made, data = new_header("counts", "run-a", 1, {})
    assert made.digest == read_header(data, 1).digest == codec.digest(data)


def test_a_header_under_another_number_is_torn() -> None:
    """A copy of another log's header, renamed by a person."""
    _, data = new_header("counts", "run-a", 1, {})
    with pytest.raises(RecordTorn, match="header 8"):
        read_header(data, 8)


def test_a_torn_header_is_torn_wherever_it_was_cut() -> None:
    """At every length, the empty record too."""
    _, data = new_header("counts", "run-a", 1, {})
    for length in range(len(data)):
        with pytest.raises(RecordTorn):
            read_header(data[:length], 1)


def test_a_header_of_a_newer_format_is_named_so() -> None:
    """Not torn: a newer version wrote it."""
    newer = codec.frame("header", 1, b"{}")
    line = newer.split(b"\n")[0].replace(b"windowlog 1", b"windowlog 7").rsplit(b" ", 1)[0]
    import zlib

    crc = zlib.crc32(b"{}", zlib.crc32(line))
    with pytest.raises(NewerFormat, match="format 7"):
        read_header(b"%s %08x\n{}" % (line, crc), 1)


class _Scripted(MemoryStorage):
    """A storage whose name is taken, with `found` under it: None when its owner has purged it."""

    def __init__(self, found: bytes | None) -> None:
        super().__init__()
        self._found = found
        self.synced: list[str | None] = []

    def create(self, name: str, data: bytes) -> None:
        """Taken."""
        raise RecordExists(name=name, where="here")

    def read(self, name: str) -> bytes:
        """What is there now."""
        if self._found is None:
            raise RecordNotFound(name=name, where="here")
        return self._found

    def sync(self, name: str | None = None) -> None:
        """Remember what was asked for."""
        self.synced.append(name)


def test_a_record_belongs_to_its_first_creator() -> None:
    """By its bytes, which name the run; our own, after a lost reply, is made durable."""
    free = MemoryStorage()
    assert create_exclusively(free, "one", b"ours")
    assert free.read("one") == b"ours"
    for found, ours in ((b"ours", True), (b"theirs", False), (None, False)):
        storage = _Scripted(found)
        assert create_exclusively(storage, "one", b"ours") is ours
        assert storage.synced == (["one"] if ours else [])


def test_a_record_that_all_would_write_says_who_was_first() -> None:
    """True for one creator; whoever comes later leaves it as it is, and makes it durable."""
    storage = ForgetfulStorage()
    assert create_once(storage.halfway, "one", b"first")
    assert not create_once(storage, "one", b"second")
    storage.power_loss()
    assert storage.read("one") == b"first"


def test_the_highest_mark_counts() -> None:
    """The default stands in before there is one."""
    storage = MemoryStorage()
    marks = Marks(storage)
    assert marks.newest(1) == 1
    for floor in (3, 2, 3):
        marks.create(floor)
    assert marks.newest(1) == 3
    assert storage.list() == ["000000000002.json", "000000000003.json"]


def test_a_mark_advances_and_never_goes_back() -> None:
    """It lets go of older ones; past the floor it changes nothing."""
    storage = MemoryStorage()
    marks = Marks(storage)
    assert [marks.advance(floor) for floor in (2, 4, 4, 3)] == [2, 4, 4, 4]
    assert storage.list() == ["000000000004.json"]


def test_of_several_marks_the_highest_counts_when_one_is_to_be_set() -> None:
    """A kill leaves older ones beside it: they let go of nothing, and the next mark of them all."""
    storage = MemoryStorage()
    marks = Marks(storage)
    for floor in (3, 5):
        marks.create(floor)
    assert marks.advance(4) == 5
    assert storage.list() == ["000000000003.json", "000000000005.json"]
    assert marks.advance(6) == 6
    assert storage.list() == ["000000000006.json"]


@pytest.mark.parametrize("floor", [4, 3])
def test_a_mark_that_a_dead_driver_left_half_way_is_made_durable(floor: int) -> None:
    """Before what is below it goes: else a power cut takes the mark and leaves the holes."""
    storage = ForgetfulStorage()
    Marks(storage.halfway).create(4)
    assert Marks(storage).advance(floor) == 4
    storage.power_loss()
    assert Marks(storage).newest(1) == 4


def test_a_mark_that_is_gone_when_it_is_looked_at_was_passed() -> None:
    """Another driver has set a higher one, and let go of it."""
    Marks(_Scripted(None)).create(4)

    class Gone(_Scripted):
        def sync(self, name: str | None = None) -> None:
            raise RecordNotFound(name=name, where="here")

    Marks(Gone(None)).create(4)
    gone = Gone(None)
    gone.list = lambda: ["000000000005.json"]  # type: ignore[method-assign]
    assert Marks(gone).advance(4) == 5


def test_a_mark_says_when_it_was_made() -> None:
    """For a person; it is a record like the others."""
    storage = MemoryStorage()
    Marks(storage).create(4)
    name = "000000000004.json"
    body = codec.decode(storage.read(name), kind="mark", record_id=4, name=name)
    assert list(body) == ["at"]
