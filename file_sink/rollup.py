"""A roll-up's slow part: which files are joined, and the twin of the published folder beside it.

The twin has every published file under a second name (a hard link), but for those that are
joined. Nothing here touches the published folder, and nothing needs a lock: what is not whole in
the end, is not used.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING
from uuid import uuid4

from file_sink import joining, paths
from file_sink.choosing import Join, Limits, Unit, groups, joins, sorted_out
from file_sink.errors import RollUpRefused
from file_sink.joining import LeftAlone
from file_sink.manifests import Rolled, StagedFile
from file_sink.switching import TWIN
from file_sink.tree import walk
from windowlog.errors import KitError, RecordNotFound
from windowlog.naming import staged_name

if TYPE_CHECKING:
    from file_sink.layout import Places
    from file_sink.published_names import PublishedFile
    from file_sink.settings import Settings
    from file_sink.tree import ExchangingTree

# As large as a block of HDFS and a split of Spark: larger files are read no faster.
TARGET_BYTES = 128 * 2**20


@dataclass(frozen=True)
class Look:
    """What is to be joined. `windows` were never joined before; `left` says why how many files stay
    as they are; `more`: there are more small files than are joined at once."""

    joins: tuple[Join, ...]
    rows: dict[str, int]
    windows: int
    left: dict[str, int]
    more: bool

    def lines(self) -> list[str]:
        """In words."""
        sources = sum(len(join.sources) for join in self.joins)
        rows = sum(self.rows[source] for join in self.joins for source in join.sources)
        more = ["there are more: say it again then"] if self.more else []
        said = f"{sources} files become {len(self.joins)} ({rows} rows)"
        return [said, *more, *self.left_lines()]

    def left_lines(self) -> list[str]:
        """In words, what stays as it is."""
        return [f"{count} files stay as they are: {why}" for why, count in self.left.items()]


@dataclass(frozen=True, slots=True)
class Built:
    """A twin in `folder`, not yet complete: what is published meanwhile is missing. `failure` says
    why some files were not joined."""

    folder: str
    replaced: tuple[str, ...]
    files: tuple[StagedFile, ...]
    failure: RollUpRefused | None = None


class RollUp:
    """Looks and builds for one run of one sink. Each method may be called in any thread, one at a
    time."""

    def __init__(
        self, tree: ExchangingTree, places: Places, settings: Settings, sink: str, run_id: str
    ) -> None:
        self._tree = tree
        self._places = places
        self._settings = settings
        self._sink = sink
        self._run_id = run_id
        self._limits = Limits(
            settings.target_file_bytes or TARGET_BYTES, settings.max_records_per_file
        )

    def look(self, up_to: int, check: Callable[[], None]) -> Look:
        """What can be joined of windows up to this one. Only reads. `check` is called now and then,
        and may raise. RollUpRefused."""
        layout = self._settings.layout
        ours, foreign = sorted_out(layout, walk(self._tree, self._places.path))
        if foreign:
            more = f" and {len(foreign) - 1} more" if foreign[1:] else ""
            raise self.refused(
                f"{foreign[0]}{more} in it is not this sink's, and would not stay as it is",
                "Move it out of the folder, and say it again.",
            )
        joiner = joining.joiner(self._settings, self._tree.open)
        kinds = _Kinds(joiner, self._settings, self._path, check)
        published = [file for file in ours if file.last <= up_to]
        chosen, are_more = groups(layout, published, self._limits, kinds.of)
        found = [(group, joins(layout, group, kinds.rows, self._limits, ours)) for group in chosen]
        fresh = {
            unit.last for group, made in found for unit in group if made and unit.first == unit.last
        }
        joined = tuple(join for _, made in found for join in made)
        return Look(joined, kinds.rows, len(fresh), kinds.left, are_more)

    def name(self, up_to: int) -> str:
        """For a new one."""
        return staged_name(up_to, self._run_id, uuid4().hex)

    def build(self, look: Look, folder: str, check: Callable[[], None]) -> Built:
        """The twin, durable. `check` as in `look`. RollUpRefused where no file can be joined: parts
        that cannot be read, or a joined file with other rows than its parts."""
        twin = paths.join(self._places.rolled(folder), TWIN)
        self._tree.make(self._places.rolled())
        files, replaced, failure = self._join_all(twin, look, check)
        # A foreign file gets no second name: it would come back when its owner moves it away.
        ours, _ = sorted_out(self._settings.layout, walk(self._tree, self._places.path))
        kept = [file.path for file in ours if file.path not in replaced]
        self._make(twin, kept)
        for name in kept:
            check()
            self._tree.link(self._path(name), paths.join(twin, name))
        self._sync(twin, [*kept, *(file.name for file in files)], check)
        self._tree.sync(self._places.rolled(folder))
        self._tree.sync(self._places.rolled())
        return Built(folder, tuple(replaced), tuple(files), failure)

    def _join_all(
        self, twin: str, look: Look, check: Callable[[], None]
    ) -> tuple[list[StagedFile], dict[str, None], RollUpRefused | None]:
        """The joined files, what they replace, and why some were not joined."""
        self._make(twin, [join.target for join in look.joins])
        files: list[StagedFile] = []
        replaced: dict[str, None] = {}
        failure: RollUpRefused | None = None
        for join in look.joins:
            try:
                files.append(self._join(twin, join, look, check))
            except RollUpRefused as refused:
                # One damaged file is no reason to leave all others small.
                self._tree.remove(paths.join(twin, join.target))
                failure = failure or refused
            else:
                replaced.update(dict.fromkeys(join.sources))
        if failure is not None and not files:
            raise failure
        return files, replaced, failure

    def complete(self, built: Built) -> Rolled | None:
        """Short: add to the twin what was published since, durably. To be called where nothing is
        published in between. None if it can no longer be used: files came or went."""
        place = self._places.rolled(built.folder)
        twin, replaced = paths.join(place, TWIN), set(built.replaced)
        joined = {file.name: file.bytes for file in built.files}
        ours, foreign = sorted_out(self._settings.layout, walk(self._tree, self._places.path))
        there = {file.path: file.bytes for file in ours}
        if foreign or not replaced <= there.keys():
            return None
        kept = {name: size for name, size in there.items() if name not in replaced}
        linked = {name for name, _ in walk(self._tree, twin)} - joined.keys()
        if linked != kept.keys():
            for name in sorted(linked - kept.keys()):
                self._tree.remove(paths.join(twin, name))
            added = sorted(kept.keys() - linked)
            self._make(twin, added)
            for name in added:
                self._tree.link(self._path(name), paths.join(twin, name))
            self._sync(twin, [*added, *(linked - kept.keys())])
        if dict(walk(self._tree, twin)) != {**kept, **joined}:
            return None  # swept by another driver, which took it for a dead one's
        return Rolled(built.folder, built.replaced, built.files)

    def refused(self, reason: str, remedy: str) -> RollUpRefused:
        """The error for a roll-up that cannot be."""
        return RollUpRefused(sink=self._sink, path=self._places.path, reason=reason, remedy=remedy)

    def _path(self, name: str) -> str:
        return paths.join(self._places.path, name)

    def _make(self, twin: str, names: Iterable[str]) -> None:
        """The folders of these files, for the same users as those that readers have."""
        for below in reversed(paths.folders(names)):
            folder, like = paths.join(twin, below), self._path(below)
            self._tree.make(folder, durable=False)
            is_there = self._tree.kind(like) is not None
            self._tree.like(like if is_there else self._places.path, folder)

    def _sync(
        self, twin: str, names: Iterable[str], check: Callable[[], None] = lambda: None
    ) -> None:
        for below in paths.folders(names):
            check()
            folder = paths.join(twin, below)
            if self._tree.kind(folder) is not None:
                self._tree.sync(folder)

    def _join(self, twin: str, join: Join, look: Look, check: Callable[[], None]) -> StagedFile:
        path = paths.join(twin, join.target)
        joiner = joining.joiner(self._settings, self._tree.open)
        unreadable: tuple[type[Exception], ...] = (LeftAlone, *_unreadable())
        try:
            with self._tree.create(path) as stream:
                joiner.join([self._path(source) for source in join.sources], stream, check)
            self._tree.like(self._path(join.sources[0]), path)
            self._tree.sync(path)
            rows = joiner.inspect(path).rows
        except KitError:
            raise  # of the file system, and not of these files
        except unreadable as error:
            raise self.refused(
                f"the parts of {join.target} cannot be read, or it cannot be written ({error})",
                "Look whether they are damaged, and restore them, or move them away.",
            ) from error
        expected = sum(look.rows[source] for source in join.sources)
        if rows != expected:
            raise self.refused(
                f"{join.target} has {rows} rows, and its parts have {expected}",
                "Leave the files as they are, and report it.",
            )
        with self._tree.open(path) as stream:
            size = stream.seek(0, 2)
        return StagedFile(join.target, size, rows, self._tree.fingerprint(path))


def _unreadable() -> tuple[type[Exception], ...]:
    import pyarrow

    # ValueError: codecs that pyarrow cannot even name.
    return pyarrow.ArrowException, zlib.error, EOFError, OSError, ValueError


class _Kinds:
    """What kind of files units have, and how many rows each; why some are left as they are."""

    def __init__(
        self,
        joiner: joining.Joiner,
        settings: Settings,
        path_of: Callable[[str], str],
        check: Callable[[], None],
    ) -> None:
        self._joiner = joiner
        self._ending = f".{'txt' if settings.format == 'text' else settings.format}"
        self._path_of = path_of
        self._check = check
        self.rows: dict[str, int] = {}
        self.left: dict[str, int] = {}

    def of(self, unit: Unit) -> object | None:
        """None for a unit that is left as it is."""
        try:
            kinds = {self._kind(file) for file in unit.files}
        except LeftAlone as left:
            self._leave(unit, str(left))
            return None
        if len(kinds) > 1:
            self._leave(unit, "those of one window are not of one kind")
            return None
        return next(iter(kinds))

    def _leave(self, unit: Unit, reason: str) -> None:
        self.left[reason] = self.left.get(reason, 0) + len(unit.files)

    def _kind(self, file: PublishedFile) -> object:
        self._check()
        if self._ending not in file.ending:
            raise LeftAlone("they are of another format")
        try:
            inspected = self._joiner.inspect(self._path_of(file.path))
        except RecordNotFound:
            raise LeftAlone("they were taken away meanwhile") from None
        except _unreadable() as error:
            raise LeftAlone(f"they cannot be read ({error})") from error
        self.rows[file.path] = inspected.rows
        return file.ending, inspected.kind
