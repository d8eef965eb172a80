"""A window's rows, written where no reader looks: whole, counted and durable before they are
held."""

from __future__ import annotations

from collections.abc import Collection
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING
from uuid import uuid4

from file_sink import arrow_writing, formats, layout, no_line, paths
from file_sink.errors import CountsDiffer, FormatUnavailable, FrameUnsuitable, TooManyFiles
from file_sink.manifests import Staged, StagedFile
from file_sink.tree import walk
from windowlog import naming
from windowlog.errors import KitError
from windowlog.storage.explain import explained

if TYPE_CHECKING:
    import pyarrow
    from pyspark.sql import DataFrame

    from file_sink.settings import Settings
    from file_sink.staging_places import StagingPlaces
    from file_sink.tree import Tree
    from windowlog.window import Window

# A manifest lists them, some 150 bytes each, and is read at each start.
FILES_MAX = 100_000
# A file is synced, which waits for the disk, while it and others are read back for their digests,
# which wait for a core.
_READERS = 4


class Staging:
    """Stages for one run of one sink."""

    def __init__(
        self, tree: Tree, places: StagingPlaces, settings: Settings, sink: str, run_id: str
    ) -> None:
        self._tree = tree
        self._places = places
        self._settings = settings
        self._sink = sink
        self._run_id = run_id

    def stage(self, frame: DataFrame | pyarrow.Table, window: Window) -> Staged:
        """Everything slow: written, durable, counted. CountsDiffer, TooManyFiles, and what writers
        raise; what is left then is debris."""
        sizes = [plan.bytes for plan in window.plans.values() if plan.bytes is not None]
        written = self.write(frame, window.id, sum(sizes) if sizes else None)
        try:
            return self.settle(written, window.id)
        except BaseException:
            self.drop(written)
            raise

    def write(
        self, frame: DataFrame | pyarrow.Table, window_id: int, input_bytes: int | None = None
    ) -> Staged:
        """The files in a clean folder, whole, and not durable yet; nothing is known of them but
        how many rows were written. `input_bytes`: as for spark_writing.write."""
        import pyarrow

        name = naming.staged_name(window_id, self._run_id, uuid4().hex)
        try:
            if isinstance(frame, pyarrow.Table):
                return self._write_table(frame, name, window_id)
            rows = self._write(frame, name, input_bytes)
            return self._collect(name, rows, window_id)
        except BaseException:
            self._tree.remove(self._places.staged(name))
            raise
        finally:
            if not isinstance(frame, pyarrow.Table):
                self._tree.remove(self._places.spark(name))

    def _write_table(self, table: pyarrow.Table, name: str, window_id: int) -> Staged:
        import pyarrow

        arrow_writing.check(self._settings, self._sink)
        if not table.num_rows:
            return Staged()
        folder = self._places.staged(name)
        self._tree.make(folder, durable=False)
        try:
            arrow_writing.write(table, folder, window_id, self._settings, self._tree, self._sink)
        except KitError:
            raise
        except OSError as error:
            raise explained(error, self._places.staging, "writing the rows") from error
        except (pyarrow.ArrowException, ArithmeticError, TypeError, ValueError) as error:
            # Python has no words for some values: nanoseconds in JSON, a zero byte in a name.
            raise FrameUnsuitable(
                sink=self._sink, path=self._places.path, findings=error
            ) from error
        return Staged(name, rows=table.num_rows)

    def _write(self, frame: DataFrame, name: str, input_bytes: int | None) -> int:
        from file_sink import spark_writing

        try:
            return spark_writing.write(
                frame,
                self._tree.spark_path(self._places.spark(name)),
                self._settings,
                input_bytes,
                self._sink,
            )
        except no_line.NoLine as error:
            raise FrameUnsuitable(
                sink=self._sink, path=self._places.path, findings=error
            ) from error

    def _collect(self, name: str, rows: int, window_id: int) -> Staged:
        """Exactly the files that Spark has finished, into a folder that it never knew: executors
        that outlive their driver write where nothing is taken from."""
        if not rows and self._settings.format not in formats.COUNTED:
            return Staged()  # a file may be there all the same, with a header and nothing else
        source, target = self._places.spark(name), self._places.staged(name)
        made: set[str] = set()
        for path, size in walk(self._tree, source):
            below, _, file = path.rpartition("/")
            ours = layout.from_spark(file, window_id)
            if ours is None and file[0] not in "._":
                raise FormatUnavailable(
                    sink=self._sink,
                    format=self._settings.format,
                    reason=f"Spark calls a file {file}, which is not as its writers name theirs",
                    remedy="Leave mapreduce.output.basename and the commit protocol as they are.",
                )
            if ours is None or not size:
                continue
            folder = paths.join(target, below)
            if folder not in made:
                self._tree.make(folder, durable=False)
                made.add(folder)
            self._tree.rename(paths.join(source, path), paths.join(folder, ours))
        if not made:
            self._compare(rows, 0, window_id)
            return Staged()
        return Staged(name, rows=rows)

    def settle(self, written: Staged, window_id: int, *, keep_empty: bool = False) -> Staged:
        """What `write` has written, durable and read back, and what a manifest says of it. Without
        `keep_empty` files without rows go."""
        name, rows = written.folder, written.rows
        if not name:
            return Staged()
        folder = self._places.staged(name)
        found = walk(self._tree, folder)
        if len(found) > FILES_MAX:
            raise TooManyFiles(
                sink=self._sink, window_id=window_id, count=len(found), limit=FILES_MAX
            )
        with ThreadPoolExecutor(_READERS) as pool:
            pairs = [
                (
                    pool.submit(self._tree.sync, paths.join(folder, name)),
                    pool.submit(self._file, folder, name, size),
                )
                for name, size in found
            ]
            for synced, _ in pairs:
                synced.result()
            files = [read.result() for _, read in pairs]
        counted = [file.rows for file in files if file.rows is not None]
        if len(counted) == len(files):
            self._compare(rows, sum(counted), window_id)
        # Spark leaves a file without rows, where its first task had none.
        for empty in [file for file in files if file.rows == 0 and not keep_empty]:
            self._tree.remove(paths.join(folder, empty.name))
            files.remove(empty)
        if not files:
            self._tree.remove(folder)
            return Staged()
        for below in paths.folders(path for path, _ in found):
            self._tree.sync(paths.join(folder, below))
        self._tree.sync(self._places.staged())
        return Staged(name, tuple(files), rows)

    def seen(self, written: Staged, window_id: int) -> list[str]:
        """The files of what was written, in a format whose files say how many rows they have.
        CountsDiffer where the driver does not see all rows."""
        folder = self._places.staged(written.folder)
        names = [name for name, _ in walk(self._tree, folder)]
        with ThreadPoolExecutor(_READERS) as pool:
            counts = [rows or 0 for rows in pool.map(lambda name: self._rows(folder, name), names)]
        self._compare(written.rows, sum(counts), window_id)
        return names

    def _file(self, folder: str, name: str, size: int) -> StagedFile:
        fingerprint = self._tree.fingerprint(paths.join(folder, name))
        return StagedFile(name, size, self._rows(folder, name), fingerprint)

    def _rows(self, folder: str, name: str) -> int | None:
        count = formats.counter(self._settings, name)
        if count is None:
            return None
        with self._tree.open(paths.join(folder, name)) as stream:
            return count(stream)

    def _compare(self, counted: int, found: int, window_id: int) -> None:
        if not formats.fits(self._settings, counted, found):
            raise CountsDiffer(
                sink=self._sink,
                window_id=window_id,
                counted=counted,
                found=found,
                place=self._places.staging,
            )

    def drop(self, staged: Staged) -> None:
        """Remove what was staged and is surely not held."""
        if staged.folder:
            self._tree.remove(self._places.staged(staged.folder))

    def is_there(self, staged: Staged) -> bool:
        """Has nobody swept it?"""
        return not staged.folder or self._tree.kind(self._places.staged(staged.folder)) == "folder"

    def sweep(self, floor: int, kept: Collection[str]) -> None:
        """Remove what was staged for windows before `floor`, but for the folders `kept`."""
        for place in (self._places.staged(), self._places.spark()):
            names = [entry.name for entry in self._tree.list(place)]
            for name in naming.swept(names, kept, floor):
                self._tree.remove(paths.join(place, name))
