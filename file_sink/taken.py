"""What stands at a sink's places already: files where folders should be, folders with which readers
could not read the sink's own, windows that would come a second time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING
from urllib.parse import unquote

from file_sink.errors import FolderTaken, FolderUnsuitable
from file_sink.layout import FILES, WINDOW_COLUMN, WINDOWS
from file_sink.paths import join
from file_sink.published_names import PublishedFile, newest_published, published_file
from file_sink.tree import walk
from windowlog.errors import pipeline_command

if TYPE_CHECKING:
    from file_sink.layout import Places
    from file_sink.settings import Settings
    from file_sink.tree import Tree
    from windowlog.errors import Choice


def refuse_file(tree: Tree, places: Places, sink: str) -> None:
    """FolderUnsuitable if a file stands where one of the sink's folders should be."""
    for path in (places.path, places.staging):
        if tree.kind(path) == "file":
            raise FolderUnsuitable(
                sink=sink,
                path=places.path,
                reason=f"{path} is a file",
                remedy="Name a folder, or one that is yet to be made.",
            )


def refuse_mixed(tree: Tree, places: Places, settings: Settings, sink: str) -> None:
    """FolderUnsuitable if there are folders beside which no reader finds this sink's rows.

    Readers take `day=…` for a column, and want the same ones everywhere: of other folders Spark
    says CONFLICTING_PARTITION_COLUMN_NAMES or CONFLICTING_DIRECTORY_STRUCTURES, and passes over
    files beside them without a word. Only the folder's own names are looked at."""
    ours = _first_column(settings)
    names = [e.name for e in tree.list(places.path) if e.kind == "folder"]
    others = [name for name in names if _is_read(name) and _disturbs(name, ours)]
    # Empty folders disturb nobody; one that is not is found soon.
    found = next((name for name in others if tree.list(join(places.path, name))), None)
    if found is None:
        return
    more = f" and {len(others) - 1} more" if len(others) > 1 else ""
    rows = f"the sink's folders {ours}=…" if ours else "the sink's files"
    raise FolderUnsuitable(
        sink=sink,
        path=places.path,
        reason=f"the folder {found}{more} is in it, which is none of layout"
        f" {settings.layout!r}{_by(settings.partition_by)}, and no reader could read both that and"
        f" {rows}",
        remedy=_beside(settings, {_column(name) for name in others}),
    )


def _first_column(settings: Settings) -> str | None:
    """What the names of this sink's folders begin with; None if it makes none."""
    if settings.layout == WINDOWS:
        return WINDOW_COLUMN
    return settings.partition_by[0] if settings.partition_by else None


def _is_read(name: str) -> bool:
    """Names that Hadoop's readers leave out are nobody's rows."""
    return not name.startswith(".") and not (name.startswith("_") and "=" not in name)


def _column(name: str) -> str:
    """The column that readers take a folder's name for; "" for none."""
    return unquote(name.partition("=")[0]) if "=" in name else ""


def _disturbs(name: str, ours: str | None) -> bool:
    # Files beside folders without a column are read together with those.
    column = _column(name)
    return column != "" if ours is None else column.lower() != ours.lower()


def _by(columns: Sequence[str]) -> str:
    return f" with partition_by={list(columns)!r}" if columns else ""


def _beside(settings: Settings, columns: set[str]) -> str:
    move = "or move them away"
    if {column.lower() for column in columns} == {WINDOW_COLUMN}:
        return f"Choose another folder; or stay with layout={WINDOWS!r}; {move}."
    if len(columns) > 1 or "" in columns:
        return f"Choose another folder; {move}."
    [column] = columns
    same = settings.partition_by and settings.partition_by[0].lower() == column.lower()
    by = list(settings.partition_by) if same else [column]
    stands = "which stands well beside them if they have no folders but these"
    return f"Choose another folder; or layout={FILES!r} with partition_by={by!r}, {stands}; {move}."


def newest_window(tree: Tree, places: Places, layout: str) -> int:
    """The newest window that readers see; 0 if there is none."""
    if layout == WINDOWS:
        names = [e.name for e in tree.list(places.path) if e.kind == "folder"]
    else:
        names = [name.rpartition("/")[2] for name, _ in walk(tree, places.path)]
    return newest_published(layout, names)


def refuse_published(tree: Tree, places: Places, layout: str, sink: str, window_id: int) -> None:
    """No window is published twice: a memory that is moved back to `window_id` needs a folder
    without what comes after. FolderTaken."""
    newest = newest_window(tree, places, layout)
    if newest > window_id:
        raise FolderTaken(
            sink=sink,
            path=places.path,
            reason=f"windows up to {newest} are in it, and the sink would go on with window"
            f" {window_id + 1}",
            remedy=_remedy(_joined_files(tree, places, layout, window_id + 1), window_id),
            choices=[_go_on(sink, newest)],
        )


def files_from(tree: Tree, places: Places, layout: str, window_id: int) -> list[PublishedFile]:
    """The published files that have rows of this window, or of a later one."""
    if layout == WINDOWS:
        # Others have only windows before it, and may be many.
        folders = [e.name for e in tree.list(places.path) if e.kind == "folder"]
        late = [name for name in folders if newest_published(layout, [name]) >= window_id]
        found = [file for name in late for file in walk(tree, places.path, name)]
    else:
        found = walk(tree, places.path)
    files = [published_file(layout, path) for path, _ in found]
    return [f for f in files if f is not None and f.last >= window_id]


def _joined_files(tree: Tree, places: Places, layout: str, window_id: int) -> list[PublishedFile]:
    """Those of them that were joined from several windows."""
    return [f for f in files_from(tree, places, layout, window_id) if f.first < f.last]


def _go_on(sink: str, newest: int) -> Choice:
    why = f"the log has these windows: let {sink} go on after them"
    return why, pipeline_command("adopt", sink, "--from", str(newest + 1))


def _remedy(joined: Sequence[PublishedFile], window_id: int) -> str:
    """Files that also have windows before are not to be moved away: those would not come again."""
    before = window_id
    while cut := [file for file in joined if file.first <= before < file.last]:
        before = min(file.first for file in cut) - 1
    if before == window_id:
        return "Move away what is to be written again, or let the sink go on after them."
    file = next(file for file in joined if file.first <= window_id < file.last)
    return (
        f"Let the sink go on after them. {file.path} has the rows of windows {file.first} to"
        f" {file.last}, joined: whoever moves it away takes away windows before {window_id + 1}"
        f" too. To write again from there on, either put the files of single windows back from a"
        f" backup; or move away all from window {before + 1} on, and let the sink go on with window"
        f" {before + 1}, if its plan is kept."
    )
