"""Fork a child for each system call of the story, kill it there, and check what it left.

Run as a program (it forks, so it has no threads): prints how many children were killed.
"""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

from tests.windowlog.storage.story import STORY, Promises, go_on, tell
from tests.windowlog.storage.watched_os import WatchedOs
from windowlog.storage import LocalStorage, disk, local


def main(folder: Path) -> int:
    """Kill before call 1, 2, 3 … until a child lives to the end; how many were killed."""
    killed = 0
    while True:
        base = folder / f"{killed}"
        base.mkdir()
        returned, alive = tell_in_child(base, last=killed + 1)
        if alive:
            assert returned == len(STORY)
            return killed
        killed += 1
        check(base, returned)


def tell_in_child(base: Path, last: int) -> tuple[int, bool]:
    """How many steps returned before the child was killed, and whether it was not."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        fake = WatchedOs(base, lambda number, call, path: kill_at(last, number))
        vars(local)["os"] = vars(disk)["os"] = fake
        tell(LocalStorage(base / "log"), Promises(), lambda: send(writer))
        os._exit(0)
    os.close(writer)
    _, status = os.waitpid(child, 0)
    with open(reader, "rb") as pipe:
        returned = len(pipe.read())
    assert status in (0, signal.SIGKILL), status
    return returned, status == 0


def send(writer: int) -> None:
    """One step has returned."""
    os.write(writer, b".")


def kill_at(last: int, number: int) -> None:
    """Die, as a driver does: without a word."""
    if number == last:
        os.kill(os.getpid(), signal.SIGKILL)


def check(base: Path, returned: int) -> None:
    """The promises hold, and a new start goes on to the end."""
    root, promises = LocalStorage(base / "log"), Promises()
    # What returned before the last sync was checked by it; what came after it stands as promised.
    for step in STORY[:returned]:
        promises.begin(step)
        promises.returned(step, root)
    promises.begin(STORY[returned])
    promises.check(root)
    go_on(root, promises, returned)
    promises.check(LocalStorage(base / "log"))


if __name__ == "__main__":
    # A kill does not need fsync, and it would cost most of the time.
    vars(os)["fsync"] = lambda descriptor: None
    sys.stdout.write(f"{main(Path(sys.argv[1]))}\n")
