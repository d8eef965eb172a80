"""Rows as JSON, one object a line, as Spark writes them. Pure functions."""

from __future__ import annotations

import base64
import json
import math
from collections.abc import Mapping
from datetime import date, datetime, time
from decimal import Decimal
from typing import Any


def to_json(value: Any) -> str:
    """A value as JSON: bytes as base64, moments in ISO 8601, decimals with all their digits, fields
    without a value left out."""
    if isinstance(value, Mapping):
        fields = (f"{json.dumps(k)}:{to_json(v)}" for k, v in value.items() if v is not None)
        return "{" + ",".join(fields) + "}"
    if isinstance(value, list | tuple):
        return "[" + ",".join(map(to_json, value)) + "]"
    if isinstance(value, float) and not math.isfinite(value):
        # JSON has no such numbers; Spark writes these words, and reads them.
        words = {math.inf: "Infinity", -math.inf: "-Infinity"}
        return json.dumps(words.get(value, "NaN"))
    if isinstance(value, bytes):
        return json.dumps(base64.b64encode(value).decode("ascii"))
    if isinstance(value, Decimal):
        return format(value, "f")
    if isinstance(value, datetime | date | time):
        return json.dumps(value.isoformat())
    return json.dumps(value, ensure_ascii=False)
