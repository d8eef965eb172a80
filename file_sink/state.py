"""FileState: the state of a pipeline as Parquet files, on this machine or on HDFS."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from typing import TYPE_CHECKING

from file_sink.hdfs_tree import HdfsTree
from file_sink.state_columns import Columns, key_of
from file_sink.state_files import StateFiles
from file_sink.trees import tree_of
from windowlog.state_store import Checkpoint, Staged

if TYPE_CHECKING:
    import pyarrow

    from file_sink.tree import Tree
    from windowlog.contracts import Frame
    from windowlog.state_store import StateContext


class FileState:
    """Keeps the state of a pipeline as Parquet files: `Pipeline(…, state=FileState("state/totals",
    schema="word string, n long", key=["word"]))`.

    Spark's tasks write the state after each window, so it may be larger than the driver's memory;
    after every `checkpoint_every` windows it is made durable, read back byte by byte (on HDFS by
    its checksums), and named by a record. Each log has its states in a folder of its own below
    `path`, so pipelines may share one.

    `path` is a folder of this machine, or of a file system that driver and executors have mounted;
    or `hdfs://namenode:8020/state` as Spark sees it, and `storage` where the driver looks,
    `webhdfs://namenode:9870`, or an HdfsTree, or any other `file_sink.tree.Tree`. `schema` are the
    columns, as Spark's DDL ("word string, n long") or as a pyarrow.Schema, which a pipeline without
    Spark needs. `key` are those of them that tell rows apart in `state.change`. `compression` is
    Parquet's codec. Raises BadArgument for everything else. Creates nothing until the first window
    with a row."""

    _files: StateFiles | None = None

    def __init__(
        self,
        path: str | PathLike[str],
        *,
        schema: str | pyarrow.Schema,
        key: str | Sequence[str] | None = None,
        compression: str | None = None,
        storage: Tree | str | None = None,
    ) -> None:
        self._path, self._tree = tree_of(path, storage)
        self._columns = Columns(schema)
        self.key = key_of(key, self._columns)
        self._settings = self._columns.settings(compression)

    def __repr__(self) -> str:
        return f"FileState({self._path!r})"

    def describe(self) -> str:
        """The folder, in full."""
        return self._tree.place(self._path)

    def folders(self) -> Sequence[str]:
        """The folder that is its own: an absolute path; on HDFS a URL as that of a log."""
        place = self._tree.place(self._path)
        return (self._tree.url(place) if isinstance(self._tree, HdfsTree) else place,)

    def open(self, context: StateContext) -> None:
        """Begin a run."""
        self.close()
        place = self._tree.place(self._path)
        self._files = StateFiles(
            self._tree, place, self._settings, self._columns, self.key, context
        )

    def checkpoints(self) -> tuple[Checkpoint, ...]:
        """Each with the size and fingerprint of all its files."""
        return self._opened().checkpoints()

    def present(self) -> set[tuple[int, int]]:
        """By their names."""
        return self._opened().records.present()

    def load(self, checkpoint: Checkpoint | None) -> Staged:
        """A frame that reads exactly the checkpoint's files."""
        return self._opened().load(checkpoint)

    def stage(self, window_id: int, frame: Frame) -> Staged:
        """Files in a folder of their own."""
        return self._opened().stage(window_id, frame)

    def save(self, window_id: int, digest: str, staged: Staged) -> Checkpoint:
        """Sync, count, read back; then the record. CountsDiffer where executors wrote what the
        driver does not see."""
        return self._opened().save(window_id, digest, staged)

    def drop(self, staged: Staged) -> None:
        """Its files go."""
        self._opened().drop(staged)

    def let_go(self, floor: int) -> None:
        """As the contract says."""
        self._opened().let_go(floor)

    def hand_on(self, checkpoint: Checkpoint, log_id: str, window_id: int, digest: str) -> None:
        """The files stay where they are, in the other log's folder: remove none of that."""
        self._opened().hand_on(checkpoint, log_id, window_id, digest)

    def close(self) -> None:
        """Release the file system. What was staged and not saved is swept by a later run."""
        files, self._files = self._files, None
        if files is not None:
            files.close()
        self._tree.close()

    def _opened(self) -> StateFiles:
        assert self._files is not None, "open() comes first"
        return self._files
