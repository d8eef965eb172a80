"""What a folder's listing says, and what is read of it: LogState. Pure functions, no I/O.

Rules (docs/recovery.md):
1. Below the low-water mark nothing is believed (I8).
2. The highest attempt at a window counts; lower ones were torn when it was made.
3. The newest window L is the highest one whose record is intact. One damaged record at L+1 is
*torn*: its writer
   died. Anything beyond that is damage.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from windowlog import naming
from windowlog.window import Window


@dataclass(frozen=True, slots=True)
class LogState:
    """A log at one moment: `mark` (low-water mark), `oldest` kept plan F and `newest` intact plan
    L.

    Without plans `newest` is first - 1 and `oldest` is first. `torn` says that L+1 is there and
    damaged, `damaged` lists windows that are missing or damaged where they must not be. `window` is
    plan L.
    """

    first: int
    mark: int
    oldest: int
    newest: int
    torn: bool
    damaged: tuple[int, ...]
    window: Window | None = field(default=None, repr=False)


def believed(names: Iterable[str], mark: int) -> dict[int, int]:
    """Window -> its highest attempt, ascending, for the names at or above the mark."""
    return {
        window_id: attempts[-1]
        for window_id, attempts in naming.attempts(names).items()
        if window_id >= mark
    }


def derive(first: int, mark: int, attempts: Mapping[int, int], newest: Window | None) -> LogState:
    """The state, once the newest intact window has been found by reading from the top."""
    last = newest.id if newest is not None else mark - 1
    beyond = [window_id for window_id in attempts if window_id > last]
    torn = beyond == [last + 1]
    damaged = [] if torn else beyond
    oldest = min((window_id for window_id in attempts if window_id <= last), default=last + 1)
    # Purge deletes from below and spares the newest plan: with a mark past the first window, some
    # plan must be there.
    if newest is None and mark > first:
        damaged = [mark, *damaged]
    damaged += [w for w in range(oldest, last) if w not in attempts]
    return LogState(first, mark, oldest, last, torn, tuple(sorted(set(damaged))), newest)
