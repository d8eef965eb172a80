"""What a driver does, as a tree: where it stands depends only on what its steps returned so far.

The real loop is run again from its start whenever the tree grows a branch: recorded results are
played back to it, and then it runs on, alone, which grows the branch to its end. So each way
through the code is run once, and two drivers that saw the same stand at the same place."""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from tests.windowed.search.seams import Perform
from tests.windowed.search.world import Action, World, act


@dataclass(eq=False, slots=True)
class Place:
    """Where a driver stands: about to do `action`, or at its end with `outcome` (an error, or
    None)."""

    number: int
    run: int
    before: Place | None
    result: object = None
    action: int = -1
    ended: bool = False
    outcome: BaseException | None = None
    after: dict[int, Place] = field(default_factory=dict)


class Universe:
    """Every world, action and result met so far, each under a number; steps are remembered."""

    def __init__(self) -> None:
        self.worlds: list[World] = []
        self.actions: list[Action] = []
        self.results: list[object] = []
        self._world_numbers: dict[object, int] = {}
        self._action_numbers: dict[Action, int] = {}
        self._result_numbers: dict[object, int] = {}
        self._steps: dict[tuple[int, int], tuple[int, int]] = {}

    def world(self, world: World) -> int:
        """The number of a world."""
        return _number(self._world_numbers, self.worlds, world.key(), world)

    def action(self, action: Action) -> int:
        """The number of an action."""
        return _number(self._action_numbers, self.actions, action, action)

    def step(self, world: int, action: int) -> tuple[int, int]:
        """The world after it, and what it returned."""
        known = self._steps.get((world, action))
        if known is None:
            after, result = act(self.worlds[world], self.actions[action])
            key = result if isinstance(result, bytes | tuple) else repr(result)
            number = _number(self._result_numbers, self.results, key, result)
            known = self._steps[world, action] = self.world(after), number
        return known


class Tracks:
    """All ways of one driver's run. `program` does the run, each step through `perform`."""

    def __init__(
        self,
        universe: Universe,
        places: list[Place],
        run: int,
        program: Callable[[Perform], None],
    ) -> None:
        self._run = run
        self._universe = universe
        self._places = places
        self._program = program
        self.start = self._new(None, None)

    def after(self, place: Place, result: int, world: int) -> Place:
        """Where the driver stands once the step at `place` has returned `result`, in `world`."""
        known = place.after.get(result)
        if known is None:
            known = place.after[result] = self._new(place, self._universe.results[result])
            self.grow(known, world)
        return known

    def grow(self, place: Place, world: int) -> None:
        """Run from the start to `place`, and on, alone, to the end."""
        results: list[object] = []
        at: Place | None = place
        while at is not None and at.before is not None:
            results.append(at.result)
            at = at.before
        play = _Play(self._universe, self._new, results[::-1], place, world)
        outcome: BaseException | None = None
        try:
            self._program(play.perform)
        except Exception as error:  # noqa: BLE001 (whatever ends a driver is what is looked at)
            outcome = error.with_traceback(None)
        play.place.ended, play.place.outcome = True, outcome

    def _new(self, before: Place | None, result: object) -> Place:
        place = Place(len(self._places), self._run, before, result)
        self._places.append(place)
        return place


class _Play:
    """One run: what is recorded is played back, what comes after it is new."""

    def __init__(
        self,
        universe: Universe,
        new: Callable[[Place | None, object], Place],
        recorded: list[object],
        place: Place,
        world: int,
    ) -> None:
        self._universe = universe
        self._new = new
        self._recorded = recorded
        self._count = 0
        self.place = place
        self._world = world

    def perform(self, action: Action) -> Any:
        """The step's result: recorded, or made in the world."""
        self._count += 1
        if self._count <= len(self._recorded):
            return _deliver(self._recorded[self._count - 1])
        number = self._universe.action(action)
        self.place.action = number
        self._world, result = self._universe.step(self._world, number)
        value = self._universe.results[result]
        following = self.place.after[result] = self._new(self.place, value)
        self.place = following
        return _deliver(value)


def _deliver(result: object) -> object:
    if isinstance(result, Exception):
        # A copy: an error that is raised again and again would gather tracebacks.
        raise copy.copy(result)
    return result


def _number(numbers: dict[Any, int], values: list[Any], key: object, value: object) -> int:
    known = numbers.get(key)
    if known is None:
        known = numbers[key] = len(values)
        values.append(value)
    return known
