"""A process beside each daemon, which ends the daemon when it is no longer wanted.

keeper.py RUNNING PARENT LOCK LOG COMMAND…

The daemon ends when the file RUNNING goes, when the process PARENT does (0: nobody is waited for),
or on SIGTERM; where the system can do it, also when the keeper itself is killed. While it lives,
the keeper holds a lock on the file LOCK. It prints the daemon's process id. Run as a file, by a
Python that need not find this package.
"""

from __future__ import annotations

import ctypes
import fcntl
import os
import signal
import subprocess
import sys
import time
from typing import NoReturn

_POLL_S = 0.1
# A name node that is told to end writes its log out; a second one is killed.
_END_S_MAX = 10.0
_PARENT_DEATH = 1  # PR_SET_PDEATHSIG


def main(running: str, parent: int, lock: str, log: str, command: list[str]) -> int:
    """Keep the daemon until it ends or is to end; its exit status."""
    signal.signal(signal.SIGTERM, _end)
    if parent == 0 and os.fork():
        # Whoever began it need not bury it.
        os._exit(0)
    with open(lock, "w") as held, open(log, "ab") as output:
        fcntl.flock(held, fcntl.LOCK_EX)
        child = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            preexec_fn=_die_with_keeper,
        )
        try:
            sys.stdout.write(f"{child.pid}\n")
            sys.stdout.flush()
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            while child.poll() is None and _wanted(running, parent):
                time.sleep(_POLL_S)
        finally:
            _finish(child)
    return child.returncode


def _end(number: int, frame: object) -> NoReturn:
    raise SystemExit(0)


def _wanted(running: str, parent: int) -> bool:
    return os.path.exists(running) and (parent == 0 or os.getppid() == parent)


def _finish(child: subprocess.Popen[bytes]) -> None:
    child.terminate()
    try:
        child.wait(_END_S_MAX)
    except subprocess.TimeoutExpired:
        child.kill()
        child.wait()


def _die_with_keeper() -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PARENT_DEATH, signal.SIGKILL)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], int(sys.argv[2]), sys.argv[3], sys.argv[4], sys.argv[5:]))
