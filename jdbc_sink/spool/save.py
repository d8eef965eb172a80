"""The Spark job that writes a frame into a spool. DataFrame API only, so Spark Connect too."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from jdbc_sink.spool.files import Spool, take
from windowlog.access import hdfs_in_tasks
from windowlog.access.spark_sources import make_known

if TYPE_CHECKING:
    import pyarrow
    from pyspark.sql import DataFrame

    from jdbc_sink.spool.on_hdfs import HdfsSpool

MANIFEST = "counted.json"


def save(
    frame: DataFrame,
    folder: Path,
    schema: pyarrow.Schema,
    rows_per_file: int,
    remote: HdfsSpool | None = None,
) -> Spool:
    """Run the frame, its rows into files of at most so many rows in `folder`; with `remote` the
    tasks write there, and the driver brings the files into `folder`. Incomplete if the driver does
    not find what the tasks counted; Spark's own errors pass."""
    from jdbc_sink.spool import source

    kind = source.SpoolSource if remote is None else source.source_on_hdfs(remote.login)
    name = _known(frame.sparkSession, kind)
    where = str(folder) if remote is None else remote.folder
    given = source.options(where, MANIFEST, schema, rows_per_file)
    frame.write.format(name).options(**given).mode("append").save()
    if remote is not None:
        remote.fetch(folder, MANIFEST)
    return take(folder, MANIFEST, schema)


def _known(spark: Any, kind: Any) -> str:
    """The name that this session knows the source by."""
    from pyspark.cloudpickle import register_pickle_by_value

    from jdbc_sink.spool import source, stores

    for module in (hdfs_in_tasks, source, stores):
        register_pickle_by_value(module)  # type: ignore[no-untyped-call]
    return make_known(spark, kind)
