"""Where a variant keeps its log: on this machine, unless it says otherwise."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from windowlog import WindowLog


class Place:
    """What all variants have, as it is where nothing is on HDFS."""

    # Moments that come once in the life of a log: the first drivers die there.
    first_moments: ClassVar[tuple[str, ...]] = ()
    # What stands before the names of HDFS's moments, where another side has them too.
    side: ClassVar[str] = ""
    # Random kills without Spark come so long after the first window at most: a few windows.
    delay_max_s: ClassVar[float] = 0.08
    # So many lines come to each of two files before a driver with Spark; a window is some eighty.
    spark_lines: ClassVar[tuple[int, int]] = 100, 300

    @property
    def sides(self) -> tuple[str, ...]:
        """Sides of the log that may be lost after a kill, or be away for a time."""
        return ()

    def log(self, root: Path) -> str | WindowLog:
        """The log."""
        return str(root / "state")

    def fetch(self, root: Path) -> None:
        """Bring here what is elsewhere."""

    def plan(self, root: Path, name: str) -> bytes:
        """The record of a plan, while a driver runs."""
        return (root / "state" / "windows" / name).read_bytes()

    def plan_folders(self, root: Path) -> tuple[Path, ...]:
        """Where plans are, once they are fetched."""
        return (root / "state" / "windows",)

    def inspect(self, root: Path, held: int) -> None:
        """What else must hold after a kill, the sink being at window `held`. AssertionError."""

    def finished(self, root: Path) -> None:
        """What else must hold after a run to the end. AssertionError."""
