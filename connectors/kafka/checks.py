"""What a KafkaInput may be told. BadArgument names the argument, its value and what is allowed; a
value that may be secret is never shown.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any

from connectors.kafka.look import Offsets
from windowlog.errors import BadArgument

_TOPIC = re.compile(r"[\w.-]{1,249}", re.ASCII)
_PORT = re.compile(r"[0-9]{1,5}")
_PORT_MAX = 65535
# Kafka finds no moment before it: the few numbers below 0 that it takes are words, as -1 for "the
# end".
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

# What the promises rest on; the input sets them.
_OURS = frozenset(
    {
        "allow_auto_create_topics", "auto_offset_reset", "bootstrap_servers", "consumer_timeout_ms",
        "enable_auto_commit", "group_id", "group_instance_id", "isolation_level",
        "key_deserializer", "max_poll_records", "value_deserializer",
    }
)  # fmt: skip


def check_servers(value: Any) -> tuple[str, ...]:
    """HOST:PORT, several with commas between them, or a list of them."""
    given = value.split(",") if isinstance(value, str) else value
    fine = isinstance(given, Sequence) and bool(given)
    if not fine or not all(isinstance(one, str) and _is_server(one.strip()) for one in given):
        allowed = "HOST:PORT, or a list of these"
        shown = re.sub(r"[^/,'\"]*@", "***@", value if isinstance(value, str) else repr(value))
        raise BadArgument(argument="bootstrap_servers", value=shown, allowed=allowed)
    return tuple(one.strip() for one in given)


def _is_server(text: str) -> bool:
    host, _, port = text.rpartition(":")
    # Without a name and password before the host: they would be shown.
    fine = bool(host) and "@" not in host and "/" not in host
    return fine and _PORT.fullmatch(port) is not None and 1 <= int(port) <= _PORT_MAX


def check_topics(topics: Any, pattern: Any) -> tuple[tuple[str, ...], re.Pattern[str] | None]:
    """Names, or a regular expression that matches whole names; one of the two."""
    if (topics is None) == (pattern is None):
        allowed = "topics=[name, …] or pattern=REGEX, one of the two"
        raise BadArgument(argument="topics", value=topics, allowed=allowed)
    if pattern is not None:
        return (), _compiled(pattern)
    given = [topics] if isinstance(topics, str) else topics
    fine = isinstance(given, Sequence) and len(given) > 0
    if not fine or not all(isinstance(one, str) and _TOPIC.fullmatch(one) for one in given):
        allowed = "names of topics: letters, digits, dots, underscores and hyphens"
        raise BadArgument(argument="topics", value=topics, allowed=allowed)
    return tuple(sorted(set(given))), None


def _compiled(pattern: Any) -> re.Pattern[str]:
    # One for bytes would match no name, and only say so once there are names.
    if isinstance(getattr(pattern, "pattern", pattern), str):
        with suppress(re.error):
            return re.compile(pattern)
    allowed = "a regular expression, as text"
    raise BadArgument(argument="pattern", value=pattern, allowed=allowed)


def check_moment_or_offsets(argument: str, value: Any, allowed: str) -> datetime | Offsets:
    """A moment with its time zone, or offsets by topic and partition."""
    if isinstance(value, datetime) and value.tzinfo is not None:
        if value < _EPOCH:
            allowed += "; a moment not before 1970, for Kafka has no other"
            raise BadArgument(argument=argument, value=value, allowed=allowed)
        return value
    if isinstance(value, Mapping) and value and all(map(_are_offsets, value.items())):
        return {topic: dict(offsets) for topic, offsets in value.items()}
    raise BadArgument(argument=argument, value=value, allowed=allowed)


def _are_offsets(item: tuple[Any, Any]) -> bool:
    topic, offsets = item
    if not isinstance(topic, str) or not isinstance(offsets, Mapping):
        return False
    numbers = [*offsets.keys(), *offsets.values()]
    return all(isinstance(n, int) and not isinstance(n, bool) and n >= 0 for n in numbers)


def check_choice(argument: str, value: Any, choices: tuple[str, ...]) -> str:
    """One of the choices."""
    if value not in choices:
        allowed = " or ".join(repr(choice) for choice in choices)
        raise BadArgument(argument=argument, value=value, allowed=allowed)
    return str(value)


def check_number(argument: str, value: Any, low: float, high: float) -> float:
    """A number between two; a whole one where `low` is whole."""
    kind = int if isinstance(low, int) else int | float
    if isinstance(value, bool) or not isinstance(value, kind) or not low <= value <= high:
        what = "a whole number" if isinstance(low, int) else "seconds"
        allowed = f"{what} from {low:.0f} to {high:.0f}"
        raise BadArgument(argument=argument, value=value, allowed=allowed)
    return value


def check_client(value: Any) -> dict[str, Any]:
    """Options in kafka-python's own names. Only names are ever shown."""
    if value is None:
        return {}
    if not isinstance(value, Mapping) or not all(isinstance(name, str) for name in value):
        allowed = "options of kafka-python by name, as in {'security_protocol': 'SASL_SSL'}"
        raise BadArgument(argument="client", value=type(value).__name__, allowed=allowed)
    ours = sorted(_OURS & value.keys())
    if ours:
        allowed = "options that do not touch what the input promises; it sets these itself"
        raise BadArgument(argument="client", value=ours, allowed=allowed)
    return dict(value)
