"""Machines, each with a folder of its own, and one mirror: what tests of a mirrored log break."""

from __future__ import annotations

from dataclasses import dataclass, field

from tests.windowlog.drafts import PIPELINE, draft
from windowed.testing.forgetful import ForgetfulStorage
from windowlog.contracts import Storage
from windowlog.errors import StorageFailed
from windowlog.log import WindowLog
from windowlog.storage import MemoryStorage, MirroredStorage

FOLDERS = ("headers", "windows", "marks", "skips", "adoptions", "inputs/lines")


class Switched:
    """A storage that can be away: every verb then fails, as a server that does not answer."""

    def __init__(self, inner: Storage, switch: list[bool]) -> None:
        self._inner = inner
        self._switch = switch

    def __getattr__(self, name: str) -> object:
        verb = getattr(self._inner, name)
        if name == "describe":
            return verb
        if name == "within":
            return lambda folder: Switched(verb(folder), self._switch)

        def asked(*arguments: object, **options: object) -> object:
            if self._switch[0] and name != "close":
                raise StorageFailed(where="far", reason="no answer", remedy="Wait.")
            return verb(*arguments, **options)

        return asked


class Mounted:
    """A mount point: what is behind it (the last of `behind`) may be another one at any time."""

    def __init__(self, behind: list[Storage], path: tuple[str, ...] = ()) -> None:
        self._behind = behind
        self._path = path

    def __getattr__(self, name: str) -> object:
        if name == "within":
            return lambda folder: Mounted(self._behind, (*self._path, folder))
        inner = self._behind[-1]
        for folder in self._path:
            inner = inner.within(folder)
        return getattr(inner, name)


@dataclass
class World:
    """`far` is the mirror; `away` says whether it answers; `now_s` is the time. Machines by name
    have a folder each."""

    required: bool = True
    far: Storage = field(default_factory=lambda: MemoryStorage().within("far"))
    folders: dict[str, Storage] = field(default_factory=dict)
    switch: list[bool] = field(default_factory=lambda: [False])
    now_s: float = 0.0

    def near(self, machine: str = "one") -> Storage:
        """The machine's folder."""
        return self.folders.setdefault(machine, MemoryStorage().within(machine))

    def lose(self, machine: str = "one") -> None:
        """The machine is gone, and another one takes its place."""
        self.folders.pop(machine, None)

    def lose_mirror(self) -> None:
        """It is empty."""
        self.far = MemoryStorage().within("far")

    def storage(self, machine: str = "one") -> MirroredStorage:
        """As a driver on that machine opens it."""
        far = Switched(self.far, self.switch)
        return MirroredStorage(
            self.near(machine),
            far,  # type: ignore[arg-type]
            required=self.required,
            clock_s=lambda: self.now_s,
        )

    def driver(self, machine: str = "one", run_id: str | None = None) -> WindowLog:
        """A driver there after its start: open, scanned, level."""
        storage = self.storage(machine)
        log = WindowLog(storage)
        log.open(PIPELINE, run_id or f"run of {machine}")
        log.scan()
        storage.begin()
        return log

    def run(self, windows: int, machine: str = "one") -> WindowLog:
        """A driver there appends up to this window."""
        log = self.driver(machine)
        log.create()
        for window_id in range(log.newest + 1, windows + 1):
            log.append(draft(window_id, run_id=f"run of {machine}"))
        return log

    def sides(self, machine: str = "one") -> tuple[dict[str, bytes], dict[str, bytes]]:
        """Path -> bytes: what the machine's folder has, and what the mirror has."""
        return everything(self.near(machine)), everything(self.far)


def everything(storage: Storage) -> dict[str, bytes]:
    """All records of a log on one side; without the pairings."""
    found: dict[str, bytes] = {}
    for path in FOLDERS:
        folder = storage
        for part in path.split("/"):
            folder = folder.within(part)
        found |= {f"{path}/{name}": folder.read(name) for name in folder.list()}
    return found


def windows(storage: Storage) -> list[int]:
    """The windows on one side."""
    return [int(name.partition(".")[0]) for name in storage.within("windows").list()]


def forgetful() -> World:
    """A world whose disks lose what was not made durable."""
    world = World(far=ForgetfulStorage())
    world.folders["one"] = ForgetfulStorage().within("near")
    return world
