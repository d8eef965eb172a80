"""The one seam between the input and a file system: what planning, index and ranges need of a
folder, and nothing more. `LocalFolder` and `HdfsFolder` obey it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from connectors.files.identity import Status
from connectors.files.lines import Read
from connectors.files.walk import Tree

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

# (address, path, start, end, digest before start, digest before end), for a task.
TaskRange = tuple[str, str, int, int, str, str]


class Gone(FileNotFoundError):
    """A file went away while it was read."""


@dataclass(frozen=True, slots=True)
class OpenFile:
    """A file that is open for reading: whatever becomes of its path, `read(length, offset)` gives
    its own bytes, or raises Gone. Closed by who opened it.

    `address` is where a task finds it. `is_written()`: has somebody opened it for writing, so that
    its last line may go on although nobody wrote for a while? False where that cannot be known.
    """

    path: str
    status: Status
    address: str
    read: Read
    close: Callable[[], None]
    is_written: Callable[[], bool]


class Folder(Protocol):
    """A folder with all that is below it. Paths are relative to it, with `/` between names.

    `place` is its name in the log, without secrets; `in_tasks` is False where tasks cannot read it.
    Making one touches nothing; use from one thread. `name` is the input's, for messages. What the
    outside does not answer is an error, and never "not there".
    """

    place: str
    in_tasks: bool

    def walk(self, pattern: re.Pattern[str], name: str) -> Tree:
        """The files whose path matches. Raises FolderMissing, Unreadable."""

    def url(self) -> str:
        """Its absolute path, or its URL as a log's."""

    def reads(self, pattern: re.Pattern[str], path: str) -> bool:
        """Would a walk find a file at this absolute path, if it were there?"""

    def status(self, path: str, name: str) -> Status | None:
        """What stands at a path now; None if nothing does."""

    def open(self, path: str, name: str) -> OpenFile | None:
        """The file at a path; None if there is none. Raises Unreadable."""

    def load(self, spark: SparkSession, tasks: Sequence[Sequence[TaskRange]]) -> DataFrame:
        """The lines of all ranges, read by tasks."""

    def close(self) -> None:
        """Let go of connections. May be used again."""
