"""KafkaInput: topics, each record read once, by exact ranges of offsets."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from connectors.kafka import bad_records, losses
from connectors.kafka.client import Client
from connectors.kafka.connection import Connection
from connectors.kafka.decoded import Decoded
from connectors.kafka.decoding import BYTES, MAX_REJECTS, checked_decoding
from connectors.kafka.look import Look, Offsets
from connectors.kafka.parts import named, ranges, to_part, without
from connectors.kafka.planning import joined, plan_ranges
from connectors.kafka.position import Position, from_json, in_words, to_json
from connectors.kafka.reading import Reading
from connectors.kafka.remarks import Remarks
from connectors.kafka.seek import sought
from connectors.kafka.settings import checked
from connectors.kafka.spark_source import check_options
from connectors.kafka.starting import first_position, milliseconds
from windowlog.errors import BadArgument
from windowlog.values import Bounds, Json, Plan, Seek, Skip
from windowlog.wiring import InputIdentity

if TYPE_CHECKING:
    from pyspark.sql.types import StructType

    from connectors.kafka.parts import OffsetRange
    from windowlog.contracts import Frame, InputContext

# A loss counts once a second look says the same: a broker may answer from old knowledge.
SECOND_LOOK_S = 0.2


class KafkaInput:
    """Records of Kafka topics, each read once. docs/kafka.md has all cases.

    Guarantee: replays exactly: the same offsets of the same topic, committed records only. What is
    gone before it was read is an error that says how much, and never silence. (A compacted topic
    may give fewer rows in a replay.) Columns as in Spark's own Kafka source, with `headers`.

    `topics` are names, or `pattern` a regular expression for whole names: topics that match later
    join at their beginning. The first window starts at `start`: "earliest", "latest", a datetime,
    {topic: {partition: offset}}, or "group": what `group_id` has committed. Partitions of which it
    says nothing start at `fallback`. A window has at most `max_records_per_window`, shared by what
    each partition is behind. `stop_at`, a datetime or offsets, is where reading ends. The position
    is committed for `group_id`, if there is one, for others to see; it is never read but at the
    start. `client` are kafka-python's own options (security_protocol, sasl_…, ssl_…). No progress
    for `stall_timeout_s` is an error. `reader`: in the `driver`, in `executors` (kafka-python in
    tasks), by `spark`'s own source (its package on the class path), or what fits the plan (`auto`).
    `value` stays `bytes`, is a string with `utf8`, or with `json` a struct of `schema` (StructType
    or DDL), as from_json would give it, but strictly: nothing is guessed, rounded or left null that
    is there. `key` may be `utf8`. A record that is not so is an error ("fail"), or a row of a
    second frame ("set_aside"), which the transform takes as NAME_rejects: at most `max_rejects` of
    one window, more of them are an error. BadArgument for anything else.
    """

    remembers = False

    def __init__(
        self,
        bootstrap_servers: str | Sequence[str],
        topics: str | Sequence[str] | None = None,
        *,
        pattern: str | None = None,
        start: str | datetime | Offsets = "earliest",
        fallback: str = "earliest",
        stop_at: datetime | Offsets | None = None,
        max_records_per_window: int = 1_000_000,
        group_id: str | None = None,
        reader: str = "auto",
        stall_timeout_s: float = 60,
        client: Mapping[str, Any] | None = None,
        key: str = BYTES,
        value: str = BYTES,
        schema: StructType | str | None = None,
        on_bad_record: str = "fail",
        max_rejects: int = MAX_REJECTS,
    ) -> None:
        self._settings = checked(
            bootstrap_servers=bootstrap_servers,
            topics=topics,
            pattern=pattern,
            start=start,
            fallback=fallback,
            stop_at=stop_at,
            max_records_per_window=max_records_per_window,
            group_id=group_id,
            reader=reader,
            stall_timeout_s=stall_timeout_s,
            client=client,
            decoding=checked_decoding(key, value, schema, on_bad_record, max_rejects),
        )
        check_options(self._settings)
        self._context: InputContext | None = None
        self._forget()

    def _forget(self) -> None:
        self._told: int | None = None
        self._aside = 0
        self._ranges: list[OffsetRange] = []
        self._position: Position | None = None
        self._remarks = Remarks(self._settings, self._name)
        self._decoded = Decoded(self._settings.decoding)
        self._connection = Connection(self._settings, self._name)
        self._client = Client(self._connection)

    @property
    def _name(self) -> str:
        return self._context.name if self._context is not None else "(not open)"

    def identity(self) -> InputIdentity:
        """The topics. The brokers' addresses may change: a cluster is known by its id, which is in
        the position, like the topics' ids."""
        return InputIdentity("kafka", self._settings.place)

    def clashes(self, other: object) -> str | None:
        """What must be different if both are to be inputs of one pipeline, in words."""
        return self._settings.clash(other._settings) if isinstance(other, KafkaInput) else None

    def standing(self, position: Json) -> str:
        """A position in few words, for `show`."""
        return in_words(from_json(position))

    def open(self, context: InputContext) -> None:
        """Connects to nothing yet."""
        if self._settings.reader in ("executors", "spark") and context.spark is None:
            allowed = "'driver' or 'auto' where a pipeline runs without Spark"
            raise BadArgument(argument="reader", value=self._settings.reader, allowed=allowed)
        self._context = context
        self._forget()

    def bounds(self) -> Bounds:
        """All partitions with their offsets. Warns of transactions that have been open for long."""
        look = self._client.look()
        self._remarks.transactions(self._client.open_transactions(look))
        stop = self._settings.stop_at
        if isinstance(stop, datetime):
            stop = self._client.offsets_at(milliseconds(stop), look)
        return Bounds(look.until(stop) if stop is not None else look)

    def waiting(self, bounds: Bounds) -> list[str]:
        """Nothing: a record that is not committed is not there yet."""
        return []

    def plan(self, after: Json, bounds: Bounds) -> Plan:
        """The next ranges. Raises TopicMissing, TopicRecreated, OffsetsLost, OffsetsTruncated,
        ClusterChanged."""
        look = bounds.detail
        assert isinstance(look, Look), "bounds come from bounds()"
        position = self._checked(after, look)
        self._position = position
        self._remarks.nothing_matches(position, look)
        pieces, end = plan_ranges(position, look, self._settings.max_records_per_window)
        size = sum(piece.length for piece in pieces)
        if not pieces:
            return Plan((), after if after is not None else to_json(position), records=0)
        return Plan(tuple(map(to_part, pieces)), to_json(end), records=size)

    def _first(self, look: Look) -> Position:
        start = self._settings.start
        asked: Offsets = {}
        if isinstance(start, datetime):
            asked = self._client.offsets_at(milliseconds(start), look)
        elif start == "group":
            assert self._settings.group_id is not None, "checked on construction"
            asked = self._client.group_offsets(self._settings.group_id, look)
        return first_position(self._settings, look, asked)

    def _checked(self, after: Json, look: Look) -> Position:
        """Where the next window starts, if nothing of it is lost."""
        first = after is None
        check = losses.lost_before_starting if first else losses.lost_before_planning
        for last in (False, True):
            # A first position of a look that was wrong would lack a topic, and so start it at its
            # beginning later, whatever `start` says.
            position = self._first(look) if first else from_json(after)
            rest = self._topics(position), self._name, self._settings.where
            error = check(position, look, *rest)
            if error is None:
                break
            if last:
                raise error
            time.sleep(SECOND_LOOK_S)
            look = self._client.look()
        return position

    def _topics(self, position: Position) -> list[str]:
        """The topics that must be there: those named, or those read before by pattern."""
        pattern = self._settings.pattern
        if pattern is None:
            return list(self._settings.topics)
        return [name for name in position.topics if pattern.fullmatch(name)]

    def read(self, plan: Plan, skips: Sequence[Skip]) -> Frame:
        """The records. SourceChanged if some are gone, ReadStalled if they do not come, BadRecord
        if one cannot be decoded and is not set aside; of what tasks read, once it is used."""
        return self.read_aside(plan, skips)[0]

    @property
    def sets_aside(self) -> bool:
        """Does `read_aside` come in place of `read`?"""
        return self._settings.decoding.sets_aside

    def read_aside(self, plan: Plan, skips: Sequence[Skip]) -> tuple[Frame, Frame]:
        """The records, and those that cannot be decoded: as they are in the topic, with a reason.
        Of one reading: what tasks have read is kept by Spark until the next one, `committed` or
        `close`."""
        spark = self._context.spark if self._context is not None else None
        rows = self._reading(plan, skips).rows(spark)
        return self._decoded.frames(rows, spark, self._name, self._window_in_flight())

    def explain(self, error: Exception) -> Exception | None:
        """BadRecord, HeaderUnreadable, RecordsDamaged, CodecMissing, if a task failed for it."""
        place = self._name, self._window_in_flight()
        return bad_records.explained(error, *place, self._settings.reads, self._ranges)

    def verify(self, plan: Plan, skips: Sequence[Skip]) -> None:
        """Are the topics those that were planned? SourceChanged names the part and the command that
        skips it. A read by itself fails for what is gone, so that is not looked for again.
        TooManySetAside, where tasks have read: what they set aside is counted here."""
        self._reading(plan, skips).verify()
        self._aside = self._decoded.counted(self._name, self._window_in_flight())

    def set_aside_count(self) -> int:
        """How many records of the window that was verified last are set aside."""
        return self._aside

    def _reading(self, plan: Plan, skips: Sequence[Skip]) -> Reading:
        self._ranges = self._pieces(plan, skips)
        return Reading(self._connection, self._ranges, self._window_in_flight())

    def _pieces(self, plan: Plan, skips: Sequence[Skip]) -> list[OffsetRange]:
        skipped = [skip.part for skip in skips if skip.input == self._name]
        return without(ranges(plan.parts), skipped)

    def _window_in_flight(self) -> str:
        """The one after the newest that was told. Only for messages."""
        return str(self._told + 1) if self._told is not None else "1"

    def committed(self, windows: Sequence[tuple[int, Plan]]) -> None:
        """Take the position, and commit it for the group. BrokerUnavailable, AccessDenied,
        GroupTaken: the window is held all the same."""
        self._decoded.let_go()
        for window_id, plan in windows:
            self._told = max(window_id, self._told or 0)
            if window_id == self._told and plan.end is not None:
                self._position = from_json(plan.end)
        if self._settings.group_id is not None and self._position is not None:
            offsets = {
                name: dict(enumerate(topic.offsets))
                for name, topic in self._position.topics.items()
                if name in self._topics(self._position)
            }
            self._client.commit(self._settings.group_id, offsets)

    def folded(self) -> int | None:
        """The newest window that was told: an offset is all there is to know."""
        return self._told

    def lag(self) -> dict[str, int]:
        """How many records each partition, "TOPIC:NUMBER", is behind what could be read now: at
        most, as offsets count them. Asks the brokers; for listeners, and between windows."""
        look = self._client.look()
        here = joined(self._position if self._position is not None else self._first(look), look)
        return {
            f"{name}:{number}": max(0, partition.stable - here.topics[name].offsets[number])
            for name, number, partition in look.partitions()
        }

    def piece(self, plan: Plan, name: str) -> str | None:
        """How much of a plan a skip of `name` gives up, in words; None if that is no part or piece
        of one. A piece is TOPIC:PARTITION@START-END, or TOPIC for all of its parts."""
        count = named(ranges(plan.parts), name)
        return losses.records(count) if count else None

    def seek(self, to: str, after: Json) -> Seek:
        """ "beginning", "end", TOPIC@beginning, TOPIC@end, TOPIC@gone (of one that was deleted), or
        TOPIC:PARTITION@OFFSET (@beginning, @end); several that name a topic, with commas."""
        look = self._client.look()
        position = from_json(after) if after is not None else self._first(look)
        return sought(to, position, look)

    def close(self) -> None:
        """Let go of the connections. The instance may be opened again."""
        self._decoded.let_go()
        self._connection.drop()
        self._context = None
