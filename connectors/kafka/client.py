"""What brokers tell of topics, offsets, groups and transactions, in the words of this room."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from connectors.kafka.connection import Connection
from connectors.kafka.errors import GroupTaken
from connectors.kafka.look import Look, Offsets, OpenTransaction, PartitionLook, TopicLook
from windowlog.errors import BadArgument

if TYPE_CHECKING:
    from kafka import TopicPartition

# Codes of Kafka's protocol.
_FINE, _UNKNOWN_TOPIC, _NO_LEADER, _REFUSED_TOPIC = 0, 3, 5, 29
# Times that are no times.
_EARLIEST, _LATEST = -2, -1
_ALL, _COMMITTED = "read_uncommitted", "read_committed"


class Client:
    """Questions to the brokers of one open input, and commits."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._settings = connection.settings

    def look(self) -> Look:
        """All that is read, as it is now. Topics that are not there are not in it."""
        return self._connection.call("a look at the topics", self._look)

    def look_at(self, topics: Iterable[str]) -> Look:
        """Those topics that are there, read or no longer read."""
        names = sorted(set(topics))

        def ask() -> Look:
            return self._look_at(self._described(names))

        return self._connection.call("a look at the topics", ask)

    def topic_ids(self, topics: Iterable[str]) -> dict[str, str]:
        """The ids of those topics that are there."""
        names = sorted(set(topics))

        def ask() -> dict[str, str]:
            return {name: topic["topic_id"] for name, topic in self._described(names).items()}

        return self._connection.call("a look at the topics", ask)

    def offsets_at(self, moment_ms: int, look: Look) -> Offsets:
        """The first offset of each partition whose record is not older than the moment; none where
        there is no such record."""

        def ask() -> Offsets:
            return _by_topic(self._offsets(dict.fromkeys(_places(look), moment_ms), _ALL))

        return self._connection.call("a search for a time", ask) if look.topics else {}

    def group_offsets(self, group: str, look: Look) -> Offsets:
        """What the group has committed; none where it has not."""

        def ask() -> Offsets:
            found = self._connection.admin.list_group_offsets({group: list(_places(look))})
            return _by_topic({place: at.offset for place, at in found[group].items()})

        return self._connection.call(f"a look at group {group}", ask) if look.topics else {}

    def commit(self, group: str, offsets: Offsets) -> None:
        """Commit the group's offsets. GroupTaken if it has members."""

        def ask() -> None:
            from kafka import TopicPartition
            from kafka.structs import OffsetAndMetadata

            wanted = {
                TopicPartition(topic, number): OffsetAndMetadata(offset, "", -1)
                for topic, partitions in offsets.items()
                for number, offset in partitions.items()
            }
            answers = self._connection.admin.alter_group_offsets(group, wanted)
            for place, kind in answers.items():
                # A topic that is gone has no lag to show; the next look says that it is gone.
                if kind.errno not in (_FINE, _UNKNOWN_TOPIC):
                    raise self._refused(group, kind(f"{place.topic}:{place.partition}"))

        self._connection.call(f"a commit of group {group}", ask)

    def _refused(self, group: str, error: Any) -> Exception:
        from kafka.errors import AuthorizationError

        if error.retriable or isinstance(error, AuthorizationError):
            return error  # type: ignore[no-any-return]
        reason = f"{type(error).__name__}: {error}"
        return GroupTaken(input=self._connection.name, group=group, reason=reason)

    def open_transactions(self, look: Look) -> list[OpenTransaction]:
        """Those that hold back a partition's stable end."""
        waiting = [(t, n) for t, n, partition in look.partitions() if partition.held_back]

        def ask() -> list[OpenTransaction]:
            from kafka import TopicPartition

            places = [TopicPartition(topic, number) for topic, number in waiting]
            states = self._connection.admin.describe_producers(places)
            return [
                OpenTransaction(
                    place.topic,
                    place.partition,
                    one.current_transaction_start_offset,
                    one.last_timestamp,
                )
                for place in places
                for one in states[place].active_producers
                if one.current_transaction_start_offset >= 0
            ]

        return self._connection.call("a look at open transactions", ask) if waiting else []

    def _look(self) -> Look:
        pattern = self._settings.pattern
        described = self._described(None if pattern is not None else list(self._settings.topics))
        if pattern is not None:
            described = {
                name: topic
                for name, topic in described.items()
                if pattern.fullmatch(name) and not topic["is_internal"]
            }
        return self._look_at(described)

    def _look_at(self, described: Mapping[str, Mapping[str, Any]]) -> Look:
        numbers = {name: range(len(topic["partitions"])) for name, topic in described.items()}
        places = list(_partitions(numbers))
        earliest = self._offsets(dict.fromkeys(places, _EARLIEST), _ALL)
        stable = self._offsets(dict.fromkeys(places, _LATEST), _COMMITTED)
        latest = self._offsets(dict.fromkeys(places, _LATEST), _ALL)
        found: dict[str, list[PartitionLook]] = {name: [] for name in described}
        for place in places:
            offsets = earliest[place], min(stable[place], latest[place]), latest[place]
            found[place.topic].append(PartitionLook(*offsets))
        return Look(
            self._cluster(),
            {name: TopicLook(described[name]["topic_id"], tuple(found[name])) for name in found},
        )

    def _cluster(self) -> str:
        try:
            return str(self._connection.admin.describe_cluster()["cluster_id"])
        except KeyError:
            # kafka-python (3.0.12) wants a field that answers have since Kafka 3.7. With topics it
            # has been told the id, too.
            return str(self._connection.admin._manager.cluster.cluster_id)

    def _described(self, names: list[str] | None) -> dict[str, dict[str, Any]]:
        """The topics that are there, all without names."""
        from kafka.errors import TopicAuthorizationFailedError

        topics = self._connection.admin.describe_topics(names)
        refused = [topic["name"] for topic in topics if topic["error_code"] == _REFUSED_TOPIC]
        if refused and names is not None:
            raise TopicAuthorizationFailedError(f"topic {', '.join(refused)}")
        fine = (_FINE, _NO_LEADER)
        found = {topic["name"]: topic for topic in topics if topic["error_code"] in fine}
        if any(topic.get("topic_id") is None for topic in found.values()):
            allowed = (
                "brokers of Kafka 2.8 or later, whose topics have ids, and no older api_version"
            )
            where = self._settings.where
            raise BadArgument(argument="bootstrap_servers", value=where, allowed=allowed)
        return found

    def _offsets(
        self, wanted: Mapping[TopicPartition, int], isolation: str
    ) -> dict[TopicPartition, int]:
        if not wanted:
            return {}
        admin = self._connection.admin
        found = admin.list_partition_offsets(dict(wanted), isolation_level=isolation)
        return {place: at.offset for place, at in found.items()}


def _places(look: Look) -> Iterator[TopicPartition]:
    return _partitions({name: range(len(topic.partitions)) for name, topic in look.topics.items()})


def _partitions(numbers: Mapping[str, Iterable[int]]) -> Iterator[TopicPartition]:
    from kafka import TopicPartition

    for name in sorted(numbers):
        for number in numbers[name]:
            yield TopicPartition(name, number)


def _by_topic(offsets: Mapping[TopicPartition, int]) -> Offsets:
    """Without those that are not there, which Kafka tells by an offset below 0."""
    found: dict[str, dict[int, int]] = {}
    for place, offset in offsets.items():
        if offset >= 0:
            found.setdefault(place.topic, {})[place.partition] = offset
    return found
