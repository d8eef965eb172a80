"""Medians and percentiles. Means hide what a person waits for."""

from __future__ import annotations

import itertools
import math
import statistics
from collections.abc import Mapping, Sequence


def median(values: Sequence[float]) -> float:
    """The middle one."""
    return statistics.median(values)


def mean(values: Sequence[float]) -> float:
    """Where the sum matters: parts that add up to a whole."""
    return statistics.fmean(values)


def percentile(values: Sequence[float], percent: float) -> float:
    """The smallest value that at least `percent` of 100 values do not exceed (nearest rank)."""
    ranked = sorted(values)
    return ranked[max(math.ceil(len(ranked) * percent / 100), 1) - 1]


def differences(values: Sequence[float], others: Sequence[float]) -> list[float]:
    """Pair by pair: what disturbed one of a pair most likely disturbed both."""
    return [value - other for value, other in zip(values, others, strict=True)]


def steps(snapshots: Sequence[Mapping[str, float]]) -> dict[str, list[float]]:
    """Sums by step, as they stood after each window -> what each window but the first added."""
    names = list(dict.fromkeys(name for snapshot in snapshots for name in snapshot))
    return {
        name: [
            after.get(name, 0.0) - before.get(name, 0.0)
            for before, after in itertools.pairwise(snapshots)
        ]
        for name in names
    }
