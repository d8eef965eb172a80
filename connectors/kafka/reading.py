"""Reading: the ranges of one plan, read and verified, and what it means when that fails."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import pyarrow

from connectors.kafka import losses, options
from connectors.kafka import read as ways
from connectors.kafka.bad_records import explained
from connectors.kafka.client import Client
from connectors.kafka.connection import A_READ, Connection
from connectors.kafka.errors import ReadStalled
from connectors.kafka.fetch import Range, Stalled, Undecodable, fetch
from connectors.kafka.parts import OffsetRange
from connectors.kafka.rows import SCHEMA, Unreadable
from connectors.kafka.spark_source import check_fits, fits, in_spark

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from windowlog.contracts import Frame

# Up to here the driver alone is as fast as any task. A word count of 100-byte records on two cores,
# ms by driver, executors, Spark's source: 273, 424, 415 for 1,000; 481, 496, 575 for 10,000; 695,
# 713, 679 for 20,000; 1334, 1169, 1115 for 50,000; and CPU seconds for a million: 5.4, 4.8, 2.9.
DRIVER_RECORDS_MAX = 20_000


class Reading:
    """The ranges that are left of a logged plan. `window_id` is only for messages."""

    def __init__(
        self, connection: Connection, pieces: Sequence[OffsetRange], window_id: str
    ) -> None:
        self._connection = connection
        self._pieces = pieces
        self._window_id = window_id

    def table(self) -> pyarrow.Table:
        """All rows, by the driver's own consumer. SourceChanged, ReadStalled, BadRecord,
        HeaderUnreadable, RecordsDamaged, CodecMissing, BrokerUnavailable, AccessDenied."""
        if not self._pieces:
            return SCHEMA.empty_table()
        try:
            return self._connection.call(A_READ, self._read)
        except (Unreadable, Undecodable) as error:
            raise self._explained(error) from None
        except Stalled as error:
            topic, partition, position, end = error.args
            raise ReadStalled(
                input=self._connection.name,
                topic=topic,
                partition=partition,
                position=position,
                end=end,
                timeout_s=f"{self._connection.settings.stall_timeout_s:g}",
            ) from None

    def _explained(self, error: Exception) -> Exception:
        place = self._connection.name, self._window_id
        return explained(error, *place, lambda _: True, self._pieces) or error

    def rows(self, spark: SparkSession | None) -> Frame:
        """All rows, by the reader that was chosen. What tasks read is read when it is needed; what
        is known to be gone already is refused here."""
        reader = "driver" if spark is None else self._reader(spark)
        if spark is None or reader == "driver" or not self._pieces:
            return self.table()
        self._explain(self._connection)
        settings = self._connection.settings
        if settings.reader == "spark":  # "auto" has asked
            check_fits(spark, settings)
        if reader == "spark":
            return in_spark(spark, settings, self._pieces)
        from connectors.kafka import source

        with_options = source.source_with(options.for_consumers(settings), settings.stall_timeout_s)
        tasks = [[ways.as_range(one) for one in group] for group in ways.grouped(self._pieces)]
        return source.load(spark, tasks, with_options)

    def _reader(self, spark: SparkSession) -> str:
        settings = self._connection.settings
        if settings.reader != "auto":
            return settings.reader
        if sum(piece.length for piece in self._pieces) <= DRIVER_RECORDS_MAX:
            return "driver"
        return "spark" if fits(spark, settings) else "executors"

    def verify(self) -> None:
        """SourceChanged unless the topics are those that were planned: what was read is theirs."""
        if self._pieces:
            ids = Client(self._connection).topic_ids(piece.topic for piece in self._pieces)
            error = losses.other_topic(self._pieces, ids, self._connection.name, self._window_id)
            if error is not None:
                raise error

    def _read(self) -> pyarrow.Table:
        from kafka.errors import LogTruncationError, OffsetOutOfRangeError, UnsupportedCodecError

        stall_timeout_s = self._connection.settings.stall_timeout_s
        consumer = self._connection.consumer
        try:
            return ways.in_driver(consumer, self._pieces, stall_timeout_s, self._explain_aside)
        except (OffsetOutOfRangeError, LogTruncationError):
            self._explain_aside()
            raise
        except Undecodable as error:
            raise self._found_alone(type(error), error.args) from None
        except UnsupportedCodecError as error:
            raise self._explained(error) from None

    def _found_alone(self, kind: type[Undecodable], places: Sequence[Range]) -> Undecodable:
        """Which of the places it is: each but the last is read alone, by a consumer of its own."""
        for place in places[:-1]:
            aside = Connection(self._connection.settings, self._connection.name)
            try:
                for _ in fetch(aside.consumer, [place], aside.settings.stall_timeout_s):
                    pass
            except Undecodable as found:
                return found
            finally:
                aside.drop()
        return kind(places[-1])

    def _explain_aside(self) -> None:
        """`explain` on a connection of its own: the reading one may still be of use."""
        aside = Connection(self._connection.settings, self._connection.name)
        try:
            self._explain(aside)
        finally:
            aside.drop()

    def _explain(self, connection: Connection) -> None:
        """Raise SourceChanged if the brokers no longer have what was planned."""
        look = Client(connection).look_at(piece.topic for piece in self._pieces)
        name = self._connection.name
        error = losses.lost_before_reading(self._pieces, look, name, self._window_id)
        if error is not None:
            raise error
