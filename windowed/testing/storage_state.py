"""StorageState: a state of Arrow tables in any Storage, in memory by default; for pipelines' unit
tests without Spark, and the shortest example of the contract."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import pyarrow

from windowed.changes import types_of
from windowed.testing.rows import parse_schema
from windowlog.checkpoints import (
    STATES,
    CheckpointRecords,
    Saved,
    SavedFile,
    folder_name,
)
from windowlog.errors import BadArgument, Fenced, RecordNotFound
from windowlog.naming import swept
from windowlog.state_store import Checkpoint, Staged
from windowlog.storage.memory import MemoryStorage

if TYPE_CHECKING:
    from windowlog.contracts import Frame, Storage
    from windowlog.state_store import StateContext


class StorageState:
    """Keeps each state as one record of Arrow's stream format. Two drivers of one pipeline are two
    of these with one `storage`. `schema` is a pyarrow.Schema or text like "word string, n long"."""

    def __init__(
        self,
        schema: pyarrow.Schema | str,
        *,
        key: Sequence[str] = (),
        storage: Storage | None = None,
    ) -> None:
        self.schema = schema if isinstance(schema, pyarrow.Schema) else parse_schema(schema)
        self.key = (key,) if isinstance(key, str) else tuple(key)
        names = self.schema.names
        if len(set(self.key)) < len(self.key) or not set(self.key) <= set(names):
            allowed = f"columns of the state, each once: {', '.join(names)}"
            raise BadArgument(argument="key", value=self.key, allowed=allowed)
        self.storage: Storage = storage if storage is not None else MemoryStorage()
        self._context: StateContext | None = None

    def describe(self) -> str:
        """Where the storage is."""
        return self.storage.describe()

    def open(self, context: StateContext) -> None:
        """Nothing is remembered."""
        self._context = context

    def checkpoints(self) -> tuple[Checkpoint, ...]:
        """Each with its rows looked at."""
        found = []
        for saved in self._records().all():
            problem = saved.checkpoint.problem or self._problem(saved)
            found.append(replace(saved.checkpoint, problem=problem))
        return tuple(found)

    def _problem(self, saved: Saved) -> str:
        if saved.columns != self._columns():
            return f"has other columns: {dict(saved.columns)}"
        if wrong := saved.other_key(self.key):
            return wrong
        for file in saved.files:
            try:
                data = self._read(saved.checkpoint.folder)
            except RecordNotFound:
                return "lacks its rows"
            if hashlib.sha256(data).hexdigest() != file.fingerprint:
                return "has damaged rows"
        return ""

    def present(self) -> set[tuple[int, int]]:
        """By their names."""
        return self._records().present()

    def load(self, checkpoint: Checkpoint | None) -> Staged:
        """A table."""
        if checkpoint is None or not checkpoint.folder:
            return Staged("", self.schema.empty_table())
        return Staged(checkpoint.folder, _table(self._read(checkpoint.folder)))

    def stage(self, window_id: int, frame: Frame) -> Staged:
        """One record; what is read later is what was written."""
        assert isinstance(frame, pyarrow.Table), "without Spark"
        if not frame.num_rows:
            return Staged("", self.schema.empty_table())
        context = self._opened()
        folder = folder_name(context.log_id, window_id, context.run_id)
        sink = pyarrow.BufferOutputStream()
        with pyarrow.ipc.new_stream(sink, frame.schema) as writer:
            writer.write_table(frame)
        storage, name = self._place(folder)
        storage.create(name, sink.getvalue().to_pybytes())
        return Staged(folder, _table(self._read(folder)))

    def save(self, window_id: int, digest: str, staged: Staged) -> Checkpoint:
        """The record, after the rows."""
        context = self._opened()
        files: tuple[SavedFile, ...] = ()
        rows = 0
        if staged.folder:
            data = self._durable(staged.folder)
            rows = _table(data).num_rows
            files = (SavedFile("", len(data), rows, hashlib.sha256(data).hexdigest()),)
        checkpoint = Checkpoint(window_id, 0, digest, staged.folder, rows)
        saved = Saved(
            checkpoint,
            context.pipeline,
            context.log_id,
            context.run_id,
            self._columns(),
            files,
            self.key,
        )
        return self._records().create(saved).checkpoint

    def _durable(self, folder: str) -> bytes:
        storage, name = self._place(folder)
        try:
            storage.sync(name)
            return storage.read(name)
        except RecordNotFound as gone:
            evidence = f"{name}, which was staged, is gone from {storage.describe()}"
            raise Fenced(pipeline=self._opened().pipeline, evidence=evidence) from gone

    def drop(self, staged: Staged) -> None:
        """Its record goes."""
        if staged.folder:
            storage, name = self._place(staged.folder)
            storage.delete(name, durable=False)

    def let_go(self, floor: int) -> None:
        """As the contract says."""
        self._records().let_go(floor)
        kept = [saved.checkpoint.folder.rpartition("/")[2] for saved in self._records().all()]
        log_id = self._opened().log_id
        states = self.storage.within(log_id).within(STATES)
        for name in swept(states.list(), kept, floor):
            states.delete(name, durable=False)

    def hand_on(self, checkpoint: Checkpoint, log_id: str, window_id: int, digest: str) -> None:
        """A record of the other log that names the same rows."""
        context = self._opened()
        saved = self._records().find(checkpoint)
        handed = replace(checkpoint, window_id=window_id, digest=digest, attempt=0)
        CheckpointRecords(self.storage, context.pipeline, log_id).create(
            replace(saved, checkpoint=handed, log_id=log_id, run_id=context.run_id)
        )

    def folders(self) -> Sequence[str]:
        """None of any file system."""
        return ()

    def close(self) -> None:
        """The storage's."""
        self._context = None
        self.storage.close()

    def _opened(self) -> StateContext:
        assert self._context is not None, "open() comes first"
        return self._context

    def _records(self) -> CheckpointRecords:
        context = self._opened()
        return CheckpointRecords(self.storage, context.pipeline, context.log_id)

    def _place(self, folder: str) -> tuple[Storage, str]:
        """Where a state's record is, and its name there."""
        log_id, states, name = folder.split("/")
        return self.storage.within(log_id).within(states), name

    def _read(self, folder: str) -> bytes:
        storage, name = self._place(folder)
        return storage.read(name)

    def _columns(self) -> dict[str, str]:
        return types_of(self.schema.empty_table())


def _table(data: bytes) -> pyarrow.Table:
    with pyarrow.ipc.open_stream(data) as reader:
        return reader.read_all()
