"""FakeNameNode: a server that answers everything with one and the same refusal, and counts. And
`nobody`, where none is."""

from __future__ import annotations

import json
import socket
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler

from tests.windowlog.storage.served import Served

_STATUS = {"HTML": 404, "rpc": 404, "": 200, "half": 200, "elsewhere": 307}
_RPC = (
    b"It looks like you are making an HTTP request to a Hadoop IPC port. "
    b"This is not the correct port for the web interface on this daemon.\r\n"
)


@contextmanager
def nobody() -> Iterator[str]:
    """A host and port where nobody answers; the port is held, so that nobody else gets it."""
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        yield f"127.0.0.1:{held.getsockname()[1]}"


class FakeNameNode(Served):
    """`says`: the short name of an exception of Hadoop's; HTML: a page; rpc: what the port for
    Spark says to a browser; nothing: it hangs up;
    half: the beginning of an answer; elsewhere: that a closed port knows; empty: that all is well,
    and no more."""

    def __init__(self, says: str) -> None:
        self.asked = 0
        self.paths: list[str] = []
        self.encodings: list[str | None] = []
        super().__init__(_handler(self, says))

    def encrypt(self, context: ssl.SSLContext) -> None:
        """Speak https from now on."""
        self._server.socket = context.wrap_socket(self._server.socket, server_side=True)


def _handler(node: FakeNameNode, says: str) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def answer(self) -> None:
            node.asked += 1
            node.paths.append(self.path)
            node.encodings.append(self.headers["Accept-Encoding"])
            if says == "nothing":
                return
            body, kind = b"<html>Not here</html>", "text/html"
            if says == "rpc":
                # Word for word as Hadoop 3.5 says it (org.apache.hadoop.ipc.Server).
                body, kind = _RPC, "text/plain"
            if says == "half":
                body, kind = b'{"FileStatuses": ', "application/json"
            elif says not in ("HTML", "rpc", ""):
                # As Hadoop 3.5 writes it, with the stack that some of its messages carry.
                message = "Operation category READ is not supported in state standby\n\tat a.b.C"
                told = {"exception": says, "javaClassName": f"x.{says}", "message": message}
                body, kind = json.dumps({"RemoteException": told}).encode(), "application/json"
            self.send_response(_STATUS.get(says, 403))
            if says == "elsewhere":
                self.send_header("Location", f"http://localhost:9{self.path}")
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        do_GET = do_PUT = do_DELETE = answer  # noqa: N815 (their names are http.server's)

        def log_message(self, format: str, *arguments: object) -> None:  # noqa: A002
            pass

    return Handler
