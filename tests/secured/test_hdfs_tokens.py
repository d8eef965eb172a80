"""Delegation tokens, given and taken by a real name node with Kerberos.

| token | what happens |
|---|---|
| good | log, files in and files out need nothing else; so do tasks |
| none, damaged, cut, none at all | StorageUnsuitable at once, with what to do |
| ended in the middle of a run | StorageUnsuitable; with a new token the next run goes on |
| any | in no message, traceback, repr, record of the log or plan of Spark |
"""

from __future__ import annotations

import logging
import time
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.machine import need_java
from tests.secured.job import LINES, job, shown_by
from tests.secured.world import SecuredHdfs, secured_hdfs
from windowlog.errors import StorageUnsuitable
from windowlog.storage import HdfsStorage

# Long enough for two windows on a busy machine.
TOKEN_S = 30


@pytest.fixture
def records(caplog: pytest.LogCaptureFixture) -> Iterator[pytest.LogCaptureFixture]:
    """All that is logged, but for each URL, which Python's HTTP library tells at DEBUG."""
    with caplog.at_level(logging.DEBUG), caplog.at_level(logging.INFO, "urllib3"):
        yield caplog


def damaged(token: str) -> str:
    """Another secret in it, all else as it was."""
    data = bytearray(urlsafe_b64decode(f"{token}=="))
    # Behind the secret, which is 20 bytes long: two texts with their lengths.
    end = len(data) - sum(map(len, (b"HDFS_DELEGATION_TOKEN", b"127.0.0.1:12345"))) - 2
    data[end - 1] ^= 1
    return urlsafe_b64encode(data).decode().rstrip("=")


def test_a_token_is_enough(
    secured: SecuredHdfs, folder: str, records: pytest.LogCaptureFixture
) -> None:
    """For the log, files in and files out; it is written down nowhere."""
    login: dict[str, Any] = {"token": secured.token, "ca_file": secured.ca_file}
    secured.write(f"{folder}/in/a.txt", "".join(f"{line}\n" for line in LINES))
    pipeline = job(secured.url, folder, login, lambda: None)
    pipeline.run(None, progress=False)
    assert secured.lines(f"{folder}/out") == LINES
    log = HdfsStorage(f"{secured.url}{folder}/state", **login).within("windows")
    written = b"".join(log.read(name) for name in log.list()).decode()
    assert "line" in written
    assert secured.token not in written + records.text + repr(vars(pipeline))


def test_a_token_that_ends_in_a_run_is_said_and_a_new_one_goes_on(
    secured: SecuredHdfs, folder: str, records: pytest.LogCaptureFixture
) -> None:
    """What was logged with the first one is replayed with the second: each line once."""
    token = secured.new_token()
    secured.write(f"{folder}/in/a.txt", "".join(f"{line}\n" for line in LINES))
    windows = iter(LINES)

    def at_window() -> None:
        if next(windows) == LINES[2]:
            secured.cancel(token)

    login: dict[str, Any] = {"token": token, "ca_file": secured.ca_file}
    pipeline = job(secured.url, folder, login, at_window)
    shown = shown_by(lambda: pipeline.run(None, progress=False), StorageUnsuitable)
    assert "InvalidToken" in shown
    assert "a fresh ?delegation=…" in shown
    assert token not in shown + records.text
    assert secured.lines(f"{folder}/out") == LINES[:2]
    login["token"] = secured.token
    job(secured.url, folder, login, lambda: None).run(None, progress=False)
    assert secured.lines(f"{folder}/out") == LINES


@pytest.mark.parametrize(
    "broken",
    ["damaged", "cut", "a text", "hello world+%$", "____________________"],
)
def test_what_is_no_token_is_said_at_once(secured: SecuredHdfs, broken: str) -> None:
    """A name node falls over some of them, with HTTP 500, as over a defect of its own."""
    made = {"damaged": damaged(secured.token), "cut": secured.token[:40]}
    token = made.get(broken, broken)
    storage = HdfsStorage(f"{secured.url}/x", token=token, ca_file=secured.ca_file)
    shown = shown_by(lambda: storage.create("record", b""), StorageUnsuitable)
    assert "a fresh ?delegation=…" in shown
    assert f"={token}" not in shown
    assert (broken == "damaged") == ("is invalid, password doesn't match" in shown)


def test_without_a_token_nobody_is_let_in(secured: SecuredHdfs) -> None:
    """Names are not believed; the error says what would be."""
    storage = HdfsStorage(f"{secured.url}/x", user="etl", ca_file=secured.ca_file)
    with pytest.raises(StorageUnsuitable, match=r"Kerberos ticket or a delegation token.* kinit"):
        storage.list()


@pytest.mark.soak
def test_a_token_ends_by_itself(tmp_path: Path, folder: str) -> None:
    """After the time that the cluster gives it; the rest as if it were cancelled."""
    need_java()
    more = {"dfs.namenode.delegation.token.renew-interval": str(TOKEN_S * 1000)}
    with secured_hdfs(tmp_path / "hdfs", more) as secured:
        login: dict[str, Any] = {"token": secured.new_token(), "ca_file": secured.ca_file}
        ended = time.monotonic() + TOKEN_S
        secured.write(f"{folder}/in/a.txt", "".join(f"{line}\n" for line in LINES))
        windows = iter(LINES)

        def at_window() -> None:
            if next(windows) == LINES[2]:
                time.sleep(max(0.0, ended - time.monotonic()))

        pipeline = job(secured.url, folder, login, at_window)
        shown = shown_by(lambda: pipeline.run(None, progress=False), StorageUnsuitable)
        assert "Token has expired" in shown
        assert "a fresh ?delegation=…" in shown
        assert login["token"] not in shown
        del vars(secured)["token"]
        login["token"] = secured.token
        job(secured.url, folder, login, lambda: None).run(None, progress=False)
        assert secured.lines(f"{folder}/out") == LINES
