"""Where tasks put a spool's files: a folder that they share with the driver, or HDFS. Runs in the
tasks: this module and `hdfs_in_tasks` are sent to them by value.

A file counts once `finish` has returned; what was begun and not finished is debris."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping
from typing import IO, Any

from windowlog.access.hdfs_in_tasks import task_client


class LocalStore:
    """A folder, which the driver made: where it is missing, nobody waits for the rows."""

    def __init__(self, folder: str) -> None:
        self._folder = folder

    def create(self, name: str) -> IO[bytes]:
        """A new file."""
        return open(os.path.join(self._folder, name), "xb")

    def finish(self, stream: IO[bytes], name: str) -> None:
        """End it."""
        stream.close()

    def publish(self, name: str, data: bytes) -> None:
        """A file that is whole or not there."""
        unfinished = os.path.join(self._folder, f"{name}.unfinished")
        with open(unfinished, "xb") as stream:
            stream.write(data)
        os.replace(unfinished, os.path.join(self._folder, name))


class HdfsStore:
    """A folder of an HDFS, reached through WebHDFS. `login` is that of `task_client`. A file is
    written in a temporary one of the task, and sent when it is whole."""

    def __init__(self, login: Mapping[str, Any], folder: str) -> None:
        self._login = login
        self._folder = folder

    def create(self, name: str) -> IO[bytes]:
        """A temporary file."""
        return tempfile.TemporaryFile()

    def finish(self, stream: IO[bytes], name: str) -> None:
        """Send it. An error where a file of that name is there."""
        with stream, task_client(self._login) as client:
            stream.seek(0)
            client.write(f"{self._folder}/{name}", data=stream, overwrite=False)

    def publish(self, name: str, data: bytes) -> None:
        """A rename shows it whole."""
        with task_client(self._login) as client:
            unfinished = f"{self._folder}/{name}.unfinished"
            client.write(unfinished, data=data, overwrite=False)
            client.rename(unfinished, f"{self._folder}/{name}")
