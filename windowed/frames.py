"""Frames on their way through a window: what a transform returned, their Arrow schema, frames that
sinks share."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pyarrow

from windowed.errors import WrongOutputs

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from windowlog.contracts import Frame, Output, Schema, Sink


def outputs_by_sink(
    result: Any, sinks: Mapping[str, Sink], pipeline: str, *, own_loop: bool = False
) -> dict[str, Output]:
    """What the transform returned or an own loop gave, as sink -> frame, or sink -> table -> frame
    for a sink of several tables. WrongOutputs unless each gets exactly what it needs."""
    what, gave = ("hold() of", "was given") if own_loop else ("The transform of", "returned")
    said: dict[str, Any] = {"pipeline": pipeline, "what": what, "gave": gave}
    if isinstance(result, Mapping):
        if set(result) != set(sinks):
            found = f"frames for {sorted(map(str, result))}"
            allowed = f"the sinks are {sorted(sinks)}: each needs one"
            raise WrongOutputs(found=found, allowed=allowed, **said)
        outputs = {name: result[name] for name in sinks}
    else:
        outputs = dict.fromkeys(sinks, result)
    for name, output in outputs.items():
        tables = getattr(sinks[name], "tables", ())
        wrong = _wrong(output, tables)
        if wrong:
            allowed = "it has to be a DataFrame, or a dict of sink name -> DataFrame"
            if tables:
                allowed = f"it needs a dict with a DataFrame for each of {sorted(tables)}"
            found = f"{wrong} for sink {name}"
            raise WrongOutputs(found=found, allowed=allowed, **said)
    return outputs


def _wrong(output: Any, tables: Sequence[str]) -> str:
    """What is wrong with one sink's output, in words; empty if nothing is."""
    if not tables:
        return "" if is_frame(output) else type(output).__name__
    if not isinstance(output, Mapping):
        return type(output).__name__
    if set(output) != set(tables):
        return f"frames of tables {sorted(map(str, output))}"
    return next((type(each).__name__ for each in output.values() if not is_frame(each)), "")


def is_frame(value: object) -> bool:
    """A DataFrame of classic Spark or of Spark Connect, or an Arrow table."""
    if isinstance(value, pyarrow.Table):
        return True
    return hasattr(value, "schema") and hasattr(value, "toArrow")


def schema_of(output: Output) -> object:
    """Something that is equal for outputs of equal columns."""
    if isinstance(output, Mapping):
        return {name: frame.schema for name, frame in output.items()}
    return output.schema


def arrow_schema(output: Output, pipeline: str) -> Schema:
    """The schema that the rows will have as Arrow; of each table, where there are several.
    WrongOutputs for a column of a type that Spark does not hand over."""
    if isinstance(output, Mapping):
        return {name: _arrow_schema(frame, pipeline) for name, frame in output.items()}
    return _arrow_schema(output, pipeline)


def _arrow_schema(frame: Frame, pipeline: str) -> pyarrow.Schema:
    if isinstance(frame, pyarrow.Table):
        return frame.schema
    try:
        # An empty job, once a run and when the schema changes; pyspark's own converter is private
        # and changes between versions.
        return frame.limit(0).toArrow().schema
    except Exception as error:
        # It names the type, and not the column.
        names = _not_handed_over(frame)
        if not names:
            raise
        found = f"column {', '.join(names)} of a type that Spark does not hand over ({error})"
        allowed = "cast it in the transform"
        raise WrongOutputs(
            pipeline=pipeline,
            what="The transform of",
            gave="returned",
            found=found,
            allowed=allowed,
        ) from error


def _not_handed_over(frame: DataFrame) -> list[str]:
    """The columns of types that cannot become Arrow. Empty if Spark does nothing at all."""
    from pyspark.sql.types import IntegerType, StructField, StructType

    def fails(field: StructField) -> bool:
        try:
            frame.sparkSession.createDataFrame([], StructType([field])).toArrow()
        except Exception:  # noqa: BLE001 (whatever it does not like about the type)
            return True
        return False

    if fails(StructField("any", IntegerType())):
        return []
    return [field.name for field in frame.schema if fails(field)]


@contextmanager
def shared(outputs: Mapping[str, Output]) -> Iterator[None]:
    """While inside, a DataFrame that is used several times is computed once."""
    frames = [frame for output in outputs.values() for frame in _frames(output)]
    counts = Counter(map(id, frames))
    cached = {
        id(frame): frame
        for frame in frames
        if counts[id(frame)] > 1 and not isinstance(frame, pyarrow.Table)
    }
    for frame in cached.values():
        frame.persist()
    try:
        yield
    finally:
        for frame in cached.values():
            frame.unpersist()


def _frames(output: Output) -> list[Frame]:
    return list(output.values()) if isinstance(output, Mapping) else [output]
