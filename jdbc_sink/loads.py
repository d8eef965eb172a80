"""How a window's rows leave Spark: through the driver, or through files that its tasks write."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import uuid4

import pyarrow

from jdbc_sink.errors import SpoolFailed
from jdbc_sink.spool.files import Incomplete
from jdbc_sink.spool.folders import Folders, database_file, example
from jdbc_sink.spool.on_hdfs import HdfsSpools
from windowlog.access.webhdfs_url import HdfsPlace
from windowlog.errors import KitError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from jdbc_sink.rows import Rows
    from windowlog.contracts import Frame
    from windowlog.window import Window

# `auto` spools from here on. Spooling takes longer (2 million rows: 3.3 s against 2.1 s through the
# driver), so it is for memory: as Arrow in the driver, rows take about as much as they had bytes in
# their files, and 128 MiB fit into any driver.
EXECUTORS_FROM_BYTES = 128 * 2**20
# Where only the number is known: rows of a hundred bytes.
EXECUTORS_FROM_RECORDS = EXECUTORS_FROM_BYTES // 100


class Loads:
    """The ways of one sink. `load` is "driver", "executors" or "auto"; `place` where spools are,
    None for a temporary folder; `file` the database's, None if it has none. From a place on HDFS
    files are brought into a temporary folder."""

    def __init__(self, load: str, place: Path | HdfsPlace | None, file: str | None) -> None:
        self._load = load
        self._hdfs = place if isinstance(place, HdfsPlace) else None
        self._remote = None if self._hdfs is None else HdfsSpools(self._hdfs, ())
        self._place = None if isinstance(place, HdfsPlace) else place
        self._file = database_file(file)
        # Two databases in memory are never the same one.
        self._database = uuid4().hex if file is None else str(Path(file).absolute())
        self._folders = Folders(self._place, ())
        self._sink = ""

    def open(self, owner: Sequence[str], sink: str) -> None:
        """A new run of the sink that all of `owner` names, inside its database."""
        self.close()
        names = self._database, *owner
        self._folders = Folders(self._place, names)
        self._remote = None if self._hdfs is None else HdfsSpools(self._hdfs, names)
        self._sink = sink

    def fetch(
        self, frame: Frame, schema: pyarrow.Schema, window: Window, rows_per_file: int
    ) -> Rows:
        """The frame's rows. SpoolFailed if they do not arrive in their folder; Spark's own errors
        pass."""
        if isinstance(frame, pyarrow.Table):
            return frame
        if self._load == "driver" or (self._load == "auto" and not is_large(window)):
            return frame.toArrow()
        try:
            return self._spooled(frame, schema, window, rows_per_file)
        except (Incomplete, OSError) as error:
            if isinstance(error, KitError):
                raise
            where = self._folders.place if self._remote is None else self._remote.place
            raise SpoolFailed(
                sink=self._sink, window_id=window.id, place=where, reason=error
            ) from error

    def _spooled(
        self, frame: DataFrame, schema: pyarrow.Schema, window: Window, rows_per_file: int
    ) -> Rows:
        from jdbc_sink.spool import save as spark_job

        folder = self._folders.make(window.log_id, window.id)
        if self._remote is None:
            return spark_job.save(frame, folder, schema, rows_per_file)
        there = self._remote.make(window.log_id, window.id)
        try:
            return spark_job.save(frame, folder, schema, rows_per_file, there)
        finally:
            self._remote.drop()

    def files(self) -> tuple[str, ...]:
        """The database's file and one of a spool: paths, and URLs."""
        spooled: object = None if self._place is None else example(self._place)
        spooled = spooled if self._remote is None else self._remote.example
        return tuple(str(path) for path in (self._file, spooled) if path is not None)

    def sweep(self, log_id: str, held: int) -> None:
        """Remove what nobody can hold any more, as the ledger is at window `held`."""
        self._folders.sweep(log_id, held)
        if self._remote is not None:
            self._remote.sweep(log_id, held)

    def drop(self) -> bool:
        """Remove what was staged: was there a spool?"""
        return self._folders.drop()

    def close(self) -> None:
        """Leave nothing behind."""
        self._folders.close()
        if self._remote is not None:
            self._remote.close()


def is_large(window: Window) -> bool:
    """Are the window's plans so large that its rows should not pass through the driver? A size
    that is not known does not count."""
    plans = window.plans.values()
    size_bytes = sum(plan.bytes or 0 for plan in plans)
    records = sum(plan.records or 0 for plan in plans)
    return size_bytes >= EXECUTORS_FROM_BYTES or records >= EXECUTORS_FROM_RECORDS
