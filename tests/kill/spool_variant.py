"""A sink in a database under fire whose rows come through a spool on a real HDFS: tasks write
there, the driver takes what they counted. With Spark only."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from jdbc_sink.spool.on_hdfs import HdfsSpool, HdfsSpools
from tests.kill.moments import OF_A_DATABASE, Trap, after
from tests.kill.variants import Variant
from tests.windowlog.storage.hdfs_world import names_of

# Of the window that was in flight at the last kill; and of one before, until the next driver has
# held that, and another one begins.
WINDOWS_LEFT_MAX = 2


@dataclass(frozen=True)
class SpoolVariant(Variant):
    """`web` is a folder that is not there yet, webhdfs://…"""

    web: str = ""
    spark_lines: ClassVar[tuple[int, int]] = 40, 120
    spark_moments: ClassVar[tuple[str, ...]] = (
        "spool made",
        "a list or a file fetched",
        "all fetched",
        "spool removed",
        "staged",
        *OF_A_DATABASE,
    )

    def _words(self) -> tuple[str, ...]:
        return "spool", self.database, self.mode, self.load, self.web

    def _more(self) -> dict[str, Any]:
        return {"spool": f"{self.web}/spool"}

    def inspect(self, root: Path, held: int) -> None:
        """What killed drivers leave does not pile up: on HDFS, nor where they copied it to."""
        for names in (self.left(), self.copies(root)):
            windows = {name.split(".")[1] for name in names}
            assert len(windows) <= WINDOWS_LEFT_MAX, f"spools of {sorted(windows)} are left"

    def left(self) -> list[str]:
        """The folders of the sink's spools."""
        sinks = _names(f"{self.web}/spool")
        return [name for sink in sinks for name in _names(f"{self.web}/spool/{sink}")]

    def copies(self, root: Path) -> list[str]:
        """The folders that drivers have copied them to."""
        return [path.name for path in (root / "tmp").glob("windowed-spool-*/*/*")]


def install(trap: Trap) -> None:
    """Wrap the spools of this process, which is about to die."""
    after(HdfsSpools, "make", lambda *_: trap.passed("spool made"))
    after(HdfsSpools, "copy", lambda *_: trap.passed("a list or a file fetched"))
    after(HdfsSpool, "fetch", lambda *_: trap.passed("all fetched"))
    after(HdfsSpools, "drop", lambda *_: trap.passed("spool removed"))


def _names(url: str) -> list[str]:
    try:
        return names_of(url)
    except OSError:
        return []
