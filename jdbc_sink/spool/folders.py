"""Where spools are, and when they go.

`PLACE/SINK/LOG.WINDOW.TOKEN/` belongs to one attempt of one driver at one window; SINK is a digest
of all that makes a ledger's row. What a killed driver left goes once its window is held: until then
it may be a living rival's, who could still hold it; afterwards the ledger refuses that window for
ever."""

from __future__ import annotations

import hashlib
import json
import shutil
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from uuid import uuid4

_DIGEST_DIGITS = 16
# In the system's own folder for such, and readable for nobody else.
_TEMPORARY = "windowed-spool-"


class Folders:
    """Spool folders of one sink. `place` None: a temporary folder, made when it is first needed.
    `owner` is all that tells the sink from others that use the same place."""

    def __init__(self, place: Path | None, owner: Sequence[str]) -> None:
        self._temporary = place is None
        self._place = place
        self.name = folder_name(owner)
        self._own: list[Path] = []

    @property
    def place(self) -> str:
        """Where they are, for messages."""
        return "a temporary folder" if self._place is None else str(self._place.absolute())

    def make(self, log_id: str, window_id: int) -> Path:
        """A new folder, absolute. OSError if it cannot be made."""
        if self._place is None or (self._temporary and not self._place.is_dir()):
            self._place = Path(tempfile.mkdtemp(prefix=_TEMPORARY))
        folder = self._place.absolute() / self.name / f"{log_id}.{window_id}.{uuid4().hex}"
        # Never a temporary place: made anew, others could read in it.
        folder.parent.mkdir(parents=not self._temporary, exist_ok=True)
        folder.mkdir()
        self._own.append(folder)
        return folder

    def drop(self) -> bool:
        """Remove this sink's own folders: were there any?"""
        own, self._own = self._own, []
        for folder in own:
            _remove(folder)
        return bool(own)

    def sweep(self, log_id: str, held: int) -> None:
        """Remove what others left of windows up to `held`, which the ledger of log `log_id` holds,
        and of other logs: nobody can hold those any more."""
        for place in self._places():
            for folder in (place / self.name).glob("*.*.*"):
                log, window, _ = folder.name.rsplit(".", 2)
                if log != log_id or (window.isdecimal() and int(window) <= held):
                    _remove(folder)
                    self._leave(place)

    def _places(self) -> list[Path]:
        """Where others may have left folders of this sink: each driver had a temporary one of its
        own."""
        if self._temporary:
            return list(Path(tempfile.gettempdir()).glob(f"{_TEMPORARY}*"))
        return [] if self._place is None else [self._place.absolute()]

    def _leave(self, place: Path) -> None:
        """Remove a temporary place in which nothing is left."""
        if self._temporary and place != self._place:
            with suppress(OSError):
                (place / self.name).rmdir()
                place.rmdir()

    def close(self) -> None:
        """Remove this sink's own folders, and their parents if nothing else is in them."""
        self.drop()
        if self._place is None:
            return
        with suppress(OSError):
            (self._place / self.name).rmdir()
            self._place.rmdir()
        if self._temporary:
            self._place = None


def folder_name(owner: Sequence[str]) -> str:
    """The name of a sink's folder."""
    words = json.dumps(list(owner)).encode()
    return hashlib.sha256(words).hexdigest()[:_DIGEST_DIGITS]


def database_file(database: str | None) -> Path | None:
    """The absolute path of a database file, None if there is none."""
    if not database or ":" in database.partition("/")[0]:
        return None  # in memory, a service, or a URI
    return Path(database).absolute()


def beside(database: str | None) -> Path | None:
    """The default place: beside a database file, None if there is none."""
    path = database_file(database)
    return None if path is None else path.with_name(f"{path.name}.spool")


def example(place: Path) -> Path:
    """Such a path as a file of a spool has."""
    return place.absolute() / "sink" / "log.1.attempt" / "rows.parquet"


def _remove(folder: Path) -> None:
    # A task that outlives its driver may write into it just now: what stays is swept later.
    shutil.rmtree(folder, ignore_errors=True)
