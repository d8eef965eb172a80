"""A driver in a process of its own, for the tests of signals: in each window it waits for a line.

python -m tests.windowed.signalled run|wait
"""

from __future__ import annotations

import signal
import sys
import time
from typing import Any

from tests.windowed.made import On, pipeline, rows
from windowed.stopping import StopFlag

# A signal reaches the main thread a moment after it was sent: the window beside it waits for that.
STOPPED = StopFlag()


def say(text: str) -> None:
    """At once."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def wait_for_a_line(lines: Any) -> Any:
    """A transform that takes as long as the test wants."""
    while signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        time.sleep(0.01)  # the main thread is on its way into `wait`
    say("in the window")
    sys.stdin.readline()
    if sys.argv[1] == "wait":
        STOPPED.wait(30)
    return lines


def main() -> None:
    """Run in this thread, or in one that this one waits for."""
    made = pipeline(rows(["a"], ["b"], ["c"]), transform=wait_for_a_line)
    held = On(held=lambda: say("held"))
    if sys.argv[1] == "run":
        summary = made.run(None, listeners=[held], progress=False)
    else:
        run = made.start(None, listeners=[held])
        run._stop = STOPPED
        summary = run.wait()
    say(f"windows run: {summary.windows_run}")


if __name__ == "__main__":
    main()
