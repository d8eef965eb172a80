"""Window: its JSON, and back."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.windowlog.drafts import NOON, draft
from windowlog.codec import decode, encode
from windowlog.moment import format_time, parse_time
from windowlog.values import Json, Part, Plan
from windowlog.window import (
    from_json,
    plan_from_json,
    plan_to_json,
    to_json,
)

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.text()
    | st.floats(allow_nan=False, allow_infinity=False),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)
DETAILS = st.dictionaries(st.text().filter(lambda name: name != "id"), JSON, max_size=3)
PARTS = st.lists(st.builds(Part, id=st.text(), detail=DETAILS), max_size=3).map(tuple)
SIZES = st.none() | st.integers(0)
PLANS = st.builds(Plan, parts=PARTS, end=JSON, bytes=SIZES, records=SIZES)
MOMENTS = st.datetimes(timezones=st.timezones())


def _stored(body: object) -> Json:
    stored: Json = json.loads(json.dumps(body))
    return stored


def test_a_window_comes_back_from_its_json() -> None:
    """Everything that was drafted, and the digest that was given."""
    wanted = draft(5)
    body = to_json(wanted, log_id="log", previous="before", planned_at=wanted.planned_at)
    window = from_json(_stored(body), digest="own")
    assert (window.id, window.plans, window.run_id) == (5, wanted.plans, "run-a")
    assert (window.inputs, window.sinks) == (wanted.inputs, wanted.sinks)
    assert (window.log_id, window.previous, window.digest) == ("log", "before", "own")
    assert (window.planned_at, window.skips) == (wanted.planned_at, ())


@given(st.dictionaries(st.text(), PLANS, max_size=3), MOMENTS)
def test_any_plans_come_back_from_a_record(plans: dict[str, Plan], moment: datetime) -> None:
    """Whatever an input writes into its plans, at whatever time of whatever zone."""
    wanted = replace(draft(5), plans=plans)
    body = to_json(wanted, log_id="log", previous="before", planned_at=moment)
    stored = encode("window", 5, body)
    window = from_json(decode(stored, kind="window", record_id=5, name="5"), digest="")
    assert window.plans == plans
    # As an instant: a time that a zone's change of clocks leaves out equals none of another zone.
    assert window.planned_at == moment.astimezone(UTC)
    assert window.planned_at.utcoffset() == timedelta(0)


def test_a_window_knows_where_its_inputs_ended() -> None:
    """Each input's end, empty plans too."""
    plans = {"lines": Plan((), 7), "words": Plan((Part("a", {}),), {"a": 3})}
    wanted = replace(draft(5), plans=plans)
    body = to_json(wanted, log_id="log", previous="", planned_at=NOON)
    assert from_json(_stored(body), digest="").positions == {"lines": 7, "words": {"a": 3}}


@pytest.mark.parametrize(
    "plan",
    [
        Plan((), None),
        Plan((), {"a": [1, None, True]}, bytes=0, records=0),
        Plan((Part("a", {"from": 0, "to": 5}), Part("b", {})), 5, bytes=9),
        Plan((Part("a", {}),), "end", records=3),
    ],
)
def test_a_plan_comes_back_from_its_json(plan: Plan) -> None:
    """Its size only where it is known."""
    body = plan_to_json(plan)
    assert plan_from_json(_stored(body)) == plan
    assert ("bytes" in body, "records" in body) == (
        plan.bytes is not None,
        plan.records is not None,
    )


def test_a_plan_without_parts_is_empty() -> None:
    """Whatever its size says."""
    assert Plan((), 3, records=3).empty
    assert not Plan((Part("a", {}),), 3, records=0).empty


def test_time_is_written_in_utc_with_microseconds() -> None:
    """Wherever it was taken; and comes back as the same moment."""
    cet = timezone(timedelta(hours=1))
    moment = datetime(2024, 3, 1, 0, 30, tzinfo=cet)
    assert format_time(moment) == "2024-02-29T23:30:00.000000Z"
    assert parse_time(format_time(moment)) == moment
    assert parse_time("2024-02-29T12:00:00.123456Z") == NOON
    assert parse_time("2024-02-29T12:00:00.123456Z").utcoffset() == UTC.utcoffset(None)
