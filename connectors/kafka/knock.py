"""A knock at the brokers' door before kafka-python comes: one short connection that says what is
wrong with a log-in.

kafka-python tries again for as long as it may when TLS fails, and says only that it could not
bootstrap; and it drops the brokers' answer to a wrong password, which comes together with the end
of the connection.
"""

from __future__ import annotations

import socket
import ssl
import time
from collections.abc import Mapping, Sequence
from contextlib import closing, suppress
from typing import Any, TypeAlias

from connectors.kafka.security import is_sasl
from connectors.kafka.trust import distrusted

# Host, port.
Address: TypeAlias = tuple[str, int]

# How many of the brokers' own addresses are tried beside those that were given: they are of one
# kind, and a start should not wait for a large cluster.
BROKERS_MAX = 3
_BROKER_S_MAX = 2.0
_BYTES = 64 * 1024
# Versions of questions that all brokers since 1.0 understand.
_METADATA, _HANDSHAKE, _AUTHENTICATE = 1, 1, 1


class Door:
    """One connection. `options` are a client's, made `ready`."""

    def __init__(self, address: Address, options: Mapping[str, Any], timeout_s: float) -> None:
        from kafka.protocol.parser import KafkaProtocol

        self._host = address[0]
        self._options = options
        self._protocol = KafkaProtocol(client_id=options["client_id"])
        self._socket = socket.create_connection(address, timeout_s)
        try:
            if options["ssl_context"] is not None:
                self._socket = self._wrapped(options["ssl_context"])
        except BaseException:
            self.close()
            raise

    def _wrapped(self, context: ssl.SSLContext) -> ssl.SSLSocket:
        return context.wrap_socket(self._socket, server_hostname=self._host.rstrip("."))

    def log_in(self) -> None:
        """As the mechanism wants it. What kafka-python raises: SaslAuthenticationFailedError …"""
        from kafka import errors
        from kafka.net.sasl import get_sasl_mechanism
        from kafka.protocol.sasl import SaslAuthenticateRequest, SaslHandshakeRequest

        name = self._options["sasl_mechanism"]
        answer = self._ask(SaslHandshakeRequest(mechanism=name), _HANDSHAKE)
        if answer.error_code:
            known = ", ".join(sorted(answer.mechanisms))
            told = f"{name} is none of those that are taken here: {known or 'nobody is asked'}"
            raise errors.UnsupportedSaslMechanismError(told)
        mechanism = get_sasl_mechanism(name)(host=self._host, **self._options)
        while not mechanism.is_done():
            answer = self._ask(SaslAuthenticateRequest(mechanism.auth_bytes()), _AUTHENTICATE)
            if answer.error_code:
                raise errors.SaslAuthenticationFailedError(str(answer.error_message))
            try:
                mechanism.receive(answer.auth_bytes)
            except (ValueError, KeyError):
                told = "the broker does not know the password itself"
                raise errors.SaslAuthenticationFailedError(told) from None

    def brokers(self) -> list[Address]:
        """The addresses by which brokers want to be reached: an answer to a question, too."""
        from kafka.protocol.metadata import MetadataRequest

        answer = self._ask(MetadataRequest(topics=[]), _METADATA)
        return [(broker.host, broker.port) for broker in answer.brokers]

    def _ask(self, request: Any, version: int) -> Any:
        request.API_VERSION = version
        self._protocol.send_request(request)
        # What the other side has said before it closed can still be read.
        with suppress(ConnectionError):
            self._socket.sendall(self._protocol.send_bytes())
        while data := self._socket.recv(_BYTES):
            for _, answer in self._protocol.receive_bytes(data):
                return answer
        raise ConnectionResetError("the connection was closed instead of an answer")

    def close(self) -> None:
        """Let go of it."""
        with suppress(OSError):
            self._socket.close()


def knock(
    servers: Sequence[str], options: Mapping[str, Any], timeout_s: float, *, shows_one: bool
) -> tuple[str | None, list[str]]:
    """The first of the servers that lets us in, and where those brokers that it names first want to
    be reached and are not, with the reason. None through a proxy, where nobody knocks. `options`
    are a client's, made `ready`; `shows_one`: whether there may be a certificate of ours among
    them. Raises Distrusted, what kafka-python raises for a log-in, OSError for what may pass."""
    from kafka import KafkaConsumer

    given = {**KafkaConsumer.DEFAULT_CONFIG, **options}
    if given["proxy_url"] is not None or given["socks5_proxy"] is not None:
        return None, []
    failures: list[Exception] = []
    addresses = [_address(server) for server in servers]
    for server, address in zip(servers, addresses, strict=True):
        try:
            brokers = _try(address, given, timeout_s / len(addresses), shows_one)
        except Exception as error:  # noqa: BLE001 (the worst one is raised below)
            failures.append(error)
        else:
            others = [one for one in brokers if one not in addresses]
            return server, _try_others(others, given, shows_one)
    raise _worst(failures)


def _try(
    address: Address, options: Mapping[str, Any], timeout_s: float, shows_one: bool
) -> list[Address]:
    try:
        with closing(Door(address, options, timeout_s)) as door:
            if is_sasl(options):
                door.log_in()
            return door.brokers()
    except (ssl.SSLError, ConnectionError) as error:
        told = distrusted(f"{address[0]}:{address[1]}", error, shows_one)
        if told is None:
            raise
        raise told from None


def _try_others(brokers: list[Address], options: Mapping[str, Any], shows_one: bool) -> list[str]:
    """Those that are not reached, with the reason. A broker that is down is nothing new; one whose
    certificate is for another name will never do."""
    unreached = []
    until_s = time.monotonic() + _BROKER_S_MAX
    for address in brokers[:BROKERS_MAX]:
        try:
            _try(address, options, max(0.1, until_s - time.monotonic()), shows_one)
        except OSError as error:
            unreached.append(f"{address[0]}:{address[1]} ({error})")
    return unreached


def _worst(failures: list[Exception]) -> Exception:
    """One that no other try makes better goes first."""
    definite = [one for one in failures if not isinstance(one, OSError)]
    return (definite or failures)[0]


def _address(server: str) -> Address:
    host, _, port = server.rpartition(":")
    return host.strip("[]"), int(port)
