"""Memory of this process and of the JVM and Python workers it started, from /proc."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

_SAMPLE_EVERY_S = 0.1
# A benchmark's own broker, and who keeps it, are none of its rivals.
_BROKER = b"kafka.Kafka"


@dataclass
class Peaks:
    """Highest resident memory in MB while watched: of this Python, of the JVM, of all Python
    workers together. 0 where the system does not say (there is no /proc)."""

    python_mb: float = 0.0
    jvm_mb: float = 0.0
    workers_mb: float = 0.0

    def take(self) -> None:
        """Look once."""
        self.python_mb = max(self.python_mb, _resident_mb(os.getpid()))
        jvm = workers = 0.0
        for pid, name in descendants(os.getpid()).items():
            if name.startswith("java"):
                jvm += _resident_mb(pid)
            else:
                workers += _resident_mb(pid)
        self.jvm_mb, self.workers_mb = max(self.jvm_mb, jvm), max(self.workers_mb, workers)


@contextmanager
def watched() -> Iterator[Peaks]:
    """Peaks of what happens inside, looked for ten times a second."""
    peaks, over = Peaks(), threading.Event()

    def watch() -> None:
        while not over.wait(_SAMPLE_EVERY_S):
            peaks.take()

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield peaks
    finally:
        over.set()
        watcher.join()
        peaks.take()


def descendants(root: int) -> dict[int, str]:
    """Process id -> name, for all below `root` that are no brokers."""
    parents: dict[int, tuple[int, str]] = {}
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            stat = (entry / "stat").read_text()
            if _BROKER in (entry / "cmdline").read_bytes():
                continue
        except OSError:
            continue  # it has just ended
        name = stat[stat.index("(") + 1 : stat.rindex(")")]
        parents[int(entry.name)] = int(stat[stat.rindex(")") + 2 :].split()[1]), name
    found: dict[int, str] = {}
    below = {root}
    while below:
        below = {pid for pid, (parent, _) in parents.items() if parent in below}
        found |= {pid: parents[pid][1] for pid in below}
    return found


def _resident_mb(pid: int) -> float:
    try:
        pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    except OSError:
        return 0.0
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6
