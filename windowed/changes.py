"""A state with rows put and deleted by key, and the types of a frame's columns: for frames of Spark
and of Arrow."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import pyarrow

from windowed.errors import WrongOutputs

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

    from windowlog.contracts import Frame

# Spark's error has it in its text, and so is known for ours.
TWICE = "windowed: a key of the state is there twice"
_RAISED = "[USER_RAISED_EXCEPTION]"
_SAID = re.compile(f"(?:^|{re.escape(_RAISED)} ){re.escape(TWICE)}: (.*?[}}])(?:\\s|$)")
# No column of a person's begins so.
_OTHERS = "__windowed_"


def types_of(frame: Frame) -> dict[str, str]:
    """Column -> its type, in the words of the frame's own kind."""
    if isinstance(frame, pyarrow.Table):
        return {field.name: str(field.type) for field in frame.schema}
    return {field.name: field.dataType.simpleString() for field in frame.schema.fields}


def as_told_apart(frame: Frame, name: str) -> str:
    """A column's name as its frame tells names apart: Spark does not by case."""
    return name if isinstance(frame, pyarrow.Table) else name.lower()


def counts_of(frame: Frame) -> Counter[str]:
    """How often each column is there, by such names."""
    return Counter(as_told_apart(frame, field.name) for field in frame.schema)


def _selected(frame: Frame, columns: Sequence[str]) -> Frame:
    """Just these columns, in this order."""
    if isinstance(frame, pyarrow.Table):
        return frame.select(list(columns))
    return frame.select([_quoted(column) for column in columns])


def replaced(frame: Frame, key: Sequence[str], columns: Sequence[str]) -> Frame:
    """Just these columns, each key once. Lazy with Spark."""
    if isinstance(frame, pyarrow.Table):
        if key:
            _fresh_keys(frame, key)
    elif key:
        frame = _each_once(frame, key)
    return _selected(frame, columns)


def changed(state: Frame, key: Sequence[str], put: Frame | None, delete: Frame | None) -> Frame:
    """`state` without the keys of `put` and `delete`, and with the rows of `put`. Lazy with
    Spark."""
    if isinstance(state, pyarrow.Table):
        return _changed_table(state, key, put, delete)
    columns = list(types_of(state))
    rest: Any = state
    if delete is not None:
        rest = _without(rest, delete, key)
    if put is None:
        return rest
    # One frame, used twice: Spark sees that its grouping is the same, and does it once.
    once = _each_once(put, key)
    return _without(rest, once, key).unionByName(_selected(once, columns))


def explained(error: Exception, pipeline: str) -> Exception:
    """Ours for Spark's error where a key is put twice; else the error itself."""
    said = str(error)
    # Other errors of Spark's quote the plan, which has our words in it.
    raised = _SAID.search(said)
    if raised is None or isinstance(error, WrongOutputs):
        return error
    return _twice(pipeline, raised[1])


def _twice(pipeline: str, key: str) -> WrongOutputs:
    return WrongOutputs(
        pipeline=pipeline,
        what="The transform of",
        gave="returned",
        found=f"state.change(put=…) or state.replace(…) with two rows of one key, {key}",
        allowed="group by the key in the transform, so that each key is there once",
    )


def _without(frame: DataFrame, others: DataFrame, key: Sequence[str]) -> DataFrame:
    """The rows whose key is not among those of `others`; NULL is a key like any other."""
    from pyspark.sql import functions as F  # noqa: N812 (as all of Spark's users call it)

    keys = others.select([F.col(_quoted(k)).alias(f"{_OTHERS}{n}") for n, k in enumerate(key)])
    same: Column | None = None
    for number, name in enumerate(key):
        equal = frame[_quoted(name)].eqNullSafe(keys[f"{_OTHERS}{number}"])
        same = equal if same is None else same & equal
    return frame.join(keys, same, "left_anti")


def _each_once(put: DataFrame, key: Sequence[str]) -> DataFrame:
    """The same rows; Spark's job fails where a key is there twice. Not by a job of its own."""
    from pyspark.sql import functions as F  # noqa: N812 (as all of Spark's users call it)

    row, count = F.struct(*(F.col(_quoted(name)) for name in put.columns)), F.count(F.lit(1))
    grouped = put.groupBy(*(F.col(_quoted(name)) for name in key)).agg(
        F.first(row).alias(f"{_OTHERS}row"), count.alias(f"{_OTHERS}count")
    )
    alone = F.when(F.col(f"{_OTHERS}count") == 1, F.col(f"{_OTHERS}row"))
    which = F.to_json(F.struct(*(F.col(_quoted(name)).cast("string").alias(name) for name in key)))
    checked = alone.otherwise(F.raise_error(F.concat(F.lit(f"{TWICE}: "), which)))
    return grouped.select(checked.alias(f"{_OTHERS}row")).select(f"{_OTHERS}row.*")


def _quoted(column: str) -> str:
    return f"`{column.replace('`', '``')}`"


def _changed_table(
    state: pyarrow.Table, key: Sequence[str], put: Any, delete: Any
) -> pyarrow.Table:
    gone = set(_keys(delete, key)) if delete is not None else set()
    if put is not None:
        gone.update(_fresh_keys(put, key))
    kept = state.filter(pyarrow.array([k not in gone for k in _keys(state, key)], pyarrow.bool_()))
    if put is None:
        return kept
    return pyarrow.concat_tables([kept, put.select(state.column_names).cast(state.schema)])


def _fresh_keys(table: pyarrow.Table, key: Sequence[str]) -> Counter[tuple[Any, ...]]:
    """The keys. ValueError where one is there twice."""
    fresh = Counter(_keys(table, key))
    twice = next((values for values, count in fresh.items() if count > 1), None)
    if twice is not None:
        named = json.dumps(dict(zip(key, map(str, twice), strict=True)), ensure_ascii=False)
        raise ValueError(f"{TWICE}: {named}")
    return fresh


def _keys(table: pyarrow.Table, key: Sequence[str]) -> Iterable[tuple[Any, ...]]:
    columns = [[_known(value) for value in _whole(table[name]).to_pylist()] for name in key]
    return zip(*columns, strict=True)


def _whole(column: pyarrow.ChunkedArray) -> pyarrow.ChunkedArray:
    """Nanoseconds as numbers: Python has no times for them."""
    return column.cast("int64") if getattr(column.type, "unit", "") == "ns" else column


def _known(value: Any) -> Any:
    """Equal for equal values, and fit for a set: of Python's, NaN is not even equal to itself."""
    if isinstance(value, dict):
        return tuple((name, _known(each)) for name, each in value.items())
    if isinstance(value, list):
        return tuple(map(_known, value))
    return "NaN" if isinstance(value, float) and math.isnan(value) else value
