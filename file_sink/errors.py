"""The errors of the file sink.

KitError
├── FolderTaken        FS1  the folder, or a window in it, is not this sink's to write
├── FolderUnsuitable   FS2  a place that cannot be a sink's folder
├── FrameUnsuitable    FS3  rows that the format or the layout cannot take
├── RowsLost           FS4  a held window's files are not those that its manifest names
├── CountsDiffer       FS5  Spark counted other rows than the files hold
├── FormatUnavailable  FS6  a format or option that the writer at hand does not know
├── ManifestDamaged    FS7  the sink's memory cannot be read
├── TooManyFiles       FS8  a window of more files than a manifest may list
└── RollUpRefused      FS9  published files that are not to be joined
"""

from __future__ import annotations

from windowlog.errors import KitError


class FolderTaken(KitError):
    """Sink {sink} cannot write to {path}: {reason}. Nothing was changed. {remedy}"""

    code = "FS1"


class FolderUnsuitable(KitError):
    """{path} cannot be the folder of sink {sink}: {reason}. Nothing was written. {remedy}"""

    code = "FS2"


class FrameUnsuitable(KitError):
    """Sink {sink} cannot write these rows to {path}: {findings}. Nothing was published. Select,
    rename or cast the columns in the transform."""

    code = "FS3"


class RowsLost(KitError):
    """Sink {sink} holds window {window_id}, and its files are not those that its manifest names:
    {finding}. Nothing was moved or removed, and nothing newer is published. {remedy}"""

    code = "FS4"


class CountsDiffer(KitError):
    """Sink {sink}: Spark wrote {counted} rows of window {window_id}, and the driver finds {found}
    of them in {place}. Nothing was published. Driver and executors must see that folder under the
    same path: name a folder that they share. The window is then replayed."""

    code = "FS5"


class FormatUnavailable(KitError):
    """Sink {sink} cannot write {format}: {reason}. Nothing was written. {remedy}"""

    code = "FS6"


class ManifestDamaged(KitError):
    """The memory of sink {sink} in {where} is damaged: {reason}. It was left as it is. Restore the
    folder from a backup together with the one that it publishes to; or move it away, and start: the
    refusal has the `adopt` that lets the sink go on after the newest window that readers see."""

    code = "FS7"


class TooManyFiles(KitError):
    """Sink {sink}: window {window_id} has {count} files, a manifest lists at most {limit}. Nothing
    was published. Let fewer tasks write (target_file_bytes), or partition by columns with fewer
    values; the window is then replayed."""

    code = "FS8"


class RollUpRefused(KitError):
    """Sink {sink} cannot join the files in {path}: {reason}. Nothing was changed. {remedy}"""

    code = "FS9"


class NotRolledUp(UserWarning):
    """Small files are not joined as they should be, in a run or in part; readers have all rows."""
