"""The errors of the file input: one class for each thing that a person can do something about.

KitError
├── FolderMissing    FI1  the input's folder is not there, or is not a folder
├── Unreadable       FI2  a folder or file may not be read
├── FileTruncated    FI3  a file is shorter than what was read of it
├── FileRewritten    FI4  the bytes before the place where reading goes on have changed
├── UnreadVanished   FI5  a file is gone before it was read to its end
├── LineTooLong      FI6  a line is longer than the kit reads
├── IndexLost        FI7  what the input remembers does not fit its position
└── FileReplaced     FI8  another file with the same text stands where one was read

NothingMatches is a warning: no file is like the pattern, so there is nothing to begin with.
"""

from __future__ import annotations

from windowlog.errors import KitError, pipeline_command


class FolderMissing(KitError, FileNotFoundError):
    """Input {input}: {path} {found}. FileInput reads all files of a folder: name the folder, and
    choose files in it with pattern=. Nothing was changed."""

    code = "FI1"


class Unreadable(KitError, PermissionError):
    """Input {input}: {path} cannot be read: {reason}. To leave it out would lose its lines
    silently, so nothing was planned. Give this user the right to read it, or move it out of the
    input's folder."""

    code = "FI2"


class FileTruncated(KitError):
    """Input {input}: {path} was read up to byte {known} and has only {size} bytes now: it was
    truncated, and lines that were not read yet may be lost. Nothing was changed. Rotate by rename
    instead of copytruncate: the rest is then read under the new name."""

    code = "FI3"


class FileRewritten(KitError):
    """Input {input}: {path} was read up to byte {known}, and the bytes before that place are not
    those that were read: it was rewritten. Nothing was changed."""

    code = "FI4"


class UnreadVanished(KitError):
    """Input {input}: {path} is gone, and of its {size} bytes only {known} were read. Nothing was
    changed."""

    code = "FI5"


class LineTooLong(KitError):
    """Input {input}: the line of {path} that begins at byte {start} is longer than {limit} bytes.
    Is it a text file? Nothing was changed."""

    code = "FI6"


class IndexLost(KitError):
    """Input {input}: its memory knows of {found}, and its position is {expected}, so which files
    were read is not known. Nothing was changed."""

    code = "FI7"


class FileReplaced(KitError):
    """Input {input}: {path} was read up to byte {known}, and is another file now, {agreement}. It
    may be a copy (an editor's, or a restored one), whose lines would be read twice, or a new log
    that begins like the old one. Nothing was changed."""

    code = "FI8"


class NothingMatches(UserWarning):
    """No file of an input's folder matches its pattern, and it has read none yet."""


def reset_to(name: str, place: str) -> str:
    """The command that lets input `name` go on at `place`, in this input's words."""
    return pipeline_command("reset", name, "--to", place)
