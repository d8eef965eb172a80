"""WebHdfs: whom it asks, how long, what it says. Servers are small ones of this test, or none."""

from __future__ import annotations

import itertools
import shutil
import socket
import ssl
import subprocess
import sys
import traceback
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any
from urllib.parse import parse_qs, urlsplit

import hdfs
import pytest
import requests

from tests.machine import absent
from tests.windowlog.storage.fake_name_node import FakeNameNode
from windowlog.access.webhdfs import PAUSE_S_MAX, WebHdfs, _addresses
from windowlog.access.webhdfs_answers import Refusal, Unanswered, Unavailable, outcome
from windowlog.access.webhdfs_url import parse_place
from windowlog.errors import StorageFailed, StorageUnsuitable
from windowlog.storage import HdfsStorage

HIDDEN = "hunter2"


@pytest.fixture
def deaf() -> Iterator[str]:
    """A server that takes connections and says nothing: its host and port."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield f"127.0.0.1:{server.getsockname()[1]}"


def test_pauses_grow_and_end_with_the_patience() -> None:
    """A name node that starts is asked often at first, and not for ever."""
    clock = [0.0]
    pauses = list[float]()

    def pause(seconds: float) -> None:
        pauses.append(seconds)
        clock[0] += seconds

    with FakeNameNode("RetriableException") as fake:
        place = parse_place(f"webhdfs://{fake.authority}/x?patience_s=30", {})
        web = WebHdfs(place, lambda: clock[0], pause)
        with pytest.raises(Unavailable):
            web.ask("LISTSTATUS", "/x")
        assert fake.asked == len(pauses) + 1
        web.close()
    assert 28 < sum(pauses) <= 30
    assert pauses == sorted(pauses)
    assert pauses[-1] == PAUSE_S_MAX
    assert max(later / earlier for earlier, later in itertools.pairwise(pauses)) == 2


def test_each_round_asks_all_name_nodes_before_it_pauses() -> None:
    """A fail-over costs no pause."""
    clock = [0.0]

    def pause(seconds: float) -> None:
        clock[0] += 20

    with FakeNameNode("StandbyException") as one, FakeNameNode("StandbyException") as two:
        place = parse_place(f"webhdfs://{one.authority},{two.authority}/x?patience_s=30", {})
        with pytest.raises(Unavailable, match=r"state standby; .*state standby$"):
            WebHdfs(place, lambda: clock[0], pause).ask("LISTSTATUS", "/x")
        assert one.asked == two.asked == 3


def test_what_must_not_be_done_twice_is_asked_once() -> None:
    """The first answer that is lost ends it; one that says that nothing was done does not."""
    with FakeNameNode("nothing") as silent, FakeNameNode("StandbyException") as standby:
        nodes = f"{standby.authority},{silent.authority}"
        web = WebHdfs(parse_place(f"webhdfs://{nodes}/x", {}), sleep=lambda seconds: None)
        with pytest.raises(Unanswered):
            web.ask("RENAME", "/x", repeat=False, destination="/y")
        assert (standby.asked, silent.asked) == (1, 1)


def test_what_was_surely_not_sent_may_be_sent_again(deaf: str) -> None:
    """Nobody was reached; but a server that was reached may have done it, whatever came after."""
    with FakeNameNode("nothing") as fake:
        outcomes = {
            "127.0.0.1:9": Unavailable,
            "no-such-host.invalid:1": Unavailable,
            deaf: Unanswered,
            fake.authority: Unanswered,
        }
        for node, outcome_kind in outcomes.items():
            url = f"webhdfs://{node}/x?timeout_s=0.2&patience_s=0.1"
            with pytest.raises(outcome_kind):
                WebHdfs(parse_place(url, {})).ask("RENAME", "/x", repeat=False)


def test_a_data_node_that_is_gone_is_not_asked_for_again() -> None:
    """Name nodes take some minutes to miss one, and would send us there again."""
    clock = [0.0]

    def pause(seconds: float) -> None:
        clock[0] += seconds

    with FakeNameNode("elsewhere") as fake:
        place = parse_place(f"webhdfs://{fake.authority}/x?patience_s=0.1", {})
        web = WebHdfs(place, lambda: clock[0], pause)
        for work in (lambda: web.read("/x"), lambda: web.write("/x", b"")):
            fake.paths.clear()
            with pytest.raises(Unavailable, match="localhost:9 cannot be reached"):
                work()
            first, *later = [parse_qs(urlsplit(path).query) for path in fake.paths]
            assert "excludedatanodes" not in first
            assert later[0]["excludedatanodes"] == ["127.0.0.1"]


def test_a_data_node_whose_name_is_not_known_has_no_address() -> None:
    """It cannot be left out, then."""
    assert _addresses("no-such-host.invalid:9864") == []
    assert _addresses("127.0.0.1:9864") == ["127.0.0.1"]


@pytest.mark.parametrize("kind", ["AccessControlException", "SecretManager$InvalidToken"])
def test_a_no_is_a_no(kind: str) -> None:
    """It is not asked again; of a message that carries the server's stack one line is told."""
    with FakeNameNode(kind) as fake:
        web = WebHdfs(parse_place(f"webhdfs://{fake.authority}/x", {}))
        with pytest.raises(Refusal) as raised:
            web.ask("LISTSTATUS", "/x")
        assert (fake.asked, raised.value.kind) == (1, kind.rpartition("$")[2])
        # Bytes are counted against the length that is promised.
        assert fake.encodings == ["identity"]
    assert str(raised.value) == "Operation category READ is not supported in state standby"


def test_no_message_and_no_traceback_has_the_token(deaf: str) -> None:
    """It is part of each URL, and so of each exception of the HTTP library."""
    with FakeNameNode("nothing") as fake, FakeNameNode("IOException") as failing:
        nodes = (deaf, "127.0.0.1:9", "no-such-host.invalid", fake.authority, failing.authority)
        for node in nodes:
            url = f"webhdfs://{node}/x?delegation={HIDDEN}&timeout_s=0.2&patience_s=0.1"
            with pytest.raises(StorageFailed) as raised:
                HdfsStorage(url).list()
            shown = "".join(traceback.format_exception(raised.value))
            assert node in shown
            assert HIDDEN not in shown
        assert f"delegation={HIDDEN}" in fake.paths[0]


@pytest.mark.parametrize(
    ("package", "query"), [("hdfs", ""), ("requests_kerberos", "?kerberos=true")]
)
def test_a_package_that_is_not_installed_is_named(
    monkeypatch: pytest.MonkeyPatch, package: str, query: str
) -> None:
    """With the extra that brings it, when the storage is made."""
    from importlib.util import find_spec

    monkeypatch.setattr(
        "importlib.util.find_spec", lambda n: None if n == package else find_spec(n)
    )
    with pytest.raises(
        StorageUnsuitable, match=r"pip install 'windowed-connectors\[hdfs"
    ) as raised:
        HdfsStorage(f"webhdfs://nn/x{query}")
    assert f"package {package} is" in str(raised.value)


def test_kerberos_is_the_package_s_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its client is made for each name node, with our time-outs; no name and no token in it."""
    made = list[dict[str, Any]]()

    def client(**given: Any) -> Any:
        made.append(given)
        return hdfs.Client(**given)

    module = ModuleType("hdfs.ext.kerberos")
    vars(module)["KerberosClient"] = client
    monkeypatch.setitem(sys.modules, "hdfs.ext.kerberos", module)
    monkeypatch.setattr("importlib.util.find_spec", lambda name: True)
    with FakeNameNode("AccessControlException") as fake:
        url = f"webhdfs://{fake.authority}/x?kerberos=true&timeout_s=3&user.name=somebody"
        with pytest.raises(StorageUnsuitable):
            HdfsStorage(url).list()
        assert fake.paths == ["/webhdfs/v1/x?op=LISTSTATUS"]
    assert made[0]["url"] == f"http://{fake.authority}"
    assert made[0]["timeout"] == (3.0, 3.0)


def test_after_a_fork_connections_are_left_to_the_parent(monkeypatch: pytest.MonkeyPatch) -> None:
    """New ones are made, and the parent's are not closed."""
    with FakeNameNode("AccessControlException") as fake:
        web = WebHdfs(parse_place(f"webhdfs://{fake.authority}/x", {}))
        with pytest.raises(Refusal):
            web.ask("LISTSTATUS", "/x")
        parents = web._clients[0]
        closed = list[str]()
        monkeypatch.setattr(parents._session, "close", lambda: closed.append("closed"))
        monkeypatch.setattr("windowlog.access.webhdfs.os.getpid", lambda: -1)
        with pytest.raises(Refusal):
            web.ask("LISTSTATUS", "/x")
        assert web._clients[0] is not parents
        monkeypatch.undo()
        web.close()
    assert (closed, web._clients) == ([], {})


@pytest.mark.parametrize(
    ("status", "body", "kind"),
    [
        (200, b"", None),
        (307, b"", None),
        (401, b"<html>", "HTTP 401"),
        (403, b"GSSException", "HTTP 403"),
        (404, b"<html>", Unanswered),
        (500, b"{}", Unanswered),
        (503, b"[]", Unanswered),
        (400, b'{"RemoteException": {"exception": "A", "message": ""}}', "A"),
        (
            403,
            b'{"RemoteException": {"exception": "StandbyException", "message": "x"}}',
            Unavailable,
        ),
        (
            403,
            b'{"RemoteException": {"exception": "SafeModeException", "message": "x"}}',
            Unavailable,
        ),
        (403, b'{"RemoteException": {"exception": "IOException", "message": "x"}}', Unanswered),
        (500, b'{"RemoteException": {"exception": "A", "message": "x"}}', Unanswered),
    ],
)
def test_what_an_answer_means(status: int, body: bytes, kind: object) -> None:
    """A no, nothing done yet, or nobody knows."""
    response = requests.Response()
    response.status_code, response._content = status, body
    found = outcome(response, "nn:9870")
    assert getattr(found, "kind", type(found) if found else None) == kind


def test_a_name_node_that_names_no_data_node_is_not_believed() -> None:
    """A creation that leads nowhere has created nothing."""
    with FakeNameNode("") as fake:
        url = f"webhdfs://{fake.authority}/x?patience_s=0.1"
        with pytest.raises(StorageFailed, match=f"{fake.authority} names no data node"):
            HdfsStorage(url).create("record", b"")


def test_half_an_answer_is_none() -> None:
    """A listing that ends too early would lack records."""
    with FakeNameNode("half") as fake:
        url = f"webhdfs://{fake.authority}/x?patience_s=0.1"
        with pytest.raises(StorageFailed, match=f"answer of {fake.authority} is not whole"):
            HdfsStorage(url).list()


def test_nothing_of_the_client_is_loaded_before_it_is_used() -> None:
    """A log in a folder does without."""
    code = "import sys, windowlog.storage; print({'hdfs', 'requests'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"


def test_https_asks_for_a_certificate_that_is_known(tmp_path: Path) -> None:
    """One that nobody vouches for is refused in words; `ca_file` names who vouches for it."""
    openssl = shutil.which("openssl") or absent("openssl")
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    made = f"{openssl} req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2"
    names = ["-subj", "/CN=test", "-addext", "subjectAltName=IP:127.0.0.1"]
    command = [*made.split(), *names, "-keyout", str(key), "-out", str(certificate)]
    subprocess.run(command, check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    with FakeNameNode("AccessControlException") as fake:
        fake.encrypt(context)
        url = f"swebhdfs://{fake.authority}/x?patience_s=0.1"
        with pytest.raises(StorageUnsuitable, match=r"certificate of .* \?ca_file="):
            HdfsStorage(url).list()
        with pytest.raises(StorageUnsuitable, match="state standby"):
            HdfsStorage(url, ca_file=certificate).list()
