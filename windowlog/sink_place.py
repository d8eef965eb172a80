"""Where a sink is, as a person is told. A frozen value."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SinkPlace:
    """Where a person finds a sink's `target` and its `memory`: in words, in full, without secrets
    ("folder /data/out", "the ledger table window_ledger in counts.duckdb")."""

    target: str
    memory: str
