"""Records that tasks read, decoded, and beside them those that could not be."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from connectors.kafka import strict_json, strict_values
from connectors.kafka.bad_records import mark
from connectors.kafka.decoding import BYTES, JSON, NOT_UTF8, REJECTS, UTF8, Decoding
from connectors.kafka.rows import SCHEMA
from connectors.kafka.schema import spark_type
from connectors.kafka.strict_json import JsonDecoder

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame
    from pyspark.sql.types import StructType

_JSON, _REASON = "_json", "_reason"


def marked(frame: DataFrame, decoding: Decoding) -> DataFrame:
    """All columns, what JSON gave, and the reason where there is one. Both `rows` and `rejects` are
    made of it."""
    from pyspark.sql import functions as f

    whys = [_not_utf8(one) for one in ("key", "value") if getattr(decoding, one) == UTF8]
    if decoding.value == JSON:
        frame = frame.select("*", _from_json(decoding).alias(_JSON))
        whys.append(f.concat(f.lit("value"), f.col(f"{_JSON}.why")))
    return frame.select("*", f.coalesce(*whys, f.lit(None)).alias(_REASON))


def rows(marked: DataFrame, decoding: Decoding, name: str) -> DataFrame:
    """What could be decoded. Where nothing is set aside, a record that could not is an error of
    Spark's with `bad_records.mark` in its text. `name` is the input's."""
    from pyspark.sql import functions as f

    good = marked.where(f.col(_REASON).isNull() if decoding.sets_aside else _refusing(name))
    return good.select(*(_decoded(one, decoding) for one in SCHEMA.names))


def columns(decoding: Decoding) -> StructType | None:
    """Those of `rows` for what the driver has read, where they do not follow from Arrow's types: a
    moment without a zone would be taken for one in the session's."""
    if decoding.schema is None:
        return None
    from pyspark.sql import types as t

    header = t.StructType().add("key", t.StringType()).add("value", t.BinaryType())
    kinds: dict[str, t.DataType] = {
        "key": t.StringType() if decoding.key == UTF8 else t.BinaryType(),
        "value": spark_type(decoding.schema),
        "topic": t.StringType(),
        "partition": t.IntegerType(),
        "offset": t.LongType(),
        "timestamp": t.TimestampType(),
        "timestampType": t.IntegerType(),
        "headers": t.ArrayType(header),
    }
    return t.StructType([t.StructField(name, kinds[name]) for name in SCHEMA.names])


def rejects(marked: DataFrame) -> DataFrame:
    """What could not."""
    from pyspark.sql import functions as f

    bad = marked.where(f.col(_REASON).isNotNull())
    return bad.select(
        *(f.col(_REASON).alias(one) if one == "reason" else f.col(one) for one in REJECTS.names)
    )


def count(marked: DataFrame) -> int:
    """How many could not: a job of its own, over what Spark has kept."""
    from pyspark.sql import functions as f

    [row] = marked.agg(f.count(_REASON).alias("count")).collect()
    return int(row["count"])


def first(marked: DataFrame, most: int) -> list[dict[str, Any]]:
    """The first of these by place: topic, partition, offset and reason."""
    place = ["topic", "partition", "offset"]
    found = rejects(marked).select(*place, "reason").orderBy(*place).limit(most)
    return [row.asDict() for row in found.collect()]


def _not_utf8(name: str) -> Column:
    from pyspark.sql import functions as f

    valid = f.is_valid_utf8(f.col(name).cast("string"))
    return f.when(~valid, f.lit(f"{name}{NOT_UTF8}"))


def _from_json(decoding: Decoding) -> Column:
    from pyspark.cloudpickle import register_pickle_by_value
    from pyspark.sql import functions as f
    from pyspark.sql.types import StringType, StructField, StructType

    assert decoding.schema is not None, "checked on construction"
    for module in (strict_values, strict_json):
        register_pickle_by_value(module)  # type: ignore[no-untyped-call]
    decoder = JsonDecoder(decoding.schema, pairs=False)
    kind = StructType(
        [StructField("value", spark_type(decoding.schema)), StructField("why", StringType())]
    )
    # Not Arrow, which would want pandas. Nondeterministic as Spark understands it: done once for
    # each row, and for each row, whatever the transform leaves out.
    return f.udf(lambda data: decoder(data), kind, useArrow=False).asNondeterministic()("value")


def _refusing(name: str) -> Column:
    """True, or an error for the row. For every row: a condition that Spark takes for deterministic
    would come after the transform's own, which may leave out the bad ones or not."""
    from pyspark.sql import functions as f

    reason = f.col(_REASON)
    start, end = mark(name)
    place = f.concat("topic", f.lit(":"), "partition", f.lit("@"), "offset", f.lit(" "), reason)
    refused = f.raise_error(f.concat(f.lit(start), place, f.lit(end)))
    always = f.monotonically_increasing_id() >= 0
    return always & f.when(reason.isNull(), True).otherwise(refused)


def _decoded(name: str, decoding: Decoding) -> Column:
    from pyspark.sql import functions as f

    how = {"key": decoding.key, "value": decoding.value}.get(name, BYTES)
    if how == JSON:
        return f.col(f"{_JSON}.value").alias(name)
    return f.col(name).cast("string").alias(name) if how == UTF8 else f.col(name)
