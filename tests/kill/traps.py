"""All named moments at once, in a process that is about to die."""

from __future__ import annotations

from pathlib import Path

from tests.kill import (
    file_moments,
    hdfs_moments,
    kafka_moments,
    mirror_variant,
    moments,
    spool_variant,
    state_variant,
)
from tests.kill.moments import Trap


def install_all(trap: Trap, archive: Path, side: str) -> None:
    """Wrap everything; `side` as of `hdfs_moments`."""
    moments.install(trap, archive)
    file_moments.install(trap)
    hdfs_moments.install(trap, archive, side)
    mirror_variant.install(trap)
    spool_variant.install(trap)
    state_variant.install(trap)
    kafka_moments.install(trap)
