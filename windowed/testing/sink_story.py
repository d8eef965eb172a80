"""What the tests of a sink are made of: a place, windows of one log, and what a loop does with
them."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pyarrow
import pytest

from windowlog.contracts import Sink, SinkContext
from windowlog.log import WindowLog
from windowlog.values import Plan
from windowlog.window import Draft, Window
from windowlog.wiring import Held, InputIdentity

SCHEMA = pyarrow.schema([("word", pyarrow.string()), ("n", pyarrow.int64())])
_RUN = "11111111-1111-1111-1111-111111111111"


def frame(*rows: tuple[str, int]) -> pyarrow.Table:
    """Rows as a frame of SCHEMA."""
    words, numbers = [row[0] for row in rows], [row[1] for row in rows]
    return pyarrow.table({"word": words, "n": numbers}, schema=SCHEMA)


class Story:
    """Windows of one log, as a loop would give them to a sink."""

    def __init__(self, sink: Sink, run_id: str = _RUN) -> None:
        self.log = WindowLog.in_memory()
        self.log.open("contract", run_id)
        self.log.create()
        self.log.scan()
        self.sink = sink
        self.run_id = run_id

    @property
    def beginning(self) -> Held:
        """The memory of a sink that holds nothing yet."""
        header = self.log.header
        identity = self.sink.identity()
        return Held(header.log_id, header.first - 1, header.digest, self.run_id, identity)

    def open(self, sink: Sink, name: str = "out", run_id: str | None = None) -> Sink:
        """Open a sink of this story."""
        context = SinkContext("contract", name, self.log.header.log_id, run_id or self.run_id)
        sink.open(context)
        return sink

    def window(self) -> Window:
        """The next window."""
        position = self.log.newest + 1
        identity = InputIdentity("rows", "here")
        return self.log.append(
            Draft(
                window_id=position,
                planned_at=datetime(2001, 2, 3, tzinfo=UTC),
                plans={"lines": Plan((), position)},
                inputs={"lines": identity},
                sinks={"out": self.sink.identity()},
                run_id=self.run_id,
            )
        )


def hold(sink: Sink, window: Window, *rows: tuple[str, int]) -> None:
    """Prepare, stage and hold."""
    sink.prepare(SCHEMA)
    sink.stage(window, frame(*rows))
    sink.hold(window)


def release(sink: Sink) -> None:
    """As the loop does before it waits: let others in."""
    idle = getattr(sink, "idle", None)
    if idle is not None:
        idle()


class SinkPlace:
    """What an author gives: where an empty target is to be, a sink, and what a reader sees."""

    @pytest.fixture
    def place(self) -> Any:
        """Where an empty target is to be. Yours to give."""
        raise NotImplementedError("give a fixture `place`")

    def sink(self, place: Any) -> Sink:
        """A new sink on this place, as another process would make it. Yours to give."""
        raise NotImplementedError("give a method `sink`")

    def rows(self, place: Any) -> list[tuple[str, int]]:
        """What a reader sees. Yours to give."""
        raise NotImplementedError("give a method `rows`")

    @pytest.fixture
    def story(self, place: Any) -> Iterator[Story]:
        """A sink that is open and enrolled, and holds nothing yet."""
        story = Story(self.sink(place))
        story.open(story.sink)
        story.sink.adopt(None, story.beginning)
        yield story
        story.sink.close()
