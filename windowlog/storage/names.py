"""What may be the name of a record or of a sub-folder: the same for every storage."""

from __future__ import annotations

from windowlog.errors import BadArgument


def check_name(name: object, argument: str = "name") -> None:
    """Raise BadArgument unless `name` is a single path component, for a record or a sub-folder.

    A leading dot is kept for a storage's own unfinished creations: no record looks like one.
    """
    if not isinstance(name, str) or not name or name[0] == "." or "/" in name or "\0" in name:
        raise BadArgument(
            argument=argument,
            value=name,
            allowed="a single path component that does not begin with a dot is wanted",
        )
