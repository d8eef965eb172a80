"""What `client=` may say of security: kafka-python's own options, each of which has an effect.

kafka-python takes a protocol in small letters for PLAINTEXT, and leaves aside what the protocol
does not use: who forgets `security_protocol` beside `ssl_cafile` sends all in the clear, and is not
told. Here it is refused. Only names are ever shown, and no value of an option.
"""

from __future__ import annotations

import os
import ssl
from collections.abc import Mapping
from typing import Any, NoReturn
from urllib.parse import urlsplit

from windowlog.errors import BadArgument

PROTOCOLS = ("PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL")
WITH_PASSWORD = ("PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512")
MECHANISMS = (*WITH_PASSWORD, "GSSAPI", "OAUTHBEARER", "AWS_MSK_IAM")
# What names a file.
FILES = ("ssl_cafile", "ssl_certfile", "ssl_keyfile", "ssl_crlfile")
_TEXTS = ("ssl_ciphers", "ssl_password")
_PROXIES = ("http", "socks5", "socks5h")


def protocol(client: Mapping[str, Any]) -> str:
    """What is spoken."""
    return str(client.get("security_protocol", PROTOCOLS[0]))


def is_tls(client: Mapping[str, Any]) -> bool:
    """Whether it is over TLS."""
    return protocol(client).endswith("SSL")


def is_sasl(client: Mapping[str, Any]) -> bool:
    """Whether it asks for a name."""
    return protocol(client).startswith("SASL")


def shows_certificate(client: Mapping[str, Any]) -> bool:
    """Whether it may show a certificate of its own: what a context has, it does not tell."""
    return client.get("ssl_certfile") is not None or client.get("ssl_context") is not None


def check_security(client: Mapping[str, Any], reader: str) -> None:
    """BadArgument unless every option of security has an effect, with this reader."""
    if protocol(client) not in PROTOCOLS:
        _refuse("security_protocol", f"security_protocol as one of {', '.join(PROTOCOLS)}")
    for start, uses, wanted in (
        ("ssl_", is_tls(client), "SSL or SASL_SSL"),
        ("sasl_", is_sasl(client), "SASL_PLAINTEXT or SASL_SSL"),
    ):
        idle = sorted(name for name in _given(client) if name.startswith(start) and not uses)
        if idle:
            _refuse(*idle, f"these only with security_protocol {wanted}: else they do nothing")
    _check_tls(client, reader)
    if is_sasl(client):
        _check_sasl(client)
    _check_proxy(client)


def _check_tls(client: Mapping[str, Any], reader: str) -> None:
    made = client.get("ssl_context")
    files = [name for name in (*FILES, *_TEXTS, "ssl_check_hostname") if name in _given(client)]
    if made is not None:
        if not isinstance(made, ssl.SSLContext):
            _refuse("ssl_context", "an ssl.SSLContext")
        if files:
            _refuse(*files, "these only without ssl_context, which is used instead of them")
        if reader != "driver":
            _refuse("ssl_context", "it only with reader='driver', or files (ssl_cafile …)")
    for name in (*FILES, *_TEXTS):
        kinds = str | os.PathLike if name in FILES else str
        value = client.get(name)
        if value is not None and (not isinstance(value, kinds) or not value):
            _refuse(name, f"{name} as {'a path' if name in FILES else 'a text'}")
    if not isinstance(client.get("ssl_check_hostname", True), bool):
        _refuse("ssl_check_hostname", "ssl_check_hostname as True or False")
    if client.get("ssl_certfile") is None:
        idle = [name for name in ("ssl_keyfile", "ssl_password") if name in _given(client)]
        if idle:
            _refuse(*idle, "these only with ssl_certfile, whose key they are")


def _check_sasl(client: Mapping[str, Any]) -> None:
    mechanism = client.get("sasl_mechanism")
    if mechanism not in MECHANISMS:
        _refuse("sasl_mechanism", f"sasl_mechanism as one of {', '.join(MECHANISMS)}")
    if mechanism in WITH_PASSWORD:
        for name in ("sasl_plain_username", "sasl_plain_password"):
            if not isinstance(client.get(name), str) or not client[name]:
                _refuse(name, f"{name} as a text, as {mechanism} needs it")
        user = client["sasl_plain_username"]
        if mechanism != "PLAIN" and ("," in user or "=" in user):
            _refuse("sasl_plain_username", "a user name without , and =, which SCRAM sets apart")


def _check_proxy(client: Mapping[str, Any]) -> None:
    for name in ("proxy_url", "socks5_proxy"):
        url = client.get(name)
        if url is None:
            continue
        try:
            fine = urlsplit(url).scheme in _PROXIES and bool(urlsplit(url).hostname)
        except (ValueError, TypeError, AttributeError):
            fine = False
        if not fine:
            _refuse(name, f"{name} as SCHEME://HOST:PORT, with {', '.join(_PROXIES)}")


def _given(client: Mapping[str, Any]) -> list[str]:
    """Names of options that say something: None is kafka-python's own value of most."""
    return [name for name, value in client.items() if value is not None]


def _refuse(*names_and_allowed: str) -> NoReturn:
    """The last one is what is allowed."""
    *names, allowed = names_and_allowed
    raise BadArgument(argument="client", value=names, allowed=allowed)
