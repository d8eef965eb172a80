"""An authority of a test's own, which certifies servers and clients: made anew by openssl."""

from __future__ import annotations

import os
import secrets
import shutil
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

from tests.machine import absent

_CURVE = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes")
_EXTENSIONS = """subjectAltName={names}
basicConstraints=critical,CA:FALSE
authorityKeyIdentifier=keyid
subjectKeyIdentifier=hash
"""
HERE = "DNS:localhost,IP:127.0.0.1"


@dataclass(frozen=True)
class Issued:
    """PEM files of one certificate and its private key, which is not encrypted."""

    certificate: Path
    key: Path

    def encrypted_key(self, password: str, *how: str) -> Path:
        """The key in another file, which a password opens."""
        file = self.key.with_suffix(f".{secrets.token_hex(4)}.pem")
        files = ("-in", str(self.key), "-out", str(file))
        openssl("pkcs8", "-topk8", *how, *files, password=password)
        return file

    def key_in_old_form(self) -> Path:
        """The key in another file, as OpenSSL wrote it once."""
        file = self.key.with_suffix(".old.pem")
        openssl("ec", "-in", str(self.key), "-out", str(file))
        return file


@dataclass(frozen=True)
class Authority:
    """`file` is its certificate."""

    folder: Path
    file: Path = field(init=False)

    def __post_init__(self) -> None:
        self.folder.mkdir(parents=True)
        object.__setattr__(self, "file", self.folder / "authority.pem")
        place = ("-keyout", str(self._key), "-out", str(self.file), "-days", "2")
        openssl("req", "-x509", *_CURVE, "-subj", "/CN=tests", *place)

    @property
    def _key(self) -> Path:
        return self.folder / "authority.key"

    def issue(self, subject: str = "localhost", names: str = HERE, days: int = 2) -> Issued:
        """A certificate for these names; with no day at all it has expired a second later."""
        start = self.folder / secrets.token_hex(4)
        key, request, extensions, certificate = (
            start.with_suffix(f".{what}") for what in ("key", "request", "extensions", "pem")
        )
        extensions.write_text(_EXTENSIONS.format(names=names))
        files = ("-keyout", str(key), "-out", str(request))
        openssl("req", *_CURVE, "-subj", f"/CN={subject}", *files)
        signer = ("-CA", str(self.file), "-CAkey", str(self._key), "-CAcreateserial")
        wanted = ("-in", str(request), "-extfile", str(extensions), "-out", str(certificate))
        openssl("x509", "-req", *wanted, *signer, "-days", str(days))
        return Issued(certificate, key)

    def revocations(self, *revoked: Issued) -> Path:
        """The list of certificates that no longer hold."""
        files = {"database": "index", "crlnumber": "number", "serial": "serial"}
        places = {name: self.folder / file for name, file in files.items()}
        places["database"].write_text("")
        places["crlnumber"].write_text("01\n")
        lines = [f"{name}={place}" for name, place in places.items()]
        settings = self.folder / "settings"
        settings.write_text(
            "\n".join(
                [
                    "[ca]",
                    "default_ca=own",
                    "[own]",
                    "default_md=sha256",
                    "default_crl_days=1",
                    *lines,
                    "",
                ]
            )
        )
        signer = ("-config", str(settings), "-cert", str(self.file), "-keyfile", str(self._key))
        for one in revoked:
            openssl("ca", *signer, "-revoke", str(one.certificate))
        listed = self.folder / f"{secrets.token_hex(4)}.crl"
        openssl("ca", *signer, "-gencrl", "-out", str(listed))
        return listed


def openssl(*arguments: str, password: str = "") -> None:
    """Run it; where a password is given, what is written is encrypted with it."""
    program = shutil.which("openssl") or absent("openssl")
    command = [program, *arguments, *(("-passout", "env:WRITTEN_WITH") if password else ())]
    environment = {**os.environ, "WRITTEN_WITH": password}
    subprocess.run(command, check=True, capture_output=True, env=environment)
