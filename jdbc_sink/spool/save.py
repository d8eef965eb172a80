"""The Spark job that writes a frame into a spool. DataFrame API only, so Spark Connect too."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any
from weakref import WeakSet

from jdbc_sink.spool.files import Spool, take

if TYPE_CHECKING:
    import pyarrow
    from pyspark.sql import DataFrame

MANIFEST = "counted.json"
_registered: WeakSet[Any] = WeakSet()


def save(frame: DataFrame, folder: Path, schema: pyarrow.Schema, rows_per_file: int) -> Spool:
    """Run the frame, its rows into files of at most so many rows in `folder`. Incomplete if the
    driver does not find there what the tasks counted; Spark's own errors pass."""
    from pyspark.cloudpickle import register_pickle_by_value

    from jdbc_sink.spool import source

    spark = frame.sparkSession
    if spark not in _registered:
        register_pickle_by_value(sys.modules[source.__name__])  # type: ignore[no-untyped-call]
        spark.dataSource.register(source.SpoolSource)
        _registered.add(spark)
    given = source.options(str(folder), MANIFEST, schema, rows_per_file)
    writer = frame.write.format(source.SpoolSource.name()).options(**given)
    writer.mode("append").save()
    return take(folder, MANIFEST, schema)
