"""No password and no key is in anything that a run leaves behind or says."""

from __future__ import annotations

import base64
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from tests.connectors.kafka import job_that_tells_all
from tests.connectors.kafka.world import Broker, numbered
from tests.listeners import Listeners
from windowed.testing.services import KafkaService


def forms(secret: str) -> Iterator[bytes]:
    """How a word may stand somewhere: as it is, in JSON, in a URL, in base64 at any place of other
    words."""
    plain = secret.encode()
    yield plain
    yield json.dumps(secret)[1:-1].encode()
    yield quote(secret).encode()
    yield plain.hex().encode()
    for before in range(3):
        code = base64.b64encode(bytes(before) + plain)
        # Its ends hold bits of what stands beside it.
        yield code[4 if before else 0 : -4]


def lines_of(file: Path) -> list[str]:
    """What is secret of a private key."""
    lines = file.read_text().splitlines()
    return [line for line in lines if "-----" not in line]


def found_in(place: bytes, words: list[str]) -> list[str]:
    """Which of the words stand there, in any form."""
    return [word for word in words if any(form in place for form in forms(word))]


def test_a_word_is_found_in_every_form() -> None:
    """The search itself."""
    word = "no secret"
    for text in ("no secret", "no%20secret", word.encode().hex()):
        assert found_in(text.encode(), [word]) == [word]
    for before in ("", "a", "ab", "abc"):
        assert found_in(base64.b64encode(f"{before}{word}!?".encode()), [word]) == [word]
    assert found_in(json.dumps('a"b').encode(), ['a"b']) == ['a"b']
    assert not found_in(b"no other", [word])


@pytest.mark.spark
def test_no_secret_is_in_what_a_run_leaves_or_says(
    broker: Broker, kafka: KafkaService, listeners: Listeners, spark_jars: str, tmp_path: Path
) -> None:
    """With every reader: plans, window log, event log, output, logs at DEBUG, errors."""
    topic = broker.create()
    broker.send(topic, *numbered(5))
    said, words = told(kafka, listeners, topic, spark_jars, tmp_path)
    assert said.count("failed as it should") == 4, said[-3000:]
    assert "did not fail" not in said
    for shown in ("(a log-in)", "kafka.protocol.parser", "ConsumerConfig values", "Relation"):
        assert shown in said
    events = b"".join(
        path.read_bytes() for path in (tmp_path / "events").rglob("*") if path.is_file()
    )
    assert b"SparkListenerSQLExecutionStart" in events
    assert topic.encode() in events
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    leaks = {str(path): found_in(path.read_bytes(), words) for path in files}
    leaks["output"] = found_in(said.encode(), words)
    assert not {place: found for place, found in leaks.items() if found}


def told(
    kafka: KafkaService, listeners: Listeners, topic: str, jars: str, folder: Path
) -> tuple[str, list[str]]:
    """What the job says, and the words that are secret in it."""
    wrong = os.urandom(16).hex()
    password = os.urandom(16).hex()
    key = listeners.person.encrypted_key(password, "-v1", "PBE-SHA1-3DES")
    client: dict[str, Any] = listeners.client("BOTH", "PLAIN") | listeners.certificate()
    client |= {"ssl_keyfile": str(key), "ssl_password": password}
    given = {
        "folder": str(folder),
        "jars": jars,
        "wrong": wrong,
        "input": {
            "bootstrap_servers": kafka.address("BOTH"),
            "topics": [topic],
            "client": client,
            "group_id": f"g-{topic}",
        },
        "failing": [
            {"start": 10, "end": 20, "client": {}},
            {"start": 0, "end": 5, "client": {"sasl_plain_password": wrong}},
        ],
    }
    done = subprocess.run(
        [sys.executable, "-m", job_that_tells_all.__name__],
        input=json.dumps(given),
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
        env=os.environ | {"PYTHONWARNINGS": "default"},
    )
    said = done.stdout + done.stderr
    assert done.returncode == 0, said[-3000:]
    secret = [client["sasl_plain_password"], wrong, password]
    return said, [*secret, *lines_of(key), *lines_of(listeners.person.key)]
