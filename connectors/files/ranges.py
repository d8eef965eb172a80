"""How far a window reads in one file: always to a line's end, within limits, and never past a bound
but for that.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from connectors.files.lines import Read, last_line_end, next_line_end


class TooLong(Exception):
    """The line that begins where reading goes on is longer than allowed. `end` is where the next
    line begins.
    """

    def __init__(self, end: int) -> None:
        super().__init__(end)
        self.end = end


@dataclass(frozen=True, slots=True)
class Reach:
    """The limits for one file: read from `start`, of what existed at `bound` (the file has `size`
    bytes now).

    `room` is what is left of the window, `alone` is True when nothing else is in it yet,
    `take_rest()` says whether an unterminated last line counts as a line now.
    """

    start: int
    bound: int
    size: int
    room: int
    alone: bool
    line_bytes_max: int
    take_rest: Callable[[], bool]


def choose_end(read: Read, reach: Reach) -> int | None:
    """Where this window stops reading; None if there is only an unterminated line that is not to be
    taken now, `start` if there is a line for which this window has no room.

    A line that crosses the bound or the room is taken to its end: past the bound always, past the
    room only by a window that holds nothing else. Raises TooLong.
    """
    limit = min(reach.bound, reach.start + reach.room)
    whole = last_line_end(read, reach.start, limit)
    if whole == limit or (whole is not None and limit < reach.bound):
        return whole
    line_start = reach.start if whole is None else whole
    line_end = _line_end(read, line_start, limit, reach)
    if line_end is None:
        return whole
    if line_end - line_start > reach.line_bytes_max and whole is None:
        raise TooLong(line_end)
    fits = line_end - reach.start <= reach.room or (whole is None and reach.alone)
    return line_end if fits and line_end - line_start <= reach.line_bytes_max else line_start


def _line_end(read: Read, line_start: int, at: int, reach: Reach) -> int | None:
    """The end of the line that crosses `at`: behind its line end, or the file's end if the rest is
    taken.
    """
    found = next_line_end(read, at, reach.size)
    if found is not None:
        return found
    endless = reach.size - line_start > reach.line_bytes_max
    return reach.size if reach.size > line_start and (endless or reach.take_rest()) else None
