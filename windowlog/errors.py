"""Every error of the kit begins here: one class for each thing that a person can do something
about.

    KitError
    ├── BadArgument (ValueError)      WL1   a wrong argument, found on construction
    ├── RecordNotFound (LookupError)  WL2   storage: there is no such name
    ├── RecordExists (FileExistsError) WL3  storage: create and rename never overwrite
    ├── RecordTorn                    WL4   a record was read completely and fails its check
    ├── NewerFormat                   WL5   written by a newer version
    ├── LogUnusable                   WL6   a log that cannot be opened or believed
    ├── WrongPipeline                 WL7   a log of another pipeline
    ├── Fenced                        WL8   another driver has taken over
    ├── NotHeld                       WL9   a window was surely not held; it may be tried again
    ├── CommitUnknown                 WL10  a commit was sent and its outcome cannot be read
    ├── PreviousFailure               WL11  the object refuses work until it is reopened (I7)
    ├── SourceChanged                 WL12  what was planned is no longer what is there
    ├── StorageUnsuitable             WL13  a folder or file system that cannot keep the promises
    ├── PlanTooLarge                  WL14  a window that lists more than a log record may hold
    ├── StorageFailed (OSError)       WL15  the disk is full or fails: it may pass
    ├── MirrorMismatch                WL16  the two sides of a log do not belong together
    ├── MirrorNotAdopted              WL17  this folder is not the one that the mirror names
    └── MirrorUnnamed                 WL18  one side of a log with a mirror, opened alone

The class docstring is the message template. Errors pickle, and never contain a password.
"""

from __future__ import annotations

import inspect
import shlex
from collections.abc import Sequence
from typing import ClassVar, TypeAlias

# What a command calls the pipeline where nobody knows yet what it is called.
PIPELINE = "MODULE:PIPELINE"

# (why one would choose it, command or "" for something done outside)
Choice: TypeAlias = tuple[str, str]

_DRY = "Each command only shows what it would do until --apply is added."


def pipeline_command(verb: str, *words: str) -> str:
    """A choice's command for the pipeline, quoted for a shell."""
    return f"python -m windowed {verb} {PIPELINE} {shlex.join(words)}"


class KitError(Exception):
    """The base of all errors of this kit. `choices` are what a person can do about it, each command
    on a line of its own; in it MODULE:PIPELINE stands for the pipeline."""

    code: ClassVar[str] = "WL0"
    # True for what goes by: `forever()` waits and tries again.
    passing: ClassVar[bool] = False

    def __init__(self, *, choices: Sequence[Choice] = (), **values: object) -> None:
        self.values = values
        self.choices = tuple(choices)
        self._called: tuple[str, str] | None = None
        # Docstrings are gone under `python -OO`: the values alone must then say enough.
        said = type(self).__doc__ or " ".join(f"{name}: {{{name}}}." for name in values)
        template = inspect.cleandoc(said)
        text = " ".join(template.format(**values).split())
        lines = [f"{text} [{self.code}]"]
        lines += [
            f"  * {why}" + (f":\n      {command}" if command else "") for why, command in choices
        ]
        if any(command for _, command in choices):
            lines.append(_DRY)
        super().__init__("\n".join(lines))

    def call_pipeline(self, locator: str, note: str) -> None:
        """Write `locator` for MODULE:PIPELINE, and `note` below the commands. Once: the first one
        who knows is right."""
        if self._called is None:
            self._called = locator, note
            text = str(self.args[0]).replace(PIPELINE, shlex.quote(locator))
            commands = any(command for _, command in self.choices)
            self.args = (f"{text}\n{note}" if note and commands else text,)

    def __reduce__(self) -> tuple[object, ...]:
        return _rebuild, (type(self), self.values, self.choices, self._called)


def _rebuild(
    kind: type[KitError],
    values: dict[str, object],
    choices: Sequence[Choice],
    called: tuple[str, str] | None,
) -> KitError:
    error = kind(choices=choices, **values)
    if called is not None:
        error.call_pipeline(*called)
    return error


class BadArgument(KitError, ValueError):
    """{argument}={value!r} is not possible: {allowed}."""

    code = "WL1"


class RecordNotFound(KitError, LookupError):
    """There is no {name} in {where}."""

    code = "WL2"


class RecordExists(KitError, FileExistsError):
    """{name} exists already in {where}; it was not changed."""

    code = "WL3"


class RecordTorn(KitError):
    """Record {name} is damaged: expected {expected}, found {found}. It was left as it is."""

    code = "WL4"


class NewerFormat(KitError):
    """Record {name} has format {version}, this version of windowed-connectors knows formats up to
    {known}. Run the version that wrote it, or a newer one. Nothing was changed."""

    code = "WL5"


class LogUnusable(KitError):
    """The window log {where} cannot be used: {reason}. Nothing was changed. {remedy}"""

    code = "WL6"


class WrongPipeline(KitError):
    """The window log {where} belongs to pipeline {found!r}, not to {wanted!r}. Give each pipeline a
    log of its own. Nothing was changed."""

    code = "WL7"


class Fenced(KitError):
    """Another driver runs pipeline {pipeline!r}: {evidence}. This driver stops; what it had not
    finished was rolled back, and the other one goes on. Let only one run at a time."""

    code = "WL8"


class NotHeld(KitError):
    """Sink {sink} could not hold window {window_id}: {reason}. The window was rolled back and is
    still in the log; it is tried again, in this run or by the next."""

    code = "WL9"
    passing = True


class CommitUnknown(KitError):
    """Sink {sink} sent the commit of window {window_id}, and whether it took effect cannot be read:
    {reason}. Start again when it can be: the sink's memory then says which, and nothing is written
    twice."""

    code = "WL10"
    passing = True


class PreviousFailure(KitError):
    """{what} failed before ({reason}) and does nothing more until it is opened anew. Start the run
    again."""

    code = "WL11"
    passing = True


class SourceChanged(KitError):
    """Input {input}: {part} is not what window {window_id} planned: expected {expected}, found
    {found}. The window was not written. {remedy}"""

    code = "WL12"


class StorageUnsuitable(KitError):
    """{where} cannot keep a durable record: {reason}. {remedy}"""

    code = "WL13"


class PlanTooLarge(KitError):
    """The plan of window {window_id} takes {size} bytes, a record of the window log at most
    {limit}. Nothing was logged. Let a window list less: max_files_per_window, or a lower
    max_bytes_per_window."""

    code = "WL14"


class StorageFailed(KitError, OSError):
    """{where}: {reason}. What was to be written is there whole or not at all, and nothing was
    damaged. {remedy}"""

    code = "WL15"
    passing = True


class MirrorMismatch(KitError):
    """The window log {where} and the mirror {mirror} do not belong together: {reason}. Nothing was
    changed. {remedy}"""

    code = "WL16"


class MirrorNotAdopted(KitError):
    """The mirror {mirror} belongs to the folder {owner}, which may have counted windows while the
    mirror was away; {now}. Nothing was changed."""

    code = "WL17"


class MirrorUnnamed(KitError):
    """{where} is one side of a window log whose sides are {sides}, and is opened alone: the two
    would drift apart. Nothing was changed."""

    code = "WL18"


class MirrorAway(UserWarning):
    """The mirror of a log is away, and the run goes on without it."""


class MirrorBack(UserWarning):
    """The mirror of a log is back, and level."""
