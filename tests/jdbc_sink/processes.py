"""Other processes that tests of databases need."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def another_process(program: str, at_last: str = "pass") -> Iterator[int]:
    """One that has run these lines of Python, and keeps what it has opened; its id. In the end it
    does `at_last`."""
    waiting = f"print('open', flush=True)\ntry: input()\nexcept EOFError: {at_last}"
    with subprocess.Popen(
        [sys.executable, "-c", f"{program}\n{waiting}"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        assert process.stdin is not None
        process.stdout.readline()
        try:
            yield process.pid
        finally:
            process.stdin.close()


def in_child(work: Callable[[], None], file_bytes_max: int | None = None) -> int:
    """Fork, do it there, and say how it ended: 0, 1 for an exception, or minus the signal. No file
    grows there past `file_bytes_max`: the disk is full."""
    child = os.fork()
    if child == 0:
        status = 1
        try:
            if file_bytes_max is not None:
                signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
                resource.setrlimit(resource.RLIMIT_FSIZE, (file_bytes_max, file_bytes_max))
            work()
            status = 0
        finally:
            os._exit(status)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
