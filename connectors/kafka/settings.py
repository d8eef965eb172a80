"""What a KafkaInput was told, checked."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, TypeAlias

from connectors.kafka import checks, security
from connectors.kafka.decoding import Decoding
from connectors.kafka.look import Offsets
from windowlog.errors import BadArgument

READERS = ("auto", "driver", "executors", "spark")
FALLBACKS = ("earliest", "latest")
# A plan of some 700 ranges, far below what the log takes.
MAX_RECORDS_PER_WINDOW_MAX = 64 * 2**20
STALL_TIMEOUT_S_MIN, STALL_TIMEOUT_S_MAX = 1.0, 3600.0

# "earliest", "latest", "group", a moment, or offsets.
Start: TypeAlias = "str | datetime | Offsets"
Stop: TypeAlias = "datetime | Offsets | None"


@dataclass(frozen=True, slots=True)
class Settings:
    """The checked arguments. `client` holds secrets: it is in no repr."""

    servers: tuple[str, ...]
    topics: tuple[str, ...]
    pattern: re.Pattern[str] | None
    start: Start
    fallback: str
    stop_at: Stop
    max_records_per_window: int
    group_id: str | None
    reader: str
    stall_timeout_s: float
    client: Mapping[str, Any] = field(repr=False)
    decoding: Decoding = field(default_factory=Decoding)

    @property
    def place(self) -> str:
        """Which topics are read, for people. Not where: a cluster is known by its id."""
        if self.pattern is not None:
            return f"topics like {self.pattern.pattern}"
        return f"topic{'s' if len(self.topics) > 1 else ''} {', '.join(self.topics)}"

    def reads(self, topic: str) -> bool:
        """Whether the topic is one of those that are read."""
        pattern = self.pattern
        return topic in self.topics if pattern is None else pattern.fullmatch(topic) is not None

    def clash(self, other: Settings) -> str | None:
        """Why the other one cannot be beside this one; None if it can."""
        group, same = self.group_id, self._shared(other)
        if group is None or group != other.group_id or same is None:
            return None
        if not set(self.servers) & set(other.servers):
            return None
        return (
            f"a group_id of its own, as {group!r} is another input's, which may read {same}, too:"
            " each would overwrite what the other one has committed"
        )

    def _shared(self, other: Settings) -> str | None:
        """What both read, or may read; None if nothing."""
        both = [name for name in self.topics if other.reads(name)]
        both += [name for name in other.topics if self.reads(name)]
        if not both and self.pattern is not None and other.pattern is not None:
            return "a topic that both patterns match"
        return f"topic {both[0]}" if both else None

    @property
    def where(self) -> str:
        """The brokers, for messages."""
        return ",".join(self.servers)


def checked(
    *,
    bootstrap_servers: Any,
    topics: Any,
    pattern: Any,
    start: Any,
    fallback: Any,
    stop_at: Any,
    max_records_per_window: Any,
    group_id: Any,
    reader: Any,
    stall_timeout_s: Any,
    client: Any,
    decoding: Decoding,
) -> Settings:
    """The settings, or BadArgument."""
    names, compiled = checks.check_topics(topics, pattern)
    group = _group(group_id)
    reads_by = checks.check_choice("reader", reader, READERS)
    for argument, value in (("start", start), ("stop_at", stop_at)):
        _check_names(argument, value, names, compiled)
    seconds = STALL_TIMEOUT_S_MIN, STALL_TIMEOUT_S_MAX
    return Settings(
        servers=checks.check_servers(bootstrap_servers),
        topics=names,
        pattern=compiled,
        start=_start(start, group),
        fallback=checks.check_choice("fallback", fallback, FALLBACKS),
        stop_at=_stop(stop_at),
        max_records_per_window=int(
            checks.check_number(
                "max_records_per_window", max_records_per_window, 1, MAX_RECORDS_PER_WINDOW_MAX
            )
        ),
        group_id=group,
        reader=reads_by,
        stall_timeout_s=checks.check_number("stall_timeout_s", stall_timeout_s, *seconds),
        client=_client(client, reads_by),
        decoding=decoding,
    )


def _client(value: Any, reader: str) -> dict[str, Any]:
    client = checks.check_client(value)
    security.check_security(client, reader)
    return client


def _check_names(
    argument: str, value: Any, names: tuple[str, ...], pattern: re.Pattern[str] | None
) -> None:
    """Offsets of a topic that is not read would mean nothing."""
    for topic in value if isinstance(value, Mapping) else ():
        known = topic in names if pattern is None else pattern.fullmatch(str(topic))
        if not known:
            allowed = "offsets of topics that are read"
            raise BadArgument(argument=argument, value=topic, allowed=allowed)


def _group(value: Any) -> str | None:
    if value is not None and (not isinstance(value, str) or not value.strip()):
        raise BadArgument(argument="group_id", value=value, allowed="a name, or None")
    return value


def _start(value: Any, group_id: str | None) -> Start:
    if isinstance(value, str) and value == "group" and group_id is None:
        raise BadArgument(argument="start", value=value, allowed="'group' only with group_id=")
    if isinstance(value, str) and value in ("earliest", "latest", "group"):
        return value
    allowed = "'earliest', 'latest', 'group', a datetime with a time zone, or {topic: {0: offset}}"
    return checks.check_moment_or_offsets("start", value, allowed)


def _stop(value: Any) -> Stop:
    if value is None:
        return None
    allowed = "a datetime with a time zone, or {topic: {0: offset}}"
    return checks.check_moment_or_offsets("stop_at", value, allowed)
