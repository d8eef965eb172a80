"""kafka-python's options of security in the words of Java's client, which Spark's own source uses.
Pure but for reading files.

Certificates and keys go as texts, so that no executor needs the files.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from connectors.kafka import pem, security

_LOGIN = "org.apache.kafka.common.security"
_MODULES = {
    "PLAIN": f"{_LOGIN}.plain.PlainLoginModule",
    "SCRAM-SHA-256": f"{_LOGIN}.scram.ScramLoginModule",
    "SCRAM-SHA-512": f"{_LOGIN}.scram.ScramLoginModule",
}
# What has the same meaning there.
TRANSLATED = frozenset(
    {
        "security_protocol", "sasl_mechanism", "sasl_plain_password", "sasl_plain_username",
        "ssl_cafile", "ssl_certfile", "ssl_check_hostname", "ssl_keyfile", "ssl_password",
    }
)  # fmt: skip
# Kafka's client for Java reads no other form of a key, and an encrypted one only if it is not by
# PBES2, of which Java 17 tells no more than the name.
_FORMS = ("PRIVATE KEY", "ENCRYPTED PRIVATE KEY")
_PBES2 = bytes.fromhex("06092a864886f70d01050d")
# Spark's source logs options at DEBUG, without those whose name or value has this word
# (spark.redaction.regex). A key has no such name; what stands before it in PEM has no meaning.
_HIDE_ME = "password"
_ESCAPES = str.maketrans({"\\": r"\\", '"': r"\"", "\n": r"\n", "\r": r"\r"})


def unfit(client: Mapping[str, Any]) -> list[str]:
    """What cannot be said there of these options, as names of options, with their values where it
    is those. Files are not looked at."""
    found = []
    if security.is_sasl(client) and client["sasl_mechanism"] not in _MODULES:
        found.append(f"sasl_mechanism {client['sasl_mechanism']}")
    password = client.get("ssl_password")
    # Java's client takes them off.
    if password is not None and password != password.strip():
        found.append("ssl_password with blanks at an end")
    return found


def unfit_key(client: Mapping[str, Any]) -> str | None:
    """What is wrong for Java with the private key's form; None if it can be used or there is none.
    BadArgument if it cannot be read."""
    if not security.is_tls(client):
        return None
    key = pem.texts(client)["key"]
    if key is None:
        return None
    form = key.splitlines()[0].strip("-").removeprefix("BEGIN ")
    if form in _FORMS:
        if not pem.is_encrypted(key) or _PBES2 not in pem.decoded(key):
            return None
        form += " by PBES2"
    return f"{form} in ssl_keyfile or ssl_certfile"


def is_secret(client: Mapping[str, Any]) -> bool:
    """Whether the options, translated, hold a password or a key."""
    return security.is_sasl(client) or client.get("ssl_certfile") is not None


def translated(client: Mapping[str, Any]) -> dict[str, str]:
    """The options, which hold secrets. BadArgument for files that do not serve."""
    said = {"security.protocol": security.protocol(client)}
    if security.is_sasl(client):
        said |= _sasl(client)
    if security.is_tls(client):
        said |= _tls(pem.texts(client))
    return {f"kafka.{name}": value for name, value in said.items()}


def _sasl(client: Mapping[str, Any]) -> dict[str, str]:
    mechanism = client["sasl_mechanism"]
    user = quoted(client["sasl_plain_username"])
    password = quoted(client["sasl_plain_password"])
    module = f"{_MODULES[mechanism]} required username={user} password={password};"
    return {"sasl.mechanism": mechanism, "sasl.jaas.config": module}


def quoted(text: str) -> str:
    """As Java's reader of log-in modules takes it, with every sign in it."""
    return f'"{text.translate(_ESCAPES)}"'


def _tls(texts: Mapping[str, Any]) -> dict[str, str]:
    said = {}
    if not texts["check_hostname"]:
        said["ssl.endpoint.identification.algorithm"] = ""
    if texts["ca"] is not None:
        said |= {"ssl.truststore.type": "PEM", "ssl.truststore.certificates": texts["ca"]}
    if texts["chain"] is not None:
        said |= {
            "ssl.keystore.type": "PEM",
            "ssl.keystore.certificate.chain": texts["chain"],
            "ssl.keystore.key": f"{_HIDE_ME}\n{texts['key']}",
        }
        # Java's client looks for an encrypted key, and no other, where there is a password.
        if pem.is_encrypted(texts["key"]):
            said["ssl.key.password"] = str(texts["password"])
    return said
