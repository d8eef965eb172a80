"""Window: one step of the stream, and its JSON. The only place that knows a window record's field
names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from windowlog.moment import format_time, parse_time
from windowlog.values import Json, Part, Plan, Skip
from windowlog.wiring import InputIdentity, SinkIdentity


@dataclass(frozen=True, slots=True)
class Draft:
    """A window before it is logged: planned, but nobody has seen it.

    `planned_at` is timezone-aware. `inputs` and `sinks` are the wiring of this window; every input
    has a plan.
    """

    window_id: int
    planned_at: datetime
    plans: Mapping[str, Plan]
    inputs: Mapping[str, InputIdentity]
    sinks: Mapping[str, SinkIdentity]
    run_id: str


@dataclass(frozen=True, slots=True)
class Window:
    """A window that the log holds: fixed for ever (I2).

    `planned_at` is UTC and never decreases from window to window; it is what "now" means inside a
    transform. `previous` is the digest of the record before it (the first one's: of the header),
    `digest` that of its own stored bytes. `skips` are the permissions recorded beside it.
    """

    id: int
    planned_at: datetime
    plans: Mapping[str, Plan]
    inputs: Mapping[str, InputIdentity]
    sinks: Mapping[str, SinkIdentity]
    run_id: str
    log_id: str
    previous: str
    digest: str
    skips: tuple[Skip, ...] = field(default=())

    @property
    def positions(self) -> dict[str, Json]:
        """Each input's end after this window."""
        return {name: plan.end for name, plan in self.plans.items()}


def to_json(draft: Draft, *, log_id: str, previous: str, planned_at: datetime) -> dict[str, Json]:
    """The body of a window's record."""
    return {
        "window": draft.window_id,
        "planned_at": format_time(planned_at),
        "previous": previous,
        "log": log_id,
        "run": draft.run_id,
        "plans": {name: plan_to_json(plan) for name, plan in draft.plans.items()},
        "inputs": {n: {"kind": i.kind, "place": i.place} for n, i in draft.inputs.items()},
        "sinks": {n: {"target": s.target, "mode": s.mode} for n, s in draft.sinks.items()},
    }


def from_json(body: Any, *, digest: str) -> Window:
    """The window whose record's body is `body`. Raises KeyError, TypeError or ValueError when it is
    not one."""
    return Window(
        id=int(body["window"]),
        planned_at=parse_time(body["planned_at"]),
        plans={name: plan_from_json(plan) for name, plan in body["plans"].items()},
        inputs={n: InputIdentity(i["kind"], i["place"]) for n, i in body["inputs"].items()},
        sinks={n: SinkIdentity(s["target"], s["mode"]) for n, s in body["sinks"].items()},
        run_id=body["run"],
        log_id=body["log"],
        previous=body["previous"],
        digest=digest,
    )


def plan_to_json(plan: Plan) -> dict[str, Json]:
    """A plan as JSON: its size only where it is known."""
    body: dict[str, Json] = {
        "parts": [{"id": part.id, **part.detail} for part in plan.parts],
        "end": plan.end,
    }
    if plan.bytes is not None:
        body["bytes"] = plan.bytes
    if plan.records is not None:
        body["records"] = plan.records
    return body


def plan_from_json(body: Any) -> Plan:
    """The plan that `plan_to_json` wrote."""
    parts = tuple(
        Part(part["id"], {key: value for key, value in part.items() if key != "id"})
        for part in body["parts"]
    )
    return Plan(parts, body["end"], body.get("bytes"), body.get("records"))
