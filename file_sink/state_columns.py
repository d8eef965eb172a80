"""The columns of a state: as they are given, as Spark and Arrow call them, as records keep them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast

from file_sink import formats
from file_sink.errors import FrameUnsuitable
from file_sink.layout import FILES
from file_sink.settings import Settings, settings
from windowlog.errors import BadArgument

if TYPE_CHECKING:
    import pyarrow
    from pyspark.sql import DataFrame, SparkSession

_SCHEMA = 'columns in Spark\'s DDL, as "word string, n long", or a pyarrow.Schema'
_TIMESTAMPS = "spark.sql.parquet.outputTimestampType"
# Of Spark's error: stacks of Java follow.
_MAX_TOLD = 300
# Types that a session's spark.sql.execution.arrow.useLargeVarTypes gives other names, and that
# files have once. What a colon follows is a field's name.
_LARGE = re.compile(r"\blarge_(string|binary|list)\b(?!:)")


class Columns:
    """`given` is Spark's DDL or a pyarrow.Schema. BadArgument for anything else."""

    def __init__(self, given: str | pyarrow.Schema) -> None:
        import pyarrow

        good = given.strip() if isinstance(given, str) else isinstance(given, pyarrow.Schema)
        if not good or (isinstance(given, pyarrow.Schema) and not given.names):
            raise BadArgument(argument="schema", value=given, allowed=_SCHEMA)
        self._given = given
        self._known: pyarrow.Schema | None = None if isinstance(given, str) else given

    @property
    def names(self) -> list[str] | None:
        """The columns' names; None where only Spark can tell."""
        return None if self._known is None else list(self._known.names)

    def settings(self, compression: str | None) -> Settings:
        """How the files are written: Parquet, in one folder."""
        return settings(
            format="parquet",
            layout=FILES,
            partition_by=(),
            sort_by=(),
            options=None,
            compression=compression,
            target_file_bytes=None,
            max_records_per_file=None,
            rollup=None,
        )

    def empty(self, spark: SparkSession | None) -> DataFrame | pyarrow.Table:
        """A frame without rows. BadArgument for DDL without a session, or that Spark refuses."""
        if spark is None:
            if self._known is None:
                allowed = "a pyarrow.Schema, where a pipeline runs without Spark"
                raise BadArgument(argument="schema", value=self._given, allowed=allowed)
            return self._known.empty_table()
        given = self._given if isinstance(self._given, str) else self._given.empty_table()
        try:
            return _frame(spark, given)
        except Exception as error:
            _frame(spark, "any int")  # or Spark does nothing at all
            raise self._refused(error) from error

    def _refused(self, error: Exception) -> BadArgument:
        allowed = f"{_SCHEMA}, of types that Spark takes and hands over ({str(error)[:_MAX_TOLD]})"
        return BadArgument(argument="schema", value=self._given, allowed=allowed)

    def recorded(self, spark: SparkSession | None) -> dict[str, str] | None:
        """Column -> Arrow's word for its type, as records have it, whoever writes the rows; None
        where only Spark could tell, and there is no session (a command only looks).
        FrameUnsuitable for what Parquet cannot take."""
        if self._known is None and spark is not None:
            empty: Any = self.empty(spark)
            try:
                self._known = empty.toArrow().schema
            except Exception as error:
                _frame(spark, "any int").toArrow()
                raise self._refused(error) from error
        if self._known is None:
            return None
        return {field.name: _LARGE.sub(r"\1", str(field.type)) for field in self._known}

    def check_session(self, where: str, frame: DataFrame) -> None:
        """FrameUnsuitable where the session that writes this frame would cut what is in it."""
        kinds = self.recorded(frame.sparkSession) or {}
        cut = [name for name, kind in kinds.items() if "timestamp[us, tz=" in kind]
        if cut and str(frame.sparkSession.conf.get(_TIMESTAMPS)).upper() == "TIMESTAMP_MILLIS":
            findings = (
                f"{_TIMESTAMPS}=TIMESTAMP_MILLIS would cut microseconds of {', '.join(cut)}:"
                " set it to TIMESTAMP_MICROS"
            )
            raise FrameUnsuitable(sink="(the state)", path=where, findings=findings)

    def check(self, where: str, spark: SparkSession | None, made: Settings) -> None:
        """FrameUnsuitable for columns that Parquet cannot take; BadArgument as `empty`."""
        self.empty(spark)
        self.recorded(spark)
        assert self._known is not None, "a run has a session, or a schema of Arrow's"
        findings = formats.findings(made, self._known)
        if findings:
            raise FrameUnsuitable(sink="(the state)", path=where, findings="; ".join(findings))

    def cast(self, table: pyarrow.Table) -> pyarrow.Table:
        """The table with just these columns and types."""
        assert self._known is not None, "without Spark it is given"
        return table.select(self._known.names).cast(self._known)


def _frame(spark: SparkSession, given: Any) -> DataFrame:
    """Without rows."""
    if isinstance(given, str):
        return spark.createDataFrame(cast("Any", []), given)
    return spark.createDataFrame(given)


def key_of(key: Any, columns: Columns) -> tuple[str, ...]:
    """The key's columns, each once, and of the schema as far as that is known. BadArgument."""
    names = (key,) if isinstance(key, str) else () if key is None else key
    good = isinstance(names, Sequence) and all(isinstance(name, str) and name for name in names)
    if not good or len(set(names)) < len(names):
        raise BadArgument(argument="key", value=key, allowed="names of columns, each once")
    known = columns.names
    for name in names if known is not None else ():
        if name not in (known or ()):
            allowed = f"columns of the schema: {', '.join(known or ())}"
            raise BadArgument(argument="key", value=name, allowed=allowed)
    return tuple(names)
