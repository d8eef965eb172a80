"""An input's memory: versions by window, the highest wins, none is overwritten."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from windowed.testing.faulty import every_fault
from windowed.testing.forgetful import ForgetfulStorage
from windowlog import codec
from windowlog.errors import RecordNotFound, RecordTorn
from windowlog.memory import LogMemory
from windowlog.storage.memory import MemoryStorage


@pytest.fixture
def storage() -> MemoryStorage:
    """An empty place."""
    return MemoryStorage()


def test_it_is_empty_before_the_first_version(storage: MemoryStorage) -> None:
    """And looking creates nothing."""
    memory = LogMemory(storage)
    assert (memory.newest(), memory.version(), storage.list()) == (None, None, [])


@pytest.mark.parametrize("data", [b"", b"\x00\xff\n", b"x" * 100_000])
def test_a_version_comes_back(storage: MemoryStorage, data: bytes) -> None:
    """Any bytes, from another object too."""
    LogMemory(storage).save(3, data)
    assert LogMemory(storage).newest() == (3, data)
    assert LogMemory(storage).version() == 3


def test_the_highest_version_wins(storage: MemoryStorage) -> None:
    """Also when an older one is saved after it."""
    memory = LogMemory(storage)
    memory.save(5, b"five")
    memory.save(3, b"three")
    assert memory.newest() == (5, b"five")


def test_a_version_is_not_overwritten(storage: MemoryStorage) -> None:
    """Whoever saved it first has saved the same."""
    LogMemory(storage).save(3, b"first")
    LogMemory(storage).save(3, b"second")
    assert LogMemory(storage).newest() == (3, b"first")


def test_two_versions_are_kept(storage: MemoryStorage) -> None:
    """The newest and the one before it; older ones go."""
    memory = LogMemory(storage)
    for window_id in (2, 4, 6, 8):
        memory.save(window_id, b"%d" % window_id)
    assert storage.list() == ["000000000006.json", "000000000008.json"]


def test_a_damaged_version_is_an_error(storage: MemoryStorage) -> None:
    """It is not taken for an older one: plans since then may be purged."""
    memory = LogMemory(storage)
    memory.save(2, b"two")
    storage.create("000000000004.json", b"windowlog 1 memory")
    with pytest.raises(RecordTorn, match=r"000000000004\.json"):
        memory.newest()
    assert memory.version() == 4


def test_the_damaged_ones_are_named_down_to_one_that_is_whole(storage: MemoryStorage) -> None:
    """So that a person can remove just them, if the plans since then are kept."""
    memory = LogMemory(storage)
    assert memory.damaged() == ((), None)
    storage.create("000000000006.json", b"windowlog 1 memory")
    storage.create("000000000004.json", b"")
    names = ("000000000006.json", "000000000004.json")
    assert memory.damaged() == (names, None)
    memory.save(2, b"two")
    storage.create("000000000001.json", b"")
    assert memory.damaged() == (names, 2)


def test_one_that_another_driver_let_go_of_meanwhile_is_not_named() -> None:
    """It is gone already."""
    storage = _Racing()
    storage.create("000000000004.json", b"")
    storage.deletes = True
    assert LogMemory(storage).damaged() == ((), None)


def test_another_windows_version_under_this_name_is_damage(storage: MemoryStorage) -> None:
    """Copied by a person."""
    memory = LogMemory(storage)
    memory.save(2, b"two")
    storage.create("000000000004.json", storage.read("000000000002.json"))
    with pytest.raises(RecordTorn, match="memory 4"):
        memory.newest()


class _Racing(MemoryStorage):
    """Just before a read, another driver saves two more versions, or somebody deletes one."""

    saves: tuple[int, ...] = ()
    deletes = False

    def read(self, name: str) -> bytes:
        """With the other one being faster."""
        saves, self.saves = self.saves, ()
        for window_id in saves:
            LogMemory(self).save(window_id, b"%d" % window_id)
        if self.deletes:
            self.delete(name)
        return super().read(name)


def test_a_version_that_another_driver_let_go_of_meanwhile_is_no_error() -> None:
    """The newer one is there instead."""
    storage = _Racing()
    LogMemory(storage).save(1, b"1")
    storage.saves = (2, 3)
    assert LogMemory(storage).newest() == (3, b"3")


def test_a_version_that_is_gone_with_nothing_newer_is_lost() -> None:
    """That is an error of the outside, not an empty memory."""
    storage = _Racing()
    LogMemory(storage).save(1, b"1")
    storage.deletes = True
    storage.list = lambda: ["000000000001.json"]  # type: ignore[method-assign]
    with pytest.raises(RecordNotFound):
        LogMemory(storage).newest()


def _half_saved(window_id: int, data: bytes) -> ForgetfulStorage:
    """A driver died while it saved this: it can be seen, and is not durable."""
    storage = ForgetfulStorage()
    LogMemory(storage.halfway).save(window_id, data)
    assert storage.undecided()
    return storage


def test_what_is_believed_is_durable() -> None:
    """A version that a dead driver left half way survives a power cut once it was given out."""
    uses: list[Callable[[LogMemory], object]] = [
        lambda memory: memory.newest(),
        lambda memory: memory.version(),
        lambda memory: memory.save(3, b"three"),
    ]
    for use in uses:
        storage = _half_saved(3, b"three")
        use(LogMemory(storage))
        storage.power_loss()
        assert LogMemory(storage).newest() == (3, b"three")


def test_a_version_that_appears_after_the_sync_is_made_durable_itself() -> None:
    """Another driver's, between the sync of the folder and its listing."""

    class Late(ForgetfulStorage):
        late = True

        def list(self) -> list[str]:
            if self.late:
                self.late = False
                LogMemory(self.halfway).save(3, b"three")
            return super().list()

    storage = Late()
    assert LogMemory(storage).newest() == (3, b"three")
    storage.power_loss()
    assert LogMemory(storage).newest() == (3, b"three")


def test_versions_beyond_the_log_can_be_let_go_of(storage: MemoryStorage) -> None:
    """Then the one before them counts again."""
    memory = LogMemory(storage)
    for version in (3, 5, 9):
        storage.create(f"{version:012d}.json", codec.frame("memory", version, b"%d" % version))
    assert (memory.beyond(4), memory.beyond(9)) == ([5, 9], [])
    memory.forget(memory.beyond(4))
    assert memory.newest() == (3, b"3")


def test_any_operation_may_fail() -> None:
    """A version is there or not; the next save goes on; at no moment is there none any more."""
    for fault in every_fault():
        storage = MemoryStorage()
        LogMemory(storage).save(1, b"1")
        with fault.suffered():
            _save_more(LogMemory(fault.over(storage)))
        newest = LogMemory(storage).newest()
        assert newest is not None, fault.struck
        _save_more(LogMemory(storage))
        assert LogMemory(storage).newest() == (4, b"4"), fault.struck


def _save_more(memory: LogMemory) -> None:
    for window_id in (2, 3, 4):
        memory.save(window_id, b"%d" % window_id)
