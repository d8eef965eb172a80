"""Run: one driver process working on a pipeline. Start, stop, wait, progress and signals."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from types import FrameType
from typing import TYPE_CHECKING, Any

from windowed.errors import TimedOut
from windowed.loop import Loop
from windowed.opening import opened
from windowed.stopping import CutShort, StopFlag, interrupting, spark_is_gone
from windowed.summary import Summary
from windowed.timing import Timing
from windowlog.errors import KitError

if TYPE_CHECKING:
    from windowed.state import Made, State
    from windowed.trigger import Trigger, Until
    from windowlog.values import Bounds
    from windowlog.window import Window

# How often to look for new data when there was none: a listing costs little, a tenth of a second
# would cost ten times it.
POLL_S = 0.5
# A backlog is planned from one look at the source; what arrived since is seen at the latest after
# this.
BOUNDS_AGE_S = 5.0
# Pauses between retries of passing faults: 1, 2, 4 … s. Ten failures without a window held are not
# passing.
RETRY_PAUSE_MAX_S = 60.0
FAILURES_IN_A_ROW_MAX = 10
_STOPPING = (signal.SIGTERM, signal.SIGINT)
# How late a signal may be seen that another thread took.
SIGNAL_LOOK_S = 0.5


class Run:
    """A run of a pipeline. Made by Pipeline.start; `stop` and `progress` may be used from any
    thread."""

    def __init__(
        self,
        make_loop: Callable[[], Loop],
        make: Callable[[Window, Mapping[str, Any], State | None], Made],
        *,
        until: Until,
        trigger: Trigger,
        pipeline: str,
        signalled: Callable[[str], None] | None = None,
    ) -> None:
        self._make_loop = make_loop
        self._make = make
        self._until = until
        self._trigger = trigger
        self._stop = StopFlag()
        self._signalled = False
        self._tell_signal = signalled
        self._thread: threading.Thread | None = None
        self._ended = threading.Event()
        self._error: BaseException | None = None
        self._fresh = 0
        self._in_flight: int | None = None
        self._timing = Timing()
        self.progress = Summary(pipeline, range(0), 0, 0, 0, 0)

    def start(self) -> None:
        """Work in a thread of its own. It is a daemon: a driver that ends does not wait for it, and
        needs not to."""
        self._thread = threading.Thread(target=self._background, name="windowed", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Finish the window in flight, and no other."""
        self._stop.set()

    def wait(self) -> Summary:
        """Until the run has ended: its summary, or the error it ended with. Signals as in
        Pipeline.run."""
        assert self._thread is not None, "start() comes first"
        with self._signals(), interrupting(self._thread, self._ended):
            # The kernel may give a signal to any thread, Python handles it in this one only: asleep
            # for good, it would never see the second of two. Not `join`: where that is interrupted
            # it takes the thread for one that has ended.
            while not self._ended.wait(SIGNAL_LOOK_S):
                pass
        if self._error is not None:
            raise self._error
        return self.progress

    def execute(self) -> Summary:
        """Work in this thread."""
        with self._signals():
            self._work()
        return self.progress

    def _background(self) -> None:
        try:
            self._work()
        except BaseException as error:  # noqa: BLE001 (handed to `wait`, whatever it is)
            self._error = error
        finally:
            self._ended.set()

    def _work(self) -> None:
        failures, held_before = 0, 0
        while True:
            loop = self._make_loop()
            loop.stop, loop.timing = self._stop, self._timing
            try:
                with opened(loop), self._cut_short(loop):
                    self._windows(loop)
                    away = loop.parts.is_mirror_away()
                self.progress = replace(self.progress, mirror_away=away)
                return
            except CutShort as cut:
                self.progress = replace(self.progress, stopped=True, unheld=cut.window_id)
                return
            except Exception as error:
                if not _passing(error):
                    raise
                failures = failures + 1 if self.progress.windows_run == held_before else 1
                held_before = self.progress.windows_run
                if not self._until.retry or failures >= FAILURES_IN_A_ROW_MAX:
                    raise
                pause_s = min(2.0 ** (failures - 1), RETRY_PAUSE_MAX_S)
                loop.listener.retrying(error, pause_s)
            loop.clock.wait(pause_s, self._stop)
            if self._stop.is_set():
                self.progress = replace(self.progress, stopped=True, unheld=self._in_flight)
                return

    @contextmanager
    def _cut_short(self, loop: Loop) -> Iterator[None]:
        """What a signal for the whole process group leads to where it has ended Spark: CutShort."""
        try:
            yield
        except Exception as error:
            # A run beside the main thread may know of Spark's end before that knows of the signal.
            if self._thread is not None and isinstance(error, OSError):
                self._stop.wait(2 * SIGNAL_LOOK_S)
            if self._signalled and spark_is_gone(loop.spark, error):
                raise CutShort(self._in_flight) from error
            raise

    def _windows(self, loop: Loop) -> None:
        started_s = loop.clock.monotonic_s()
        look = _Look(loop, fixed=self._until.drain)
        due_s = started_s
        while not self._stop.is_set():
            replayed = loop.replayed
            window = loop.next(look.bounds)
            if window is None:
                if not look.reused and self._wait_for_more(loop, look):
                    return
                look.forget()
            else:
                self._in_flight = window.id
                self._window(loop, window, fresh=loop.replayed == replayed)
                if self._until.count is not None and self._fresh >= self._until.count:
                    return
            self._check_timeout(loop, started_s)
            if self._trigger.interval_s:
                due_s = self._pause(loop, look, due_s)
        self.progress = replace(self.progress, stopped=True)

    def _window(self, loop: Loop, window: Window, *, fresh: bool) -> None:
        def make() -> Made:
            frames = loop.read(window)
            with loop.timing.step("transform"):
                return self._make(window, frames, loop.state)

        loop.work(window, make)
        self._count(loop, window, fresh=fresh)

    def _wait_for_more(self, loop: Loop, look: _Look) -> bool:
        """Nothing new: True if the run is at its end, else after a wait."""
        names = loop.waiting(look.bounds())
        if self._until.drain and not names:
            return True
        loop.listener.waiting(names)
        loop.idle()
        loop.clock.wait(POLL_S, self._stop)
        return False

    def _pause(self, loop: Loop, look: _Look, due_s: float) -> float:
        now_s = loop.clock.monotonic_s()
        due_s = max(due_s + self._trigger.interval_s, now_s)
        if due_s > now_s:
            loop.idle()
            loop.clock.wait(due_s - now_s, self._stop)
            look.forget()
        return due_s

    def _check_timeout(self, loop: Loop, started_s: float) -> None:
        limit_s = self._until.timeout_s
        if limit_s is not None and loop.clock.monotonic_s() - started_s > limit_s:
            raise TimedOut(
                pipeline=loop.parts.pipeline,
                wanted=self._until.count,
                timeout_s=limit_s,
                ran=self._fresh,
            )

    def _count(self, loop: Loop, window: Window, *, fresh: bool) -> None:
        before = self.progress
        if before.windows_run and window.id <= before.window_ids[-1]:
            # Once a fault has passed, this run may replay for the state what it has held: no
            # window more, and no progress that would make it forget its failures.
            self._in_flight = None
            return
        plans = window.plans.values()
        first = before.window_ids[0] if before.windows_run else window.id
        self._in_flight = None
        self._fresh += fresh
        self.progress = Summary(
            before.pipeline,
            range(first, window.id + 1),
            before.windows_run + 1,
            # An empty window that a command has logged is no replay of anything.
            before.windows_replayed + (not fresh and any(plan.parts for plan in plans)),
            before.records + sum(plan.records or 0 for plan in plans),
            before.bytes + sum(plan.bytes or 0 for plan in plans),
            dict(loop.timing.seconds),
            elapsed_s=loop.timing.elapsed_s(),
            set_aside=before.set_aside + sum(loop.aside.values()),
        )

    @contextmanager
    def _signals(self) -> Iterator[None]:
        """On the main thread: the first SIGTERM or SIGINT stops after this window, a second one
        now. One that is ignored stays so: a shell's background job is not meant by Ctrl-C."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return

        def handle(number: int, frame: FrameType | None) -> None:
            # Not whether it is to stop: `stop()` may have said that, and is no signal.
            if self._signalled:
                raise KeyboardInterrupt
            self._signalled = True
            self._stop.set()
            if self._tell_signal is not None:
                self._tell_signal(signal.Signals(number).name)

        meant = [n for n in _STOPPING if signal.getsignal(n) is not signal.SIG_IGN]
        old = {number: signal.signal(number, handle) for number in meant}
        try:
            yield
        finally:
            for number, handler in old.items():
                signal.signal(number, handler)


def _passing(error: Exception) -> bool:
    """The kit's own errors say it themselves; of the outside's, those of disk and network may go
    by."""
    if isinstance(error, KitError):
        return error.passing
    return isinstance(error, OSError)


class _Look:
    """One look at the sources, used for a while. `fixed`: for the whole run."""

    def __init__(self, loop: Loop, *, fixed: bool) -> None:
        self._loop = loop
        self._fixed = fixed
        self._bounds: Mapping[str, Bounds] | None = None
        self._taken_s = 0.0
        self.reused = False

    def bounds(self) -> Mapping[str, Bounds]:
        """What existed at the last look; looks again when that is old."""
        now_s = self._loop.clock.monotonic_s()
        if self._bounds is not None:
            self.reused = not self._fixed
            if self._fixed or now_s - self._taken_s < BOUNDS_AGE_S:
                return self._bounds
        self._bounds, self._taken_s, self.reused = self._loop.bounds(), now_s, False
        return self._bounds

    def forget(self) -> None:
        """Look again next time, unless the bounds are fixed."""
        if not self._fixed:
            self._bounds = None
