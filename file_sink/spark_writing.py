"""Rows of a DataFrame into files: Spark's own writer, and Spark's own count of what it wrote.
DataFrame API only, so Spark Connect too."""

from __future__ import annotations

from typing import TYPE_CHECKING

from file_sink import no_line
from file_sink.errors import FormatUnavailable
from file_sink.spark_errors import too_long, unreached

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

    from file_sink.settings import Settings


# Hadoop puts a file of checksums beside each file of a local folder. Nobody would read them: what
# is taken from there goes on without them. So another class of its own, for this write alone.
_LOCAL = {
    "fs.file.impl": "org.apache.hadoop.fs.RawLocalFileSystem",
    "fs.file.impl.disable.cache": "true",
}


def write(
    frame: DataFrame, folder: str, settings: Settings, input_bytes: int | None, sink: str
) -> int:
    """Write all rows into a new folder, as Spark is told of it; how many rows there were, counted
    on their way. `input_bytes` is the size of the window's plans, None if it is not known. NoLine
    for rows that Spark leaves out; FormatUnavailable; an HDFS that Spark does not reach is
    StorageFailed or FolderUnsuitable."""
    from pyspark.sql import Observation
    from pyspark.sql import functions as F  # noqa: N812 (as all of Spark's users call it)

    if settings.target_file_bytes and input_bytes is not None:
        frame = frame.coalesce(max(1, -(-input_bytes // settings.target_file_bytes)))
    if settings.sort_by:
        # The partition columns first: Spark's writer wants its rows in their order, and sorts them
        # again, the rest undone, if they are not.
        columns = [*settings.partition_by, *settings.sort_by]
        frame = frame.sortWithinPartitions(*(F.col(_quoted(column)) for column in columns))
    observation = Observation()
    sums = [F.count(F.lit(1)).alias("rows")]
    only = no_line.only_column(settings, frame.columns)
    if only is not None:
        sums.append(F.count_if(_left_out(only, settings)).alias("left_out"))
    counted = frame.observe(observation, *sums)
    plain = _LOCAL if folder.startswith("file:") else {}
    writer = counted.write.format(settings.format).options(**{**plain, **settings.options})
    if settings.compression:
        writer = writer.option("compression", settings.compression)
    if settings.max_records_per_file:
        writer = writer.option("maxRecordsPerFile", settings.max_records_per_file)
    if settings.partition_by:
        writer = writer.partitionBy(*settings.partition_by)
    try:
        writer.mode("error").save(folder)
    except Exception as error:
        _explain(error, folder, settings, sink)
        raise
    if only is not None:
        no_line.refuse_no_line(int(observation.get["left_out"]), only)
    return int(observation.get["rows"])


def _explain(error: Exception, folder: str, settings: Settings, sink: str) -> None:
    """Raise the kit's own word for it, if there is one."""
    if _lacks_format(error, settings):
        raise _unavailable(settings, sink) from error
    told = unreached(error, folder, sink) or too_long(error, folder, settings.partition_by, sink)
    if told is not None:
        raise told from error


def _left_out(only: str, settings: Settings) -> Column:
    """Is this a row of csv of which Spark makes no line? It says nothing, and writes the rest: one
    whose only column becomes an empty text without quotes."""
    from pyspark.sql import functions as F  # noqa: N812 (as all of Spark's users call it)

    column, left_out = F.col(_quoted(only)), F.lit(False)
    if settings.says_true("quoteall"):
        return left_out
    if not (settings.option("nullvalue") or "").strip():
        left_out = column.isNull()
    empty = settings.option("emptyvalue")
    if empty is not None and not empty.strip():
        left_out = left_out | (F.trim(column.cast("string")) == "")
    return left_out


def _quoted(column: str) -> str:
    return f"`{column.replace('`', '``')}`"


def _lacks_format(error: Exception, settings: Settings) -> bool:
    from pyspark.errors import AnalysisException

    if not isinstance(error, AnalysisException):
        return False
    text = str(error).lower()
    return settings.format == "avro" and "avro" in text and "data source" in text


def _unavailable(settings: Settings, sink: str) -> FormatUnavailable:
    package = "org.apache.spark:spark-avro_2.13"
    return FormatUnavailable(
        sink=sink,
        format=settings.format,
        reason="Spark does not find it on its class path",
        remedy=f"Start the session with spark.jars.packages={package}:VERSION, of Spark's version.",
    )
