"""https of a real name node and data node, whose certificate an authority of the test has signed.

| what is wrong | what is said, at once |
|---|---|
| nobody known vouches for the certificate | `ca_file` |
| it is for another name | name the machine as it does |
| `ca_file` is not there, or holds no certificate | name one that does |
| http is spoken where https is wanted, or https where http is | the other scheme |
"""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

import pytest

from tests.secured.authority import certified
from tests.secured.world import SecuredHdfs
from tests.windowlog.storage.fake_name_node import FakeNameNode
from windowlog import WindowLog
from windowlog.access.hdfs_in_tasks import login_of, task_client
from windowlog.access.webhdfs_url import parse_place
from windowlog.errors import StorageUnsuitable
from windowlog.storage import HdfsStorage


@pytest.fixture
def other(tmp_path: Path) -> str:
    """The certificate of another authority."""
    return str(certified(tmp_path / "other").ca_file)


def test_an_authority_of_one_s_own_is_named(secured: SecuredHdfs, folder: str) -> None:
    """In the URL or as an argument; both servers are asked over https, with records of any size."""
    url = f"{secured.url}{folder}?delegation={secured.token}&ca_file={quote(secured.ca_file)}"
    WindowLog(url).open("pipeline", "run")
    storage = HdfsStorage(f"{secured.url}{folder}", token=secured.token, ca_file=secured.ca_file)
    for data in (b"", bytes(300_000)):
        storage.create(f"record-{len(data)}", data)
        assert storage.read(f"record-{len(data)}") == data


def test_what_the_environment_trusts_does_not_matter(
    secured: SecuredHdfs, folder: str, other: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """REQUESTS_CA_BUNDLE went before `ca_file` in tasks."""
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", other)
    login: dict[str, Any] = {"token": secured.token, "ca_file": secured.ca_file}
    HdfsStorage(f"{secured.url}{folder}", **login).create("record", b"data")
    with task_client(login_of(parse_place(secured.url, login))) as client:
        assert client.list(folder) == ["record"]


def test_who_is_not_known_is_not_believed(secured: SecuredHdfs, other: str) -> None:
    """By the system's authorities or by another one; no request is sent, so no token either."""
    for ca_file in (None, other):
        storage = HdfsStorage(f"{secured.url}/x", token=secured.token, ca_file=ca_file)
        with pytest.raises(StorageUnsuitable, match=r"certificate of .* \?ca_file=") as raised:
            storage.list()
        assert secured.token not in str(raised.value)


def test_a_certificate_is_for_its_name_alone(secured: SecuredHdfs) -> None:
    """Naming an authority would not help."""
    url = secured.url.replace("localhost", "127.0.0.1")
    with pytest.raises(StorageUnsuitable, match=r"mismatch.*Name the machine as its certificate"):
        HdfsStorage(f"{url}/x", token=secured.token, ca_file=secured.ca_file).list()


@pytest.mark.parametrize("name", ["missing.pem", "key.pem"])
def test_a_file_that_is_no_certificate_is_said(secured: SecuredHdfs, name: str) -> None:
    """It was taken for a connection that broke, and waited for."""
    file = Path(secured.ca_file).parent / name
    with pytest.raises(StorageUnsuitable, match=rf"{name} cannot be used .*\(PEM\)"):
        HdfsStorage(f"{secured.url}/x", token=secured.token, ca_file=file).list()


def test_the_other_scheme_is_told(secured: SecuredHdfs) -> None:
    """Http where https is spoken, and the reverse: no wait makes it right."""
    place = urlsplit(secured.url).netloc
    with pytest.raises(StorageUnsuitable, match=r"speaks https alone.*swebhdfs:// is https"):
        HdfsStorage(f"webhdfs://{place}/x", token=secured.token).list()
    with (
        FakeNameNode("AccessControlException") as plain,
        pytest.raises(StorageUnsuitable, match=r"does not speak https.*webhdfs:// is http"),
    ):
        HdfsStorage(f"swebhdfs://{plain.authority}/x", ca_file=secured.ca_file).list()
