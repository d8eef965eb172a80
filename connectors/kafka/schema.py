"""The schema of JSON values: checked, and as Spark and pyarrow have it.

Inside, a schema is a struct in the JSON of Spark's own schemas: a pipeline that runs without Spark
has one too.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pyarrow

from connectors.kafka.ddl import parse_ddl
from windowlog.errors import BadArgument

if TYPE_CHECKING:
    from pyspark.sql.types import StructType

_ARROW = {
    "boolean": pyarrow.bool_(),
    "byte": pyarrow.int8(),
    "short": pyarrow.int16(),
    "integer": pyarrow.int32(),
    "long": pyarrow.int64(),
    "float": pyarrow.float32(),
    "double": pyarrow.float64(),
    "string": pyarrow.string(),
    "binary": pyarrow.binary(),
    "date": pyarrow.date32(),
    "timestamp": pyarrow.timestamp("us", tz="UTC"),
    "timestamp_ntz": pyarrow.timestamp("us"),
}
_DECIMAL = re.compile(r"decimal\((\d+), ?(\d+)\)", re.ASCII)
DECIMAL_DIGITS_MAX = 38
# A schema is read by functions that call themselves.
DEPTH_MAX = 50
_TYPES = "boolean, the integers, float, double, decimal, string, binary, date, timestamp(_ntz)"


def schema_of(value: Any) -> dict[str, Any]:
    """The struct of a StructType or of DDL text. BadArgument for anything else, for types that JSON
    has no form for, and for names that differ in case only."""
    try:
        return _struct(_given(value), "", 1)
    except ValueError as error:
        raise BadArgument(argument="schema", value=value, allowed=str(error)) from None


def _given(value: Any) -> Any:
    if isinstance(value, str):
        return parse_ddl(value)
    as_json = getattr(value, "jsonValue", None)
    given = as_json() if callable(as_json) else None
    if not isinstance(given, dict) or given.get("type") != "struct":
        raise ValueError('a StructType, or columns like "id bigint not null, tags array<string>"')
    return given


def _struct(kind: Any, path: str, depth: int) -> dict[str, Any]:
    folded: dict[str, str] = {}
    fields = []
    for field in kind["fields"]:
        name = field["name"]
        if name.lower() in folded:
            # Spark finds neither of the two, unless a setting of the session says otherwise.
            raise ValueError(f"{path}{name} and {path}{folded[name.lower()]} differ in case only")
        folded[name.lower()] = name
        inner = _checked(field["type"], f"{path}{name}", depth + 1)
        fields.append({"name": name, "type": inner, "nullable": field["nullable"], "metadata": {}})
    if not fields:
        raise ValueError(f"{path or 'it '}has no columns")
    return {"type": "struct", "fields": fields}


def _checked(kind: Any, path: str, depth: int) -> Any:
    if depth > DEPTH_MAX:
        raise ValueError(f"{path} is nested deeper than {DEPTH_MAX}")
    if isinstance(kind, str):
        return _checked_name(kind, path)
    if kind["type"] == "struct":
        return _struct(kind, f"{path}.", depth)
    if kind["type"] == "array":
        return {**kind, "elementType": _checked(kind["elementType"], f"{path}[]", depth + 1)}
    if kind["type"] == "map":
        if kind["keyType"] != "string":
            raise ValueError(f"{path} is a map whose keys are no strings: JSON has no others")
        return {**kind, "valueType": _checked(kind["valueType"], f"{path}[]", depth + 1)}
    raise ValueError(f"{path} is of a type of its own; {_TYPES}, array, map and struct are read")


def _checked_name(kind: str, path: str) -> str:
    match = _DECIMAL.fullmatch(kind)
    if match is not None:
        digits, scale = int(match[1]), int(match[2])
        if 1 <= digits <= DECIMAL_DIGITS_MAX and scale <= digits:
            return f"decimal({digits},{scale})"
    elif kind in _ARROW:
        return kind
    raise ValueError(f"{path} is {kind}; {_TYPES}, array, map and struct are read")


def arrow_type(kind: Any) -> pyarrow.DataType:
    """Values of this type as pyarrow has them."""
    if isinstance(kind, str):
        match = _DECIMAL.fullmatch(kind)
        return _ARROW[kind] if match is None else pyarrow.decimal128(int(match[1]), int(match[2]))
    if kind["type"] == "array":
        return pyarrow.list_(arrow_type(kind["elementType"]))
    if kind["type"] == "map":
        return pyarrow.map_(pyarrow.string(), arrow_type(kind["valueType"]))
    return pyarrow.struct(
        [pyarrow.field(field["name"], arrow_type(field["type"])) for field in kind["fields"]]
    )


def spark_type(kind: Any) -> StructType:
    """The struct as Spark has it, everything nullable, as from_json does: Spark does not hand over
    as Arrow what may not be null inside of something that is null (a tombstone)."""
    from pyspark.sql.types import StructType

    return StructType.fromJson(_open(kind))


def _open(kind: Any) -> Any:
    if isinstance(kind, str):
        return kind
    if kind["type"] == "array":
        return {**kind, "elementType": _open(kind["elementType"]), "containsNull": True}
    if kind["type"] == "map":
        return {**kind, "valueType": _open(kind["valueType"]), "valueContainsNull": True}
    fields = [{**field, "type": _open(field["type"]), "nullable": True} for field in kind["fields"]]
    return {**kind, "fields": fields}
