"""When to look for the next window, and until when: `every(s)`, `drained()`, `windows(n)`,
`forever()`."""

from __future__ import annotations

from dataclasses import dataclass

from windowlog.errors import BadArgument


@dataclass(frozen=True, slots=True)
class Trigger:
    """`every(interval_s)`: windows begin on multiples of this interval since the start; 0: as fast
    as they come."""

    interval_s: float = 0.0


@dataclass(frozen=True, slots=True)
class Until:
    """When a run ends by itself. `drain`: at what existed when it began. `count`: after that many
    new windows. `retry`: passing faults are waited out."""

    drain: bool = False
    count: int | None = None
    timeout_s: float | None = None
    retry: bool = False


def every(seconds: float) -> Trigger:
    """A window each so many seconds; one that takes longer is followed at once."""
    value: object = seconds
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < 1e9:
        raise BadArgument(argument="every(seconds)", value=seconds, allowed="seconds above 0")
    return Trigger(float(value))


def drained() -> Until:
    """Until all that existed when the run began is held: for cron and Airflow. Waits for what is
    not yet readable."""
    return Until(drain=True)


def windows(count: int, *, timeout_s: float | None = None) -> Until:
    """Until `count` new windows are held (replayed ones do not count), or TimedOut after
    `timeout_s` seconds."""
    value: object = count
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise BadArgument(argument="windows(count)", value=count, allowed="a whole number from 1")
    if timeout_s is not None and not timeout_s > 0:
        raise BadArgument(argument="timeout_s", value=timeout_s, allowed="seconds above 0, or None")
    return Until(count=count, timeout_s=timeout_s)


def forever() -> Until:
    """Until it is stopped. Passing faults are retried with growing pauses."""
    return Until(retry=True)
