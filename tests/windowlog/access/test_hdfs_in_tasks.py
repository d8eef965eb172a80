"""What a task says of its token. With real servers: tests/secured/."""

from __future__ import annotations

import secrets
from urllib.parse import quote

import pytest

from windowlog.access.hdfs_in_tasks import login_of, task_client
from windowlog.access.webhdfs_url import parse_place

MADE_UP = secrets.token_hex(8)
GIVEN = f"{MADE_UP}+1"


@pytest.mark.parametrize(("said", "helps"), [("InvalidToken: it ended", True), ("no room", False)])
def test_a_task_hides_its_token_and_says_what_helps(said: str, helps: bool) -> None:
    """In whatever form the URL had it."""
    login = login_of(parse_place("webhdfs://nn/x", {"token": GIVEN}))
    with pytest.raises(RuntimeError, match=said) as raised, task_client(login):
        raise ValueError(f"{said} at /x?delegation={quote(GIVEN)}, {GIVEN}")
    assert MADE_UP not in str(raised.value)
    assert ("a fresh delegation token" in str(raised.value)) is helps
