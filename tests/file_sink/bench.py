"""A FileSink on a folder, open and enrolled, with a story of windows: what a loop would do by
hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from uuid import uuid4

import pyarrow

from file_sink import FileSink
from tests.file_sink.readers import paths
from windowed.testing.sink_story import Story, frame
from windowlog.window import Window

OTHER_RUN = "22222222-2222-2222-2222-222222222222"


class Bench:
    """One sink on `path`; `arguments` are FileSink's."""

    def __init__(self, path: Path, **arguments: Any) -> None:
        self.path = path
        self.arguments = arguments
        self.sink = self.make()
        self.story = Story(self.sink)
        self.story.open(self.sink)
        self.sink.adopt(None, self.story.beginning)

    def make(self) -> FileSink:
        """A sink as another process would make it."""
        return FileSink(self.path, **self.arguments)

    def stage(self, frame: Any) -> Window:
        """Prepare and stage a frame as the next window."""
        window = self.story.window()
        schema = (
            frame.schema if isinstance(frame, pyarrow.Table) else frame.limit(0).toArrow().schema
        )
        self.sink.prepare(schema)
        self.sink.stage(window, frame)
        return window

    def hold(self, frame: Any) -> Window:
        """Stage and hold the next window."""
        window = self.stage(frame)
        self.sink.hold(window)
        return window

    def publish(self, frame: Any) -> Window:
        """Stage, hold, and tell that every sink holds it."""
        window = self.hold(frame)
        self.sink.committed(window.id)
        return window

    def die(self) -> None:
        """The driver is gone: nothing is closed. Another one, another run, opens the folder."""
        self.sink = self.make()
        self.story.open(self.sink, run_id=str(uuid4()))

    def published(self) -> list[str]:
        """The files that readers see."""
        return paths(self.path) if self.path.is_dir() else []

    def staging(self) -> list[str]:
        """The files that they do not see."""
        return paths(self.path.with_name(f"{self.path.name}.staging"))


def words(*rows: tuple[str, int]) -> pyarrow.Table:
    """`word string, n bigint`."""
    return frame(*rows)
