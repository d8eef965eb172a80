"""SQLAlchemy engines: which URLs work, mapped to the drivers that are shipped, and never a password
in a message."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from windowlog.errors import BadArgument

if TYPE_CHECKING:
    from sqlalchemy import URL, Engine

_ALLOWED = (
    "a database URL such as duckdb:///counts.duckdb, sqlite:///counts.db or duckdb:///:memory:"
)
# Dialects whose URL names a file, and so may be written without slashes after `jdbc:`.
_FILES = "duckdb|sqlite"
# A password in a URL may hold anything, also @ and /: it ends at the last @ of the word.
_IN_URL = re.compile(r"(://[^\s/@:]*:)\S*@")
_NAMED = re.compile(
    r"""([a-z_]*(?:password|passwd|pwd|passphrase|token|secret|[a-z]_?key)\b['"]?\s*[=:]\s*)"""
    r"""('[^']*'|"[^"]*"|[^\s&;,)}\]]+)""",
    re.IGNORECASE,
)


def make_engine(url: str) -> Engine:
    """An engine without a pool: who holds a connection decides how long. BadArgument for what is
    not shipped."""
    return _unpooled(map_url(url))


def placed(engine: Engine, name: str) -> Engine:
    """Such an engine for the database file `name`, which is the same one in any working folder."""
    return _unpooled(engine.url.set(database=str(Path(name).absolute())))


def _unpooled(url: str | URL) -> Engine:
    import sqlalchemy
    from sqlalchemy.pool import NullPool

    return sqlalchemy.create_engine(url, poolclass=NullPool)


def map_url(url: str) -> str:
    """`jdbc:` URLs as SQLAlchemy writes them. BadArgument for a database that is not supported, and
    for a URL that DuckDB would take for a database in memory though nobody said so."""
    text = url.removeprefix("jdbc:")
    text = re.sub(rf"^({_FILES}):(?!//)", r"\1:///", text)
    if not re.match(rf"({_FILES})(\+\w+)?://", text):
        raise BadArgument(argument="database", value=redacted(url), allowed=_ALLOWED)
    if _named(text) != text:
        raise did_you_mean(url, _named(redacted(text)))
    return text


def _named(text: str) -> str:
    """`duckdb:///FILE?settings`. Behind two slashes FILE would be a server: DuckDB has none, and
    forgets it; and no name at all is seldom meant."""
    scheme, _, place = text.partition("://")
    name, mark, settings = place.removeprefix("/").partition("?")
    return f"{scheme}:///{name or ':memory:'}{mark}{settings}"


def did_you_mean(url: str, meant: str) -> BadArgument:
    """The error for a URL that is not what its writer thinks; `meant` has no password in it."""
    allowed = f"did you mean {meant}? A file's name stands behind three slashes"
    return BadArgument(argument="database", value=redacted(url), allowed=allowed)


def redacted(text: object) -> str:
    """Text without the passwords and keys that a URL or a connection string in it may hold."""
    return _NAMED.sub(r"\1***", _IN_URL.sub(r"\1***@", str(text)))
