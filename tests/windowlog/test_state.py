"""LogState: what a listing means. L is the newest intact plan, F the oldest kept one."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.windowlog.drafts import begun
from windowlog.state import LogState, believed, derive
from windowlog.storage.memory import MemoryStorage
from windowlog.window import Window

WINDOW = begun(MemoryStorage(), 1).read(1)


def _newest(window_id: int | None) -> Window | None:
    return None if window_id is None else replace(WINDOW, id=window_id)


def _named(*windows: int) -> dict[int, int]:
    return dict.fromkeys(windows, 0)


# first, mark, windows with a name, newest intact -> oldest, newest, torn, damaged
CASES: dict[
    str, tuple[int, int, dict[int, int], int | None, tuple[int, int, bool, tuple[int, ...]]]
]
CASES = {
    "empty": (1, 1, _named(), None, (1, 0, False, ())),
    "one": (1, 1, _named(1), 1, (1, 1, False, ())),
    "three": (1, 1, _named(1, 2, 3), 3, (1, 3, False, ())),
    "the first is torn": (1, 1, _named(1), None, (1, 0, True, ())),
    "the newest is torn": (1, 1, _named(1, 2, 3), 2, (1, 2, True, ())),
    "two at the end are damaged": (1, 1, _named(1, 2, 3), 1, (1, 1, False, (2, 3))),
    "one far beyond": (1, 1, _named(1, 4), 1, (1, 1, False, (4,))),
    "the first one is missing and the second torn": (1, 1, _named(2), None, (1, 0, False, (2,))),
    "a hole": (1, 1, _named(1, 3), 3, (1, 3, False, (2,))),
    "a large hole": (1, 1, _named(1, 5), 5, (1, 5, False, (2, 3, 4))),
    "purged": (1, 3, _named(3, 4), 4, (3, 4, False, ())),
    "purged, and the newest is torn": (1, 3, _named(3, 4), 3, (3, 3, True, ())),
    "purged, and a hole above": (1, 3, _named(3, 5), 5, (3, 5, False, (4,))),
    "purged, and the plan of the mark is gone": (1, 3, _named(4), 4, (4, 4, False, ())),
    "purged, and nothing is left": (1, 3, _named(), None, (3, 2, False, (3,))),
    "purged, and all that is left is torn": (1, 3, _named(3), None, (3, 2, True, (3,))),
    "purged, and two that are left are damaged": (1, 3, _named(3, 4), None, (3, 2, False, (3, 4))),
    "a hole, and two damaged at the end": (1, 1, _named(1, 3, 4, 5), 3, (1, 3, False, (2, 4, 5))),
    "begun at eight": (8, 8, _named(), None, (8, 7, False, ())),
    "begun at eight, one window": (8, 8, _named(8), 8, (8, 8, False, ())),
    "begun at eight, torn": (8, 8, _named(8), None, (8, 7, True, ())),
}


@pytest.mark.parametrize("name", CASES)
def test_a_listing_says(name: str) -> None:
    """Where the log begins and ends, whether L+1 is torn, and what is damaged."""
    first, mark, attempts, newest, (oldest, end, torn, damaged) = CASES[name]
    window = _newest(newest)
    wanted = LogState(first, mark, oldest, end, torn, damaged, window)
    assert derive(first, mark, attempts, window) == wanted


def test_only_names_at_or_above_the_mark_are_believed() -> None:
    """The highest attempt of each, in order; what is not ours is left out."""
    names = [
        "000000000005.json",
        "000000000002.json",
        "000000000003.10.json",
        "000000000003.9.json",
        "000000000003.json",
        "notes.txt",
    ]
    assert list(believed(names, 3).items()) == [(3, 10), (5, 0)]
    assert believed(names, 6) == {}
