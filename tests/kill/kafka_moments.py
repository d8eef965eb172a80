"""Named moments of an input of topics."""

from __future__ import annotations

from typing import Any

from connectors import KafkaInput
from connectors.kafka import read
from connectors.kafka.client import Client
from connectors.kafka.rows import to_chunks as original
from tests.kill.moments import Trap, after


def install(trap: Trap) -> None:
    """Wrap what reads topics in this process, which is about to die or to stand still."""
    after(Client, "look", lambda *_: trap.passed("looked"))
    after(KafkaInput, "plan", lambda *_: trap.passed("planned"))
    after(KafkaInput, "read", lambda *_: trap.passed("read"))
    after(KafkaInput, "verify", lambda *_: trap.passed("topics verified"))
    after(Client, "commit", lambda *_: trap.passed("group committed"))
    after(KafkaInput, "committed", lambda *_: trap.passed("committed told"))

    def to_chunks(*given: Any) -> Any:
        trap.passed("some records fetched")
        return original(*given)

    vars(read)["to_chunks"] = to_chunks
