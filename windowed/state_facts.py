"""What is known of a state when a run starts. Frozen values, part of `facts`."""

from __future__ import annotations

from dataclasses import dataclass

from windowlog.state_store import Checkpoint


@dataclass(frozen=True, slots=True)
class StateFacts:
    """The state's checkpoints of this log, and the kept windows after which a person said that it
    is empty, ascending."""

    where: str
    checkpoints: tuple[Checkpoint, ...]
    emptied: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Restart:
    """A window after which the state is known: by a checkpoint, or because it is empty (None)."""

    window_id: int
    checkpoint: Checkpoint | None
