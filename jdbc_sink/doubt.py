"""What an unknown COMMIT means, and a compare-and-set that moved no row: by reading the ledger
back. Pure.

    the ledger says                                   then the window is
    n, our log, our target, our digest, our run id    held
    n-1, our log, our target, the digest before       not held: run it again
    anything else                                     another driver's: fenced
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from windowlog.window import Window
    from windowlog.wiring import Held, SinkIdentity


class Verdict(Enum):
    """What is known of a window after reading back."""

    HELD = "held"
    NOT_HELD = "not held"
    FENCED = "fenced"


def judge(window: Window, run_id: str, identity: SinkIdentity, found: Held | None) -> Verdict:
    """What the ledger's row says of `window`, which the run `run_id` tried to hold in `identity`.

    Our digest alone is not enough: a driver that replays the same plan beside us has the same one,
    and what it staged need not be what we staged."""
    if found is None or (found.log_id, found.identity) != (window.log_id, identity):
        return Verdict.FENCED
    if (found.window_id, found.digest, found.run_id) == (window.id, window.digest, run_id):
        return Verdict.HELD
    if (found.window_id, found.digest) == (window.id - 1, window.previous):
        return Verdict.NOT_HELD
    return Verdict.FENCED
