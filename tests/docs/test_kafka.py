"""docs/kafka.md: each case has its test, and its examples are taken."""

from __future__ import annotations

import re
import secrets

import pytest

from connectors.kafka.security import PROTOCOLS, protocol
from tests.docs.blocks import DOCS, module_of

TESTS = [DOCS.parent / "tests" / folder for folder in ("connectors/kafka", "kill")]


def test_every_case_names_a_test_that_is_there() -> None:
    """The last column of the tables."""
    rows = [line for line in (DOCS / "kafka.md").read_text().splitlines() if line[:2] == "| "]
    named = set(re.findall(r"`(\w+)` \|$", "\n".join(rows), re.MULTILINE))
    text = "".join(path.read_text() for folder in TESTS for path in folder.glob("test_*.py"))
    there = set(re.findall(r"^def test_(\w+)\(", text, re.MULTILINE))
    assert len(named) > 40
    assert sorted(named - there) == []


def test_there_is_an_example_for_each_protocol(monkeypatch: pytest.MonkeyPatch) -> None:
    """None connects when it is made, nor shows the password."""
    password = secrets.token_urlsafe()
    monkeypatch.setenv("KAFKA_PASSWORD", password)
    page = module_of("kafka.md")
    made = [page.plaintext, page.sasl, page.tls, page.mutual, page.tls_and_name]
    assert {protocol(one._settings.client) for one in made} == set(PROTOCOLS)
    assert password not in repr([vars(one) for one in made])


def test_what_it_shows_can_be_built(monkeypatch: pytest.MonkeyPatch) -> None:
    """The transform takes what is set aside, and its sinks are those of the pipeline."""
    monkeypatch.setenv("KAFKA_PASSWORD", secrets.token_urlsafe())
    shown = module_of("kafka.md").pipeline
    assert shown.sinks["tables"].tables == ("orders", "orders_bad")
