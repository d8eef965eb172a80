"""One of several processes that create the same records at once; prints the names it won."""

from __future__ import annotations

import sys
import time
from pathlib import Path

from windowlog.errors import RecordExists
from windowlog.storage import LocalStorage

NAMES = [f"{number:012d}.json" for number in range(1, 101)]
RECORD_BYTES = 100_000


def main(folder: Path, mark: bytes) -> None:
    """Wait for the others, then create every record, filled with `mark`."""
    (folder / f"ready-{mark.decode()}").touch()
    while not (folder / "go").exists():
        time.sleep(0.001)
    storage = LocalStorage(folder / "state" / "windows")
    for name in NAMES:
        try:
            storage.create(name, mark * RECORD_BYTES)
        except RecordExists:
            continue
        sys.stdout.write(f"{name}\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2].encode())
