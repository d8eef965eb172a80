"""FakeNameNode: a server that answers everything with one and the same refusal, and counts."""

from __future__ import annotations

import json
import ssl
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Self


class FakeNameNode:
    """`says`: the short name of an exception of Hadoop's; HTML: a page; nothing: it hangs up;
    half: the beginning of an answer; elsewhere: that a closed port knows; empty: that all is well,
    and no more."""

    def __init__(self, says: str) -> None:
        self.asked = 0
        self.paths: list[str] = []
        self.encodings: list[str | None] = []
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self, says))
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))

    @property
    def authority(self) -> str:
        """Its host and port."""
        return f"127.0.0.1:{self._server.server_port}"

    def encrypt(self, context: ssl.SSLContext) -> None:
        """Speak https from now on."""
        self._server.socket = context.wrap_socket(self._server.socket, server_side=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


def _handler(node: FakeNameNode, says: str) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def answer(self) -> None:
            node.asked += 1
            node.paths.append(self.path)
            node.encodings.append(self.headers["Accept-Encoding"])
            if says == "nothing":
                return
            body, kind = b"<html>Not here</html>", "text/html"
            if says == "half":
                body, kind = b'{"FileStatuses": ', "application/json"
            elif says not in ("HTML", ""):
                # As Hadoop 3.5 writes it, with the stack that some of its messages carry.
                message = "Operation category READ is not supported in state standby\n\tat a.b.C"
                told = {"exception": says, "javaClassName": f"x.{says}", "message": message}
                body, kind = json.dumps({"RemoteException": told}).encode(), "application/json"
            self.send_response({"HTML": 404, "": 200, "half": 200, "elsewhere": 307}.get(says, 403))
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
