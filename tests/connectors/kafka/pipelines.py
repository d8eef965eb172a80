"""A pipeline from topics into lists, that commands can find; all of it but the broker in memory."""

from __future__ import annotations

import contextlib
import secrets
import shlex
from typing import Any

import pyarrow

from connectors import KafkaInput
from tests.connectors.kafka.world import Broker
from windowed import Pipeline
from windowed.commands.app import main
from windowed.testing import ListSink, ListStore
from windowlog import WindowLog
from windowlog.storage.memory import MemoryStorage

RUNNING: dict[str, Pipeline] = {}


def running(name: str) -> Pipeline:
    """A pipeline as its world made it last."""
    return RUNNING[name]


class Died(Exception):
    """The driver, between plan and hold."""


class KafkaWorld:
    """One pipeline's world. `options` are those of its input; they may be changed like a job's."""

    def __init__(self, broker: Broker, *topics: str, **options: Any) -> None:
        self.name = f"w-{secrets.token_hex(4)}"
        self.bootstrap = broker.bootstrap
        self.options = {"topics": list(topics) or None, "stall_timeout_s": 10, **options}
        self.log = MemoryStorage()
        self.stores = {"one": ListStore(), "two": ListStore()}
        self.dying = False

    @property
    def locator(self) -> str:
        """What commands call it."""
        return f"tests.connectors.kafka.pipelines:running({self.name!r})"

    def pipeline(self) -> Pipeline:
        """As a driver that starts now would make it."""
        RUNNING[self.name] = Pipeline(
            "records",
            inputs={"topic": KafkaInput(self.bootstrap, **self.options)},
            transform=self._transform,
            sinks={name: ListSink(store) for name, store in self.stores.items()},
            log=WindowLog(self.log),
            keep=10,
            locator=self.locator,
        )
        return RUNNING[self.name]

    def _transform(self, topic: pyarrow.Table) -> pyarrow.Table:
        if self.dying:
            raise Died
        return topic

    def run(self) -> None:
        """Until all is drained."""
        self.pipeline().run(None, progress=False)

    def plan_and_die(self) -> None:
        """One window is logged, and held by no sink."""
        self.dying = True
        with contextlib.suppress(Died):
            self.run()
        self.dying = False

    def values(self) -> list[bytes]:
        """What both sinks hold, in order, and the same."""
        one, two = (
            [row["value"] for window in sorted(store.windows) for row in store.windows[window]]
            for store in self.stores.values()
        )
        assert one == two
        return one

    def command(self, line: str) -> int:
        """A line as a message prints it, without `python -m windowed`, and done."""
        self.pipeline()
        return main([*shlex.split(line), "--apply"])


def commands(error: BaseException) -> list[str]:
    """The commands in a message."""
    lines = [line.strip() for line in str(error).splitlines()]
    start = "python -m windowed "
    return [line.removeprefix(start) for line in lines if line.startswith(start)]
