"""A world in which drivers write files: rows to come, a log, a folder; drivers that die, fail or
pause at any moment; and what readers find."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO
from uuid import uuid4

from file_sink import FileSink
from file_sink.local_tree import LocalTree
from file_sink.tree import Entry, Kind
from tests.file_sink.readers import paths, rows_by_pyarrow, rows_of_json
from windowed import Pipeline
from windowed.testing import RowsInput
from windowed.testing.crash import STORAGE_VERBS
from windowlog import WindowLog
from windowlog.contracts import SinkContext, Storage
from windowlog.storage import MemoryStorage

SCHEMA = "word string, n bigint"
WINDOWS = [[("a", 1), ("b", 2)], [], [("b", 4), ("a", 3)]]

LAYOUTS: dict[str, dict[str, Any]] = {
    "windows": {"layout": "windows"},
    "files": {"layout": "files", "max_records_per_file": 1, "format": "json"},
    "partitions": {"layout": "files", "partition_by": ["word"], "format": "json"},
}

Moment = Callable[[str, Callable[[], Any]], Any]
"""Is told of a step by its name, and does it, or not."""


class WatchedTree(LocalTree):
    """A LocalTree whose every step, and every step of the records in it, goes through `moment`."""

    def __init__(self, moment: Moment) -> None:
        super().__init__()
        self._moment = moment

    def apart(self) -> LocalTree:
        """Told too."""
        return WatchedTree(self._moment)

    def kind(self, path: str) -> Kind | None:
        """Told."""
        kind: Kind | None = self._moment(f"kind {path}", lambda: LocalTree.kind(self, path))
        return kind

    def list(self, folder: str) -> list[Entry]:
        """Told."""
        found: list[Entry] = self._moment(f"list {folder}", lambda: LocalTree.list(self, folder))
        return found

    def make(self, folder: str, *, durable: bool = True) -> None:
        """Told."""
        self._moment(f"make {folder}", lambda: LocalTree.make(self, folder, durable=durable))

    def create(self, path: str) -> BinaryIO:
        """Told."""
        made: list[BinaryIO] = []
        try:
            self._moment(f"create {path}", lambda: made.append(LocalTree.create(self, path)))
        except BaseException:
            for stream in made:  # the dead driver's, and nobody else's
                stream.close()
            raise
        return made[0]

    def age_s(self, folder: str) -> float | None:
        """Told."""
        age: float | None = self._moment(f"age {folder}", lambda: LocalTree.age_s(self, folder))
        return age

    def rename(self, source: str, target: str) -> None:
        """Told."""
        self._moment(f"rename {source}", lambda: LocalTree.rename(self, source, target))

    def sync(self, path: str) -> None:
        """Told."""
        self._moment(f"sync {path}", lambda: LocalTree.sync(self, path))

    def remove(self, path: str) -> None:
        """Told."""
        self._moment(f"remove {path}", lambda: LocalTree.remove(self, path))

    def fingerprint(self, path: str) -> str:
        """Told."""
        name = f"fingerprint {path}"
        return str(self._moment(name, lambda: LocalTree.fingerprint(self, path)))

    def exchange(self, folder: str, other: str) -> None:
        """Told."""
        self._moment(f"exchange {folder}", lambda: LocalTree.exchange(self, folder, other))

    def link(self, source: str, target: str) -> None:
        """Told."""
        self._moment(f"link {target}", lambda: LocalTree.link(self, source, target))

    def like(self, source: str, target: str) -> None:
        """Told."""
        self._moment(f"like {target}", lambda: LocalTree.like(self, source, target))

    def records(self, folder: str) -> Any:
        """Told, each verb."""
        return Told(super().records(folder), self._moment)


class Told:
    """A storage whose verbs go through `moment`."""

    def __init__(self, inner: Storage, moment: Moment) -> None:
        self._inner = inner
        self._moment = moment

    def within(self, folder: str) -> Told:
        """Its sub-folders too."""
        return Told(self._inner.within(folder), self._moment)

    def __getattr__(self, name: str) -> Any:
        verb = getattr(self._inner, name)
        if name not in STORAGE_VERBS:
            return verb
        where = self._inner.describe()

        def told(*arguments: Any, **keywords: Any) -> Any:
            which = " ".join(map(str, arguments[:1]))
            return self._moment(f"{name} {where} {which}", lambda: verb(*arguments, **keywords))

        return told


@dataclass
class World:
    """Rows that come, a log that lasts, a folder `out` below `base`."""

    base: Path
    arguments: dict[str, Any]
    windows: list[list[tuple[str, int]]] = field(default_factory=lambda: [*WINDOWS])
    storage: Any = field(default_factory=MemoryStorage)

    @property
    def out(self) -> Path:
        """What readers see."""
        return self.base / "out"

    @property
    def staging(self) -> Path:
        """What they do not."""
        return self.base / "out.staging"

    def driver(self, moment: Moment | None = None) -> Pipeline:
        """A driver; `moment` is asked before each step of its sink and its log."""
        tree = LocalTree() if moment is None else WatchedTree(moment)
        storage = self.storage if moment is None else Told(self.storage, moment)
        return Pipeline(
            "files",
            inputs={"rows": RowsInput(self.windows, schema=SCHEMA)},
            transform=lambda rows: rows,
            sinks={"out": FileSink(self.out, storage=tree, **self.arguments)},
            log=WindowLog(storage),
        )

    def drain(self) -> None:
        """A driver alone runs to its end."""
        self.driver().run(None, progress=False)

    def roll_up(
        self, moment: Moment | None = None, meanwhile: Callable[[], None] = lambda: None
    ) -> bool:
        """What the command does; False if there was nothing to join. Ends as a process would.
        `meanwhile`, between look and deed, something else happens."""
        tree = LocalTree() if moment is None else WatchedTree(moment)
        sink = FileSink(self.out, storage=tree, **self.arguments)
        header = WindowLog(self.storage).open("files", "reader")
        sink.open(SinkContext("files", "out", header.log_id, str(uuid4())))
        _, deed = sink.roll_up()
        if deed is None:
            return False
        meanwhile()
        deed()
        sink.close()
        return True

    def seen(self) -> Counter[tuple[Any, ...]]:
        """The rows that a reader finds, with how often."""
        reader = rows_of_json if self.arguments.get("format") == "json" else rows_by_pyarrow
        return Counter(reader(self.out))

    def check_prefix(self) -> None:
        """At any moment: whole windows, once, in order; in layout `files` perhaps a part of the
        one after them."""
        seen, before = self.seen(), Counter[tuple[Any, ...]]()
        for window in self.windows:
            if seen == before:
                return
            after = before + Counter(window)
            if self.arguments["layout"] == "files" and before <= seen <= after:
                return
            before = after
        assert seen == before, f"{seen} is no beginning of {self.windows}"

    def check_end(self) -> None:
        """After all has been drained: every row, once; nothing staged; one manifest, one mark."""
        assert self.seen() == Counter(row for window in self.windows for row in window)
        # What begins with a dot is an unfinished record, which storage sweeps after an hour.
        left = [path for path in paths(self.staging) if "/." not in path]
        folders = [path.split("/")[0] for path in left]
        assert folders == ["manifests", "marks"], left
