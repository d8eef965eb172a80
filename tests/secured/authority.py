"""A certificate for localhost in the form that Hadoop's servers take."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field
from pathlib import Path

from tests.authority import Authority, openssl


@dataclass(frozen=True)
class Certified:
    """`ca_file` is the authority's certificate, `keystore` what a Java server shows for itself."""

    ca_file: Path
    keystore: Path
    password: str = field(repr=False)

    def server_settings(self) -> dict[str, str]:
        """As Hadoop's ssl-server.xml takes them."""
        return {
            "ssl.server.keystore.location": str(self.keystore),
            "ssl.server.keystore.type": "pkcs12",
            "ssl.server.keystore.password": self.password,
            "ssl.server.keystore.keypassword": self.password,
        }


def certified(folder: Path) -> Certified:
    """A new authority, and a certificate that it has signed; all files are in `folder`."""
    password = secrets.token_hex(16)
    authority = Authority(folder)
    issued = authority.issue(names="DNS:localhost")
    issued.key.rename(folder / "key.pem")
    store = ("-inkey", str(folder / "key.pem"), "-in", str(issued.certificate))
    keystore = folder / "keystore"
    openssl("pkcs12", "-export", *store, "-out", str(keystore), password=password)
    return Certified(authority.file, keystore, password)
