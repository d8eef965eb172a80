"""The records of checkpoints, those of each log in a folder of its own, and the names of what they
name.

    LOG/checkpoints/000000000040.json   the state after window 40: the digest of that window's
                                        record, the columns, the files with size and fingerprint
    LOG/states/000000000040.RUN.TOKEN   its rows: one attempt of one run, staged or saved

A record is created exclusively and never changed. A second attempt at a window stands beside the
first: a start that found that one damaged makes the state anew, and the highest that can be used
counts.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any
from uuid import uuid4

from windowlog import codec, naming
from windowlog.contracts import Storage
from windowlog.errors import Fenced, RecordNotFound, RecordTorn
from windowlog.exclusive import create_exclusively
from windowlog.state_store import Checkpoint
from windowlog.values import Json

KIND = "checkpoint"
CHECKPOINTS = "checkpoints"
STATES = "states"


@dataclass(frozen=True, slots=True)
class SavedFile:
    """One file of a state: its name in the state's folder, size, rows, and what tells its bytes
    from any others."""

    name: str
    bytes: int
    rows: int
    fingerprint: str


@dataclass(frozen=True, slots=True)
class Saved:
    """All that a record says. `columns` are column -> type, in the words of who wrote the rows."""

    checkpoint: Checkpoint
    pipeline: str
    log_id: str
    run_id: str
    columns: Mapping[str, str] = field(default_factory=dict)
    files: tuple[SavedFile, ...] = ()
    key: tuple[str, ...] = ()

    def other_key(self, key: tuple[str, ...]) -> str:
        """What is wrong with rows that another key tells apart, "" if nothing is: they may have one
        of these keys twice."""
        return "" if self.key == key else f"has another key ({', '.join(self.key) or 'none'})"


def folder_name(log_id: str, window_id: int, run_id: str) -> str:
    """A name for the rows of one attempt, below the store's own folder: no two are ever alike."""
    return f"{log_id}/{STATES}/{naming.staged_name(window_id, run_id, uuid4().hex)}"


class CheckpointRecords:
    """The records of one log, in the store's `storage`."""

    def __init__(self, storage: Storage, pipeline: str, log_id: str) -> None:
        self._records = storage.within(log_id).within(CHECKPOINTS)
        self._pipeline = pipeline
        self._log_id = log_id

    def all(self) -> list[Saved]:
        """Every record, durable, by window and attempt. What is damaged has a problem, and nothing
        else; one that goes meanwhile was let go of. NewerFormat for one of a later version."""
        self._records.sync()
        found = []
        for window_id, attempts in naming.attempts(self._records.list()).items():
            for attempt in attempts:
                try:
                    found.append(self._read(window_id, attempt))
                except RecordNotFound:
                    continue
                except RecordTorn as error:
                    problem = f"cannot be read: {error}"
                    damaged = Checkpoint(window_id, attempt, problem=problem)
                    found.append(Saved(damaged, self._pipeline, self._log_id, ""))
        return found

    def find(self, checkpoint: Checkpoint) -> Saved:
        """All that its record says. RecordNotFound if it is gone."""
        return self._read(checkpoint.window_id, checkpoint.attempt)

    def present(self) -> set[tuple[int, int]]:
        """Window and attempt of each."""
        found = naming.attempts(self._records.list())
        return {(window_id, each) for window_id, attempts in found.items() for each in attempts}

    def create(self, saved: Saved) -> Saved:
        """Create the next attempt at the window, and read it back. Fenced where another driver is
        at the same."""
        window_id = saved.checkpoint.window_id
        present = naming.attempts(self._records.list()).get(window_id, [])
        attempt = max(present, default=-1) + 1
        body: dict[str, Json] = {
            "pipeline": saved.pipeline,
            "log": saved.log_id,
            "run": saved.run_id,
            "digest": saved.checkpoint.digest,
            "folder": saved.checkpoint.folder,
            "rows": saved.checkpoint.rows,
            "key": list(saved.key),
            "columns": [[name, kind] for name, kind in saved.columns.items()],
            "files": [[f.name, f.bytes, f.rows, f.fingerprint] for f in saved.files],
        }
        name = naming.numbered(window_id, attempt)
        if not create_exclusively(self._records, name, codec.encode(KIND, window_id, body)):
            evidence = f"it has created {name} in {self._records.describe()}"
            raise Fenced(pipeline=self._pipeline, evidence=evidence)
        written = replace(saved, checkpoint=replace(saved.checkpoint, attempt=attempt))
        try:
            found = self._read(window_id, attempt)
        except RecordNotFound as gone:
            evidence = f"it has let go of {name} in {self._records.describe()}"
            raise Fenced(pipeline=self._pipeline, evidence=evidence) from gone
        if found != written:
            raise RecordTorn(name=name, expected="what was written", found="something else")
        return found

    def let_go(self, floor: int) -> None:
        """Remove the records of windows before `floor`."""
        for window_id, attempts in naming.attempts(self._records.list()).items():
            for attempt in attempts if window_id < floor else ():
                self._records.delete(naming.numbered(window_id, attempt), durable=False)

    def _read(self, window_id: int, attempt: int) -> Saved:
        name = naming.numbered(window_id, attempt)
        data = self._records.read(name)
        self._records.sync(name)  # it may have been seen before it was durable
        body: Any = codec.decode(data, kind=KIND, record_id=window_id, name=name)
        checkpoint = Checkpoint(window_id, attempt, body["digest"], body["folder"], body["rows"])
        columns = dict(body["columns"])
        files = tuple(SavedFile(*file) for file in body["files"])
        return Saved(
            checkpoint,
            body["pipeline"],
            body["log"],
            body["run"],
            columns,
            files,
            tuple(body["key"]),
        )
