"""What an input plans: parts, plans, bounds, skips and seeks. Frozen values without behaviour.

Words are those of docs/glossary.md. Everything here but `Bounds` is stored as JSON, so it holds
nothing secret.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

Json: TypeAlias = "None | bool | int | float | str | list[Json] | dict[str, Json]"


@dataclass(frozen=True, slots=True)
class Part:
    """One piece of a plan, the smallest thing that a skip can name.

    `id` is unique inside its plan and readable (a file's path, a topic and partition); `detail` is
    all that the input needs to read exactly these rows again.
    """

    id: str
    detail: Mapping[str, Json]


@dataclass(frozen=True, slots=True)
class Plan:
    """What one input reads in one window. Once logged it never changes (I2).

    `parts` say what is read and, by their cut, how it is split into tasks. `end` is where the next
    plan of this input starts (the *next* offset, exclusive). `bytes` and `records` are the size,
    None where it is not known. A plan without parts is empty: it repeats the input's position.
    """

    parts: tuple[Part, ...]
    end: Json
    bytes: int | None = None
    records: int | None = None

    @property
    def empty(self) -> bool:
        """True when there is nothing to read."""
        return not self.parts


@dataclass(frozen=True, slots=True)
class Bounds:
    """What existed at one moment, in the input's own terms; never stored, given back only to its
    own input."""

    detail: object


@dataclass(frozen=True, slots=True)
class Skip:
    """A permission, recorded beside plan `window_id`, to do without one part of one input's plan.

    `number` counts a window's skips from 1 (0: not recorded yet). `amount` says in words how much
    is given up.
    """

    window_id: int
    input: str
    part: str
    amount: str
    reason: str
    number: int = 0


@dataclass(frozen=True, slots=True)
class Seek:
    """Where an input would start after `reset`, and what that costs.

    `end` becomes the end of an empty plan recorded beside the newest window. `again` and
    `passed_over` are numbers of records that will be read a second time, or never; None where that
    cannot be known.
    """

    end: Json
    again: int | None
    passed_over: int | None
