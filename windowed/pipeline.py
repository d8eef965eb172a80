"""Pipeline: inputs, a transform, sinks and a window log, under one name. Checked on construction,
touched by nothing."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from windowed import checks, looking, place_checks, run_checks
from windowed.clock import Clock, SystemClock
from windowed.frames import outputs_by_sink
from windowed.listener import Listener, Listeners
from windowed.locator import Locator
from windowed.loop import Loop
from windowed.opening import opened
from windowed.own import OwnRun
from windowed.parts import Parts
from windowed.progress import reporter
from windowed.run import Run
from windowed.state import Made, NextState, State, taken_apart
from windowed.summary import Summary
from windowed.trigger import Trigger, Until, drained
from windowlog.access.places import named
from windowlog.errors import BadArgument
from windowlog.log import WindowLog
from windowlog.state_store import STATE

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from windowlog.contracts import Frame, Input, Output, Sink
    from windowlog.state_store import StateStore
    from windowlog.window import Window

# A checkpoint costs about as much as a small window (docs/state.md), a crash up to so many windows.
CHECKPOINT_EVERY = 10

Transform = Callable[
    ..., "Output | Mapping[str, Output] | tuple[Output | Mapping[str, Output], NextState]"
]


class Pipeline:
    """Inputs → transform → sinks, one window at a time, each record taking effect once.

    `name` is the pipeline's key in logs and ledgers: never change it. `inputs` name -> Input,
    `sinks` name -> Sink. `transform` is called with one keyword argument for each input (a frame),
    one more, NAME_rejects, for an input that sets records aside, and with `window` if it names
    that; it returns a frame for every sink, or a dict sink -> frame.
    "Now" inside it is `window.planned_at`. Without a transform only `open` can be used. `log` is a
    WindowLog, or where one is: a folder. `state` is where a state is kept from window to window
    (file_sink.FileState): the transform must name `state`, gets a windowed.State, and returns two
    things, what is for sinks and what `state.replace`, `change` or `unchanged` returned; a
    checkpoint is made after every `checkpoint_every` windows (10) and at a clean end. `keep` is
    how many plans more than needed are kept, for `read_window`. `locator` is what the commands call
    this pipeline (`jobs.counts:pipeline`); it is found by itself for one that is a module's
    variable.

    Raises BadArgument on construction for everything that cannot be right.
    """

    def __init__(
        self,
        name: str,
        *,
        inputs: Mapping[str, Input],
        sinks: Mapping[str, Sink],
        log: WindowLog | str | os.PathLike[str],
        transform: Transform | None = None,
        state: StateStore | None = None,
        checkpoint_every: int | None = None,
        keep: int = 0,
        locator: str | None = None,
    ) -> None:
        checks.check_name(name)
        checks.check_inputs(inputs)
        checks.check_sinks(sinks)
        checks.check_keep(keep)
        checks.check_state(state, checkpoint_every)
        self._wants: tuple[str, ...] = ()
        if transform is not None:
            self._wants = checks.check_transform(transform, inputs, state=state is not None)
        self.name = name
        self.inputs = dict(inputs)
        self.sinks = dict(sorted(sinks.items()))
        self.transform = transform
        with named(where="log"):
            self.log = log if isinstance(log, WindowLog) else WindowLog(log)
        place_checks.check_places(self.inputs, self.log, self.sinks, state)
        self.state = state
        self.checkpoint_every = checkpoint_every or CHECKPOINT_EVERY
        self.keep = keep
        self._in_use = threading.Lock()
        self._locator = Locator(self, locator)

    def __repr__(self) -> str:
        return f"Pipeline({self.name!r}, log={self.log.describe()!r})"

    @property
    def parts(self) -> Parts:
        """What a loop is made of."""
        locator, note = self._locator.look()
        return Parts(
            pipeline=self.name,
            inputs=self.inputs,
            sinks=self.sinks,
            log=self.log,
            locator=locator,
            keep=self.keep,
            store=self.state,
            checkpoint_every=self.checkpoint_every,
            lock=self._in_use,
            locator_note=note,
        )

    def run(
        self,
        spark: SparkSession | None,
        *,
        until: Until | None = None,
        trigger: Trigger | None = None,
        listeners: Sequence[Listener] = (),
        progress: bool | None = None,
        clock: Clock | None = None,
    ) -> Summary:
        """Run in this thread until `until` (by default `drained()`), and say what was done.

        `spark` None: frames are pyarrow tables. `progress` True or False: show it or not; None: a
        bar on a terminal, a line now and then elsewhere. On the main thread SIGTERM and SIGINT let
        the window in flight finish; a second one stops now. Raises Refused, Fenced, and whatever
        inputs, transform and sinks raise; the next run goes on.
        """
        return self._run(spark, until, trigger, listeners, progress, clock).execute()

    def start(
        self,
        spark: SparkSession | None,
        *,
        until: Until | None = None,
        trigger: Trigger | None = None,
        listeners: Sequence[Listener] = (),
        progress: bool | None = False,
        clock: Clock | None = None,
    ) -> Run:
        """As `run`, in a thread of its own: `stop()`, `wait()` and `progress` are on what is
        returned."""
        run = self._run(spark, until, trigger, listeners, progress, clock)
        run.start()
        return run

    def _run(
        self,
        spark: SparkSession | None,
        until: Until | None,
        trigger: Trigger | None,
        listeners: Sequence[Listener],
        progress: bool | None,
        clock: Clock | None,
    ) -> Run:
        if self.transform is None:
            allowed = "a run needs a function of the inputs' frames; without one use Pipeline.open"
            raise BadArgument(argument="transform", value=None, allowed=allowed)
        run_checks.check_may_run(self.name)
        run_checks.check_spark(spark)
        run_checks.check_listeners(listeners)
        until = until if until is not None else drained()
        reporters = reporter(self.name, progress)
        all_listeners = [*listeners, *reporters]
        return Run(
            lambda: self._loop(spark, clock, all_listeners),
            self._make,
            until=run_checks.check_until(until),
            trigger=run_checks.check_trigger(trigger if trigger is not None else Trigger()),
            pipeline=self.name,
            signalled=reporters[0].stopping if reporters else None,
        )

    @contextmanager
    def open(self, spark: SparkSession | None, *, clock: Clock | None = None) -> Iterator[OwnRun]:
        """Your own loop: `while window := run.next(): run.hold(window, {"counts":
        f(window.frames["lines"])})`."""
        run_checks.check_may_run(self.name)
        run_checks.check_spark(spark)
        with opened(self._loop(spark, clock, [])) as loop:
            yield OwnRun(loop)

    def preview(self, spark: SparkSession | None) -> dict[str, Output]:
        """Sink -> frame of what the next window would hold. Logs and writes nothing."""
        if self.transform is None:
            allowed = "a preview needs a function"
            raise BadArgument(argument="transform", value=None, allowed=allowed)
        run_checks.check_spark(spark)
        loop = self._loop(spark, None, [])
        with loop.parts.exclusively():
            return looking.preview(loop, self._make)

    def read_window(self, spark: SparkSession | None, window_id: int) -> dict[str, Frame]:
        """Input -> frame of the rows of a window whose plan is kept, and NAME_rejects where an
        input sets records aside. Changes nothing; needs no sink."""
        run_checks.check_spark(spark)
        with self.parts.exclusively():
            return looking.read_window(self.parts, spark, str(uuid4()), window_id)

    def read_state(self, spark: SparkSession | None) -> Frame:
        """The state as the next start would go on from it, before any replay. Changes nothing."""
        if self.state is None:
            allowed = "a pipeline without state= has none to read"
            raise BadArgument(argument="state", value=None, allowed=allowed)
        run_checks.check_spark(spark)
        with self.parts.exclusively():
            return looking.read_state(self._loop(spark, None, []))

    def _loop(
        self, spark: SparkSession | None, clock: Clock | None, listeners: Sequence[Listener]
    ) -> Loop:
        return Loop(self.parts, spark, str(uuid4()), clock or SystemClock(), Listeners(listeners))

    def _make(
        self, window: Window, frames: Mapping[str, DataFrame | Any], state: State | None
    ) -> Made:
        assert self.transform is not None, "checked before the run"
        known = {"window": window, STATE: state}
        result = self.transform(**frames, **{name: known[name] for name in self._wants})
        following = None
        if state is not None:
            result, following = taken_apart(result, self.name)
            state.check_own(following, "The transform of", "returned")
        return Made(outputs_by_sink(result, self.sinks, self.name), following)
