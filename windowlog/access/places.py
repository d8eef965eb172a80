"""Arguments that take a place, a URL or a folder's path: how they are shown and named in messages,
and which of them could be either. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from windowlog.errors import BadArgument

# A user and a password go before the last @; options, which may hold a token, after a ? or alike.
_USER = re.compile(r"(?s)^([A-Za-z][A-Za-z0-9+.-]*:/*|/*).*@")
_OPTIONS = re.compile(r"(?s)([?#;]).+")
_HOST_AND_PORT = re.compile(r"[A-Za-z0-9._-]+:[0-9]{1,5}(/[^\0]*)?")


def shown(value: object) -> object:
    """The value for a message: of a URL all but what may be a secret."""
    if not isinstance(value, str):
        return value
    return _OPTIONS.sub(r"\1…", _USER.sub(r"\1…@", value))


@contextmanager
def named(**names: str) -> Iterator[None]:
    """A BadArgument inside is about an argument of ours that people do not see: it gets the name of
    theirs, as in named(url="storage")."""
    try:
        yield
    except BadArgument as error:
        argument = str(error.values["argument"])
        if argument not in names:
            raise
        value, allowed = error.values["value"], error.values["allowed"]
        said = BadArgument(argument=names[argument], value=value, allowed=allowed)
    else:
        return
    raise said from None


def refuse_bare_address(argument: str, value: object, scheme: str) -> None:
    """BadArgument for HOST:PORT/FOLDER, as text: a URL without its scheme, which would become a
    folder of that name here. `scheme` is that of the URL."""
    if isinstance(value, str) and _HOST_AND_PORT.fullmatch(value):
        allowed = (
            f"it reads as a host and a port; write {scheme}://{value} for a folder of HDFS, or "
            f"./{value} for a folder of that name here"
        )
        raise BadArgument(argument=argument, value=value, allowed=allowed)
