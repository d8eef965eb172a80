"""A pipeline under fire whose log has a mirror on a real HDFS, from files to a table in DuckDB; and
what its two sides must be to each other, by plain comparing."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar
from urllib.parse import urlsplit

from tests.file_sink.hdfs_world import download
from tests.kill.moments import MOMENTS, Trap, after
from tests.kill.variants import Variant
from tests.windowlog.storage.hdfs_world import ask
from windowlog import WindowLog
from windowlog.storage.level import Folders
from windowlog.storage.pair import Pair

MIRROR = "mirror: "
AWAY = "mirror, for some runs"
_NOBODY = "127.0.0.1:1"
# An outage must not cost a round more than this.
PATIENCE_S = 20
# The folder's own id, which the other side never has.
_PAIRINGS = "pairings/"
_OWN = f"{_PAIRINGS}000000000000.json"
# Of these the newest one counts; of plans those from the newest mark on.
_VERSIONED = ("marks/", "inputs/lines/", _PAIRINGS)
_OF_THE_MIRROR = (
    "log temp written",
    "log linked",
    "log synced",
    "folded",
    "low-water mark written",
    "first plan purged",
)


@dataclass(frozen=True)
class MirrorVariant(Variant):
    """`required` is "required" or "optional"; `web` a folder that is not there yet, webhdfs://…"""

    required: str = "required"
    web: str = ""
    moments: ClassVar[tuple[str, ...]] = (
        *MOMENTS,
        *(f"{MIRROR}{moment}" for moment in _OF_THE_MIRROR),
        "sides compared",
        "brought level",
    )
    spark_moments: ClassVar[tuple[str, ...]] = ("log synced", f"{MIRROR}log synced")
    first_moments: ClassVar[tuple[str, ...]] = (f"{MIRROR}pairing written", "pairing written")
    side: ClassVar[str] = MIRROR
    delay_max_s: ClassVar[float] = 0.5

    @property
    def sides(self) -> tuple[str, ...]:
        """Both; a mirror that is not required may also be away for some runs."""
        return ("local", "mirror") if self.required == "required" else ("local", "mirror", AWAY)

    def _words(self) -> tuple[str, ...]:
        return "mirror", self.database, self.mode, self.load, self.required, self.web

    def log(self, root: Path) -> WindowLog:
        """The log, on both sides."""
        mirror = f"{self.web}/state?patience_s={PATIENCE_S}"
        if self.is_away(root):
            mirror = urlsplit(self.web)._replace(netloc=_NOBODY).geturl() + "/state?patience_s=0.2"
        return WindowLog(
            root / "state",
            mirror=mirror,
            mirror_required=self.required == "required",
        )

    def fetch(self, root: Path) -> None:
        """A copy of the mirror."""
        download(f"{self.web}/state", root / "mirror", hidden=False)

    def plan_folders(self, root: Path) -> tuple[Path, ...]:
        """Of both sides."""
        return root / "state" / "windows", root / "mirror" / "windows"

    def inspect(self, root: Path, held: int) -> None:
        """No record differs; the side that goes first has all that counts, and the other one what
        the sink holds, unless it was lost and is yet to be filled."""
        local, mirror = _records(root / "state"), _records(root / "mirror")
        differing = [name for name in local.keys() & mirror.keys() if local[name] != mirror[name]]
        assert not differing, f"{differing} are not the same on both sides"
        first, second = (mirror, local) if self.required == "required" else (local, mirror)
        if self.filling(root, held):
            return
        # Whichever goes first otherwise: the mirror says whose folder it is.
        ahead = {
            name for name in _counting(second) - first.keys() if not name.startswith(_PAIRINGS)
        }
        ahead |= {name for name in _counting(local) - mirror.keys() if name.startswith(_PAIRINGS)}
        assert not ahead, f"{sorted(ahead)} are not on the side that goes first"
        for name, side in (("local side", local), ("mirror", mirror)):
            plan = f"windows/{held:012d}.json"
            assert not held or plan in side, f"the sink holds {plan}, and the {name} lacks it"

    def finished(self, root: Path) -> None:
        """All that counts is on both sides, unless one is away."""
        if self.is_away(root):
            return
        local, mirror = _records(root / "state"), _records(root / "mirror")
        apart = sorted(_counting(local) ^ _counting(mirror))
        assert not apart, f"{apart} are on one side only, after a run to the end"
        (root / "lost").unlink(missing_ok=True)

    def lose(self, root: Path, side: str, held: int) -> None:
        """The folder of one side is gone, the sink being at window `held`."""
        (root / "lost").write_text(str(held))
        if side == "local":
            shutil.rmtree(root / "state")
        else:
            ask(f"{self.web}/state", "DELETE", "DELETE", recursive="true")
            shutil.rmtree(root / "mirror")

    def refusal(self, side: str) -> tuple[str, str] | None:
        """How a start is refused then, and which command goes on; None: it goes on by itself."""
        if side == "mirror":
            return "MirrorMismatch", "--mirror"
        return None if self.required == "required" else ("MirrorNotAdopted", "--folder")

    def left(self, root: Path, side: str) -> Path:
        """The plans of the other side."""
        return (root / ("mirror" if side == "local" else "state")) / "windows"

    def is_there(self, root: Path, side: str) -> bool:
        """Has the folder of that side come to be again?"""
        if side == "local":
            return (root / "state").exists()
        found = ask(self.web, "GET", "LISTSTATUS")
        assert isinstance(found, dict), "what a folder has"
        return bool(found["FileStatuses"]["FileStatus"])

    def filling(self, root: Path, held: int) -> bool:
        """Is a side that was lost, or away, not known to be whole again?"""
        lost = root / "lost"
        return self.is_away(root) or (lost.exists() and held <= int(lost.read_text()))

    def is_away(self, root: Path) -> bool:
        """Does nobody answer for the mirror?"""
        return (root / "away").exists()

    def leave(self, root: Path) -> None:
        """From now on nobody does."""
        (root / "away").touch()

    def come_back(self, root: Path, held: int) -> None:
        """It answers again, and lacks what was held meanwhile."""
        (root / "lost").write_text(str(held))
        (root / "away").unlink()


def install(trap: Trap) -> None:
    """Wrap what the two sides share, in this process, which is about to die."""
    after(Pair, "_compare", lambda *_: trap.passed("sides compared"))
    after(Folders, "level", lambda *_: trap.passed("brought level"))


def _records(folder: Path) -> dict[str, bytes]:
    return {
        name: path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and path.name[0] != "."
        for name in [path.relative_to(folder).as_posix()]
        if name != _OWN
    }


def _counting(records: dict[str, bytes]) -> set[str]:
    """Names of the records that are not let go of."""
    newest = {folder: _number(_in(records, folder)[-1:]) for folder in _VERSIONED}
    oldest = {**newest, "windows/": newest["marks/"]}
    below = [
        name
        for folder, end in oldest.items()
        for name in _in(records, folder)
        if _number([name]) < end
    ]
    return records.keys() - set(below)


def _in(records: dict[str, bytes], folder: str) -> list[str]:
    return sorted(name for name in records if name.startswith(folder))


def _number(names: list[str]) -> int:
    return max((int(Path(name).name.split(".")[0]) for name in names), default=0)
