"""Log-ins that fail: what is wrong is named, and what helps, soon, and no secret."""

from __future__ import annotations

import re
import secrets
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from connectors import KafkaInput
from connectors.kafka.errors import AccessDenied, BrokerNotTrusted, BrokerUnavailable
from tests.authority import Authority
from tests.listeners import MECHANISMS, Listeners
from windowed.testing.services import KafkaService
from windowlog.errors import BadArgument, KitError

# What no wait makes better is said long before this.
PATIENCE_S = 60.0

Told = Callable[..., str]


@pytest.fixture
def told(kafka: KafkaService, listeners: Listeners) -> Told:
    """What is said of a log-in at a listener, with some options changed; no secret is."""

    def refusal(
        kind: type[KitError],
        listener: str,
        stall_timeout_s: float = PATIENCE_S,
        host: str = "127.0.0.1",
        **changed: Any,
    ) -> str:
        client = listeners.client(listener) | changed
        address = kafka.address(listener).replace("127.0.0.1", host)
        source = KafkaInput(address, ["t"], stall_timeout_s=stall_timeout_s, client=client)
        started = time.monotonic()
        with pytest.raises(kind) as raised:
            source.bounds()
        assert time.monotonic() - started < PATIENCE_S / 2
        shown = f"{raised.value!r} {raised.value} {source!r} {vars(source)!r}"
        for name in ("sasl_plain_password", "ssl_password"):
            assert str(client.get(name)) not in shown.replace("None", "")
        source.close()
        return str(raised.value)

    return refusal


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_a_wrong_password_is_said(told: Told, listeners: Listeners, mechanism: str) -> None:
    """At once, as the broker says it: kafka-python loses its answer."""
    client = listeners.client("SECRET", mechanism)
    for name in ("sasl_plain_password", "sasl_plain_username"):
        said = told(AccessDenied, "SECRET", **client | {name: secrets.token_urlsafe()})
        assert "invalid" in said.lower()
        assert "Correct the log-in in client=" in said


def test_a_mechanism_that_is_not_taken_is_said(
    told: Told, listeners: Listeners, kafka: KafkaService
) -> None:
    """With those that are; and so is a listener that asks for no name."""
    user = {"sasl_mechanism": "AWS_MSK_IAM"}
    assert ", ".join(sorted(MECHANISMS)) in told(AccessDenied, "SECRET", **user)
    asking = listeners.client("BOTH")
    assert "nobody is asked" in told(AccessDenied, "TLS", **asking)


def test_an_unknown_authority_is_said(told: Told, tmp_path: Path) -> None:
    """One that signed nothing here, or none beside the system's own."""
    other = Authority(tmp_path / "other")
    for ca_file in (str(other.file), None):
        said = told(BrokerNotTrusted, "BOTH", ssl_cafile=ca_file)
        assert "ssl_cafile in client=" in said
        assert "no password" in said


def test_an_expired_certificate_is_said(told: Told) -> None:
    """It has ended with the second in which it was made."""
    said = told(BrokerNotTrusted, "EXPIRED")
    assert "certificate has expired. Let its owner renew" in said


def test_another_name_is_said(told: Told) -> None:
    """The given one, and the one by which the broker wants to be called, which is met later."""
    for host in ("127.0.0.1", "localhost"):
        said = told(BrokerNotTrusted, "ELSEWHERE", host=host)
        assert "not valid for '127.0.0.1'" in said
        assert "advertised.listeners" in said


def test_a_revoked_certificate_is_said(told: Told, listeners: Listeners) -> None:
    """By the list in ssl_crlfile."""
    listed = str(listeners.authority.revocations(listeners.here))
    assert "certificate revoked" in told(BrokerNotTrusted, "TLS", ssl_crlfile=listed)


def test_a_certificate_of_ours_is_wanted(told: Told, tmp_path: Path) -> None:
    """None is shown, or one that the broker does not know."""
    said = told(AccessDenied, "MUTUAL", ssl_certfile=None, ssl_keyfile=None)
    assert "wants a certificate of whoever connects" in said
    assert "ssl_certfile and ssl_keyfile in client=" in said
    stranger = Authority(tmp_path / "other").issue()
    files = {"ssl_certfile": str(stranger.certificate), "ssl_keyfile": str(stranger.key)}
    assert "does not take the certificate" in told(AccessDenied, "MUTUAL", **files)


@pytest.mark.parametrize(
    ("listener", "protocol"),
    [("TLS", "PLAINTEXT"), ("SECRET", "PLAINTEXT"), ("SECRET", "SSL"), ("SECRET", "SASL_SSL")],
)
def test_another_protocol_is_a_likely_reason(
    kafka: KafkaService, listeners: Listeners, listener: str, protocol: str
) -> None:
    """The connection ends, as it may for other reasons: tried again, not for long."""
    client = listeners.client("BOTH") | {"security_protocol": protocol}
    wanted = {"SASL": "sasl_", "SSL": "ssl_"}
    used = [start for word, start in wanted.items() if word in protocol]
    client = {n: v for n, v in client.items() if n.startswith(("security", *used))}
    source = KafkaInput(kafka.address(listener), ["t"], stall_timeout_s=1, client=client)
    with pytest.raises(BrokerUnavailable, match=rf"speak {protocol}\? See security_protocol"):
        source.bounds()
    source.close()


def test_files_that_do_not_serve_are_named(
    told: Told, listeners: Listeners, tmp_path: Path
) -> None:
    """Each with the option and the file, before anything is sent."""
    password = secrets.token_urlsafe()
    person = listeners.person
    locked = str(person.encrypted_key(password))
    other = str(listeners.authority.issue().key)
    empty = tmp_path / "empty.pem"
    empty.write_text("")
    cases: list[tuple[dict[str, Any], str]] = [
        ({"ssl_cafile": str(tmp_path / "none")}, "ssl_cafile=.*none.*No such file"),
        ({"ssl_cafile": str(tmp_path)}, "ssl_cafile=.*can be read"),
        ({"ssl_cafile": str(empty)}, r"ssl_cafile=.*empty\.pem.*PEM file with a certificate"),
        ({"ssl_certfile": str(person.key)}, "ssl_certfile=.*PEM file with a certificate"),
        ({"ssl_keyfile": None}, "ssl_certfile=.*private key too, or ssl_keyfile="),
        ({"ssl_keyfile": str(person.certificate)}, "ssl_keyfile=.*PEM file with a private key"),
        ({"ssl_keyfile": locked}, "ssl_keyfile=.*with ssl_password="),
        ({"ssl_keyfile": locked, "ssl_password": "x" + password[:5]}, "ssl_password"),
        ({"ssl_keyfile": other}, "ssl_certfile, ssl_keyfile, ssl_password.*MISMATCH"),
    ]
    for changed, pattern in cases:
        assert re.search(pattern, told(BadArgument, "MUTUAL", **changed)), changed
