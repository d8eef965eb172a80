"""HttpFS, which speaks WebHDFS and does not keep what a log rests on. Its answers are those of
HttpFS 3.4.2, seen in front of a real name node."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler
from urllib.parse import parse_qs, urlsplit

import pytest

from tests.windowlog.storage.served import Served
from windowlog.access.webhdfs import WebHdfs
from windowlog.access.webhdfs_answers import Refusal
from windowlog.access.webhdfs_url import parse_place
from windowlog.errors import StorageUnsuitable
from windowlog.storage import HdfsStorage

FILE = {"FileStatus": {"type": "FILE", "length": 3, "fileId": 16389, "pathSuffix": ""}}


class _HttpFs(BaseHTTPRequestHandler):
    def answer(self) -> None:
        """Of each verb; a rename finds its new name taken."""
        verb = parse_qs(urlsplit(self.path).query)["op"][0]
        leads = verb == "CREATE"
        bodies = {"RENAME": {"boolean": False}, "GETFILESTATUS": FILE, "OPEN": "one"}
        body = b"" if leads else json.dumps(bodies[verb]).encode()
        self.send_response(307 if leads else 200)
        if leads:
            self.send_header("Location", f"http://{self.headers['Host']}{self.path}&data=true")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_GET = do_PUT = answer  # noqa: N815 (their names are http.server's)

    def log_message(self, format: str, *arguments: object) -> None:  # noqa: A002
        """Say nothing."""


@pytest.fixture
def url() -> Iterator[str]:
    """Where it is."""
    with Served(_HttpFs) as server:
        yield f"webhdfs://{server.authority}"


def test_a_rename_that_was_not_done_is_not_believed(url: str) -> None:
    """It ignores `renameoptions`, and says 200: a name that is taken looked free."""
    with pytest.raises(Refusal, match="HttpFS"):
        WebHdfs(parse_place(url, {})).move("/x/.a.tmp", "/x/a")


@pytest.mark.parametrize(
    "work",
    [
        lambda storage: storage.create("a", b"one"),
        lambda storage: storage.read("a"),
    ],
)
def test_httpfs_is_refused_at_once(url: str, work: Callable[[HdfsStorage], object]) -> None:
    """Before anything is written; not taken for a cluster without data nodes."""
    with pytest.raises(StorageUnsuitable, match=r"HttpFS.*Name the name nodes themselves"):
        work(HdfsStorage(f"{url}/x"))
