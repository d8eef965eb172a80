"""The rows of one reading, and what is set aside of them, whoever has read them."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

import pyarrow

from connectors.kafka import arrow_decoding, spark_decoding
from connectors.kafka.bad_records import SHOWN, first_of, too_many
from connectors.kafka.decoding import REJECTS, Decoding
from connectors.tasks import as_dataframe

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from windowlog.contracts import Frame


class Decoded:
    """Decodes one reading after the other. What tasks read is kept by Spark from its first use on,
    where rows are set aside: both frames are then of one reading of the topic."""

    def __init__(self, decoding: Decoding) -> None:
        self._decoding = decoding
        self._kept: DataFrame | None = None
        self._count = 0

    def frames(
        self, read: Frame, spark: SparkSession | None, name: str, window_id: str
    ) -> tuple[Frame, Frame]:
        """The rows, and the rejects. BadRecord where these stop a window and are in the driver,
        TooManySetAside where they are too many there."""
        self.let_go()
        self._count = 0
        if isinstance(read, pyarrow.Table):
            rows, rejects = self._tables(read, name, window_id)
            if spark is None:
                return rows, rejects
            columns = spark_decoding.columns(self._decoding)
            # Where nothing is set aside nobody asks for the rejects, and a frame costs 15 ms.
            aside = as_dataframe(spark, rejects) if self._decoding.sets_aside else rejects
            return as_dataframe(spark, rows, columns), aside
        if not self._decoding.active:
            return read, REJECTS.empty_table()
        marked = spark_decoding.marked(read, self._decoding)
        if self._decoding.sets_aside:
            self._kept = marked.persist()
        rows = spark_decoding.rows(marked, self._decoding, name)
        return rows, spark_decoding.rejects(marked)

    def _tables(
        self, read: pyarrow.Table, name: str, window_id: str
    ) -> tuple[pyarrow.Table, pyarrow.Table]:
        if not self._decoding.active:
            return read, REJECTS.empty_table()
        rows, rejects = arrow_decoding.split(read, self._decoding)
        if rejects.num_rows and not self._decoding.sets_aside:
            raise first_of(rejects, name, window_id)
        self._count = rejects.num_rows
        if self._count > self._decoding.max_rejects:
            first = rejects.slice(0, SHOWN).to_pylist()
            raise too_many(self._count, first, self._decoding.max_rejects, name, window_id)
        return rows, rejects

    def counted(self, name: str, window_id: str) -> int:
        """How many records of the last reading are set aside. Of what tasks have read Spark knows
        it once that was used; TooManySetAside then."""
        if self._kept is not None:
            self._count = spark_decoding.count(self._kept)
            if self._count > self._decoding.max_rejects:
                first = spark_decoding.first(self._kept, SHOWN)
                raise too_many(self._count, first, self._decoding.max_rejects, name, window_id)
        return self._count

    def let_go(self) -> None:
        """Spark keeps nothing any longer. The frames may still be used: they are then read anew."""
        kept, self._kept = self._kept, None
        # A session that was stopped keeps nothing, and says so.
        with suppress(Exception):
            if kept is not None:
                kept.unpersist()
