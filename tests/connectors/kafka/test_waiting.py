"""What is said while brokers give no answer."""

from __future__ import annotations

import re
import time
from functools import partial

import pytest

from connectors.kafka.connection import Connection
from connectors.kafka.errors import BrokerUnavailable
from tests.connectors.kafka.test_planning import settings_of


def test_a_wait_for_brokers_is_told_once(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """With what is waited for, how long at most, and why; and when it is over. Somebody who has
    mistyped a port looks at an empty screen for `stall_timeout_s` otherwise."""
    monkeypatch.setattr("connectors.kafka.waiting.TOLD_S", 0.05)
    connection = Connection(settings_of(stall_timeout_s=1), "orders")

    def refused() -> None:
        raise ConnectionRefusedError("no")

    for _ in range(2):
        with pytest.raises(BrokerUnavailable):
            connection.call("a look", refused)
    where, why = connection.settings.where, "ConnectionRefusedError: no"
    waited = f"input orders: waiting up to 1 s for Kafka at {where}: {why}\n"
    assert capsys.readouterr().err == waited
    connection.call("a look", lambda: None)
    connection.call("a look", lambda: None)
    again = rf"input orders: Kafka at {where} answers again, after [12] s\n"
    assert re.fullmatch(again, capsys.readouterr().err)


def test_a_question_that_hangs_is_told_and_a_long_read_is_not(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """One try may take half a minute, where packets are dropped. A read may take as long because
    there is much to read, and is waited for only once it has failed."""
    monkeypatch.setattr("connectors.kafka.waiting.TOLD_S", 0.05)
    connection = Connection(settings_of(stall_timeout_s=60), "orders")
    connection.call("a read", partial(time.sleep, 0.2))
    assert capsys.readouterr().err == ""
    connection.call("a look", partial(time.sleep, 0.2))
    where = connection.settings.where
    told = f"input orders: waiting up to 60 s for Kafka at {where}: no answer yet\n"
    assert capsys.readouterr().err == told
    tries = iter((ConnectionResetError("gone"), None))

    def failing_once() -> None:
        time.sleep(0.1)
        error = next(tries)
        if error is not None:
            raise error

    connection = Connection(settings_of(stall_timeout_s=60), "orders")
    connection.call("a read", failing_once)
    assert "for Kafka at" in capsys.readouterr().err
