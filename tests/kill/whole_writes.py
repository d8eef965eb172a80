"""Random kills that come between system calls, and not inside of one.

A SIGKILL in the middle of a write leaves a part of it. DuckDB (1.5) writes a checkpoint over a
block of its file that the one before still needs: with a part of that block it opens the file no
more ("Corrupt database file: computed checksum …"). That is DuckDB's to mend, docs/guarantees.md
says so, and nothing of ours can be learned from it.
"""

from __future__ import annotations

import os
import signal

from tests.kill.world import World


def let_finish(world: World, child: int) -> None:
    """Stop the child, where its database needs that: a process that has stopped is in no call. It
    is there to be killed, or has ended."""
    if world.variant.needs_whole_writes:
        os.kill(child, signal.SIGSTOP)
        os.waitid(os.P_PID, child, os.WSTOPPED | os.WEXITED | os.WNOWAIT)
