"""A folder of a real HDFS that changes, and a run of FileInput over it. What is done there is done
without the code under test."""

from __future__ import annotations

import http.client
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from getpass import getuser
from typing import TYPE_CHECKING, Any
from urllib.error import HTTPError
from urllib.parse import quote, urlsplit

from connectors import FileInput
from tests.windowlog.storage.hdfs_world import ask
from windowed.testing.input_run import InputRun

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_WAIT_S_MAX = 120.0


class HdfsWorld:
    """`url` is the folder's, webhdfs://…; `path` what the input is given. Files count as quiet at
    once unless `quiet_s` says otherwise."""

    def __init__(self, url: str, spark: SparkSession | None = None, **options: Any) -> None:
        place = urlsplit(url)
        self.url = url
        self.path = f"hdfs://cluster{place.path}"
        name_node = f"webhdfs://{place.netloc}"
        self.ahead_s = 0.0
        self.options: dict[str, Any] = {"quiet_s": 0, "clock": self.now, "storage": name_node}
        self.options.update(options)
        self.run = InputRun(self.make, spark)
        ask(url, "PUT", "MKDIRS")
        self.run.start()

    def make(self) -> FileInput:
        """A new instance."""
        return FileInput(self.path, **self.options)

    def now(self) -> datetime:
        """The machine's time, which is the name node's, moved by `ahead_s`."""
        return datetime.now(UTC) + timedelta(seconds=self.ahead_s)

    def write(self, name: str, data: str, **options: object) -> None:
        """A new file; an old one at that path is gone."""
        ask(self.at(name), "PUT", "CREATE", data.encode(), overwrite="true", **options)

    def append(self, name: str, data: str) -> None:
        """More at a file's end."""
        ask(self.at(name), "POST", "APPEND", data.encode())

    def rename(self, name: str, new_name: str) -> None:
        """Within the folder."""
        target = f"{urlsplit(self.url).path}/{new_name}"
        assert ask(self.at(name), "PUT", "RENAME", destination=target) == {"boolean": True}

    def delete(self, name: str) -> None:
        """Whatever it is."""
        assert ask(self.at(name), "DELETE", "DELETE", recursive="true") == {"boolean": True}

    def truncate(self, name: str, size: int) -> None:
        """To its first bytes, and wait until data nodes have done so."""
        ask(self.at(name), "POST", "TRUNCATE", newlength=size)
        self.wait_until(lambda: not self.is_open(name))

    def status(self, name: str) -> dict[str, Any]:
        """What the name node says."""
        found: Any = ask(self.at(name), "GET", "GETFILESTATUS")
        status: dict[str, Any] = found["FileStatus"]
        return status

    def is_open(self, name: str) -> bool:
        """Is it written to?"""
        found: Any = ask(self.at(name), "GET", "GET_BLOCK_LOCATIONS")
        return bool(found["LocatedBlocks"]["isUnderConstruction"])

    def length(self, name: str) -> int:
        """As the name node knows it; 0 where there is no file yet."""
        try:
            return int(self.status(name)["length"])
        except HTTPError:
            return 0

    def at(self, name: str) -> str:
        """The URL of a file."""
        return f"{self.url}/{quote(name)}"

    @staticmethod
    def wait_until(condition: Any) -> None:
        """AssertionError if it does not come true."""
        limit = time.monotonic() + _WAIT_S_MAX
        while not condition():
            assert time.monotonic() < limit, "it does not come true"
            time.sleep(0.02)

    def values(self) -> list[str]:
        """All that is new, read in as many windows as it takes: the column `value`."""
        return [row["value"] for row in self.run.drain()]

    @contextmanager
    def writing(
        self, name: str, method: str, verb: str, begun: bytes, rest: bytes, **options: object
    ) -> Iterator[None]:
        """A writer that has sent `begun`, and sends `rest` and closes the file afterwards."""
        query = "".join(f"&{key}={value}" for key, value in options.items())
        place = urlsplit(self.at(name))
        address = f"/webhdfs/v1{place.path}?op={verb}&user.name={getuser()}{query}"
        name_node = http.client.HTTPConnection(place.netloc)
        name_node.request(method, address)
        location = urlsplit(name_node.getresponse().headers["location"])
        name_node.close()
        data_node = http.client.HTTPConnection(location.netloc)
        data_node.putrequest(method, f"{location.path}?{location.query}")
        data_node.putheader("Content-Length", str(len(begun) + len(rest)))
        data_node.putheader("Content-Type", "application/octet-stream")
        data_node.endheaders()
        data_node.send(begun)
        try:
            yield
            data_node.send(rest)
            assert data_node.getresponse().status < 300
        finally:
            data_node.close()
