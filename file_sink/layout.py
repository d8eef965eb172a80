"""Where everything is: the only arithmetic of paths and names. Pure functions, no I/O.

PATH/window_id=00000042/day=1/part-00000042-00003-000.parquet    layout `windows`
PATH/day=1/part-00000042-00003-000.parquet                       layout `files`
PATH.staging/staged/000000000042.RUN.TOKEN/day=1/part-…          the same files before
PATH.staging/spark/000000000042.RUN.TOKEN/…                      where Spark writes
PATH.staging/rolled/000000000042.RUN.TOKEN/twin/…            a roll-up: what PATH becomes, or was
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from file_sink.paths import inside, join

WINDOWS = "windows"
FILES = "files"
LAYOUTS = (WINDOWS, FILES)

# Not `window`: Spark's own F.window makes a column of that name.
WINDOW_COLUMN = "window_id"

# Task, and the number inside the task: `part-00003-UUID-c001.snappy.parquet`, and with partitions
# `part-00003-UUID.c001.snappy.parquet`.
_SPARK_FILE = re.compile(r"part-(\d{5,})-[0-9a-f-]{36}[-.]c(\d{3,})((?:\.[\w-]+)*)")


@dataclass(frozen=True, slots=True)
class Places:
    """The folders of one sink. `path` is absolute and has no slash at its end."""

    path: str

    @property
    def staging(self) -> str:
        """The sink's own folder: beside, never inside the published one."""
        return f"{self.path}.staging"

    def staged(self, name: str = "") -> str:
        """Where whole and durable files wait; without a name, all of them."""
        return join(self.staging, "staged", name)

    def spark(self, name: str = "") -> str:
        """Where Spark writes. What a dead driver's executors still write there is never taken."""
        return join(self.staging, "spark", name)

    def rolled(self, name: str = "") -> str:
        """Where a roll-up makes the twin of the published folder; without a name, all of them."""
        return join(self.staging, "rolled", name)

    def window(self, window_id: int) -> str:
        """The folder in which readers find a window, in layout `windows`."""
        return join(self.path, _window_folder(window_id))

    def published(self, layout: str, window_id: int, name: str) -> str:
        """Where readers find the file that is staged under the relative path `name`."""
        return join(self.window(window_id) if layout == WINDOWS else self.path, name)

    def overlaps(self, other: Places) -> bool:
        """Would one of these sinks write into what the other one publishes or stages?"""
        ours, theirs = (self.path, self.staging), (other.path, other.staging)
        return any(inside(a, b) or inside(b, a) for a in ours for b in theirs)


def _window_folder(window_id: int) -> str:
    """`window_id=00000042`: a name that readers of Hive partitions take for a column."""
    return f"{WINDOW_COLUMN}={window_id:08d}"


def file_name(window_id: int, task: int, number: int, ending: str) -> str:
    """A file's name: nothing random in it, and none like it in another window."""
    return f"part-{window_id:08d}-{task:05d}-{number:03d}{ending}"


def from_spark(name: str, window_id: int) -> str | None:
    """Our name for a file that Spark named; None for what is no rows: `_SUCCESS`, `.crc` …"""
    match = _SPARK_FILE.fullmatch(name)
    return file_name(window_id, int(match[1]), int(match[2]), match[3]) if match else None
