"""WebHdfs: a client of one HDFS with one or more name nodes, over the package `hdfs`.

Of that package we use one client for each name node: who we are, Kerberos, connections. Which name
node is asked, and what is repeated, is decided here: the package repeats a creation or a rename
blindly on the next name node, though the first one may have carried it out.
"""

from __future__ import annotations

import math
import os
import socket
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any
from urllib.parse import quote, urlsplit

from windowlog.access.telling import TOLD_S, tell
from windowlog.access.webhdfs_answers import (
    Refusal,
    Unanswered,
    Unavailable,
    of_failure,
    outcome,
)
from windowlog.access.webhdfs_login import log_in, need_packages
from windowlog.access.webhdfs_proxy import carries_itself, proxy
from windowlog.access.webhdfs_url import HdfsPlace

# Between two rounds over the name nodes: short at first, for a connection that only broke.
PAUSE_S_MIN = 0.05
PAUSE_S_MAX = 2.0
# Each block is on its disk, not only in memory, before its file counts as written; so this does not
# rest on how the cluster is set up (dfs.datanode.synconclose).
_DURABLE = "CREATE,SYNC_BLOCK"
# What is not named here is a GET.
_METHODS = dict.fromkeys(("CREATE", "MKDIRS", "RENAME", "SETTIMES"), "PUT") | {"DELETE": "DELETE"}


class WebHdfs:
    """The verbs of WebHDFS, asked until there is an answer or `patience_s` has passed.

    Raises Refusal, Unavailable or Unanswered. `repeat=False` is for what must not be done twice:
    then the first Unanswered is raised, after which the caller looks. The name node that answered
    last is asked first. Creating the object touches nothing; use from one thread. `say` is told
    once of each wait of some seconds. `clock` and `sleep` are for tests. StorageUnsuitable where
    the package hdfs is not installed.
    """

    def __init__(
        self,
        place: HdfsPlace,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
        say: Callable[[str], None] = tell,
    ) -> None:
        need_packages(place)
        self._place = place
        self._clock = clock
        self._sleep = sleep
        self._tell = say
        self._first = 0
        self._clients: dict[int, Any] = {}
        self._process_id = os.getpid()

    def ask(self, verb: str, path: str, *, repeat: bool = True, **options: str) -> Any:
        """The JSON of the name node's answer, None where it has none."""
        return self._persist(lambda number: self._json(number, verb, path, options), repeat)

    def status(self, path: str) -> Any:
        """What the name node knows of a file or folder; None if there is none."""
        try:
            return self.ask("GETFILESTATUS", path)["FileStatus"]
        except Refusal as refusal:
            if refusal.kind == "FileNotFoundException":
                return None
            raise

    def move(self, path: str, new_path: str) -> None:
        """Rename once, never over anything. Unanswered: look where it is."""
        options = {"destination": new_path, "renameoptions": "NONE"}
        answer = self.ask("RENAME", path, repeat=False, **options)
        if answer is not None:
            # A name node says nothing to these options; who says {"boolean": …} has not read them.
            raise proxy(self._place.name_nodes[self._first])

    def write(self, path: str, data: bytes) -> None:
        """A new file with `data`, durable, in folders that are made where they are missing.

        Unanswered: there may be a file, whole or in part; use another path then."""
        silent: list[str] = []
        self._persist(lambda number: self._write(number, path, data, silent), repeat=False)

    def read(self, path: str, offset: int = 0, length: int | None = None) -> bytes:
        """A file's bytes from `offset` on, all of them or at most `length`; never fewer than
        there are, without an error."""
        options = {"offset": str(offset)} | ({} if length is None else {"length": str(length)})
        silent: list[str] = []
        data: bytes = self._persist(lambda n: self._read(n, path, options, silent), repeat=True)
        return data

    def checksum(self, path: str) -> dict[str, Any]:
        """A file's `algorithm`, `bytes` and `length`, as HDFS tells files apart."""
        silent: list[str] = []
        found = self._persist(lambda n: self._checksum(n, path, silent), repeat=True)
        answer: dict[str, Any] = found["FileChecksum"]
        return answer

    def attempts(self) -> Iterator[None]:
        """One after the other with growing pauses, until `patience_s` has passed: for a caller who
        looks, and then tries again in another way."""
        limit = self._clock() + self._place.patience_s
        pause_s = PAUSE_S_MIN
        while True:
            yield
            if self._clock() + pause_s > limit:
                return
            self._sleep(pause_s)
            pause_s = min(2 * pause_s, PAUSE_S_MAX)

    def close(self) -> None:
        """Let go of the connections. The next call makes new ones."""
        clients, self._clients = self._clients, {}
        if self._process_id == os.getpid():
            for client in clients.values():
                client._session.close()

    def _persist(self, attempt: Callable[[int], Any], repeat: bool) -> Any:
        failures: dict[int, Exception] = {}
        told_s = self._clock() + TOLD_S
        for _ in self.attempts():
            if failures and self._clock() >= told_s:
                told_s = math.inf
                why = "; ".join(map(str, failures.values()))
                self._tell(f"waiting up to {self._place.patience_s:g} s for HDFS: {why}")
            failures.clear()
            while len(failures) < len(self._place.name_nodes):
                number = self._first
                try:
                    return attempt(number)
                except (Unavailable, Unanswered) as failure:
                    failures[number] = failure
                    self._first = (number + 1) % len(self._place.name_nodes)
                    if isinstance(failure, Unanswered) and not repeat:
                        raise
        raise _together([failures[each] for each in sorted(failures)])

    def _json(self, number: int, verb: str, path: str, options: Mapping[str, str]) -> Any:
        response = self._send(number, verb, path, options)
        return _body(response, self._place.name_nodes[number]) if response.content else None

    def _write(self, number: int, path: str, data: bytes, silent: list[str]) -> None:
        options = {"overwrite": "false", "createflag": _DURABLE}
        location = self._data_node(number, "CREATE", path, options, silent)
        self._at_data_node(number, "PUT", location, silent, data)

    def _checksum(self, number: int, path: str, silent: list[str]) -> Any:
        response, node = self._get(number, "GETFILECHECKSUM", path, {}, silent)
        return _body(response, node)

    def _read(self, number: int, path: str, options: Mapping[str, str], silent: list[str]) -> bytes:
        response, node = self._get(number, "OPEN", path, options, silent)
        data: bytes = response.content
        promised = response.headers.get("content-length")
        # Without a length a broken connection looks like the file's end, unless it comes in chunks:
        # their last one is marked. An old HTTP library does not count the bytes itself.
        chunks = response.headers.get("transfer-encoding", "").lower() == "chunked"
        if not chunks and promised != str(len(data)):
            raise Unanswered(f"{node} sent {len(data)} of {promised} bytes")
        return data

    def _get(
        self, number: int, verb: str, path: str, options: Mapping[str, str], silent: list[str]
    ) -> tuple[Any, str]:
        """A data node's answer, and which one it is."""
        location = self._data_node(number, verb, path, options, silent)
        node = urlsplit(location).netloc
        try:
            return self._at_data_node(number, "GET", location, silent), node
        except Refusal as refusal:
            # Only a name node knows what is not there: it says so, or that there is a file.
            if refusal.kind == "FileNotFoundException" and self._is_file(number, path):
                raise Unanswered(f"{node}: {refusal.reason}") from None
            raise

    def _is_file(self, number: int, path: str) -> bool:
        status = self._json(number, "GETFILESTATUS", path, {})["FileStatus"]
        return bool(status["type"] == "FILE")

    def _data_node(
        self, number: int, verb: str, path: str, options: Mapping[str, str], silent: list[str]
    ) -> str:
        """Where the name node sends us; not to data nodes that were silent before."""
        more = {"excludedatanodes": ",".join(silent)} if silent else {}
        try:
            response = self._send(number, verb, path, {**options, **more})
        except Unanswered as failure:
            # Nothing has begun: what the name node does here is to choose. It may have none left.
            silent.clear()
            raise Unavailable(failure.reason) from None
        if carries_itself(response, verb):
            raise proxy(self._place.name_nodes[number])
        location: str = response.headers.get("location", "")
        if not location:
            raise Unavailable(f"{self._place.name_nodes[number]} names no data node")
        return location

    def _at_data_node(
        self, number: int, method: str, location: str, silent: list[str], data: bytes | None = None
    ) -> Any:
        node = urlsplit(location).netloc
        try:
            return self._request(number, method, location, node, data=data)
        except Unavailable:
            silent += _addresses(node)
            raise

    def _send(self, number: int, verb: str, path: str, options: Mapping[str, str]) -> Any:
        url = f"{self._place.base(number)}/webhdfs/v1{quote(path) or '/'}"
        node = self._place.name_nodes[number]
        params = {"op": verb, **options}
        return self._request(number, _METHODS.get(verb, "GET"), url, node, params=params)

    def _request(self, number: int, method: str, url: str, node: str, **more: Any) -> Any:
        import requests

        if self._place.ca_file is not None:
            # Said of a session, it would yield to the environment's REQUESTS_CA_BUNDLE.
            more["verify"] = self._place.ca_file
        failed: Exception | None
        try:
            response = self._client(number)._request(method, url, allow_redirects=False, **more)
            failed = outcome(response, node)
        except (requests.exceptions.RequestException, OSError) as failure:
            failed = of_failure(failure, node, self._place.timeout_s)
        # Raised here, so that no traceback shows the exception with the URL in it.
        if failed is not None:
            raise failed
        return response

    def _client(self, number: int) -> Any:
        if self._process_id != os.getpid():
            # After a fork the connections are the parent's.
            self._clients, self._process_id = {}, os.getpid()
        if number not in self._clients:
            self._clients[number] = log_in(self._place, number)
        return self._clients[number]


def _body(response: Any, node: str) -> Any:
    try:
        return response.json()
    except ValueError:
        raise Unanswered(f"the answer of {node} is not whole") from None


def _addresses(node: str) -> list[str]:
    """The addresses of HOST:PORT: a name node knows data nodes to leave out by these alone."""
    try:
        return socket.gethostbyname_ex(node.rpartition(":")[0])[2]
    except OSError:
        return []


def _together(failures: list[Exception]) -> Exception:
    """One outcome for a round in which no name node helped. It may have taken effect if it may have
    on any of them."""
    reason = "; ".join(dict.fromkeys(str(failure) for failure in failures))
    unsure = any(isinstance(failure, Unanswered) for failure in failures)
    return Unanswered(reason) if unsure else Unavailable(reason)
