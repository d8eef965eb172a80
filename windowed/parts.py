"""What a loop is made of, and who may use it."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from windowed.errors import InUse
from windowlog.errors import KitError
from windowlog.storage.mirrored import pair_of

if TYPE_CHECKING:
    from windowlog.contracts import Input, Sink
    from windowlog.log import WindowLog
    from windowlog.state_store import StateStore


@dataclass(frozen=True)
class Parts:
    """What a loop is made of. Sinks are held in the order of their names, the same in every run.
    `locator` is what the commands call it, `locator_note` what a person has to know about that."""

    pipeline: str
    inputs: Mapping[str, Input]
    sinks: Mapping[str, Sink]
    log: WindowLog
    locator: str
    keep: int = 0
    # Where the state is kept, if there is one, and every how many windows a checkpoint is made.
    store: StateStore | None = None
    checkpoint_every: int = 1
    lock: threading.Lock = field(default_factory=threading.Lock, compare=False)
    locator_note: str = ""

    def begin(self) -> None:
        """The two sides of a log with a mirror come to be one log's, and level: once a start is
        decided, and before anything is held."""
        pair = pair_of(self.log.storage)
        if pair is not None:
            pair.begin()

    def is_mirror_away(self) -> bool:
        """Has the log a mirror that is not asked now?"""
        pair = pair_of(self.log.storage)
        return pair is not None and pair.away is not None

    @contextmanager
    def exclusively(self) -> Iterator[None]:
        """One run or look at a time: they would open the same log, inputs and sinks anew. An error
        on its way out learns what the commands call the pipeline."""
        if not self.lock.acquire(blocking=False):
            raise InUse(pipeline=self.pipeline)
        try:
            yield
        except KitError as error:
            error.call_pipeline(self.locator, self.locator_note)
            raise
        finally:
            self.lock.release()
