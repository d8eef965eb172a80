"""SQLAlchemy engines: which URLs work, mapped to the drivers that are shipped, and never a password
in a message."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from windowlog.errors import BadArgument

if TYPE_CHECKING:
    from sqlalchemy import Engine

_ALLOWED = "a database URL such as duckdb:///counts.duckdb or duckdb:///:memory:"
_PASSWORD = re.compile(
    r"(://[^/@:]*:)[^@]*@|((?:password|token|secret)[a-z_]*=)[^&;\s]+", re.IGNORECASE
)


def make_engine(url: str) -> Engine:
    """An engine without a pool: who holds a connection decides how long. BadArgument for what is
    not shipped."""
    import sqlalchemy
    from sqlalchemy.pool import NullPool

    mapped = map_url(url)
    return sqlalchemy.create_engine(mapped, poolclass=NullPool)


def map_url(url: str) -> str:
    """`jdbc:` URLs as SQLAlchemy writes them. BadArgument for a database that is not supported."""
    text = url.removeprefix("jdbc:")
    if re.fullmatch(r"duckdb:(?!//).*", text):
        text = f"duckdb:///{text.removeprefix('duckdb:')}"
    if not re.match(r"duckdb(\+\w+)?:///?", text):
        raise BadArgument(argument="url", value=redacted(url), allowed=_ALLOWED)
    return text


def redacted(text: object) -> str:
    """Text without the passwords that a URL or a connection string in it may hold."""
    return _PASSWORD.sub(
        lambda match: f"{match[1]}***@" if match[1] else f"{match[2]}***", str(text)
    )
