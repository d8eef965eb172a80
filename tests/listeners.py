"""The secured listeners of the tests' broker, and how kafka-python is to log in at each."""

from __future__ import annotations

import secrets
from pathlib import Path
from typing import Any

from kafka import KafkaAdminClient
from kafka.admin import UserScramCredentialUpsertion

from tests.authority import Authority, Issued

# Name of a listener -> its protocol. MUTUAL wants a certificate of whoever comes, BOTH takes one.
# EXPIRED has an old certificate, ELSEWHERE one for localhost, and wants to be called 127.0.0.1.
PROTOCOLS = {
    "SECRET": "SASL_PLAINTEXT",
    "TLS": "SSL",
    "MUTUAL": "SSL",
    "BOTH": "SASL_SSL",
    "EXPIRED": "SSL",
    "ELSEWHERE": "SSL",
}
MECHANISMS = ("PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512")
_SCRAM = MECHANISMS[1:]
_MODULES = "org.apache.kafka.common.security"
# All that a word in quotes, a path of Java's settings or a file of properties could trip over.
_AWKWARD = "\\ \"'; # ${file:/x:y}\n\t\r ü€😀,= "


class Listeners:
    """`users` are names and passwords: one for PLAIN, which is a setting, and one for SCRAM, which
    `admit` makes known. `here` is the broker's certificate, `person` that of somebody whom it
    lets in."""

    def __init__(self, folder: Path) -> None:
        self.authority = Authority(folder / "authority")
        self.here: Issued = self.authority.issue()
        self.person: Issued = self.authority.issue("somebody")
        self.users = {
            "PLAIN": ("plain", secrets.token_urlsafe()),
            "SCRAM": (f"scram {secrets.token_hex(4)}", secrets.token_urlsafe() + _AWKWARD),
        }

    def settings(self) -> dict[str, str]:
        """The broker's."""
        shown = {
            "TLS": self.here,
            "MUTUAL": self.here,
            "BOTH": self.here,
            "EXPIRED": self.authority.issue(days=0),
            "ELSEWHERE": self.authority.issue(names="DNS:localhost"),
        }
        found = {"sasl.enabled.mechanisms": ",".join(MECHANISMS)}
        for name, issued in shown.items():
            found |= _prefixed(name, _tls(issued))
        trusted = {
            "ssl.truststore.type": "PEM",
            "ssl.truststore.certificates": self.authority.file.read_text(),
        }
        for name, wanted in (("MUTUAL", "required"), ("BOTH", "requested")):
            found |= _prefixed(name, trusted | {"ssl.client.auth": wanted})
        for name in ("SECRET", "BOTH"):
            found |= _prefixed(name, self._log_ins())
        return found

    def _log_ins(self) -> dict[str, str]:
        user, password = self.users["PLAIN"]
        plain = f'{_MODULES}.plain.PlainLoginModule required user_{user}="{password}";'
        scram = f"{_MODULES}.scram.ScramLoginModule required;"
        return {
            f"{mechanism.lower()}.sasl.jaas.config": plain if mechanism == "PLAIN" else scram
            for mechanism in MECHANISMS
        }

    def admit(self, bootstrap: str) -> None:
        """Make the user of SCRAM known to a broker that runs."""
        admin = KafkaAdminClient(bootstrap_servers=bootstrap)
        user, password = self.users["SCRAM"]
        # Of several in one question the broker takes one.
        for mechanism in _SCRAM:
            wanted = UserScramCredentialUpsertion(user, mechanism, password)
            assert admin.alter_user_scram_credentials([wanted]) == {user: None}
        admin.close()

    def client(self, name: str, mechanism: str = "SCRAM-SHA-512") -> dict[str, Any]:
        """kafka-python's options with which a listener lets one in, as a user would give them."""
        protocol = PROTOCOLS[name]
        found: dict[str, Any] = {"security_protocol": protocol}
        if protocol.endswith("SSL"):
            found["ssl_cafile"] = str(self.authority.file)
        if name == "MUTUAL":
            found |= self.certificate()
        if protocol.startswith("SASL"):
            user, password = self.users["PLAIN" if mechanism == "PLAIN" else "SCRAM"]
            found["sasl_mechanism"] = mechanism
            found |= {"sasl_plain_username": user, "sasl_plain_password": password}
        return found

    def certificate(self) -> dict[str, str]:
        """Those of somebody who is let in by a certificate."""
        return {
            "ssl_certfile": str(self.person.certificate),
            "ssl_keyfile": str(self.person.key),
        }


def _tls(issued: Issued) -> dict[str, str]:
    return {
        "ssl.keystore.type": "PEM",
        "ssl.keystore.certificate.chain": issued.certificate.read_text(),
        "ssl.keystore.key": issued.key.read_text(),
    }


def _prefixed(name: str, settings: dict[str, str]) -> dict[str, str]:
    return {f"listener.name.{name.lower()}.{key}": value for key, value in settings.items()}
