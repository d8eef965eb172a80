"""A pipeline with state, with one safeguard taken out: what the search must find."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace

import pytest

from windowed import loop as loop_module
from windowed.facts import Facts
from windowed.keeper import Keeper
from windowed.parts import Parts
from windowed.state_facts import Restart
from windowed.testing import storage_state
from windowlog.naming import staged_window


def only_the_newest(patch: pytest.MonkeyPatch) -> None:
    """A purge that spares only what the newest checkpoint needs."""
    patch.setattr(Keeper, "floor", property(lambda keeper: keeper._points[-1][0]))


def any_digest(patch: pytest.MonkeyPatch) -> None:
    """A checkpoint is believed whatever window of its number it is of."""

    def restarts(facts: Facts, reach: int | None = None) -> tuple[Restart, ...]:
        assert facts.state is not None, "there is one"
        given = tuple(
            replace(one, digest=facts.digests.get(one.window_id, ""))
            for one in facts.state.checkpoints
        )
        return believed(replace(facts, state=replace(facts.state, checkpoints=given)), reach)

    believed = Facts.restarts
    patch.setattr(Facts, "restarts", restarts)


def all_swept(patch: pytest.MonkeyPatch) -> None:
    """What no record names is removed, though another driver may have just staged it."""

    def swept(names: Iterable[str], kept: Iterable[str], floor: int) -> list[str]:
        spared = set(kept)
        return [n for n in names if staged_window(n) is not None and n not in spared]

    patch.setattr(storage_state, "swept", swept)


def errors_as_they_are(patch: pytest.MonkeyPatch) -> None:
    """Nobody asks whether another driver has caused an error."""

    @contextmanager
    def fencing(parts: Parts, held: Mapping[str, int], keeper: object = None) -> Iterator[None]:
        yield

    patch.setattr(loop_module, "fencing", fencing)


def forgotten(patch: pytest.MonkeyPatch) -> None:
    """A start goes on from what the sinks hold, with the newest checkpoint that there is."""
    patch.setattr(Facts, "start", property(lambda facts: facts.held_min))
