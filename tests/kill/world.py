"""The world around a pipeline under fire: what it reads, its log, its sink, and each plan ever
logged."""

from __future__ import annotations

import random
from pathlib import Path

from tests.kill.files_variant import FilesVariant
from tests.kill.source import Source
from tests.kill.text_folder import TextFolder
from tests.kill.variants import Variant


class World:
    """`root` holds in/ (the input, if it is files), state/ (the log), counts.db or out/, and
    archive/ (each plan ever logged)."""

    def __init__(
        self,
        root: Path,
        rng: random.Random,
        variant: Variant | FilesVariant | None = None,
        source: Source | None = None,
    ) -> None:
        self.root = root
        self.variant: Variant | FilesVariant = variant or Variant()
        self.source: Source = source or TextFolder()
        self.rng = rng
        for folder in (self.archive, self.temporary):
            folder.mkdir(parents=True)
        self.variant.save(root)
        self.source.save(root)

    @property
    def temporary(self) -> Path:
        """Where drivers with Spark keep what is of no use to others."""
        return self.root / "tmp"

    @property
    def archive(self) -> Path:
        """Each plan's record, kept when the log purges it."""
        return self.root / "archive"

    @property
    def moments(self) -> tuple[str, ...]:
        """Where a driver without Spark dies."""
        never = self.source.never
        return (*(each for each in self.variant.moments if each not in never), *self.source.moments)

    @property
    def spark_moments(self) -> tuple[str, ...]:
        """Where a driver with Spark dies, besides random moments."""
        return (*self.variant.spark_moments, *self.source.spark_moments)

    @property
    def delay_max_s(self) -> float:
        """Random kills without Spark come so long after the first window at most."""
        return max(self.variant.delay_max_s, self.source.delay_max_s)

    def produce(self, lines: int) -> None:
        """More to read."""
        self.source.produce(self.rng, lines)
