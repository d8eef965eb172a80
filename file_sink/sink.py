"""FileSink: staged files, held by a manifest, published by renames."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from os import PathLike
from typing import TYPE_CHECKING

from file_sink import layout, paths, sharing, taken
from file_sink.folder import Folder
from file_sink.hdfs_tree import HdfsTree
from file_sink.joining import check_rollup
from file_sink.layout import Places
from file_sink.settings import settings
from file_sink.trees import tree_of
from windowlog import naming
from windowlog.sink_place import SinkPlace
from windowlog.wiring import Held, SinkIdentity, TargetState

if TYPE_CHECKING:
    import pyarrow

    from file_sink.tree import Tree
    from windowlog.contracts import Frame, SinkContext
    from windowlog.window import Window


class FileSink:
    """Writes each window's rows as files into a folder that any reader may read at any time.

    Guarantee: exactly once, whatever the source and the transform do, in a pipeline with one sink;
    readers see whole windows, once, and nothing else of this sink (layout "files": files of one
    window appear one after the other).

    `path` is a folder of this machine, or of a file system that driver and executors have mounted;
    what is not yet published stands in `<path>.staging`. `format` is "parquet", "orc", "csv",
    "json", "text" or "avro". `layout` is "windows", one folder `window_id=00000042` for each
    window, or "files", all windows' files in one folder. `partition_by` are columns that become
    folders (`day=2024-05-01`), `sort_by` columns by which the rows of each file are sorted.
    `options` are those of Spark's writer for the format, `compression` its codec.
    `target_file_bytes`: of windows whose inputs say their size, so many bytes read make one file;
    `max_records_per_file` cuts long files. `rollup`: whenever so many windows with small files are
    there, these are joined into few large ones, beside the run. On HDFS `path` is as Spark sees it,
    `hdfs://namenode:8020/out`, and `storage` where the driver renames, `webhdfs://namenode:9870`;
    an HdfsTree; or any other `file_sink.tree.Tree`. Raises BadArgument for everything else."""

    _folder: Folder | None = None

    def __init__(
        self,
        path: str | PathLike[str],
        format: str = "parquet",  # noqa: A002 (as Spark calls it)
        layout: str = "windows",
        partition_by: Sequence[str] = (),
        sort_by: Sequence[str] = (),
        options: Mapping[str, str | int | float | bool] | None = None,
        compression: str | None = None,
        target_file_bytes: int | None = None,
        max_records_per_file: int | None = None,
        rollup: int | None = None,
        storage: Tree | str | None = None,
    ) -> None:
        self._path, self._tree = tree_of(path, storage)
        self._settings = settings(
            format=format,
            layout=layout,
            partition_by=partition_by,
            sort_by=sort_by,
            options=options,
            compression=compression,
            target_file_bytes=target_file_bytes,
            max_records_per_file=max_records_per_file,
            rollup=rollup,
        )
        check_rollup(self._settings, self._tree)

    def __repr__(self) -> str:
        return f"FileSink({self._path!r}, format={self._settings.format!r})"

    def identity(self) -> SinkIdentity:
        """The folder's name, format and layout. Not where the folder is: the memory stands beside
        it, and moves with it."""
        return self._settings.identity(self._path)

    def files(self) -> Sequence[str]:
        """Absolute paths like those that it writes, one for each of its places: published, staged,
        where Spark writes, and where files are joined."""
        places = Places(self._tree.place(self._path))
        name = layout.file_name(1, 0, 0, f".{self._settings.format}")
        attempt = naming.staged_name(1, "0", "0" * 32)
        return (
            places.published(self._settings.layout, 1, name),
            paths.join(places.staged(attempt), name),
            paths.join(places.spark(attempt), name),
            paths.join(places.rolled(attempt), name),
        )

    def folders(self) -> Sequence[str]:
        """The folders that are its own: absolute paths; on HDFS URLs as those of a log."""
        places = Places(self._tree.place(self._path))
        url = self._tree.url if isinstance(self._tree, HdfsTree) else str
        return url(places.path), url(places.staging)

    def open(self, context: SinkContext) -> None:
        """Begin a run. FolderUnsuitable if the path is a file. Creates nothing."""
        self.close()
        places = Places(self._tree.place(self._path))
        self._folder = Folder(self._tree, places, self._settings, self.identity(), context)
        sharing.opened(self, places, context)

    def held(self) -> Held | None:
        """What the newest manifest says of this sink."""
        return self._opened().held()

    def place(self) -> SinkPlace:
        """Both folders, in full."""
        places = Places(self._tree.place(self._path))
        return SinkPlace(f"folder {places.path}", f"the folder {places.staging}")

    def free_from(self) -> int:
        """The window after the newest one that readers see."""
        places = Places(self._tree.place(self._path))
        return taken.newest_window(self._tree, places, self._settings.layout) + 1

    def target(self) -> TargetState:
        """Whether the folder is there, and which other sinks of this log have filled it."""
        return self._opened().target()

    def adopt(self, before: Held | None, after: Held) -> None:
        """The next manifest, without rows. FolderTaken if windows after it are there already, or
        another sink of this run writes there."""
        sharing.check(self)
        self._opened().adopt(before, after)

    def prepare(self, schema: pyarrow.Schema) -> None:
        """Make the folder, and check that it, the format and the layout can take such rows. Done
        once for a schema."""
        sharing.check(self)
        self._opened().prepare(schema)

    def stage(self, window: Window, frame: Frame) -> None:
        """Write, count and sync the files."""
        self._opened().stage(window, frame)

    def hold(self, window: Window) -> None:
        """The next manifest, exclusively."""
        self._opened().hold(window)

    def abandon(self, window: Window) -> None:
        """Remove what was staged."""
        if self._folder is not None:
            self._folder.abandon()

    def committed(self, window_id: int) -> None:
        """Publish what is held up to this window, in order; then let go of older manifests and of
        debris."""
        self._opened().committed(window_id)

    def roll_up(self) -> tuple[Sequence[str], Callable[[], None] | None]:
        """What joining small files of published windows would do, in words, and what does it (None:
        there is nothing to join). Raises RollUpRefused, both of them: foreign files, a format or a
        file system with which it cannot be."""
        return self._opened().propose_roll_up()

    def close(self) -> None:
        """Remove what was staged and not held; release the file system."""
        sharing.closed(self)
        if self._folder is not None:
            self._folder.close()
            self._folder = None
        self._tree.close()

    def _opened(self) -> Folder:
        assert self._folder is not None, "open() comes first"
        return self._folder
