"""Rows as JSON, one object a line, as Spark writes them. Pure functions."""

from __future__ import annotations

import base64
import json
import math
from collections.abc import Mapping
from datetime import date, datetime, time
from decimal import Decimal
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow


class Pairs(list[tuple[Any, Any]]):
    """A map's keys and values: pyarrow gives a list, which would be written as one."""


def rows_of(part: pyarrow.RecordBatch) -> list[dict[str, Any]]:
    """Rows for `to_json`."""
    rows: list[dict[str, Any]] = part.to_pylist()
    for field in part.schema:
        if _has_maps(field.type):
            for row in rows:
                row[field.name] = _with_pairs(row[field.name], field.type)
    return rows


def _has_maps(kind: pyarrow.DataType) -> bool:
    import pyarrow.types as arrow

    inner = (kind.field(at).type for at in range(kind.num_fields))
    return arrow.is_map(kind) or (arrow.is_nested(kind) and any(map(_has_maps, inner)))


def _with_pairs(value: Any, kind: pyarrow.DataType) -> Any:
    import pyarrow.types as arrow

    if value is None or not _has_maps(kind):
        return value
    if arrow.is_map(kind):
        return Pairs((key, _with_pairs(item, kind.item_type)) for key, item in value)
    if arrow.is_struct(kind):
        return {name: _with_pairs(value[name], kind.field(name).type) for name in value}
    return [_with_pairs(item, kind.value_type) for item in value]


def to_json(value: Any) -> str:
    """A value as JSON: bytes as base64, moments in ISO 8601, decimals with all their digits, a
    struct's fields without a value left out."""
    if isinstance(value, Mapping):
        fields = (f"{json.dumps(k)}:{to_json(v)}" for k, v in value.items() if v is not None)
        return "{" + ",".join(fields) + "}"
    if isinstance(value, Pairs):
        # A key is a word in JSON, and what it has is there though it be null.
        pairs = (
            f"{json.dumps(_word(key), ensure_ascii=False)}:{to_json(item)}" for key, item in value
        )
        return "{" + ",".join(pairs) + "}"
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


def _word(key: Any) -> str:
    return key if isinstance(key, str) else to_json(key).strip('"')
