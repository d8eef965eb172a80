"""Every interleaving of drivers on machines with a folder each and one mirror between them.

A step is a verb on one side; any may be a driver's last. In between the mirror may go away and come
back, once, and a machine may lose its folder. What a driver counts (what an append returned, and
what a start would replay) is written down in the same world.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime, tzinfo
from functools import partial
from typing import TypeAlias

import pytest

from tests.windowed.search.drivers import identified
from tests.windowed.search.seams import Perform, SeamStorage
from tests.windowed.search.tracks import Place, Tracks, Universe
from tests.windowed.search.world import Action, Record, World
from tests.windowlog.drafts import NOON, PIPELINE, draft
from tests.windowlog.mirror_promises import COUNTED, FAR, LOST, broken
from windowlog import header, naming
from windowlog.errors import StorageFailed
from windowlog.log import WindowLog
from windowlog.storage import MirroredStorage, absence
from windowlog.window import Window

WEATHER = "weather"
AWAY = (WEATHER, "away")
WAS_AWAY = (WEATHER, "was away")
NOTED = Record(b"")
STATES_MAX = 2_000_000

# A world's number, and the place of each driver.
State: TypeAlias = tuple[int, tuple[int, ...]]


class Stopped:
    """A clock on which two runs that do the same write the same."""

    @staticmethod
    def now(zone: tzinfo) -> datetime:
        """Always noon."""
        return NOON.astimezone(zone)


class OneStep(SeamStorage):
    """Power is not cut here: a creation is one step, and a sync none."""

    def __init__(self, perform: Perform, folder: str) -> None:
        super().__init__(perform, folder)
        self._quiet = folder.endswith((naming.SKIPS, naming.ADOPTIONS))

    def create(self, name: str, data: bytes) -> None:
        """One step."""
        self.begin(name, data)

    def delete(self, name: str, *, durable: bool = True) -> None:
        """One step."""
        super().delete(name, durable=False)

    def sync(self, name: str | None = None) -> None:
        """A look, where it can fail; the mirror does not answer it when it is away."""
        if name is not None:
            self.read(name)


@dataclass(frozen=True)
class Setting:
    """`drivers` are machine and number of runs of each driver: a next run begins at the end of the
    one before it, or where that has crashed. Each wants `windows` windows. `may_lose`: which
    machine may lose its folder; `weather`: the mirror may be away; `adopts`: drivers that say
    `adopt --folder` first; `begun`: a driver on machine one had logged window 1 before all this;
    `due`: a mirror that was away is asked again at the next creation. `kind` is the storage: a
    weakened one should bite."""

    drivers: tuple[tuple[str, int], ...]
    required: bool = True
    windows: int = 1
    weather: bool = False
    may_lose: str = ""
    kind: Callable[..., MirroredStorage] = MirroredStorage
    adopts: tuple[int, ...] = ()
    begun: bool = False
    due: bool = False


@dataclass
class Found:
    """How many states there were, and the first broken promise with the way there."""

    states: int = 0
    problem: str | None = None
    steps: list[str] = field(default_factory=list)


class Skies(Universe):
    """A mirror that is away answers nothing."""

    def step(self, world: int, action: int) -> tuple[int, int]:
        """As ever, but for the mirror's."""
        if self.actions[action].place.split("/")[0] == FAR and AWAY in self.worlds[world].records:
            error = StorageFailed(where=FAR, reason="no answer", remedy="")
            known = self._result_numbers.get("away")
            if known is None:
                known = self._result_numbers["away"] = len(self.results)
                self.results.append(error)
            return world, known
        return super().step(world, action)


def drive(setting: Setting, number: int, run: int, perform: Perform) -> None:
    """One run: it starts, says what it would replay, and appends."""
    machine, run_id = setting.drivers[number][0], f"run {number}.{run}"
    near, far = OneStep(perform, machine), OneStep(perform, FAR)
    storage = setting.kind(near, far, required=setting.required, clock_s=lambda: 0.0)
    log = WindowLog(storage)
    with identified(run_id), pytest.MonkeyPatch.context() as patch, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        patch.setattr(header, "datetime", Stopped)
        patch.setattr(absence, "RETRY_S", 0.0 if setting.due else 60.0)
        if number in setting.adopts:
            storage.pair.take_over()
        log.open(PIPELINE, run_id)
        state = log.scan()
        storage.begin()
        for window_id in range(state.first, state.newest + 1):
            _count(perform, storage, machine, log.read(window_id))
        log.create()
        while log.newest < setting.windows:
            made = draft(log.newest + 1, run_id=run_id, planned_at=NOON)
            _count(perform, storage, machine, log.append(made))


def _count(perform: Perform, storage: MirroredStorage, machine: str, window: Window) -> None:
    how = "both" if storage.pair.away is None else "alone"
    name = f"{window.id} {window.digest} {machine} {how}"
    perform(Action("overwrite", COUNTED, name, b"counted"))


class Search:
    """Depth first; each state once."""

    def __init__(self, setting: Setting) -> None:
        self.setting = setting
        self.universe = Skies()
        self.places: list[Place] = []
        self.tracks = [
            [
                Tracks(self.universe, self.places, run, partial(drive, setting, number, run))
                for run in range(runs)
            ]
            for number, (_, runs) in enumerate(setting.drivers)
        ]
        self.graves = [[self._grave(run) for run in range(runs)] for _, runs in setting.drivers]
        self.found = Found()

    def _grave(self, run: int) -> Place:
        place = Place(len(self.places), run, self.places[0], ended=True)
        self.places.append(place)
        return place

    def explore(self) -> Found:
        """From an empty world, or one that was begun."""
        start = self._begun() if self.setting.begun else self.universe.world(World())
        first: State = (start, tuple(tracks[0].start.number for tracks in self.tracks))
        parents: dict[State, State | None] = {first: None}
        stack = [first]
        while stack and self.found.problem is None:
            assert self.found.states < STATES_MAX, "a search larger than planned"
            state = stack.pop()
            self.found.states += 1
            self._check(state, parents)
            for successor in self._successors(*state):
                if successor not in parents:
                    parents[successor] = state
                    stack.append(successor)
        return self.found

    def _begun(self) -> int:
        world = self.universe.world(World())

        def perform(action: Action) -> object:
            nonlocal world
            world, result = self.universe.step(world, self.universe.action(action))
            value = self.universe.results[result]
            if isinstance(value, Exception):
                raise value
            return value

        before = Setting((("one", 1),), required=self.setting.required)
        drive(before, 0, 9, perform)
        return world

    def _successors(self, world: int, places: tuple[int, ...]) -> Iterator[State]:
        for number in range(len(places)):
            if self._unseen(world, places, number):
                # Nobody else can tell when it happened: one order of it is enough.
                yield from self._moves(world, places, number)
                return
        for number in range(len(places)):
            yield from self._moves(world, places, number)
        for changed in self._weather(self.universe.worlds[world], places):
            yield self.universe.world(changed[0]), changed[1]

    def _moves(self, world: int, places: tuple[int, ...], number: int) -> Iterator[State]:
        place, runs = self.places[places[number]], self.tracks[number]
        tracks = runs[place.run]
        if place is tracks.start and place.action < 0:
            tracks.grow(place, world)
        if not place.ended:
            after, result = self.universe.step(world, place.action)
            following = tracks.after(place, result, after)
            yield after, (*places[:number], following.number, *places[number + 1 :])
        if place is not tracks.start and place.run + 1 < len(runs):
            start = runs[place.run + 1].start.number
            yield world, (*places[:number], start, *places[number + 1 :])

    def _unseen(self, world: int, places: tuple[int, ...], number: int) -> bool:
        """Is the driver's next step one in a folder that no other driver has?"""
        machine = self.setting.drivers[number][0]
        others = [other for other, _ in self.setting.drivers if other == machine]
        place = self.places[places[number]]
        if place.action < 0 or place.ended or len(others) > 1 or machine == self.setting.may_lose:
            return False
        return self.universe.actions[place.action].place.split("/")[0] == machine

    def _weather(
        self, world: World, places: tuple[int, ...]
    ) -> Iterator[tuple[World, tuple[int, ...]]]:
        records = dict(world.records)
        if AWAY in records:
            back = {at: record for at, record in records.items() if at != AWAY}
            yield replace(world, records=back), places
        elif self.setting.weather and WAS_AWAY not in records:
            yield replace(world, records={**records, AWAY: NOTED, WAS_AWAY: NOTED}), places
        if self.setting.may_lose and LOST not in records:
            kept = {
                at: record
                for at, record in records.items()
                if at[0].split("/")[0] != self.setting.may_lose
            }
            yield replace(world, records={**kept, LOST: NOTED}), self._dead(places)

    def _dead(self, places: tuple[int, ...]) -> tuple[int, ...]:
        """Drivers that had begun on the lost machine are no more."""
        left = list(places)
        for number, (machine, _) in enumerate(self.setting.drivers):
            place = self.places[places[number]]
            tracks = self.tracks[number][place.run]
            if machine == self.setting.may_lose and place is not tracks.start:
                # At its end, so that the next run may begin.
                left[number] = self.graves[number][place.run].number
        return tuple(left)

    def _check(self, state: State, parents: dict[State, State | None]) -> None:
        world = self.universe.worlds[state[0]]
        problem = broken(world, self.setting.may_lose, adopts=bool(self.setting.adopts))
        if problem is None:
            return
        self.found.problem = problem
        at: State | None = state
        while at is not None:
            before = parents[at]
            self.found.steps.append(self._told(before, at))
            at = before
        self.found.steps.reverse()

    def _told(self, before: State | None, state: State) -> str:
        if before is None:
            return "an empty world"
        old, new = before[1], state[1]
        for number, (was, is_now) in enumerate(zip(old, new, strict=True)):
            if was != is_now:
                who = f"driver {number} on {self.setting.drivers[number][0]}"
                starts = self.places[is_now].run != self.places[was].run
                action = self.universe.actions[self.places[was].action]
                return f"{who}: {'starts anew' if starts else action}"
        return "the weather changes, or a machine is lost"
