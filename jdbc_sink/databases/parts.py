"""Arrow columns and their types, taken apart however deep. Pure."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow
import pyarrow.compute as compute
import pyarrow.types as arrow

# How Spark marks the structs that stand for types which Arrow does not have.
_MARKS = ("variant", "geometry", "geography")
_PER_SECOND = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}


def opaque(kind: pyarrow.DataType) -> str:
    """The name of a Spark type that arrives as a struct of its insides; empty if there is none."""
    fields = [kind.field(number) for number in range(kind.num_fields)]
    if arrow.is_struct(kind):
        for field in fields:
            for mark in _MARKS:
                if (field.metadata or {}).get(mark.encode()) == b"true":
                    return mark
    return next(filter(None, (opaque(field.type) for field in fields)), "")


def leaves(column: pyarrow.ChunkedArray) -> Iterator[tuple[pyarrow.Array, bool]]:
    """The arrays that have no parts, and whether they are parts of others."""
    for chunk in column.chunks:
        for array, nested in _all(chunk, nested=False):
            if not arrow.is_nested(array.type):
                yield array, nested


def maps(column: pyarrow.ChunkedArray) -> Iterator[pyarrow.Array]:
    """The maps in a column, each as a list of its entries."""
    for chunk in column.chunks:
        for array, _ in _all(chunk, nested=False):
            if arrow.is_map(array.type):
                yield as_list(array)


def _all(array: pyarrow.Array, *, nested: bool) -> Iterator[tuple[pyarrow.Array, bool]]:
    kind = array.type
    if arrow.is_dictionary(kind):
        # What no row uses is not in the column.
        used = compute.drop_null(compute.unique(array.indices))
        yield from _all(array.dictionary.take(used), nested=nested)
        return
    yield array, nested
    if arrow.is_struct(kind):
        for part in array.flatten():
            yield from _all(part, nested=True)
    elif arrow.is_nested(kind):
        yield from _all(as_list(array).flatten(), nested=True)


def as_list(array: pyarrow.Array) -> pyarrow.Array:
    """A map as a list of its entries, which Arrow can take apart; a list as it is."""
    kind = array.type
    if not arrow.is_map(kind):
        return array
    entry = pyarrow.struct([kind.key_field, kind.item_field])
    return array.cast(pyarrow.list_(pyarrow.field("entries", entry, nullable=False)))


def is_text(kind: pyarrow.DataType) -> bool:
    """Text, however long."""
    return bool(arrow.is_string(kind) or arrow.is_large_string(kind) or arrow.is_string_view(kind))


def per_second(kind: pyarrow.DataType) -> int:
    """How many units of a timestamp or duration make a second."""
    return _PER_SECOND[kind.unit]
