"""A driver that dies, without a process: `Crash`, and `crash_everywhere`, which tries every
moment."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Self

from windowed.pipeline import Pipeline
from windowlog.log import WindowLog

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

# More moments than any test wants: a pipeline that never comes to rest is a mistake in the test.
MOMENTS_MAX = 100_000
# With Spark a moment takes about a second, and there are a hundred.
TELL_EVERY_S = 3.0

# What a driver does that somebody else could see, or that decides what it does next.
STORAGE_VERBS = ("read", "create", "list", "rename", "delete", "sync")
INPUT_METHODS = ("open", "bounds", "plan", "read", "verify", "committed", "close")
STATE_METHODS = (
    "open",
    "checkpoints",
    "present",
    "load",
    "stage",
    "save",
    "drop",
    "let_go",
    "hand_on",
    "close",
)
SINK_METHODS = ("open", "held", "target", "adopt", "prepare", "stage", "hold", "committed", "close")


class Crash(BaseException):
    """The driver dies here. Not an Exception: nothing in a pipeline may catch it and go on."""


class Fuse:
    """Counts what a driver does and lets it die before or after the moment `at`; dead, it does
    nothing more."""

    def __init__(self, at: int | None = None, *, after: bool = False) -> None:
        self.at = at
        self.after = after
        self.count = 0
        self.dead = False
        self.where = ""

    def call(self, name: str, action: Callable[[], Any]) -> Any:
        """Do it, unless the driver is dead; die before or after it, if this is the moment."""
        if self.dead:
            raise Crash(f"dead since {self.where}")
        self.count += 1
        fatal = self.count == self.at
        if fatal and not self.after:
            self._die(f"before {name}")
        result = action()
        if fatal:
            self._die(f"after {name}")
        return result

    def _die(self, where: str) -> None:
        self.dead, self.where = True, where
        raise Crash(where)


class Seam:
    """Stands in front of a storage, an input or a sink, and passes every call through a fuse."""

    def __new__(cls, inner: Any, *_: Any) -> Self:
        """An instance whose class has the members of `inner`: since Python 3.12 a protocol looks
        for them there, and not at `__getattr__`."""
        members = {name: _member(name) for name in dir(inner) if not name.startswith("_")}
        return super().__new__(type(cls.__name__, (cls,), members))

    def __init__(self, inner: Any, name: str, methods: tuple[str, ...], fuse: Fuse) -> None:
        self._inner = inner
        self._name = name
        self._methods = methods
        self._fuse = fuse

    def __getattr__(self, attribute: str) -> Any:
        value = getattr(self._inner, attribute)
        if attribute == "within":
            return lambda folder: Seam(
                value(folder), f"{self._name}/{folder}", self._methods, self._fuse
            )
        if attribute not in self._methods:
            return value

        def through(*arguments: Any, **keywords: Any) -> Any:
            name = f"{self._name}.{attribute}"
            return self._fuse.call(name, lambda: value(*arguments, **keywords))

        return through


def _member(name: str) -> property:
    return property(lambda seam: seam.__getattr__(name))


def crash_everywhere(
    build: Callable[[], Pipeline],
    check: Callable[[Pipeline], None],
    *,
    spark: SparkSession | None = None,
    tell: Callable[[str], None] | None = None,
) -> int:
    """Kill a pipeline before and after everything it does, restart it, and check what it left. How
    many moments.

    `build` makes the pipeline and its whole world anew (a new folder or `WindowLog.in_memory()`, a
    new database); `check` is called after the restarted pipeline has drained, and asserts: first
    once after a run that nobody disturbed. A failed check names the moment. `tell` gets a line now
    and then; by default it is printed on standard error, if that is a terminal.
    """
    moments, total = 0, 2 * _undisturbed(build, check, spark)
    tell_s = time.monotonic()
    for after in (False, True):
        for at in range(1, MOMENTS_MAX):
            pipeline, fuse = build(), Fuse(at, after=after)
            try:
                fused(pipeline, fuse).run(spark, progress=False)
            except Crash:
                _restart(pipeline, spark, f"the driver died {fuse.where} (moment {at})", at)
            if not fuse.dead:
                break
            moments += 1
            _check(check, pipeline, f"the driver died {fuse.where} (moment {at})")
            if time.monotonic() - tell_s >= TELL_EVERY_S:
                tell_s = time.monotonic()
                (tell or _tell_terminal)(f"crash_everywhere: {moments} of about {total} moments")
    return moments


def _undisturbed(
    build: Callable[[], Pipeline], check: Callable[[Pipeline], None], spark: SparkSession | None
) -> int:
    """How many moments there are: a check that fails here already says nothing about crashes."""
    pipeline, fuse = build(), Fuse()
    try:
        fused(pipeline, fuse).run(spark, progress=False)
    except Crash:
        pipeline.run(spark, progress=False)
    _check(check, pipeline, "no driver died: nobody disturbed this run")
    return fuse.count


def _restart(pipeline: Pipeline, spark: SparkSession | None, note: str, at: int) -> None:
    try:
        pipeline.run(spark, progress=False)
    except Exception as failure:
        failure.add_note(note)
        if at == 1:
            failure.add_note("Does build() make everything anew, log and databases too?")
        raise


def _check(check: Callable[[Pipeline], None], pipeline: Pipeline, note: str) -> None:
    try:
        check(pipeline)
    except AssertionError as failure:
        failure.add_note(note)
        raise


def _tell_terminal(line: str) -> None:
    if sys.stderr.isatty():
        sys.stderr.write(f"{line}\n")
        sys.stderr.flush()


def fused(pipeline: Pipeline, fuse: Fuse) -> Pipeline:
    """The same pipeline over the same world, with a fuse in everything it does."""
    state = pipeline.state
    return Pipeline(
        pipeline.name,
        inputs={n: Seam(i, n, INPUT_METHODS, fuse) for n, i in pipeline.inputs.items()},
        sinks={n: Seam(s, n, SINK_METHODS, fuse) for n, s in pipeline.sinks.items()},
        log=WindowLog(Seam(pipeline.log.storage, "log", STORAGE_VERBS, fuse)),
        transform=pipeline.transform,
        state=Seam(state, "state", STATE_METHODS, fuse) if state is not None else None,
        checkpoint_every=pipeline.checkpoint_every if state is not None else None,
        keep=pipeline.keep,
    )
