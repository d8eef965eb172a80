"""Which URLs work, and what never appears in a message."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlalchemy.pool import NullPool

from windowlog.access.engines import make_engine, map_url, redacted
from windowlog.errors import BadArgument

# Not a password of anything: what must not be seen.
HIDDEN = "hunter2"


@pytest.mark.parametrize(
    ("url", "mapped"),
    [
        ("duckdb:///x.duckdb", "duckdb:///x.duckdb"),
        ("duckdb:////data/x.duckdb", "duckdb:////data/x.duckdb"),
        ("duckdb:///:memory:", "duckdb:///:memory:"),
        ("duckdb:x.duckdb", "duckdb:///x.duckdb"),
        ("duckdb:/data/x.duckdb", "duckdb:////data/x.duckdb"),
        ("duckdb:///md:x", "duckdb:///md:x"),
        ("duckdb+duckdb_sqlalchemy:///x.duckdb", "duckdb+duckdb_sqlalchemy:///x.duckdb"),
        ("jdbc:duckdb:x.duckdb", "duckdb:///x.duckdb"),
        ("jdbc:duckdb:/data/x.duckdb", "duckdb:////data/x.duckdb"),
        ("jdbc:duckdb::memory:", "duckdb:///:memory:"),
        ("jdbc:duckdb:///x.duckdb", "duckdb:///x.duckdb"),
    ],
)
def test_urls_are_written_as_sqlalchemy_writes_them(url: str, mapped: str) -> None:
    """Those of Java too, and those without a driver."""
    assert map_url(url) == mapped


@pytest.mark.parametrize(
    "url",
    ["", "x.duckdb", f"postgresql://me:{HIDDEN}@host/x", "jdbc:oracle:thin:@x", "duckdbs:///x"],
)
def test_a_database_that_is_not_supported_is_refused(url: str) -> None:
    """With what works, and without the password."""
    with pytest.raises(BadArgument, match=r"duckdb:///counts\.duckdb") as refused:
        map_url(url)
    assert HIDDEN not in str(refused.value)


@pytest.mark.parametrize(
    ("url", "meant"),
    [
        ("duckdb://c.duckdb", "duckdb:///c.duckdb"),
        ("duckdb://data/c.duckdb", "duckdb:///data/c.duckdb"),
        ("duckdb+duckdb_sqlalchemy://c.duckdb", "duckdb+duckdb_sqlalchemy:///c.duckdb"),
        ("jdbc:duckdb://c.duckdb", "duckdb:///c.duckdb"),
        ("duckdb://md:x", "duckdb:///md:x"),
        ("duckdb://:memory:", "duckdb:///:memory:"),
        ("duckdb://", "duckdb:///:memory:"),
        ("duckdb:///", "duckdb:///:memory:"),
        ("duckdb:", "duckdb:///:memory:"),
        ("jdbc:duckdb:", "duckdb:///:memory:"),
        ("duckdb:///?threads=1", "duckdb:///:memory:?threads=1"),
        ("duckdb://?threads=1", "duckdb:///:memory:?threads=1"),
    ],
)
def test_a_database_in_memory_is_never_meant_by_mistake(url: str, meant: str) -> None:
    """Two slashes, or a name that came out empty: the rows would be gone with the process, and the
    run would say that all is well."""
    with pytest.raises(BadArgument) as refused:
        map_url(url)
    assert f"did you mean {meant}?" in str(refused.value)


def test_the_url_that_was_meant_shows_no_password() -> None:
    """The advice is a message too."""
    with pytest.raises(BadArgument) as refused:
        map_url(f"duckdb://me:{HIDDEN}@c.duckdb")
    assert HIDDEN not in str(refused.value)


def test_an_engine_has_no_pool_and_opens_nothing(tmp_path: Path) -> None:
    """Who holds a connection decides how long."""
    engine = make_engine(f"duckdb:///{tmp_path / 'x.duckdb'}")
    assert isinstance(engine.pool, NullPool)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "text",
    [
        f"cannot reach postgresql://me:{HIDDEN}@host:5432/x?a=b today",
        f"mysql+pymysql://:{HIDDEN}@host/x",
        f"postgresql://me:p@ss/{HIDDEN}@host/x",
        f"postgresql://me:{HIDDEN}@first@host/x",
        f"duckdb:///md:x?motherduck_token={HIDDEN}&threads=1",
        f"jdbc:postgresql://host/x?user=me&password={HIDDEN}",
        f"host=x password='{HIDDEN} and more' dbname=y",
        f'{{"password": "{HIDDEN}", "user": "me"}}',
        f"{{'passwd': '{HIDDEN}'}}",
        f"PWD={HIDDEN};UID=me",
        f"encryption_key={HIDDEN})",
        f"apiKey: {HIDDEN}",
        f"client_secret = {HIDDEN}",
    ],
)
def test_passwords_and_keys_are_not_shown(text: str) -> None:
    """Wherever a URL or a connection string may hold them."""
    shown = redacted(text)
    assert HIDDEN not in shown
    assert "***" in shown


@pytest.mark.parametrize(
    "text",
    [
        "duckdb:///x.duckdb",
        "postgresql://me@host:5432/x",
        "http://namenode:9870/state",
        "accumulate(key=['word'], add=['count'])",
        "it has no primary key: (word)",
        "the token was refused",
    ],
)
def test_what_is_no_secret_stays_readable(text: str) -> None:
    """Messages are for people."""
    assert redacted(text) == text


def test_an_error_in_a_message_is_read_as_text() -> None:
    """Whatever it is."""
    assert redacted(ValueError(f"password={HIDDEN}")) == "password=***"
