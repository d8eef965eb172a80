"""What tests of HdfsStorage ask HDFS itself, without the code under test; and how they reach it."""

from __future__ import annotations

import getpass
import json
import urllib.error
import urllib.request
from urllib.parse import quote, urlsplit

from tests.windowlog.storage.lossy_proxy import LossyProxy
from windowlog.storage import HdfsStorage


def ask(url: str, method: str, verb: str, data: bytes = b"", /, **options: object) -> object:
    """WebHDFS's answer, without the code under test. `data` goes to the data node, if there is
    one."""
    place = urlsplit(url)
    query = "&".join(f"{name}={quote(str(value))}" for name, value in options.items())
    address = f"http://{place.netloc}/webhdfs/v1{place.path}?op={verb}&{query}"
    user = f"&user.name={getpass.getuser()}"
    request = urllib.request.Request(address + user, method=method)
    try:
        with urllib.request.urlopen(request) as answer:
            return json.loads(answer.read() or b"null")
    except urllib.error.HTTPError as redirect:
        if redirect.code != 307:
            raise
        data_node = urllib.request.Request(redirect.headers["location"], data=data, method=method)
        return urllib.request.urlopen(data_node).close()


def names_of(url: str) -> list[str]:
    """All names in a folder, hidden ones too."""
    found = ask(url, "GET", "LISTSTATUS")
    assert isinstance(found, dict)
    return [each["pathSuffix"] for each in found["FileStatuses"]["FileStatus"]]


def records_of(url: str) -> dict[str, bytes]:
    """The records there, read without a proxy."""
    storage = HdfsStorage(url)
    return {name: storage.read(name) for name in storage.list()}


def reached_by(proxy: LossyProxy, folder: str, patience_s: float = 10.0) -> HdfsStorage:
    """A storage whose requests go through the proxy, which never lets anybody wait."""
    return HdfsStorage(f"{proxy.url}{folder}", timeout_s=60, patience_s=patience_s)
