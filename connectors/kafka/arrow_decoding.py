"""Records that the driver has read, decoded, and beside them those that could not be."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

import pyarrow
import pyarrow.compute as arrow

from connectors.kafka.decoding import JSON, NOT_UTF8, REJECTS, UTF8, Decoding
from connectors.kafka.schema import arrow_type
from connectors.kafka.strict_json import JsonDecoder

_Column: TypeAlias = "tuple[pyarrow.Array, Sequence[str | None]]"


def split(table: pyarrow.Table, decoding: Decoding) -> tuple[pyarrow.Table, pyarrow.Table]:
    """The rows, and the rejects. As Arrow chunk by chunk: Python's own values take much room."""
    decoders = {name: _decoder(name, decoding) for name in ("key", "value")}
    found = [_split(chunk, decoders, decoding.rows) for chunk in table.to_batches()]
    return _joined([good for good, _ in found], decoding.rows), _joined(
        [bad for _, bad in found], REJECTS
    )


def _joined(chunks: list[pyarrow.RecordBatch], schema: pyarrow.Schema) -> pyarrow.Table:
    # A table without any chunk is one that Spark does not take.
    return pyarrow.Table.from_batches(chunks, schema) if chunks else schema.empty_table()


def _decoder(name: str, decoding: Decoding) -> Callable[[pyarrow.Array], _Column]:
    how = decoding.key if name == "key" else decoding.value
    if how == JSON:
        assert decoding.schema is not None, "checked on construction"
        decoder, kind = JsonDecoder(decoding.schema, pairs=True), arrow_type(decoding.schema)
        return lambda column: _structs(column, decoder, kind)
    return _texts if how == UTF8 else lambda column: (column, [None] * len(column))


def _structs(column: pyarrow.Array, decoder: JsonDecoder, kind: pyarrow.DataType) -> _Column:
    found = [decoder(data) for data in column.to_pylist()]
    return pyarrow.array([one for one, _ in found], kind), [why for _, why in found]


def _texts(column: pyarrow.Array) -> _Column:
    try:
        return column.cast(pyarrow.string()), [None] * len(column)
    except pyarrow.ArrowInvalid:
        found = [_text(data) for data in column.to_pylist()]
        return pyarrow.array([one for one, _ in found], pyarrow.string()), [why for _, why in found]


def _text(data: bytes | None) -> tuple[str | None, str | None]:
    try:
        return None if data is None else data.decode(), None
    except UnicodeDecodeError:
        return None, NOT_UTF8


def _split(
    chunk: pyarrow.RecordBatch,
    decoders: dict[str, Callable[[pyarrow.Array], _Column]],
    schema: pyarrow.Schema,
) -> tuple[pyarrow.RecordBatch, pyarrow.RecordBatch]:
    keys, whys = decoders["key"](chunk.column("key"))
    values, more = decoders["value"](chunk.column("value"))
    reasons = [
        f"key{key}" if key else f"value{value}" if value else None
        for key, value in zip(whys, more, strict=True)
    ]
    decoded = {"key": keys, "value": values}
    arrays = [decoded.get(name, chunk.column(name)) for name in schema.names]
    good = pyarrow.array([reason is None for reason in reasons], pyarrow.bool_())
    rows = pyarrow.RecordBatch.from_arrays(arrays, schema=schema).filter(good)
    as_they_were = dict(zip(chunk.schema.names, chunk.columns, strict=True))
    as_they_were["reason"] = pyarrow.array(reasons, pyarrow.string())
    arrays = [as_they_were[name] for name in REJECTS.names]
    whole = pyarrow.RecordBatch.from_arrays(arrays, schema=REJECTS)
    return rows, whole.filter(arrow.invert(good))
