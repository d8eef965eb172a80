"""Absence: the time that a mirror is away, and what is said about it."""

from __future__ import annotations

from collections.abc import Callable

from windowlog.errors import MirrorAway, MirrorBack, StorageFailed
from windowlog.warned import warn

# A mirror that is away is asked again after a while, and ten times as long as that took: an outage
# then costs a tenth of the time at most.
RETRY_S = 60.0
RETRY_SHARE = 10


class Absence:
    """Whether the mirror is asked: `why` says why it is not, None while it is. `local` and `mirror`
    say where they are, `clock_s` the time in seconds."""

    def __init__(self, local: str, mirror: str, clock_s: Callable[[], float]) -> None:
        self.why: str | None = None
        self._local = local
        self._mirror = mirror
        self._clock_s = clock_s
        self._retry_s = 0.0

    def begin(self, error: Exception, began_s: float) -> None:
        """It failed with this error; the question was put at `began_s`. Said once."""
        new, self.why = self.why is None, _reason(error)
        now_s = self._clock_s()
        self._retry_s = now_s + max(RETRY_S, RETRY_SHARE * (now_s - began_s))
        if new:
            text = (
                f"the mirror {self._mirror} is away: windows count in"
                f" {self._local} alone until it is back ({self.why})"
            )
            warn(MirrorAway(text))

    def due(self) -> bool:
        """Is it away, and to be asked again by now?"""
        return self.why is not None and self._clock_s() >= self._retry_s

    def end(self) -> None:
        """It is back, and level."""
        warn(MirrorBack(f"the mirror {self._mirror} is back, and level"))

    def error(self) -> StorageFailed:
        """For what cannot be done meanwhile."""
        reason = f"it is away ({self.why})"
        return StorageFailed(where=self._mirror, reason=reason, remedy="Wait until it is back.")


def _reason(error: Exception) -> str:
    """Why it is away; not what an error says of runs that stop: this one goes on."""
    if isinstance(error, StorageFailed):
        return f"{error.values.get('where')}: {error.values.get('reason')}"
    return str(error).splitlines()[0] if str(error) else type(error).__name__
