"""FileInput: growing text files of a folder, each byte read once."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from connectors.files import read as reading
from connectors.files import settings
from connectors.files.errors import NothingMatches
from connectors.files.index import Index
from connectors.files.locate import Locator
from connectors.files.parts import FileRange, ranges, to_part
from connectors.files.pattern import ALL_FILES, compile_pattern
from connectors.files.places import folder_at, reader_for
from connectors.files.planning import Planner
from connectors.files.seek import Seeker
from connectors.files.tails import Tails
from connectors.files.verify import Checker
from connectors.files.walk import Tree
from connectors.tasks import as_dataframe
from windowlog.access.webhdfs_url import HdfsPlace
from windowlog.errors import BadArgument
from windowlog.values import Bounds, Json, Plan, Seek, Skip
from windowlog.warned import warn
from windowlog.wiring import InputIdentity

if TYPE_CHECKING:
    from windowlog.contracts import Frame, InputContext

# Plans are kept until they are folded, and a fold costs two syncs, or 0.5 s with 100,000 files.
FOLD_EVERY = 100


class FileInput:
    """The lines of all files in a folder and its sub-folders, as they grow. docs/file_input.md has
    all cases.

    Guarantee: replays exactly, as long as files only grow, are renamed inside the folder, or go
    away after they were read; anything else is noticed where a window touches it, and refused.
    Columns: `value` (the line without its end), `path` (relative to the folder), `offset` (of the
    line's first byte); none is ever null.

    `pattern` chooses files: without a slash by name, with one by the path inside the folder (`**`
    spans folders). A window reads at most `max_bytes_per_window` (more only for one longer line) of
    `max_files_per_window` files. An unterminated last line is taken once nobody has written for
    `quiet_s` seconds (`last_line="take"`), or never (`"wait"`). `reader`: in the `driver`, in
    `executors` (which see the same folder), or by the window's size (`auto`). `clock` gives the
    time as an aware datetime. On HDFS `path` is as Spark sees it, `hdfs://namenode:8020/in`, and
    `storage` where the driver lists, `webhdfs://namenode:9870`, or what
    `windowlog.access.hdfs_path.name_nodes` gives (docs/hdfs.md). BadArgument for anything else.
    """

    remembers = True

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        format: str = "lines",  # noqa: A002 (Spark's own word)
        pattern: str = ALL_FILES,
        max_bytes_per_window: int = 64 * 2**20,
        max_files_per_window: int = 1000,
        quiet_s: float = 2,
        last_line: str = "take",
        reader: str = "auto",
        clock: Callable[[], datetime] = settings.utc_now,
        storage: HdfsPlace | str | None = None,
    ) -> None:
        check = settings
        folder = folder_at(path, storage)
        self._settings = settings.Settings(
            folder=folder,
            format=check.check_choice("format", format, check.FORMATS),
            glob=pattern,
            pattern=compile_pattern(pattern),
            max_bytes_per_window=check.check_count(
                "max_bytes_per_window", max_bytes_per_window, check.MAX_BYTES_PER_WINDOW_MAX
            ),
            max_files_per_window=check.check_count(
                "max_files_per_window", max_files_per_window, check.MAX_FILES_PER_WINDOW_MAX
            ),
            quiet_s=check.check_seconds("quiet_s", quiet_s),
            last_line=check.check_choice("last_line", last_line, check.LAST_LINES),
            reader=reader_for(folder, reader),
            clock=clock,
        )
        self._context: InputContext | None = None
        self._forget()

    def _forget(self) -> None:
        take = self._settings.last_line == "take"
        self._tails = Tails(self._settings.quiet_s, take=take, clock=self._settings.clock)
        self._index = Index()
        self._applied = 0
        self._told: int | None = None
        self._folded: int | None = None
        self._tree: Tree | None = None
        self._nothing_told = False

    @property
    def _name(self) -> str:
        return self._context.name if self._context is not None else "(not open)"

    def identity(self) -> InputIdentity:
        """The folder. Another pattern is the same input: it only adds or leaves out files."""
        return InputIdentity(f"files/{self._settings.format}", self._settings.folder.place)

    def reads(self, path: str) -> bool:
        """Is a file at this absolute path one of those that it reads? Touches only links."""
        return self._settings.folder.reads(self._settings.pattern, path)

    def folders(self) -> tuple[str, ...]:
        """Where it reads: an absolute path, or a URL as a log's."""
        return (self._settings.folder.url(),)

    def open(self, context: InputContext) -> None:
        """Rebuild the index: the memory's newest version, then all plans after it."""
        self._forget()
        if self._settings.reader == "executors" and context.spark is None:
            allowed = "'driver' or 'auto' where a pipeline runs without Spark"
            raise BadArgument(argument="reader", value=self._settings.reader, allowed=allowed)
        self._context = context
        newest = context.memory.newest()
        if newest is not None:
            self._applied = self._folded = newest[0]
            self._index = Index.decode(newest[1], context.name)
        for window_id, plan in context.plans_after(self._applied):
            self._index.apply(plan)
            self._applied = max(self._applied, window_id)

    def bounds(self) -> Bounds:
        """All files that are there now, with their sizes: one walk, nothing is read."""
        self._tree = self._walk()
        return Bounds(self._tree)

    def _walk(self) -> Tree:
        return self._settings.folder.walk(self._settings.pattern, self._name)

    def _locator(self) -> Locator:
        return Locator(self._settings.folder, self._name, self._walk)

    def _planner(self, bounds: Bounds) -> Planner:
        assert isinstance(bounds.detail, Tree), "bounds come from bounds()"
        return Planner(self._name, self._index, bounds.detail, self._locator(), self._tails)

    def waiting(self, bounds: Bounds) -> list[str]:
        """Files whose last line is unterminated and not yet taken."""
        return self._planner(bounds).waiting()

    def plan(self, after: Json, bounds: Bounds) -> Plan:
        """The next ranges. Raises IndexLost, FileTruncated, FileRewritten, UnreadVanished,
        LineTooLong.
        """
        self._index.expect(after, self._name)
        limits = self._settings.max_bytes_per_window, self._settings.max_files_per_window
        planner = self._planner(bounds)
        pieces = planner.plan(*limits)
        begun = sum(piece.start == 0 for piece in pieces)
        size = sum(piece.length for piece in pieces)
        if after is None and not planner.tree.files:
            self._tell_nothing_matches()
        return Plan(tuple(map(to_part, pieces)), self._index.end(begun, size), bytes=size)

    def _tell_nothing_matches(self) -> None:
        """A pattern that was mistyped looks like a folder in which nothing is new. Once."""
        of = self._settings
        if of.glob != ALL_FILES and not self._nothing_told:
            self._nothing_told = True
            text = f"no file in {of.folder.place} matches pattern={of.glob!r} yet"
            warn(NothingMatches(f"input {self._name}: {text}; mend the pattern if one should"))

    def read(self, plan: Plan, skips: Sequence[Skip]) -> Frame:
        """The lines, in the driver or in executors. SourceChanged if a file is not what was
        planned.
        """
        pieces = self._pieces(plan, skips)
        spark = self._context.spark if self._context is not None else None
        checker = self._checker(plan)
        if spark is not None and self._in_executors(pieces):
            return reading.in_executors(spark, self._settings.folder, pieces, checker)
        table = reading.in_driver(pieces, checker)
        return table if spark is None else as_dataframe(spark, table)

    def _in_executors(self, pieces: Sequence[FileRange]) -> bool:
        if self._settings.reader == "auto" and self._settings.folder.in_tasks:
            return sum(piece.length for piece in pieces) > reading.DRIVER_BYTES_MAX
        # Without ranges there is nothing to start tasks for.
        return self._settings.reader == "executors" and bool(pieces)

    def verify(self, plan: Plan, skips: Sequence[Skip]) -> None:
        """Look at every range again. SourceChanged names the part and the command that skips it."""
        checker = self._checker(plan)
        for piece in self._pieces(plan, skips):
            with checker.open(piece):
                pass

    def _pieces(self, plan: Plan, skips: Sequence[Skip]) -> list[FileRange]:
        skipped = {skip.part for skip in skips if skip.input == self._name}
        return [piece for piece in ranges(plan.parts) if piece.id not in skipped]

    def _checker(self, plan: Plan) -> Checker:
        return Checker(self._name, self._window_of(plan), self._locator())

    def _window_of(self, plan: Plan) -> str:
        """The window in flight: the one after the newest that was told. Only for messages."""
        return str(self._told + 1) if self._told is not None else "1"

    def committed(self, windows: Sequence[tuple[int, Plan]]) -> None:
        """Take the plans as read, unless `open` did; fold every FOLD_EVERY windows."""
        for window_id, plan in windows:
            if window_id > self._applied:
                self._index.apply(plan)
                self._applied = window_id
            self._told = max(window_id, self._told or 0)
        if self._told is not None and self._told - (self._folded or 0) >= FOLD_EVERY:
            self._fold()

    def _fold(self) -> None:
        """Save the index, if it is that of the newest committed window: plans not yet held may be
        in it else.
        """
        if self._context is None or self._told != self._applied or self._told == self._folded:
            return
        if self._index.gap is None:
            if self._tree is not None:
                self._index.forget(self._tree)
                self._tails.keep(set(self._tree.files))
            self._context.memory.save(self._applied, self._index.encode())
            self._folded = self._applied

    def folded(self) -> int | None:
        """The window of the newest saved index."""
        return self._folded

    def seek(self, to: str, after: Json) -> Seek:
        """ "beginning", "end", or PATH@OFFSET (PATH@beginning, PATH@end) for one file. Reads files
        to count lines.
        """
        return Seeker(self._index, self._walk(), self._locator()).seek(to)

    def recognised(self) -> tuple[int, int]:
        """How many of the files that the index knows are in the folder, and how many it knows. A
        copy is another file.
        """
        gone = self._index.gone(self._walk())
        return len(self._index.entries) - len(gone), len(self._index.entries)

    def close(self) -> None:
        """Fold. The instance may be opened again."""
        try:
            self._fold()
        finally:
            self._context = None
            self._forget()
            self._settings.folder.close()
