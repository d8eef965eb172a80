"""Named moments at which a driver dies. The seams are wrapped from outside: product code has no
hooks for this."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import sqlalchemy

import windowlog.storage.local as local
from connectors import FileInput
from jdbc_sink import JdbcSink
from jdbc_sink.ledger import Ledger
from jdbc_sink.tables import Tables
from windowlog.storage.local import LocalStorage

# Of each pipeline, whatever its sink.
OF_ALL = (
    "planned",
    "log temp written",
    "log linked",
    "log synced",
    "read",
    "staged",
    "committed told",
    "folded",
    "low-water mark written",
    "first plan purged",
)
# Of a sink in a database.
OF_A_DATABASE = ("ledger advanced", "rows written", "before commit", "after commit")
MOMENTS = (*OF_ALL, *OF_A_DATABASE)
# A window is read and not held yet: its plan must be in the log.
BETWEEN_PLAN_AND_HOLD = ("some records fetched", "read", "staged", "topics verified")

# What it means that a record has been created in a folder of the log.
CREATED = {
    "windows": "log synced",
    "marks": "low-water mark written",
    "lines": "folded",
    "pairings": "pairing written",
}


class Trap:
    """Kills this process when `moment` comes for the `occurrence`-th time; with `group` all that
    it has started, too. With `stop` it stands still until somebody lets it go on."""

    def __init__(
        self, moment: str | None, occurrence: int, *, group: bool = False, stop: bool = False
    ) -> None:
        self._moment = moment
        self._left = occurrence
        self._group = group
        self._signal = signal.SIGSTOP if stop else signal.SIGKILL

    def passed(self, moment: str) -> None:
        """The moment is now."""
        if moment == self._moment:
            self._left -= 1
            if self._left == 0:
                (os.killpg if self._group else os.kill)(os.getpid(), self._signal)


class _Os:
    """The module `os`, with a trap around `link` where plans are."""

    def __init__(self, trap: Trap) -> None:
        self._trap = trap

    def __getattr__(self, name: str) -> Any:
        return getattr(os, name)

    def link(self, source: str, target: str, **keywords: Any) -> None:
        """os.link."""
        plan = "/windows/" in target
        if plan:
            self._trap.passed("log temp written")
        os.link(source, target, **keywords)
        if plan:
            self._trap.passed("log linked")


def install(trap: Trap, archive: Path) -> None:
    """Wrap storage, input and sink of this process, which is about to die."""
    vars(local)["os"] = _Os(trap)

    def after_create(storage: LocalStorage, name: str, *rest: Any) -> None:
        folder = Path(storage.describe()).name
        if folder in CREATED and not in_staging(storage):
            trap.passed(CREATED[folder])
        if folder == "windows":
            keep(archive, name, Path(storage.describe(), name).read_bytes())

    def after_delete(storage: LocalStorage, *rest: Any) -> None:
        if Path(storage.describe()).name == "windows":
            trap.passed("first plan purged")

    after(LocalStorage, "create", after_create)
    after(LocalStorage, "delete", after_delete)
    after(FileInput, "plan", lambda *_: trap.passed("planned"))
    after(FileInput, "read", lambda *_: trap.passed("read"))
    after(FileInput, "committed", lambda *_: trap.passed("committed told"))
    after(JdbcSink, "stage", lambda *_: trap.passed("staged"))
    after(Ledger, "advance", lambda *_: trap.passed("ledger advanced"))
    after(Tables, "write", lambda *_: trap.passed("rows written"))
    sqlalchemy.event.listen(sqlalchemy.Engine, "commit", lambda _: trap.passed("before commit"))
    after(JdbcSink, "hold", lambda *_: trap.passed("after commit"))


def keep(archive: Path, name: str, plan: bytes) -> None:
    """A copy that is whole, or not there: the kill may come in the middle of it."""
    unfinished = archive / f"{name}.tmp"
    unfinished.write_bytes(plan)
    unfinished.replace(archive / name)


def in_staging(storage: LocalStorage) -> bool:
    """Are these the records of a sink of files, and not the log's?"""
    return Path(storage.describe()).parent.suffix == ".staging"


def after(kind: type, method: str, told: Callable[..., None]) -> None:
    """Tell of each call of the method, once it is over, with its arguments."""
    original = getattr(kind, method)

    def wrapped(self: Any, *arguments: Any, **keywords: Any) -> Any:
        result = original(self, *arguments, **keywords)
        told(self, *arguments)
        return result

    setattr(kind, method, wrapped)
