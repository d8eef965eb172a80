"""The files of one run's states: written by who writes a sink's, saved, found again."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

from file_sink import paths
from file_sink.hdfs_tree import HdfsTree
from file_sink.manifests import Staged as Written
from file_sink.staging import Staging
from file_sink.staging_places import StatePlaces
from file_sink.state_columns import key_of
from file_sink.tree import walk
from windowlog.access.telling import tell
from windowlog.checkpoints import STATES, CheckpointRecords, Saved, SavedFile
from windowlog.errors import Fenced, RecordNotFound
from windowlog.naming import staged_window
from windowlog.state_store import Checkpoint, Staged

if TYPE_CHECKING:
    import pyarrow

    from file_sink.settings import Settings
    from file_sink.state_columns import Columns
    from file_sink.tree import Tree
    from windowlog.contracts import Frame
    from windowlog.state_store import StateContext

# What errors that are made for sinks call it.
_NAME = "(the state)"
_READERS = 4
# Some seconds of reading and digesting; on HDFS only checksums are asked for.
TOLD_BYTES = 2 * 2**30
# Without the first, folders of a path like .../day=1/... would become columns. The others are
# what a session may be set to: a state would lose rows, and nobody would hear of it.
_READING = {
    "recursiveFileLookup": "true",
    "ignoreMissingFiles": "false",
    "ignoreCorruptFiles": "false",
}


class StateFiles:
    """What FileState does between open and close, in the folder `path`."""

    def __init__(
        self,
        tree: Tree,
        path: str,
        settings: Settings,
        columns: Columns,
        key: tuple[str, ...],
        context: StateContext,
    ) -> None:
        self._tree = tree
        self._path = path
        self._columns = columns
        self._key = key
        self._settings = settings
        self._context = context
        self._places = StatePlaces(path, context.log_id)
        self._staging = Staging(tree, self._places, settings, _NAME, context.run_id)
        self._storage = tree.records(path)
        self.records = self._records_of(context.log_id)
        self._empty: Frame | None = None
        self._ready = False
        # Folder -> what is known of its files: of states that were written or loaded in this run.
        self._written: dict[str, Written] = {}
        self._saved: dict[str, Saved] = {}
        # Folders that a record may name, also where its creation failed.
        self._named: set[str] = set()

    def _records_of(self, log_id: str) -> CheckpointRecords:
        return CheckpointRecords(self._storage, self._context.pipeline, log_id)

    def checkpoints(self) -> tuple[Checkpoint, ...]:
        """All of this log, each looked at."""
        found, all_saved = [], self.records.all()
        size = sum(file.bytes for saved in all_saved for file in saved.files)
        if size > TOLD_BYTES and not isinstance(self._tree, HdfsTree):
            tell(f"reading {size / 2**30:,.1f} GiB of saved states in {self._path}, to check them")
        for saved in all_saved:
            problem = saved.checkpoint.problem or self._problem(saved)
            if not problem:
                self._saved[saved.checkpoint.folder] = saved
            found.append(replace(saved.checkpoint, problem=problem))
        return tuple(found)

    def _problem(self, saved: Saved) -> str:
        wanted = self._columns.recorded(self._context.spark)
        if wanted is not None and wanted != saved.columns:
            was = ", ".join(f"{name} {kind}" for name, kind in saved.columns.items())
            return f"has other columns ({was})"
        if wrong := saved.other_key(self._key):
            return wrong
        folder = paths.join(self._path, saved.checkpoint.folder)
        sizes = dict(walk(self._tree, folder)) if saved.files else {}
        for file in saved.files:
            if file.name not in sizes:
                return f"lacks its file {paths.join(folder, file.name)}"
            if sizes[file.name] != file.bytes:
                return f"has a damaged file: {paths.join(folder, file.name)}"
        with ThreadPoolExecutor(_READERS) as pool:
            names = [paths.join(folder, file.name) for file in saved.files]
            for path, file, found in zip(
                names, saved.files, pool.map(self._fingerprint, names), strict=True
            ):
                if found != file.fingerprint:
                    return f"has a damaged file: {path}" if found else f"lacks its file {path}"
        return ""

    def _fingerprint(self, path: str) -> str:
        try:
            return self._tree.fingerprint(path)
        except RecordNotFound:
            return ""

    def load(self, checkpoint: Checkpoint | None) -> Staged:
        """Exactly the files that the record names."""
        self._columns.check(self._path, self._context.spark, self._settings)
        key_of(self._key, self._columns)  # Spark's words are known only now
        if checkpoint is None or not checkpoint.folder:
            return Staged("", self._without_rows())
        saved = self._known(checkpoint)
        return self._staged(checkpoint.folder, [file.name for file in saved.files])

    def _known(self, checkpoint: Checkpoint) -> Saved:
        if checkpoint.folder not in self._saved:
            self._saved[checkpoint.folder] = self.records.find(checkpoint)
        return self._saved[checkpoint.folder]

    def stage(self, window_id: int, frame: Frame) -> Staged:
        """Write, and say how it is read."""
        if self._context.spark is not None:
            self._columns.check_session(self._path, cast("Any", frame))
        self._make_ready()
        written = self._staging.write(frame, window_id)
        if not written.rows:
            self._staging.drop(written)
            return Staged("", self._without_rows())
        folder = paths.join(self._context.log_id, STATES, written.folder)
        self._written[folder] = written
        try:
            # Not only when it is saved: the next window is made of what is seen of this one.
            return self._staged(folder, self._staging.seen(written, window_id))
        except BaseException:
            self._staging.drop(written)
            raise

    def _without_rows(self) -> Any:
        if self._empty is None:
            self._empty = self._columns.empty(self._context.spark)
        return self._empty

    def _make_ready(self) -> None:
        """Once a run, before anything is written."""
        if not self._ready:
            for folder in (self._path, self._places.staging, self._places.staged()):
                self._tree.make(folder)
            self._ready = True

    def _staged(self, folder: str, names: list[str]) -> Staged:
        files = [paths.join(self._path, folder, name) for name in names]
        spark = self._context.spark
        if spark is None:
            return Staged(folder, self._columns.cast(_table(self._tree, files)))
        schema = self._without_rows().schema
        reader = spark.read.schema(schema).options(**_READING)
        return Staged(folder, reader.parquet(*(_as_it_is(self._tree.spark_path(f)) for f in files)))

    def save(self, window_id: int, digest: str, staged: Staged) -> Checkpoint:
        """Durable, read back, recorded; of a state that was saved before, only recorded."""
        self._make_ready()
        self._named.add(staged.folder)
        files: tuple[SavedFile, ...] = ()
        rows = 0
        if staged.folder in self._saved:
            before = self._saved[staged.folder]
            files, rows = before.files, before.checkpoint.rows
        elif staged.folder:
            # What the frame reads stays, a file without rows too.
            written = self._written[staged.folder]
            if not self._staging.is_there(written):
                evidence = f"it has removed {paths.join(self._path, staged.folder)}"
                raise Fenced(pipeline=self._context.pipeline, evidence=evidence)
            settled = self._staging.settle(written, window_id, keep_empty=True)
            rows = settled.rows
            files = tuple(
                SavedFile(file.name, file.bytes, file.rows or 0, file.fingerprint)
                for file in settled.files
            )
        columns = self._columns.recorded(self._context.spark) or {}
        context, checkpoint = self._context, Checkpoint(window_id, 0, digest, staged.folder, rows)
        made = Saved(
            checkpoint, context.pipeline, context.log_id, context.run_id, columns, files, self._key
        )
        saved = self.records.create(made)
        self._saved[staged.folder] = saved
        return saved.checkpoint

    def drop(self, staged: Staged) -> None:
        """Remove its folder."""
        written = self._written.pop(staged.folder, None)
        if written is not None:
            self._staging.drop(written)

    def let_go(self, floor: int) -> None:
        """Records, then folders."""
        self.records.let_go(floor)
        folders = {saved.checkpoint.folder for saved in self.records.all()}
        self._staging.sweep(floor, [folder.rpartition("/")[2] for folder in folders])
        self._saved = {f: saved for f, saved in self._saved.items() if f in folders}
        self._written = {f: one for f, one in self._written.items() if self._may_be(f, floor)}

    def _may_be(self, folder: str, floor: int) -> bool:
        """May this state of this run still be there?"""
        window_id = staged_window(folder.rpartition("/")[2])
        return folder in self._saved or (window_id is not None and window_id >= floor)

    def hand_on(self, checkpoint: Checkpoint, log_id: str, window_id: int, digest: str) -> None:
        """A record of the other log that names the same files."""
        saved = self._known(checkpoint)
        handed = replace(checkpoint, window_id=window_id, digest=digest, attempt=0)
        run_id = self._context.run_id
        made = replace(saved, checkpoint=handed, log_id=log_id, run_id=run_id)
        self._records_of(log_id).create(made)

    def close(self) -> None:
        """Release connections. What this run staged and no record names is of no use to anyone: a
        pipeline that fails and is started again and again would fill the disk."""
        for folder, written in self._written.items():
            if folder not in self._named:
                with suppress(Exception):
                    self._staging.drop(written)
        self._written.clear()
        self._storage.close()


def _as_it_is(path: str) -> str:
    """A path in which Spark's reader takes no sign for a pattern."""
    return re.sub(r"([\\{}\[\]*?])", r"\\\1", path)


def _table(tree: Tree, files: list[str]) -> pyarrow.Table:
    """The rows of Parquet files, in the order of their names."""
    import pyarrow
    import pyarrow.parquet

    tables = []
    for path in files:
        with tree.open(path) as stream:
            tables.append(pyarrow.parquet.read_table(stream))
    return pyarrow.concat_tables(tables)
