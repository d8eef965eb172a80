"""What is held becomes visible: the staged folder, or its files, by renames that never overwrite.

Repeatable: whoever is told again, a driver that was killed in between or one that was paused, finds
what is published already, and goes on with the rest.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from file_sink import layout, paths, taken
from file_sink.errors import RowsLost
from file_sink.tree import ExchangingTree, walk
from windowlog.errors import RecordExists, RecordNotFound

if TYPE_CHECKING:
    from collections.abc import Callable

    from file_sink.layout import Places
    from file_sink.manifests import Manifest, StagedFile
    from file_sink.published_names import PublishedFile
    from file_sink.tree import Tree
    from windowlog.contracts import SinkContext

_RESTORE = (
    "Restore both folders from one backup; or move the staging folder away: the next start then"
    " asks from where on the sink is to write, and that is from this window, if its plan is kept."
)
_OLDER = (
    "The staging folder is older than the published one. Restore both folders from one backup; or"
    " move the staging folder away: the next start then asks from where on the sink is to write,"
    " and that is after the windows that are there."
)
_MOVE = "Move it away, and start again: the window is then published."


class Publishing:
    """Publishes for one sink. `is_past(number)`: has somebody published this manifest meanwhile?"""

    def __init__(
        self,
        tree: Tree,
        places: Places,
        kind: str,
        who: SinkContext,
        is_past: Callable[[int], bool],
    ) -> None:
        self._run_id = who.run_id
        self._tree = tree
        self._places = places
        self._kind = kind
        self._sink = who.sink
        self._is_past = is_past
        # What readers have of the first window that is published here, and of later ones. What
        # comes meanwhile is named by a manifest.
        self._there: list[PublishedFile] | None = None

    def publish(self, manifest: Manifest) -> None:
        """Let readers see this window; durable. RowsLost if its files are gone, or others stand in
        their place."""
        if not manifest.staged.folder:
            return
        try:
            self._refuse_others(manifest)
            if self._kind == layout.WINDOWS:
                self._show_folder(manifest)
            else:
                self._show_files(manifest)
        except (RowsLost, RecordNotFound):
            # Readers may take published files away: another driver was told the same, and faster.
            if not self._is_past(manifest.number):
                raise

    def _refuse_others(self, manifest: Manifest) -> None:
        """Rows of this window that are there under other names: one that was joined with others has
        left its own, and one that an older memory writes again may have other partitions."""
        window_id = manifest.held.window_id
        if self._there is None:
            self._there = []
            # A look at all folders of an HDFS, which joins nothing, would take too long.
            if isinstance(self._tree, ExchangingTree):
                self._there = taken.files_from(self._tree, self._places, self._kind, window_id)
        found = [file for file in self._there if file.first <= window_id <= file.last]
        if not found:
            return
        names = {
            self._places.published(self._kind, window_id, f.name) for f in manifest.staged.files
        }
        for file in found:
            place = paths.join(self._places.path, file.path)
            if place not in names:
                raise self._lost(manifest, f"{place} has rows of it already", _OLDER)

    def _show_folder(self, manifest: Manifest) -> None:
        source = self._places.staged(manifest.staged.folder)
        target = self._places.window(manifest.held.window_id)
        try:
            self._check_staged(manifest, source)
            self._tree.rename(source, target)
        except RecordExists:
            # An older backup was put back, and the window was published before; or it is foreign.
            self._check(manifest, target, _MOVE)
            self._tree.remove(source)
        except (RecordNotFound, RowsLost):
            self._refuse_gone(manifest)
            if self._tree.kind(source) is not None:
                raise
            # It was renamed before, or just now, by another driver that was told the same.
            self._check_shown(manifest, target)
        self._tree.sync(self._places.path)
        self._tree.sync(self._places.staged())

    def _check_staged(self, manifest: Manifest, source: str) -> None:
        # What this run has staged itself was read back a moment ago.
        if manifest.held.run_id != self._run_id:
            self._check(manifest, source, _RESTORE)

    def _check_shown(self, manifest: Manifest, target: str) -> None:
        if self._tree.kind(target) is None:
            finding = f"they are neither in {self._places.staging} nor in {self._places.path}"
            raise self._lost(manifest, finding, _RESTORE)
        self._check(manifest, target, _RESTORE)

    def _refuse_gone(self, manifest: Manifest) -> None:
        """Never made anew here: whoever took the published folder away took windows away."""
        if self._tree.kind(self._places.path) != "folder":
            raise self._lost(manifest, f"{self._places.path} is gone", _RESTORE)

    def _show_files(self, manifest: Manifest) -> None:
        source = self._places.staged(manifest.staged.folder)
        self._refuse_gone(manifest)
        self._make_folders(manifest)
        for file in manifest.staged.files:
            target = paths.join(self._places.path, file.name)
            self._show_file(manifest, file, paths.join(source, file.name), target)
        for below in sorted({paths.parent(file.name) for file in manifest.staged.files}):
            self._tree.sync(paths.join(self._places.path, below))
        self._tree.remove(source)

    def _make_folders(self, manifest: Manifest) -> None:
        """Those of the partitions, durable before a file moves into one: a power cut would take it
        from both places. Also where they were there: who made them may have died before."""
        folders = paths.folders(file.name for file in manifest.staged.files)
        inner = [below for below in folders if below]
        for below in inner:
            self._tree.make(paths.join(self._places.path, below), durable=False)
        for above in sorted({paths.parent(below) for below in inner}):
            self._tree.sync(paths.join(self._places.path, above))

    def _show_file(self, manifest: Manifest, file: StagedFile, source: str, target: str) -> None:
        try:
            if manifest.held.run_id != self._run_id:
                self._compare(manifest, file, source, _RESTORE)
            self._tree.rename(source, target)
        except RecordExists:
            self._compare(manifest, file, target, _MOVE)
            self._tree.remove(source)
        except (RecordNotFound, RowsLost):
            if self._tree.kind(source) is not None:
                raise
            self._compare(manifest, file, target, _RESTORE)

    def _check(self, manifest: Manifest, folder: str, remedy: str) -> None:
        """Are these the files that the manifest names, and no others?"""
        expected = {file.name for file in manifest.staged.files}
        found = {name for name, _ in walk(self._tree, folder)}
        if expected != found:
            names = sorted(expected ^ found)
            finding = f"{folder} differs in {', '.join(names[:3])}{' …' if names[3:] else ''}"
            raise self._lost(manifest, finding, remedy)
        for file in manifest.staged.files:
            self._compare(manifest, file, paths.join(folder, file.name), remedy)

    def _compare(self, manifest: Manifest, file: StagedFile, path: str, remedy: str) -> None:
        try:
            same = self._tree.fingerprint(path) == file.fingerprint
        except RecordNotFound:
            raise self._lost(manifest, f"{path} is not there", remedy) from None
        if not same:
            raise self._lost(manifest, f"{path} has other bytes", remedy)

    def _lost(self, manifest: Manifest, finding: str, remedy: str) -> RowsLost:
        return RowsLost(
            sink=self._sink, window_id=manifest.held.window_id, finding=finding, remedy=remedy
        )
