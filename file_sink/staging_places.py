"""Where rows are written before anybody may read them: what a sink's folders and a state's have in
common; and those of a state. Pure functions, no I/O.

PATH/LOG/checkpoints/000000000040.json                       the state after window 40, saved
PATH/LOG/states/000000000042.RUN.TOKEN/part-00000042-…       the rows of a state, staged or saved
PATH/LOG/spark/000000000042.RUN.TOKEN/…                      where Spark writes
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from file_sink.paths import join
from windowlog.checkpoints import STATES


class StagingPlaces(Protocol):
    """Where rows are written before anybody may read them."""

    @property
    def path(self) -> str:
        """What a person calls the place."""

    @property
    def staging(self) -> str:
        """The folder that the others are in."""

    def staged(self, name: str = "") -> str:
        """Where whole files are; without a name, all of them."""

    def spark(self, name: str = "") -> str:
        """Where Spark writes."""


@dataclass(frozen=True, slots=True)
class StatePlaces:
    """The folders of one log's states, below `path`, the store's own."""

    path: str
    log_id: str

    @property
    def staging(self) -> str:
        """What is this log's."""
        return join(self.path, self.log_id)

    def staged(self, name: str = "") -> str:
        """Where whole states are, saved or not; without a name, all of them."""
        return join(self.staging, STATES, name)

    def spark(self, name: str = "") -> str:
        """Where Spark writes."""
        return join(self.staging, "spark", name)
