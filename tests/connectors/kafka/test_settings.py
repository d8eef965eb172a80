"""What a KafkaInput may be told, and what nobody is shown."""

from __future__ import annotations

import re
import secrets
import ssl
from datetime import UTC, datetime
from typing import Any

import pytest

from connectors import KafkaInput
from windowlog.errors import BadArgument

# Without a time zone a moment is none.
NAIVE = datetime(2001, 2, 3)  # noqa: DTZ001
# As milliseconds it is -1, which Kafka takes for the end of a topic.
BEFORE = datetime(1969, 12, 31, 23, 59, 59, 999000, tzinfo=UTC)
OPTIONS: list[object] = [[], {1: 2}]
OPTIONS += [{name: "x"} for name in ("isolation_level", "group_id", "auto_offset_reset")]
HIDDEN = secrets.token_urlsafe()

LOG_IN = {
    "security_protocol": "SASL_SSL",
    "sasl_mechanism": "SCRAM-SHA-512",
    "sasl_plain_username": "somebody",
    "sasl_plain_password": HIDDEN,
}
TLS = {"security_protocol": "SSL"}


def made(**more: Any) -> KafkaInput:
    """One with these arguments."""
    return KafkaInput(**({"bootstrap_servers": "a:1", "topics": ["t"]} | more))


@pytest.mark.parametrize(
    "more",
    [
        {"bootstrap_servers": "a:1, b.c-d:2"},
        {"bootstrap_servers": ["[::1]:1"]},
        {"topics": "t"},
        {"topics": None, "pattern": "t.*"},
        {"topics": None, "pattern": re.compile("t.*")},
        {"start": datetime(1970, 1, 1, tzinfo=UTC)},
        {"start": datetime(2001, 2, 3, tzinfo=UTC)},
        {"start": {"t": {0: 0}}},
        {"start": "group", "group_id": "g"},
        {"stop_at": {"t": {3: 0}}},
        {"max_records_per_window": 1},
        {"stall_timeout_s": 1.5},
    ],
    ids=repr,
)
def test_what_is_allowed_is_taken(more: dict[str, Any]) -> None:
    """Without a broker."""
    assert made(**more).identity().kind == "kafka"


@pytest.mark.parametrize(
    ("argument", "value"),
    [
        *(("bootstrap_servers", value) for value in ("", "a", "a:b", [], [1], None, "http://a:1")),
        *(("bootstrap_servers", value) for value in ("a:0", "a:65536", "a:\u0663", "a:1,")),
        *(("topics", value) for value in ([], "", ["a b"], ["a:0"], [1], 5, ["x" * 250])),
        *(("pattern", value) for value in ("(", 5, b"x", re.compile(b"x"))),
        *(("start", value) for value in ("first", "group", 5, NAIVE, {}, {"t": 1})),
        *(("start", value) for value in ({"t": {"0": 1}}, {"t": {0: -1}}, {"t": {0: True}})),
        *(("fallback", value) for value in ("group", None)),
        *(("start", value) for value in (BEFORE, datetime.min.replace(tzinfo=UTC))),
        *(("stop_at", value) for value in ("latest", {"u": {0: 1}}, NAIVE, BEFORE)),
        *(("max_records_per_window", value) for value in (0, -1, 1.5, True, None, 2**40)),
        *(("group_id", value) for value in ("", " ", 5)),
        *(("reader", value) for value in ("jvm", None)),
        *(("stall_timeout_s", value) for value in (0, 0.5, 4000, True, "1", None)),
        *(("client", value) for value in OPTIONS),
    ],
    ids=repr,
)  # fmt: skip
def test_anything_else_is_a_bad_argument_by_name(argument: str, value: object) -> None:
    """Found on construction, with what is allowed."""
    both = {"topics": None} if argument == "pattern" else {}
    with pytest.raises(BadArgument, match=argument):
        made(**both, **{argument: value})


def test_topics_and_a_pattern_are_one_too_many() -> None:
    """And neither is too little."""
    for more in ({"pattern": "t"}, {"topics": None}):
        with pytest.raises(BadArgument, match="one of the two"):
            made(**more)


def test_no_secret_is_shown() -> None:
    """In no repr, identity or message: not of options, and not of an address that has one."""
    one = made(client=LOG_IN | {"ssl_certfile": "c", "ssl_password": HIDDEN})
    shown = f"{one!r} {one.identity()!r} {vars(one)['_settings']!r}"
    assert HIDDEN not in shown
    for wrong in (
        {"client": {"group_id": HIDDEN}},
        {"client": {"sasl_plain_password": HIDDEN}},
        {"client": {"proxy_url": f"me:{HIDDEN}@a:1"}},
        {"client": LOG_IN | {"sasl_plain_username": None}},
        {"client": [HIDDEN]},
        {"bootstrap_servers": f"kafka://me:{HIDDEN}@a:1"},
        {"bootstrap_servers": ["b:1", f"me:{HIDDEN}@a:1"]},
    ):
        with pytest.raises(BadArgument) as told:
            made(**wrong)
        assert HIDDEN not in str(told.value)


def test_an_identity_names_the_topics_and_not_the_addresses() -> None:
    """These change when brokers come and go; the order of topics says nothing."""
    place = made(topics=["b", "a"]).identity().place
    assert place == made(bootstrap_servers="z:9", topics=["a", "b"]).identity().place
    assert place == "topics a, b"
    assert made(topics=None, pattern="x.*").identity().place == "topics like x.*"


@pytest.mark.parametrize(
    ("name", "client"),
    [
        ("security_protocol", {"security_protocol": "ssl"}),
        ("security_protocol", {"security_protocol": "TLS"}),
        ("ssl_cafile", {"ssl_cafile": "a"}),
        ("ssl_cafile", LOG_IN | {"security_protocol": "SASL_PLAINTEXT", "ssl_cafile": "a"}),
        ("ssl_context", {"ssl_context": ssl.create_default_context()}),
        ("sasl_plain_password", {"sasl_plain_password": HIDDEN}),
        ("sasl_mechanism", LOG_IN | {"security_protocol": "SSL"}),
        ("sasl_mechanism", LOG_IN | {"sasl_mechanism": None}),
        ("sasl_mechanism", LOG_IN | {"sasl_mechanism": "scram-sha-512"}),
        ("sasl_plain_username", LOG_IN | {"sasl_plain_username": ""}),
        ("sasl_plain_username", LOG_IN | {"sasl_plain_username": "a,b"}),
        ("sasl_plain_username", LOG_IN | {"sasl_plain_username": "a=b"}),
        ("sasl_plain_password", LOG_IN | {"sasl_plain_password": None}),
        ("sasl_plain_password", LOG_IN | {"sasl_plain_password": HIDDEN.encode()}),
        ("ssl_keyfile", TLS | {"ssl_keyfile": "a"}),
        ("ssl_password", TLS | {"ssl_password": HIDDEN}),
        ("ssl_certfile", TLS | {"ssl_certfile": 5}),
        ("ssl_cafile", TLS | {"ssl_cafile": ""}),
        ("ssl_check_hostname", TLS | {"ssl_check_hostname": "no"}),
        ("ssl_context", TLS | {"ssl_context": "mine"}),
        ("proxy_url", {"proxy_url": "a:1"}),
        ("proxy_url", {"proxy_url": 5}),
        ("proxy_url", {"proxy_url": "https://a:1"}),
    ],
)
def test_an_option_of_security_without_an_effect_is_refused(
    name: str, client: dict[str, Any]
) -> None:
    """kafka-python would leave it aside, and send all in the clear."""
    with pytest.raises(BadArgument, match=name) as told:
        made(client=client, reader="driver")
    assert HIDDEN not in str(told.value)


def test_a_context_of_tls_is_for_the_driver_alone() -> None:
    """It cannot be sent, and goes before files."""
    client = TLS | {"ssl_context": ssl.create_default_context()}
    made(client=client, reader="driver")
    for more in (
        {"reader": "auto"},
        {"reader": "executors"},
        {"reader": "spark"},
        {"reader": "driver", "client": client | {"ssl_cafile": "a"}},
    ):
        with pytest.raises(BadArgument, match="ssl_context"):
            made(**({"client": client} | more))


@pytest.mark.parametrize(
    ("name", "client"),
    [
        ("ssl_ciphers", TLS | {"ssl_ciphers": "HIGH"}),
        ("ssl_crlfile", TLS | {"ssl_crlfile": "a"}),
        ("sasl_mechanism GSSAPI", LOG_IN | {"sasl_mechanism": "GSSAPI"}),
        ("sasl_mechanism OAUTHBEARER", LOG_IN | {"sasl_mechanism": "OAUTHBEARER"}),
        ("ssl_password with blanks", TLS | {"ssl_certfile": "a", "ssl_password": f"{HIDDEN} "}),
        ("proxy_url", {"proxy_url": "http://a:1"}),
        ("sasl_oauth_token_provider", LOG_IN | {"sasl_oauth_token_provider": object()}),
    ],
)
def test_what_sparks_client_cannot_be_told_is_refused_with_its_reader(
    name: str, client: dict[str, Any]
) -> None:
    """By name, before anything is read."""
    made(client=client)
    with pytest.raises(BadArgument, match=name) as told:
        made(client=client, reader="spark")
    assert HIDDEN not in str(told.value)


def test_a_server_without_a_port_is_shown_in_one_pair_of_quotes() -> None:
    """As it was written."""
    with pytest.raises(BadArgument, match="bootstrap_servers='broker' is not possible"):
        KafkaInput("broker", ["t"])
