"""File name <-> window id: what is ours in a folder, and what is debris. The only place that knows
names.

A numbered record is `000000000042.json`; a later attempt beside a torn one, or the second skip of a
window, is `000000000042.1.json`, `000000000042.2.json` …, and the highest attempt counts.

What a run stages for a window has a name that no other attempt ever has:
`000000000042.RUN.TOKEN`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

HEADERS = "headers"
WINDOWS = "windows"
MARKS = "marks"
SKIPS = "skips"
ADOPTIONS = "adoptions"
INPUTS = "inputs"
PAIRINGS = "pairings"

# Twelve digits keep a listing in order for 10**12 windows: one each millisecond for thirty years.
# More are accepted.
_NUMBERED = re.compile(r"(\d{12,18})(?:\.([1-9]\d{0,8}))?\.json")
_STAGED = re.compile(r"(\d{12,18})\.([\w-]{1,64})\.([0-9a-f]{32})")


def numbered(record_id: int, attempt: int = 0) -> str:
    """The name of attempt `attempt` at record `record_id`."""
    return f"{record_id:012d}.json" if attempt == 0 else f"{record_id:012d}.{attempt}.json"


def parse(name: str) -> tuple[int, int] | None:
    """(record id, attempt), or None for a name that is not one of ours."""
    match = _NUMBERED.fullmatch(name)
    if match is None:
        return None
    key = int(match[1]), int(match[2] or 0)
    # One record, one name: a name written another way (thirteen digits with a leading zero) is not
    # ours.
    return key if numbered(*key) == name else None


def attempts(names: Iterable[str]) -> dict[int, list[int]]:
    """Record id -> its attempts, ascending, for all names that are ours."""
    found: dict[int, list[int]] = {}
    for name in names:
        key = parse(name)
        if key is not None:
            found.setdefault(key[0], []).append(key[1])
    return {record_id: sorted(found[record_id]) for record_id in sorted(found)}


def staged_name(window_id: int, run_id: str, token: str) -> str:
    """The name of one attempt of one run at one window."""
    return f"{window_id:012d}.{run_id}.{token}"


def staged_window(name: str) -> int | None:
    """The window that was staged under this name; None if it is not one of ours."""
    match = _STAGED.fullmatch(name)
    return int(match[1]) if match else None


def swept(names: Iterable[str], kept: Iterable[str], floor: int) -> list[str]:
    """Of what is staged that which goes: of windows before `floor`, and not `kept`. Later ones may
    be another driver's, at work just now."""
    spared = set(kept)
    return [
        name
        for name in names
        if (window_id := staged_window(name)) is not None
        and window_id < floor
        and name not in spared
    ]
