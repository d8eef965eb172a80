"""What a gear did; and what it has yet to do: each moment is hit as often as the others."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

# A moment that did not come in so many runs that waited for it lets others go first.
PATIENCE = 4
OCCURRENCE_MAX = 4


@dataclass
class Tally:
    """Kills by moment, and how many of them hit a window in flight; `lost` counts folders that went
    after a kill, `misses` runs that ended before their moment came, since it came last."""

    kills: Counter[str] = field(default_factory=Counter)
    interrupted: int = 0
    drained: int = 0
    windows: int = 0
    lost: Counter[str] = field(default_factory=Counter)
    misses: Counter[str] = field(default_factory=Counter)

    def choose(self, moments: Sequence[str], rng: random.Random) -> str:
        """One of those that were hit least."""
        tries = {each: self.kills[each] + self.misses[each] // PATIENCE for each in moments}
        fewest = min(tries.values())
        return rng.choice([each for each in tries if tries[each] == fewest])

    def occurrence(self, moment: str, rng: random.Random) -> int:
        """The how-manieth time it is to hit: an early one if it did not come before."""
        return rng.randint(1, max(1, OCCURRENCE_MAX - self.misses[moment]))

    def hit(self, moment: str, *, interrupted: bool) -> None:
        """A driver was killed there."""
        self.kills[moment] += 1
        self.misses[moment] = 0
        self.interrupted += interrupted

    def missed(self, moment: str) -> None:
        """A run ended before."""
        self.misses[moment] += 1
        self.drained += 1

    def never(self, moments: Sequence[str]) -> list[str]:
        """Which of them were not hit at all."""
        return [each for each in dict.fromkeys(moments) if not self.kills[each]]
