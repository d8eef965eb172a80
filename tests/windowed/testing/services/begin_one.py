"""A program that begins a daemon and waits to be killed: begin_one FOLDER STAYS."""

from __future__ import annotations

import sys
import time
from pathlib import Path

from tests.windowed.testing.services.test_daemon import made

if __name__ == "__main__":
    made(Path(sys.argv[1]), stays=sys.argv[2] == "1").start()
    sys.stdout.write("begun\n")
    sys.stdout.flush()
    time.sleep(60)
