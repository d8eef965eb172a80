"""Slips in a URL of HDFS: another port, a host that nobody knows; what is said, and when."""

from __future__ import annotations

import io
import sys

import pytest

from tests.windowlog.storage.fake_name_node import FakeNameNode
from windowlog.access.telling import tell
from windowlog.access.webhdfs import WebHdfs
from windowlog.access.webhdfs_answers import Unavailable
from windowlog.access.webhdfs_url import parse_place
from windowlog.errors import StorageUnsuitable
from windowlog.storage import HdfsStorage


def test_the_port_for_spark_is_told_at_once() -> None:
    """Trying again could not help: it stands in hdfs:// URLs, and is no web port."""
    with FakeNameNode("rpc") as fake:
        storage = HdfsStorage(f"webhdfs://{fake.authority}/x")
        with pytest.raises(StorageUnsuitable) as raised:
            storage.list()
        assert fake.asked == 1
    said = str(raised.value)
    assert f"{fake.authority} is the port for Spark's hdfs://, not the web port" in said
    assert "9870" in said


def test_a_long_wait_is_told_once_and_a_short_one_never() -> None:
    """With what is waited for, and how long at most."""
    for patience_s, told in ((30, 1), (2, 0)):
        clock = [0.0]
        said = list[str]()

        def pause(seconds: float, clock: list[float] = clock) -> None:
            clock[0] += seconds

        place = parse_place(f"webhdfs://no-such-host.invalid/x?patience_s={patience_s}", {})
        web = WebHdfs(place, lambda clock=clock: clock[0], pause, said.append)  # type: ignore[misc]
        with pytest.raises(Unavailable):
            web.ask("LISTSTATUS", "/x")
        assert len(said) == told
        assert all("up to 30 s for HDFS: no-such-host.invalid:9870 cannot" in each for each in said)


def test_a_wait_is_told_on_standard_error_whatever_that_is(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a terminal and in a log; where there is none, to nobody."""
    for terminal in (True, False):
        stream = io.StringIO()
        monkeypatch.setattr(stream, "isatty", lambda terminal=terminal: terminal)
        monkeypatch.setattr(sys, "stderr", stream)
        tell("waiting")
        assert stream.getvalue() == "waiting\n"
    monkeypatch.setattr(sys, "stderr", None)
    tell("waiting")
