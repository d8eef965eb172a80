"""FaultyStorage and every_fault: one operation goes wrong, each in turn, and only then."""

from __future__ import annotations

import pytest

from windowed.testing.crash import Crash
from windowed.testing.faulty import Fault, Moment, every_fault
from windowed.testing.forgetful import ForgetfulStorage
from windowlog.contracts import Storage
from windowlog.errors import RecordNotFound, StorageFailed
from windowlog.storage import MemoryStorage


def _work(storage: Storage) -> None:
    """Seven operations: each verb once, and one more in a sub-folder."""
    storage.create("a", b"data")
    storage.read("a")
    storage.list()
    storage.rename("a", "b")
    storage.sync()
    storage.within("folder").create("c", b"inner")
    storage.delete("b")


@pytest.mark.parametrize(("moment", "there"), [("before", []), ("after", ["a"]), ("midway", ["a"])])
def test_a_fault_strikes_before_or_after_the_operation(moment: Moment, there: list[str]) -> None:
    """A lost reply: it failed for the caller, and has taken effect."""
    place, fault = MemoryStorage(), Fault(1, moment)
    with pytest.raises(StorageFailed, match=f"a fault {moment} operation 1, create a in memory:"):
        fault.over(place).create("a", b"data")
    assert place.list() == there


def test_an_error_happens_once_and_a_crash_is_the_end() -> None:
    """After an error the storage works again; after a crash nothing is done any more."""
    for crash in (False, True):
        place = MemoryStorage()
        storage = Fault(1, crash=crash).over(place)
        with pytest.raises(Crash if crash else StorageFailed):
            storage.create("a", b"")
        if crash:
            with pytest.raises(Crash, match="dead since before operation 1"):
                storage.within("folder").create("b", b"")
        else:
            storage.within("folder").create("b", b"")
        assert place.within("folder").list() == ([] if crash else ["b"])


def test_every_operation_is_struck_in_turn() -> None:
    """Seven operations, two moments, error and crash; sub-folders are counted along."""
    struck = []
    for fault in every_fault():
        with fault.suffered():
            _work(fault.over(MemoryStorage()))
        struck.append((fault.crash, fault.struck))
    verbs = ["create a", "read a", "list", "rename a b", "sync", "create c", "delete b"]
    places = ["memory:"] * 5 + ["memory:/folder", "memory:"]
    expected: list[tuple[bool, str | None]] = []
    for crash in (False, True):
        for moment in ("before", "after"):
            for number, (verb, place) in enumerate(zip(verbs, places, strict=True), 1):
                expected.append((crash, f"{moment} operation {number}, {verb} in {place}"))
            expected.append((crash, None))
    assert struck == expected


def test_operations_of_several_storages_count_together() -> None:
    """A fault over two places strikes the second one's first operation as the second."""
    fault = Fault(2)
    fault.over(MemoryStorage()).list()
    with pytest.raises(StorageFailed):
        fault.over(MemoryStorage()).list()


def test_midway_shows_and_is_not_durable_where_the_storage_knows_that() -> None:
    """Elsewhere it is the same as after."""
    forgetful = ForgetfulStorage()
    with pytest.raises(StorageFailed):
        Fault(1, "midway").over(forgetful.within("folder")).create("a", b"data")
    assert forgetful.within("folder").list() == ["a"]
    forgetful.power_loss()
    assert forgetful.within("folder").list() == []


def test_only_what_the_fault_brings_about_is_suffered() -> None:
    """An error without the fault, and a failed assertion, are the test's own."""
    fault = Fault(100)
    with pytest.raises(RecordNotFound), fault.suffered():
        fault.over(MemoryStorage()).read("missing")
    struck = Fault(1)
    with struck.suffered():
        struck.over(MemoryStorage()).list()
    with pytest.raises(pytest.fail.Exception), struck.suffered():
        pytest.fail("a check", pytrace=False)


def test_a_fault_that_is_not_used_is_a_mistake_in_the_test() -> None:
    """It would pass for ever and test nothing."""
    faults = every_fault()
    next(faults)
    with pytest.raises(AssertionError, match=r"fault\.over"):
        next(faults)


def test_a_closed_storage_closes_the_one_inside() -> None:
    """It is no operation: nothing goes wrong there."""
    closed = []

    class Inner(MemoryStorage):
        """Tells."""

        def close(self) -> None:
            """Tell."""
            closed.append(self.describe())

    Fault(1).over(Inner()).close()
    assert closed == ["memory:"]
