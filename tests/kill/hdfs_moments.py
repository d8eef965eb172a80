"""The named moments of a driver whose log or files are on HDFS: those of a disk, at the steps that
take their place. Wrapped from outside, beside those of `moments` and `file_moments`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from file_sink.hdfs_tree import HdfsTree
from tests.kill.file_moments import Renames, attempt_of
from tests.kill.moments import CREATED, Trap, after, in_staging, keep
from windowlog.access.hdfs_path import inside
from windowlog.access.webhdfs import WebHdfs
from windowlog.storage import HdfsStorage

_CREATED_BY_THE_SINK = {"manifests": "manifest written", "marks": "published mark written"}
_DELETED = {"windows": "first plan purged", "manifests": "manifest purged"}


def install(trap: Trap, archive: Path, side: str = "") -> None:
    """Wrap client, storage and tree of this process, which is about to die. `side` stands before
    the names of the log's moments, where another side of it has them too."""
    _of_records(trap, archive, side)
    _of_changes(trap, side)
    renames = Renames(trap, _has_files)

    def synced(_: Any, path: str) -> None:
        # A file's name has an ending; a folder's in an attempt has none.
        if attempt_of(path) not in (None, path) and Path(path).suffix:
            trap.passed("a file synced")

    def made(_: Any, path: str) -> None:
        if "=" in Path(path).name and ".staging/" not in path:
            trap.passed("partition folder made")

    after(HdfsTree, "sync", synced)
    after(HdfsTree, "make", made)
    after(HdfsTree, "rename", renames.renamed)


def _has_files(tree: HdfsTree, folder: str) -> bool:
    with tree._client() as web:
        summary = web.ask("GETCONTENTSUMMARY", inside(folder))["ContentSummary"]
    return bool(summary["fileCount"])


def _of_records(trap: Trap, archive: Path, side: str) -> None:
    def created(storage: Any, name: str, data: bytes) -> None:
        folder = Path(storage.describe()).name
        if in_staging(storage):
            trap.passed(_CREATED_BY_THE_SINK[folder])
        elif folder in CREATED:
            trap.passed(side + CREATED[folder])
        if folder == "windows":
            keep(archive, name, data)

    def deleted(storage: Any, *_: Any) -> None:
        folder = Path(storage.describe()).name
        if folder in _DELETED:
            trap.passed((side if folder == "windows" else "") + _DELETED[folder])

    after(HdfsStorage, "create", created)
    after(HdfsStorage, "delete", deleted)


def _of_changes(trap: Trap, side: str) -> None:
    """Inside of the creation of a plan."""

    def written(_: Any, path: str, *__: Any) -> None:
        if "/windows/" in path:
            trap.passed(f"{side}log temp written")

    def moved(_: Any, __: str, new_path: str) -> None:
        if "/windows/" in new_path:
            trap.passed(f"{side}log linked")

    after(WebHdfs, "write", written)
    after(WebHdfs, "move", moved)
