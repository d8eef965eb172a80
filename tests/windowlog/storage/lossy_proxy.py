"""LossyProxy: between a client and a real HDFS, and loses what it is told to lose.

Name node and data nodes are reached through it: it rewrites where the name node redirects to.
"""

from __future__ import annotations

import http.client
import re
import threading
from collections.abc import Callable
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler
from typing import Literal, TypeAlias
from urllib.parse import parse_qs, urlsplit

from tests.windowlog.storage.served import Served

# before: the request is lost. after: it is carried out and its answer is lost. cut: half of the
# answer arrives. late: it is carried out when `release` is called; nobody waits for its answer.
# unsized: half of the answer arrives, and how long it is is not said. chunks: all of it, in chunks.
# refuse, missing: it is answered as HDFS answers those without rights, or where there is nothing.
Loss: TypeAlias = Literal[
    "before", "after", "cut", "late", "unsized", "chunks", "refuse", "missing"
]
_SAID = '{"RemoteException": {"exception": "%s", "message": "%s"}}'
_SAYS = {
    "refuse": (_SAID % ("AccessControlException", "no rights")).encode(),
    "missing": (_SAID % ("FileNotFoundException", "gone")).encode(),
}


@dataclass(frozen=True)
class Request:
    """One request: the how-manieth from 1, its verb, whether it goes to a data node, its query."""

    number: int
    verb: str
    at_data_node: bool
    query: dict[str, list[str]]

    def __str__(self) -> str:
        return f"{self.verb} at the {'data' if self.at_data_node else 'name'} node"


class LossyProxy(Served):
    """`lose` says for each request what is lost of it; None: nothing. `seen` has them all."""

    def __init__(self, webhdfs_url: str) -> None:
        self.target = urlsplit(webhdfs_url).netloc
        self.lose: Callable[[Request], Loss | None] = lambda request: None
        self.seen: list[Request] = []
        self._held: list[Callable[[], object]] = []
        self._lock = threading.Lock()
        super().__init__(_handler(self))

    @property
    def url(self) -> str:
        """Where to find HDFS through it."""
        return f"webhdfs://{self.authority}"

    def release(self) -> None:
        """Carry out what was held back as late."""
        held, self._held = self._held, []
        for carry_out in held:
            carry_out()

    def note(self, verb: str, at_data_node: bool, query: dict[str, list[str]]) -> Request:
        """Count one more request."""
        with self._lock:
            request = Request(len(self.seen) + 1, verb, at_data_node, query)
            self.seen.append(request)
        return request

    def hold_back(self, carry_out: Callable[[], object]) -> None:
        """Keep a late request."""
        self._held.append(carry_out)


def nth(number: int, loss: Loss) -> Callable[[Request], Loss | None]:
    """Lose the n-th request only."""
    return lambda request: loss if request.number == number else None


def all_from(number: int, first: Loss) -> Callable[[Request], Loss | None]:
    """The client is cut off at the n-th request: of it `first` is lost, and all that follow."""

    def lose(request: Request) -> Loss | None:
        if request.number < number:
            return None
        return first if request.number == number else "before"

    return lose


def verbs(verb: str, loss: Loss, times: int = 1) -> Callable[[Request], Loss | None]:
    """Lose so many requests of one verb (as in "RENAME at the name node"), the first ones."""
    left = [times]

    def lose(request: Request) -> Loss | None:
        if str(request) != verb or left[0] == 0:
            return None
        left[0] -= 1
        return loss

    return lose


def _handler(proxy: LossyProxy) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def handle_any(self) -> None:
            url = urlsplit(self.path)
            at = re.fullmatch(r"/data-node/([^/]+)(/.*)", self.path)
            host, path = (at[1], at[2]) if at else (proxy.target, self.path)
            body = self.rfile.read(int(self.headers.get("content-length") or 0))
            query = parse_qs(url.query)
            request = proxy.note(query["op"][0].upper(), at is not None, query)
            loss = proxy.lose(request)
            if loss == "late":
                proxy.hold_back(lambda: _carry_out(self.command, host, path, body))
            elif loss in _SAYS:
                told = {"content-type": "application/json"}
                _answer(self, proxy, (403, told, _SAYS[loss]), None)
            elif loss != "before":
                status, headers, answer = _carry_out(self.command, host, path, body)
                if loss != "after":
                    _answer(self, proxy, (status, headers, answer), loss)
            if loss:
                self.close_connection = True

        do_GET = do_PUT = do_DELETE = handle_any  # noqa: N815 (their names are http.server's)

        def log_message(self, format: str, *arguments: object) -> None:  # noqa: A002
            pass

    return Handler


def _answer(
    handler: BaseHTTPRequestHandler,
    proxy: LossyProxy,
    told: tuple[int, dict[str, str], bytes],
    loss: Loss | None,
) -> None:
    status, headers, answer = told
    handler.send_response(status)
    if "location" in headers:
        place = re.sub("^http://", f"http://{proxy.authority}/data-node/", headers["location"])
        handler.send_header("Location", place)
    handler.send_header("Content-Type", headers.get("content-type", "text/plain"))
    if loss == "chunks":
        handler.send_header("Transfer-Encoding", "chunked")
        answer = b"%x\r\n%b\r\n0\r\n\r\n" % (len(answer), answer)
    elif loss != "unsized":
        handler.send_header("Content-Length", str(len(answer)))
    handler.end_headers()
    half = loss in ("cut", "unsized")
    handler.wfile.write(answer[: len(answer) // 2] if half else answer)


def _carry_out(method: str, host: str, path: str, body: bytes) -> tuple[int, dict[str, str], bytes]:
    connection = http.client.HTTPConnection(host, timeout=60)
    try:
        headers = {"content-type": "application/octet-stream"}
        connection.request(method, path, body=body or None, headers=headers)
        answer = connection.getresponse()
        found = {name.lower(): value for name, value in answer.getheaders()}
        return answer.status, found, answer.read()
    finally:
        connection.close()
