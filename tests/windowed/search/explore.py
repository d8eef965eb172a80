"""Every interleaving of several drivers: depth first, each state once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from tests.windowed.search.drivers import Setting, prepared, program
from tests.windowed.search.promises import broken, misplaced, stuck, unforeseen
from tests.windowed.search.tracks import Place, Tracks, Universe
from tests.windowed.search.world import World, cut_power, mixed

# The largest search here meets 25 million, in 5 GB; beyond this memory, not time, is the limit.
STATES_MAX = 40_000_000
_BITS = 24


@dataclass(frozen=True)
class Driver:
    """A driver that takes `take` numbers in each window and may be started `runs` times: after its
    end, or after a crash before any of its steps."""

    name: str
    take: int
    runs: int = 1


@dataclass
class Found:
    """What a search has seen: `states`, distinct `worlds`, and the first broken promise with the
    steps that led there, if any."""

    states: int = 0
    worlds: int = 0
    problem: str | None = None
    steps: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        seen = f"{self.states:,} states, {self.worlds:,} worlds"
        if self.problem is None:
            return f"{seen}: no promise broken"
        return "\n".join([f"{seen}: {self.problem}", *self.steps])


class Search:
    """One search. `power`: every world is also looked at after a power cut. `rows_only`: after a
    backup came back a refusal is in order; rows must still be right."""

    def __init__(
        self,
        setting: Setting,
        drivers: Iterable[Driver],
        *,
        power: bool = False,
        rows_only: bool = False,
    ) -> None:
        self.setting = setting
        self.drivers = list(drivers)
        self.power = power
        self.rows_only = rows_only
        self.universe = Universe()
        self.places: list[Place] = []
        self.runs = [
            [
                Tracks(
                    self.universe, self.places, run, program(setting, f"{d.name}{run + 1}", d.take)
                )
                for run in range(d.runs)
            ]
            for d in self.drivers
        ]
        self.checked: set[int] = set()
        self.cut: set[int] = set()
        self.parents: dict[int, int] = {}
        self.found = Found()

    def worlds_after_power_cuts(self) -> list[World]:
        """What a search with `power` has met after power cuts: where a next one may begin."""
        return [self.universe.worlds[number] for number in sorted(self.cut)]

    def explore(self, worlds: Iterable[World] = (World(),)) -> Found:
        """From each of these worlds, with no driver started yet."""
        with prepared(self.setting):
            for world in worlds:
                self._from(world)
        return self.found

    def explore_restored(self) -> Found:
        """The first driver, alone, may stop anywhere; then any earlier world comes back from a
        backup, under its feet, whole or only its log or only its sinks, and the others start."""
        starts = [tracks[0].start for tracks in self.runs]
        with prepared(self.setting):
            path = [(self.universe.world(World()), starts[0])]
            while not path[-1][1].ended:
                world, place = path[-1]
                if place is starts[0] and place.action < 0:
                    self.runs[0][0].grow(place, world)
                after, result = self.universe.step(world, place.action)
                path.append((after, self.runs[0][0].after(place, result, after)))
            for now, (_, place) in enumerate(path):
                present = self.universe.worlds[path[now][0]]
                earlier = [self.universe.worlds[number] for number in {w for w, _ in path[:now]}]
                for world in {
                    self.universe.world(w) for old in earlier for w in mixed(old, present)
                }:
                    others = [start.number for start in starts[1:]]
                    self._from_state(self._pack(world, [place.number, *others]))
        return self.found

    def _from(self, world: World) -> None:
        starts = [tracks[0].start.number for tracks in self.runs]
        self._from_state(self._pack(self.universe.world(world), starts))

    def _from_state(self, first: int) -> None:
        self.parents.setdefault(first, first)
        stack = [first]
        while stack and self.found.problem is None:
            assert self.found.states < STATES_MAX, "a search larger than any planned"
            state = stack.pop()
            self.found.states += 1
            at, places = self._unpack(state)
            self._check(state, at)
            for successor in self._successors(at, places):
                if successor not in self.parents:
                    self.parents[successor] = state
                    stack.append(successor)

    def _successors(self, world: int, places: list[int]) -> Iterator[int]:
        for driver, number in enumerate(places):
            place = self.places[number]
            tracks = self.runs[driver][place.run]
            if place is tracks.start and place.action < 0:
                tracks.grow(place, world)
            if not place.ended:
                after, result = self.universe.step(world, place.action)
                yield self._moved(after, places, driver, tracks.after(place, result, after))
            # A crash, or the end; in either case the next run may begin.
            if place is not tracks.start and place.run + 1 < len(self.runs[driver]):
                yield self._moved(world, places, driver, self.runs[driver][place.run + 1].start)

    def _moved(self, world: int, places: list[int], driver: int, place: Place) -> int:
        return self._pack(world, [*places[:driver], place.number, *places[driver + 1 :]])

    def _check(self, state: int, world: int) -> None:
        places = [self.places[number] for number in self._unpack(state)[1]]
        ended = [place for place in places if place.ended and not self.rows_only]
        problems = [unforeseen(place.outcome) for place in ended]
        problem: str | None = next((text for text in problems if text), None)
        if problem is None and world not in self.checked:
            problem = self._check_world(world)
        if problem is not None:
            self.found.problem, self.found.steps = problem, list(self._way(state))

    def _check_world(self, number: int) -> str | None:
        self.checked.add(number)
        self.found.worlds += 1
        world = self.universe.worlds[number]
        if self.rows_only:
            return misplaced(world, self.setting)
        problem = broken(world, self.setting) or stuck(world, self.setting)
        for left in cut_power(world) if self.power and problem is None else ():
            key = self.universe.world(left)
            if key not in self.cut and problem is None:
                self.cut.add(key)
                problem = stuck(left, self.setting)
                problem = problem and f"after a power cut: {problem}"
        return problem

    def _way(self, state: int) -> Iterator[str]:
        way = [state]
        while self.parents[way[-1]] != way[-1]:
            way.append(self.parents[way[-1]])
        for before, after in zip(way[::-1], way[-2::-1], strict=False):
            old, new = self._unpack(before)[1], self._unpack(after)[1]
            moved = next(i for i, pair in enumerate(zip(old, new, strict=True)) if len({*pair}) > 1)
            place = self.places[old[moved]]
            started = self.places[new[moved]].before is None
            what = "starts anew" if started else str(self.universe.actions[place.action])
            yield f"  {self.drivers[moved].name}{self.places[new[moved]].run + 1}: {what}"

    def _pack(self, world: int, places: list[int]) -> int:
        state = world
        for place in places:
            state = state << _BITS | place
        return state

    def _unpack(self, state: int) -> tuple[int, list[int]]:
        places = []
        for _ in self.drivers:
            places.append(state & (1 << _BITS) - 1)
            state >>= _BITS
        return state, places[::-1]
