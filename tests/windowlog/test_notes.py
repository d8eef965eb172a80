"""Notes: what people decide about a plan stands beside it, numbered, and is never changed."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from windowed.testing.faulty import every_fault
from windowed.testing.forgetful import ForgetfulStorage
from windowlog.errors import LogUnusable, RecordExists
from windowlog.notes import Notes
from windowlog.storage.memory import MemoryStorage
from windowlog.values import Json, Skip
from windowlog.wiring import Adoption, InputIdentity

SKIP = Skip(7, "lines", "a.txt", "3 lines", "deleted by mistake")
HERE = InputIdentity("files/lines", "/data/in")


@pytest.fixture
def storage() -> MemoryStorage:
    """An empty place."""
    return MemoryStorage()


def test_a_skip_is_numbered_from_one(storage: MemoryStorage) -> None:
    """And comes back with its number, to whoever looks."""
    recorded = Notes(storage).skip(SKIP)
    assert recorded == Skip(7, "lines", "a.txt", "3 lines", "deleted by mistake", number=1)
    assert Notes(storage).skips(7) == (recorded,)


def test_skips_of_a_window_come_in_the_order_they_were_given(storage: MemoryStorage) -> None:
    """More than nine of them too."""
    notes = Notes(storage)
    for part in range(11):
        notes.skip(Skip(7, "lines", f"{part}.txt", "all", "gone"))
    assert [(s.number, s.part) for s in notes.skips(7)] == [(n + 1, f"{n}.txt") for n in range(11)]
    assert notes.skips(8) == ()


def test_the_same_part_is_skipped_once(storage: MemoryStorage) -> None:
    """The permission that is there is returned, with its first reason."""
    notes = Notes(storage)
    first = notes.skip(SKIP)
    again = notes.skip(Skip(7, "lines", "a.txt", "all", "another reason"))
    other = notes.skip(Skip(7, "words", "a.txt", "all", "another input"))
    assert (again, other.number) == (first, 2)
    assert storage.within("skips").list() == ["000000000007.1.json", "000000000007.2.json"]


@pytest.mark.parametrize("identity", [HERE, None])
@pytest.mark.parametrize("end", [None, 3, {"a.txt": [1, 2]}])
def test_an_adoption_comes_back_as_it_was_recorded(
    storage: MemoryStorage, identity: InputIdentity | None, end: Json
) -> None:
    """Of an input that reads elsewhere, and of one that is gone; any position."""
    recorded = Notes(storage).adopt(Adoption(7, "lines", identity, end, "moved"))
    assert recorded == Adoption(7, "lines", identity, end, "moved", number=1)
    assert Notes(storage).adoptions(7) == (recorded,)


def test_every_adoption_is_recorded(storage: MemoryStorage) -> None:
    """For one input the last one counts, so each is kept, in order."""
    notes = Notes(storage)
    for end in (5, 6):
        notes.adopt(Adoption(7, "lines", HERE, end, "reset"))
    assert [(a.number, a.end) for a in notes.adoptions(7)] == [(1, 5), (2, 6)]
    assert notes.skips(7) == ()


def test_adoptions_are_found_from_a_window_on(storage: MemoryStorage) -> None:
    """In the order of windows, and of numbers within one."""
    notes = Notes(storage)
    for window_id, end in ((9, 1), (7, 2), (7, 3), (6, 4)):
        notes.adopt(Adoption(window_id, "lines", HERE, end, "reset"))
    assert [adoption.end for adoption in notes.adoptions_from(7)] == [2, 3, 1]


def test_a_note_that_is_believed_is_durable() -> None:
    """One that a dead command left half way survives a power cut once it was read."""
    reads: list[Callable[[Notes], object]] = [
        lambda notes: notes.skips(7),
        lambda notes: notes.adoptions(7),
        lambda notes: notes.adoptions_from(1),
    ]
    for number, read in enumerate(reads):
        storage = ForgetfulStorage()
        Notes(storage.halfway).skip(SKIP)
        Notes(storage.halfway).adopt(Adoption(7, "lines", HERE, 3, "moved"))
        read(Notes(storage))
        storage.power_loss()
        kept = Notes(storage).skips(7) if number == 0 else Notes(storage).adoptions(7)
        assert kept, number


def test_two_people_cannot_record_under_one_number(storage: MemoryStorage) -> None:
    """The second one is told, and nothing is overwritten."""

    class Slow(Notes):
        def skips(self, window_id: int) -> tuple[Skip, ...]:
            found = super().skips(window_id)
            if not found:
                Notes(storage).skip(Skip(7, "lines", "b.txt", "all", "faster"))
            return found

    with pytest.raises(RecordExists):
        Slow(storage).skip(SKIP)
    assert [skip.part for skip in Notes(storage).skips(7)] == ["b.txt"]


def test_a_torn_note_is_an_error_and_not_a_missing_one(storage: MemoryStorage) -> None:
    """A permission that cannot be read must not be taken for none."""
    Notes(storage).skip(SKIP)
    place = storage.within("skips")
    data = place.read("000000000007.1.json")
    place.delete("000000000007.1.json")
    place.create("000000000007.1.json", data[:-5])
    with pytest.raises(LogUnusable, match=r"000000000007\.1\.json.*move it away"):
        Notes(storage).skips(7)


def test_a_note_that_was_moved_away_can_be_given_again(storage: MemoryStorage) -> None:
    """The numbers go on behind those that are left."""
    notes = Notes(storage)
    for part in ("a.txt", "b.txt"):
        notes.skip(Skip(7, "lines", part, "all", "gone"))
        notes.adopt(Adoption(7, part[0], HERE, 5, "moved"))
    for folder in ("skips", "adoptions"):
        storage.within(folder).delete("000000000007.1.json")
    assert notes.skip(SKIP).number == 3
    assert notes.adopt(Adoption(7, "a", HERE, 5, "moved")).number == 3


def test_a_note_can_be_given_again_after_any_fault() -> None:
    """It is recorded once: a lost reply shows as the permission that is there."""
    for fault in every_fault():
        storage = MemoryStorage()
        with fault.suffered():
            Notes(fault.over(storage)).skip(SKIP)
        Notes(storage).skip(SKIP)
        assert [skip.part for skip in Notes(storage).skips(7)] == ["a.txt"], fault.struck
