"""LocalService: what each service does on this machine: it begins and ends, in a folder."""

from __future__ import annotations

import secrets
import shutil
import tempfile
from pathlib import Path
from types import TracebackType
from typing import Self

from windowed.testing.services.daemon import Daemon


class LocalService:
    """Begins and ends with a `with`. `kind` names its folder where none is given: that is a
    temporary one, removed at the end. Each has `start`, which calls `_let_run` first."""

    def __init__(self, kind: str, folder: str | Path | None) -> None:
        self._temporary = folder is None
        place = folder or Path(tempfile.gettempdir(), f"windowed-{kind}-{secrets.token_hex(4)}")
        self.folder = Path(place).absolute()
        # In the order in which they end.
        self._daemons: tuple[Daemon, ...] = ()

    def start(self) -> None:
        """Begin it and wait until clients may come."""
        raise NotImplementedError

    def stop(self) -> None:
        """End it; may be called again. A temporary folder is removed."""
        (self.folder / "running").unlink(missing_ok=True)
        for daemon in self._daemons:
            daemon.kill()
        if self._temporary:
            shutil.rmtree(self.folder, ignore_errors=True)

    def _let_run(self) -> None:
        """Daemons run for as long as this file is there."""
        self.folder.mkdir(parents=True, exist_ok=True)
        (self.folder / "running").touch()

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()
