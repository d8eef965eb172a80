"""The errors of the loop.

KitError
├── Refused                 WD0   the base of all refusals at a start; each prints its choices
│   ├── LogCorrupted        WD1   row A
│   ├── PositionLost        WD2   row B
│   ├── LogMismatch         WD3   row C
│   ├── TargetLost          WD4   row T
│   ├── TargetChanged       WD5   row U
│   ├── LedgerLost          WD6   row V
│   ├── SinkRenamed         WD7   row S
│   ├── NewSink             WD8   row W
│   ├── InputChanged        WD9   row X
│   ├── MemoryLost          WD10  row Y
│   ├── PlansPurged         WD11  row D
│   └── StateLost           WD22  row Z
├── WrongOutputs            WD12  the transform returned something else than frames for the sinks
├── TimedOut                WD13  `windows(n, timeout_s=)` ran out
├── NotLocated              WD14  MODULE:PIPELINE names no pipeline
├── ChoiceRefused           WD15  a command that would lose or double records
├── OutOfTurn               WD16  the own loop called `next` or `hold` in the wrong order
├── InUse                   WD17  one Pipeline object was asked to do two things at once
├── RunsOnImport            WD18  a command's module runs its pipeline while it is imported
└── WorkersUnfit            WD21  Spark's Python workers lack what the pipeline needs
"""

from __future__ import annotations

from windowlog.errors import KitError


class Refused(KitError):
    """Pipeline {pipeline!r} is not started: {reason}. No data was touched."""

    code = "WD0"


class LogCorrupted(Refused):
    """Pipeline {pipeline!r} is not started: the window log {where} lacks plans that are needed:
    {windows}, missing or damaged (it reaches from {oldest} to {newest}). No data was touched."""

    code = "WD1"


class PositionLost(Refused):
    """Pipeline {pipeline!r} is not started: window {beyond} is held by {sinks}, and its plan in
    {where} is damaged, so where it ended is not known from the log. No data was touched."""

    code = "WD2"


class LogMismatch(Refused):
    """Pipeline {pipeline!r} is not started: {positions}, and {log_ends}, so they do not belong
    together: a wrong folder, a deleted log, or an older backup. No data was touched."""

    code = "WD3"


class TargetLost(Refused):
    """Pipeline {pipeline!r} is not started: {positions}, and nothing is there any more of
    {targets}. No data was touched."""

    code = "WD4"


class TargetChanged(Refused):
    """Pipeline {pipeline!r} is not started: {changes}. What was written before stays where it is.
    No data was touched."""

    code = "WD5"


class LedgerLost(Refused):
    """Pipeline {pipeline!r} is not started: window {newest} of the log {where} lists {sinks}, and
    nothing is remembered of that in {memories}. No data was touched."""

    code = "WD6"


class SinkRenamed(Refused):
    """Pipeline {pipeline!r} is not started: {arrivals}, but another sink of this pipeline has
    filled the target ({others}). No data was touched."""

    code = "WD7"


class NewSink(Refused):
    """Pipeline {pipeline!r} is not started: {sinks} joined, the log {where} is at window {newest},
    and nothing says where to begin. No data was touched."""

    code = "WD8"


class InputChanged(Refused):
    """Pipeline {pipeline!r} is not started: {changes}. No data was touched."""

    code = "WD9"


class MemoryLost(Refused):
    """Pipeline {pipeline!r} is not started: what is remembered of {inputs} is gone or damaged in
    {where}, or older than the plans that were purged (those before {oldest}). No data was
    touched."""

    code = "WD10"


class PlansPurged(Refused):
    """Pipeline {pipeline!r} is not started: {positions}, and the plans before {oldest} were purged
    from {where}, so the windows between cannot be replayed: was an older backup put back? No data
    was touched."""

    code = "WD11"


class StateLost(Refused):
    """Pipeline {pipeline!r} is not started: its state is not known: {checkpoints}, and the plans
    before {oldest} were purged from {where}, so it cannot be made anew. No data was touched."""

    code = "WD22"


class WrongOutputs(KitError):
    """{what} pipeline {pipeline!r} {gave} {found}; {allowed}. The window was not written; it is
    replayed when that is corrected."""

    code = "WD12"


class TimedOut(KitError):
    """Pipeline {pipeline!r} was to run {wanted} windows in {timeout_s} s and ran {ran}. All of them
    are whole; the next run goes on."""

    code = "WD13"


class NotLocated(KitError):
    """{locator!r} names no pipeline: {reason}. Write MODULE:NAME or FILE.py:NAME, where NAME is a
    Pipeline or a function that returns one, as in jobs/counts.py:pipeline or
    jobs.counts:build('in')."""

    code = "WD14"


class ChoiceRefused(KitError):
    """{command} is not possible: {reason}. Nothing was changed. {remedy} {looked}"""

    code = "WD15"


class OutOfTurn(KitError):
    """{what}. Call next(), then hold() for the window it gave, then next() again."""

    code = "WD16"


class InUse(KitError):
    """Pipeline {pipeline!r} is running in this process already. Stop that run first, or make
    another Pipeline object to look with. Nothing was changed."""

    code = "WD17"


class RunsOnImport(KitError):
    """Pipeline {pipeline!r} is run by its module while a command imports it, and a command only
    looks: it was not run. Put the run under `if __name__ == "__main__":`, and try again."""

    code = "WD18"


class WorkersUnfit(KitError):
    """Spark's Python workers cannot do their work: {reason}. Which Python they are: {workers}; the
    driver's is {driver}. The window was not held; the next run goes on from it. Let PYSPARK_PYTHON
    name a Python with the same packages as the driver's, at the same path on each machine that runs
    tasks, before the session is made: `export PYSPARK_PYTHON={driver}`.{also}"""

    code = "WD21"
