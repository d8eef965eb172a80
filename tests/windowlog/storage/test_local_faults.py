"""LocalStorage when a system call is the last one, or fails: each in turn, until none is left."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.windowlog.storage.story import Promises, go_on, tell
from tests.windowlog.storage.watched_os import Choose, PowerCut, WatchedOs, root, watched

pytestmark = pytest.mark.usefixtures("no_fsync")

CHOICES: dict[str, Callable[[], Choose]] = {
    "nothing unsynced stays": lambda: lambda states: states[0],
    "everything reached the disk": lambda: lambda states: states[-1],
    "only removals reached the disk": lambda: lambda states: None if None in states else states[0],
    "chance, seed 1": lambda: random.Random(1).choice,
    "chance, seed 2": lambda: random.Random(2).choice,
    "chance, seed 3": lambda: random.Random(3).choice,
}
"""What the disk had of each thing that was not durable."""


def cut_at(last: int) -> Callable[[int, str, str], None]:
    """The machine stops before call `last`: it and all that follow do nothing."""

    def before(number: int, call: str, path: str) -> None:
        if number >= last:
            raise PowerCut(f"{call} {path}")

    return before


def interrupted(fake: WatchedOs, base: Path, last: int) -> tuple[Promises, int] | None:
    """Tell the story up to call `last`: its promises and how many steps returned. None: its end."""
    promises, returned = Promises(), list[int]()
    fake.before = cut_at(last)
    try:
        tell(root(base), promises, partial(returned.append, 1))
    except PowerCut:
        fake.before = lambda number, call, path: None
        return promises, len(returned)
    return None


@pytest.mark.parametrize("choice", CHOICES)
def test_a_power_cut_before_any_system_call_breaks_no_promise(
    quick_folder: Path, choice: str
) -> None:
    """What returned is there, whole; nothing is half; a new start goes on to the end."""
    cuts = 0
    for last in range(1, 1000):
        base, left = quick_folder / f"{last}", quick_folder / f"{last}-left"
        with watched(base) as fake:
            stopped = interrupted(fake, base, last)
            if stopped is None:
                break
            fake.survivors(left, CHOICES[choice]())
        promises, returned = stopped
        promises.check(root(left))
        go_on(root(left), promises, returned)
        promises.check(root(left))
        cuts += 1
    # The story makes some hundred calls: with fewer, the storage goes by another door than `os`.
    assert cuts > 80


@pytest.mark.parametrize("choice", CHOICES)
def test_a_kill_and_later_a_power_cut_break_no_promise(quick_folder: Path, choice: str) -> None:
    """What a killed driver did shows, and is not durable: the next one must not build on it. ‡"""
    kills = 0
    for last in range(1, 1000):
        base, left = quick_folder / f"{last}", quick_folder / f"{last}-left"
        with watched(base) as fake:
            stopped = interrupted(fake, base, last)
            if stopped is None:
                break
            promises, returned = stopped
            promises.check(root(base))
            go_on(root(base), promises, returned)
            fake.survivors(left, CHOICES[choice]())
        promises.check(root(left))
        kills += 1
    assert kills > 80


def test_a_record_in_a_folder_of_a_killed_driver_survives_a_power_cut(quick_folder: Path) -> None:
    """The folders were there, but nobody had synced them: the first record does. ‡"""
    base, left = quick_folder / "base", quick_folder / "left"
    with watched(base) as fake:
        fake.mkdir(f"{base}/state")
        fake.mkdir(f"{base}/state/log")
        root(base).create("record", b"data")
        fake.survivors(left, lambda states: states[0])
    assert root(left).read("record") == b"data"


def test_a_deletion_is_durable_even_if_the_record_was_gone_already(quick_folder: Path) -> None:
    """Another driver's removal that was not synced may come back; ours may not. ‡"""
    base, left = quick_folder / "base", quick_folder / "left"
    with watched(base) as fake:
        root(base).create("record", b"data")
        root(base).delete("record", durable=False)
        root(base).delete("record")
        fake.survivors(left, lambda states: states[0])
    assert root(left).list() == []


def test_another_process_may_make_the_same_folders_at_every_moment(quick_folder: Path) -> None:
    """Between any two of our calls: two drivers' first records do not disturb each other. ‡"""
    for last in range(1, 1000):
        base = quick_folder / f"{last}"
        with watched(base) as fake:
            fake.before = partial(another_comes, fake, last)
            root(base).create("ours", b"ours")
            if fake.count < last:
                break
            assert root(base).list() == ["ours", "theirs"]
    assert last > 10


def another_comes(fake: WatchedOs, at: int, number: int, call: str, path: str) -> None:
    """Just before call `at` another process creates a record of its own, beginning to end."""
    if number == at:
        root(fake.base).create("theirs", b"theirs")


def test_what_lies_above_a_mount_point_is_not_synced(
    quick_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another disk knows nothing of our folders, and may be slow, broken or not ours."""
    base, synced = quick_folder / "base", set[str]()
    with watched(base) as fake:
        fake.before = lambda number, call, path: synced.add(path) if call == "fsync" else None
        disks = {str(base): 1, f"{base}/state": 2, f"{base}/state/log": 2}
        monkeypatch.setattr(fake, "stat", lambda path: SimpleNamespace(st_dev=disks[path]))
        root(base).create("record", b"data")
    folders = {path for path in synced if not path.endswith(".tmp")}
    assert folders == {f"{base}/state", f"{base}/state/log"}


def test_a_kill_before_any_system_call_breaks_no_promise(quick_folder: Path) -> None:
    """Real processes and SIGKILL; so each creation and rename is killed in its middle, too."""
    module = "tests.windowlog.storage.kill_each_call"
    command = [sys.executable, "-m", module, str(quick_folder)]
    child = subprocess.run(command, capture_output=True, text=True, check=False)
    assert child.returncode == 0, child.stderr
    assert int(child.stdout) > 80


def test_the_watched_disk_forgets_what_is_not_synced(quick_folder: Path) -> None:
    """The test of the tests: a file written and linked without any fsync is lost or half."""
    base = quick_folder / "base"
    with watched(base) as fake:
        descriptor = fake.open(f"{base}/file", os.O_WRONLY | os.O_CREAT | os.O_EXCL)
        fake.write(descriptor, memoryview(b"1234"))
        fake.close(descriptor)
        outcomes = {leave(fake, quick_folder / f"{n}", choose) for n, choose in enumerate(nth(3))}
    assert outcomes == {None, b"", b"12", b"1234"}


def nth(number: int) -> Sequence[Choose]:
    """First of all, then entries that stay with contents in each state."""

    def choose(at: int, states: Sequence[Any]) -> Any:
        return states[-1] if len(states) == 2 else states[at]

    return [
        lambda states: states[0],
        *[lambda states, at=at: choose(at, states) for at in range(number)],
    ]


def leave(fake: WatchedOs, target: Path, choose: Choose) -> bytes | None:
    """The bytes of `file` after a power cut."""
    fake.survivors(target, choose)
    path = target / "file"
    return path.read_bytes() if path.exists() else None
