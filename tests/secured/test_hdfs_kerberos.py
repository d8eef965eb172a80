"""Kerberos tickets, given by a real key server and taken by a real name node, over https.

| ticket | what happens |
|---|---|
| good, or a keytab that is renewed from | log, files in and files out need nothing else |
| none, or ended | StorageUnsuitable at once, with what to do |
| ended in a run | the run goes on while the name node's cookie is good; a new ticket is taken up |

Not in `make test`: the extra `kerberos` is built from source, with the system's libkrb5-dev.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from connectors import FileInput
from tests.machine import need_java
from tests.secured.job import LINES, job, shown_by
from tests.secured.tickets import Tickets, need_kerberos
from tests.secured.world import SecuredHdfs, secured_hdfs
from windowlog.access.hdfs_path import name_nodes
from windowlog.errors import BadArgument, StorageUnsuitable
from windowlog.storage import HdfsStorage

pytestmark = pytest.mark.soak

# How long a name node believes its cookie; 10 hours unless said.
COOKIE_S = 3


@pytest.fixture(scope="module")
def forgetful(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SecuredHdfs]:
    """It asks for a ticket again soon."""
    need_java()
    need_kerberos()
    more = {"hadoop.http.authentication.token.validity": str(COOKIE_S)}
    with secured_hdfs(tmp_path_factory.mktemp("forgetful"), more) as started:
        yield started


@pytest.fixture
def tickets(forgetful: SecuredHdfs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Tickets:
    """None yet."""
    return Tickets(forgetful, tmp_path / "tickets", monkeypatch)


@pytest.fixture
def login(forgetful: SecuredHdfs, tickets: Tickets) -> dict[str, Any]:
    """As all places are told of it."""
    return {"kerberos": True, "ca_file": forgetful.ca_file, "patience_s": 10}


@pytest.mark.parametrize("how", ["a ticket", "a keytab"])
def test_a_ticket_is_enough(
    forgetful: SecuredHdfs, folder: str, tickets: Tickets, login: dict[str, Any], how: str
) -> None:
    """For the log, files in and files out."""
    tickets.log_in() if how == "a ticket" else tickets.use_keytab()
    forgetful.write(f"{folder}/in/a.txt", "".join(f"{line}\n" for line in LINES))
    job(forgetful.url, folder, login, lambda: None).run(None, progress=False)
    assert forgetful.lines(f"{folder}/out") == LINES


def test_without_a_ticket_kinit_is_named(
    forgetful: SecuredHdfs, tickets: Tickets, login: dict[str, Any]
) -> None:
    """None, or one that has ended: at once."""
    storage = HdfsStorage(f"{forgetful.url}/x", **login)
    began = time.monotonic()
    shown = shown_by(storage.list, StorageUnsuitable)
    assert "Kerberos ticket" in shown
    assert "after kinit" in shown
    tickets.log_in()
    tickets.end()
    shown = shown_by(HdfsStorage(f"{forgetful.url}/x", **login).list, StorageUnsuitable)
    assert "after kinit" in shown
    assert time.monotonic() - began < login["patience_s"]


def test_a_ticket_that_ends_in_a_run_is_said_and_a_new_one_goes_on(
    forgetful: SecuredHdfs, folder: str, tickets: Tickets, login: dict[str, Any]
) -> None:
    """The cookie holds for a while. Whoever renews the ticket beside the run is enough."""
    tickets.log_in()
    forgetful.write(f"{folder}/in/a.txt", "".join(f"{line}\n" for line in LINES))
    windows = iter(LINES)

    def at_window() -> None:
        window = next(windows)
        if window == LINES[1]:
            # Ended and renewed: nothing is seen of it.
            tickets.end()
            tickets.log_in()
            time.sleep(COOKIE_S + 1)
        if window == LINES[2]:
            tickets.end()
            time.sleep(COOKIE_S + 1)

    pipeline = job(forgetful.url, folder, login, at_window)
    shown = shown_by(lambda: pipeline.run(None, progress=False), StorageUnsuitable)
    assert "after kinit" in shown
    assert "delegation=" not in shown.replace("?delegation=…", "")
    assert forgetful.lines(f"{folder}/out") == LINES[:2]
    tickets.log_in()
    job(forgetful.url, folder, login, lambda: None).run(None, progress=False)
    assert forgetful.lines(f"{folder}/out") == LINES


def test_tasks_are_refused(
    forgetful: SecuredHdfs, folder: str, tickets: Tickets, login: dict[str, Any]
) -> None:
    """They have no ticket."""
    nodes = name_nodes(forgetful.url, login)
    with pytest.raises(BadArgument, match="delegation token"):
        FileInput(f"hdfs://cluster{folder}/in", storage=nodes, reader="executors")
