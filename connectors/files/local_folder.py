"""LocalFolder: a folder of this machine, or of a file system that driver and executors have
mounted."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from connectors.files.errors import Unreadable
from connectors.files.folder import OpenFile, TaskRange
from connectors.files.identity import Status, status, status_of
from connectors.files.walk import Tree, walk, would_find

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

# A path may have become a pipe since the walk: opening that would wait for a writer.
_FLAGS = os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK


class LocalFolder:
    """Obeys `Folder`. `place` is its absolute path."""

    in_tasks = True

    def __init__(self, place: str) -> None:
        self.place = place

    def walk(self, pattern: re.Pattern[str], name: str) -> Tree:
        """Links are followed."""
        return walk(self.place, pattern, name)

    def url(self) -> str:
        """The place itself."""
        return self.place

    def reads(self, pattern: re.Pattern[str], path: str) -> bool:
        """Touches only links. A URL is no path."""
        return os.path.isabs(path) and would_find(self.place, pattern, path)

    def status(self, path: str, name: str) -> Status | None:
        """By `statx`."""
        try:
            return status(os.fsencode(os.path.join(self.place, path)))
        except (OSError, UnicodeEncodeError):
            return None

    def open(self, path: str, name: str) -> OpenFile | None:
        """A descriptor keeps the file, whatever becomes of its path."""
        absolute = os.path.join(self.place, path)
        try:
            descriptor = os.open(absolute, _FLAGS)
        except (FileNotFoundError, NotADirectoryError, UnicodeEncodeError):
            # The last: planned under a locale that has more letters. Its id finds it.
            return None
        except PermissionError as error:
            raise Unreadable(input=name, path=absolute, reason=error.strerror) from error
        try:
            found = status_of(descriptor)
        except BaseException:
            os.close(descriptor)
            raise
        if not stat.S_ISREG(found.mode):
            os.close(descriptor)
            return None
        read, close = partial(os.pread, descriptor), partial(os.close, descriptor)
        return OpenFile(path, found, absolute, read, close, _not_known)

    def load(self, spark: SparkSession, tasks: Sequence[Sequence[TaskRange]]) -> DataFrame:
        """Tasks see the same files under the same paths."""
        from connectors.files.source import LinesSource, load

        return load(spark, tasks, LinesSource)

    def close(self) -> None:
        """Nothing is kept."""


def _not_known() -> bool:
    """Who has a file open is not asked here."""
    return False
