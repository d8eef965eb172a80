"""A folder that changes, a clock that can be moved, and a run of FileInput over them."""

from __future__ import annotations

import os
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from connectors import FileInput
from windowed.testing.input_run import NAME, InputRun

__all__ = ["NAME", "World"]


class World:
    """`folder` is what the input reads. `options` go to FileInput; files count as quiet at once
    unless `quiet_s` says otherwise."""

    def __init__(self, folder: Path, **options: Any) -> None:
        self.folder = folder
        self.options: dict[str, Any] = {"quiet_s": 0, "clock": self.now, **options}
        self.ahead_s = 0.0
        self.run = InputRun(self.make)
        folder.mkdir(exist_ok=True)
        self.run.start()

    def make(self) -> FileInput:
        """A new instance, with the options as they are now."""
        return FileInput(self.folder, **self.options)

    def now(self) -> datetime:
        """The machine's time, moved by `ahead_s`: files get the machine's."""
        return datetime.now(UTC) + timedelta(seconds=self.ahead_s)

    def write(self, name: str, data: bytes | str) -> Path:
        """A new file, or the same one with other content."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data.encode() if isinstance(data, str) else data)
        return path

    def append(self, name: str, data: bytes | str) -> None:
        """More at a file's end."""
        with open(self.folder / name, "ab") as file:
            file.write(data.encode() if isinstance(data, str) else data)

    def restart(self, **options: Any) -> None:
        """Crash, and start again; with other options, if given."""
        self.options.update(options)
        self.run.crash().start()

    def values(self) -> list[str]:
        """All that is new, read in as many windows as it takes: the column `value`."""
        return [row["value"] for row in self.run.drain()]

    def paths(self) -> list[str]:
        """All that is new: the column `path`."""
        return [row["path"] for row in self.run.drain()]

    def set_time(self, name: str, ago_s: float) -> None:
        """When a file was written last, in seconds before now."""
        moment = datetime.now(UTC).timestamp() - ago_s
        os.utime(self.folder / name, (moment, moment))
