"""CPU seconds of this process and of the JVM and Python workers it started, from /proc."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from benchmarks.memory import descendants

# Of /proc/PID/stat, behind the name: own time in user and system, and that of ended children.
_OWN, _CHILDREN = slice(11, 13), slice(11, 15)


@dataclass(frozen=True, slots=True)
class Cpu:
    """Seconds so far: of this Python, of the JVM, of all Python workers together."""

    python_s: float
    jvm_s: float
    workers_s: float

    @property
    def all_s(self) -> float:
        """Together."""
        return self.python_s + self.jvm_s + self.workers_s

    def since(self, before: Cpu) -> Cpu:
        """What came since."""
        return Cpu(
            self.python_s - before.python_s,
            self.jvm_s - before.jvm_s,
            self.workers_s - before.workers_s,
        )


def spent() -> Cpu:
    """As the system counts them, in ticks of some 10 ms. 0 where it does not say."""
    jvm = workers = 0.0
    for pid, name in descendants(os.getpid()).items():
        if name.startswith("java"):
            jvm += _seconds(pid, _OWN)
        else:
            workers += _seconds(pid, _CHILDREN)
    return Cpu(_seconds(os.getpid(), _OWN), jvm, workers)


def _seconds(pid: int, fields: slice) -> float:
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return 0.0
    ticks = stat[stat.rindex(")") + 2 :].split()[fields]
    return sum(map(int, ticks)) / os.sysconf("SC_CLK_TCK")
