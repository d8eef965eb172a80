"""What must be true of every world that can be reached: each function says what is broken, or
None."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace

from tests.windowed.search.drivers import INPUT, PIPELINE, Setting, drive
from tests.windowed.search.manifest_sink import read_manifest
from tests.windowed.search.world import Action, World, act, damaged
from windowed.testing.list_sink import ListSink
from windowlog import codec, naming
from windowlog.errors import Fenced, KitError, RecordTorn

PLAIN_TAKE = 1


@dataclass(frozen=True)
class Shown:
    """A sink as a reader finds it: the window it holds (None: nothing at all yet), that window's
    digest, where it should end, every number in it in order, the newest window a reader of files
    sees, and each window's first number with that which the state said, where they differ."""

    held: int | None
    digest: str
    end: int
    numbers: list[int]
    published: int | None
    seen: list[tuple[int, int]] = field(default_factory=list)


def broken(world: World, setting: Setting) -> str | None:
    """Rows are a prefix, each once, and the log can go on from them."""
    shown = _shown(world, setting)
    held = [sink.held for sink in shown.values() if sink.held is not None]
    for name, sink in shown.items():
        problem = _rows(sink) or _plan(world, sink)
        if problem is None and (sink.published or 0) > min(held, default=0):
            problem = f"window {sink.published} is published, and some sink does not hold it (I4)"
        if problem is not None:
            return f"sink {name}: {problem}"
    return None


def misplaced(world: World, setting: Setting) -> str | None:
    """A backup was put back under a driver: only that every sink has the first so many numbers,
    each once, and knows how many; now, and after a driver alone that ends well or with an error.

    Files cannot be compared and renamed in one step. Until that driver has found it, rows that a
    manifest names may be gone, or another run's, or be seen before they are held. With a state
    there is one number more for it, to be made with that."""
    alone = Alone(world)
    more = setting.count + (setting.checkpoint_every is not None)
    try:
        drive(replace(setting, count=more), "alone", PLAIN_TAKE, alone.perform)
        refused = False
    except KitError:
        refused = True
    for moment, seen in (("", world), ("after a driver alone: ", alone.world)):
        for name, sink in _shown(seen, setting).items():
            files = not issubclass(setting.sinks[name], ListSink)
            early = seen is world and (sink.published or 0) > (sink.held or 0)
            prefix = sink.numbers == list(range(len(sink.numbers)))
            excused = files and prefix and (refused or early)
            problem = None if excused else _rows(sink)
            if problem is not None:
                return f"{moment}sink {name}: {problem}"
    return None


def stuck(world: World, setting: Setting) -> str | None:
    """Let every driver be dead: one more, alone, must start, and bring every number in.

    With a state, one number more than there was; and once more where its newest checkpoint is
    damaged."""
    if setting.checkpoint_every is None:
        return _drained(world, setting)
    more = replace(setting, count=setting.count + 1)
    problem = _drained(world, more)
    harmed = damaged(world) if problem is None else None
    if harmed is not None:
        problem = _drained(harmed, more)
        problem = problem and f"with the newest checkpoint damaged: {problem}"
    return problem


def _drained(world: World, setting: Setting) -> str | None:
    alone = Alone(world)
    try:
        drive(setting, "alone", PLAIN_TAKE, alone.perform)
    except Exception as error:  # noqa: BLE001 (any error is the finding)
        return f"a driver alone ended with {type(error).__name__}: {error}"
    problem = broken(alone.world, setting)
    if problem is None:
        for name, kind in setting.sinks.items():
            ledger = issubclass(kind, ListSink)
            sink = _ledger(alone.world, name) if ledger else _files(alone.world, name)
            if sink.end != setting.count or (not ledger and sink.published != sink.held):
                problem = f"sink {name} has {sink.numbers} after a driver alone has drained"
    return problem and f"after a driver alone: {problem}"


def unforeseen(outcome: BaseException | None) -> str | None:
    """A driver may end well, or fenced by another one; anything else is a false alarm."""
    if outcome is None or isinstance(outcome, Fenced):
        return None
    return f"a driver ended with {type(outcome).__name__}: {outcome}"


def _shown(world: World, setting: Setting) -> dict[str, Shown]:
    return {
        name: _ledger(world, name) if issubclass(kind, ListSink) else _files(world, name)
        for name, kind in setting.sinks.items()
    }


class Alone:
    """A driver alone in its world: every step happens at once."""

    def __init__(self, world: World) -> None:
        self.world = world

    def perform(self, action: Action) -> object:
        """The step, and what it says."""
        self.world, result = act(self.world, action)
        if isinstance(result, Exception):
            raise result
        return result


def _rows(sink: Shown) -> str | None:
    if sink.seen:
        return f"it has {sink.seen}: the state it was made with is not that of what was before"
    if sink.numbers == list(range(sink.end)):
        return None
    return f"it has {sink.numbers}, and its memory says that it has the first {sink.end}"


def _plan(world: World, sink: Shown) -> str | None:
    """I1 and I5: the plan of the window that is held is there, durable, and the one it was held
    with."""
    if sink.held is None or sink.held == 0:
        return None
    mark = max(naming.attempts(world.folder(f"log/{naming.MARKS}")), default=0)
    if mark > sink.held:
        return f"it holds window {sink.held}, and the log's mark is {mark} (I5)"
    folder = f"log/{naming.WINDOWS}"
    attempts = naming.attempts(world.folder(folder)).get(sink.held)
    if not attempts:
        return f"plan {sink.held} is not there, and it holds that window (I1)"
    name = naming.numbered(sink.held, attempts[-1])
    record = world.records[folder, name]
    assert record.seen is not None, "it was listed"
    if codec.digest(record.seen) != sink.digest:
        return f"it holds window {sink.held} with another plan than {name} (I2)"
    if record.others:
        return f"plan {sink.held} is not durable, and it holds that window (I1)"
    try:
        codec.decode(record.seen, kind="window", record_id=sink.held, name=name)
    except RecordTorn:
        return f"it holds window {sink.held}, whose plan is torn"
    return None


def _ledger(world: World, name: str) -> Shown:
    store = world.store(name)
    memory = store.memory.get((PIPELINE, name))
    windows = [store.windows[window] for window in sorted(store.windows)]
    numbers = [row["number"] for window in windows for row in window]
    firsts = [(window[0]["number"], window[0].get("seen")) for window in windows if window]
    wrong = [(first, seen) for first, seen in firsts if seen not in (None, first)]
    if memory is None:
        return Shown(None, "", 0, numbers, None)
    end = memory.positions.get(INPUT, 0)
    assert isinstance(end, int), "positions come from plans"
    return Shown(memory.window_id, memory.digest, end, numbers, None, wrong)


def _files(world: World, name: str) -> Shown:
    """What is published, and what manifests at or above the mark will publish."""
    files = world.folder(f"{name}/files")
    manifests = world.folder(f"{name}/manifests")
    mark = max(naming.attempts(world.folder(f"{name}/marks")), default=0)
    seen = sorted(file for file in files if "." not in file or file.endswith(".taken"))
    published = sorted({int(file.split(".")[0]) for file in seen})
    numbers = [number for file in seen for (number,) in json.loads(files[file])]
    held, lost = None, False
    for number in (n for n in naming.attempts(manifests) if n >= mark):
        held = read_manifest(number, manifests[naming.numbered(number)]).held
        if number > 0 and held.window_id not in published:
            staged = files.get(f"{held.window_id:012d}.{held.run_id}")
            lost = lost or staged is None
            # Nothing is published past what is lost.
            numbers += [] if lost or staged is None else [n for (n,) in json.loads(staged)]
    last = published[-1] if published else 0
    if published != list(range(1, last + 1)):
        numbers.append(-1)
    if held is None:
        return Shown(None, "", 0, numbers, last)
    end = held.positions.get(INPUT, 0)
    assert isinstance(end, int), "positions come from plans"
    return Shown(held.window_id, held.digest, end, numbers, last)
