"""What files of TLS hold: certificates, keys and revocations as PEM. Pure but for reading files."""

from __future__ import annotations

import base64
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from connectors.kafka.fetch import Secret
from windowlog.errors import BadArgument

_BLOCK = re.compile(r"-----BEGIN ([A-Z0-9 ]+)-----.*?-----END \1-----", re.DOTALL)
_CERTIFICATES = ("CERTIFICATE", "X509 CERTIFICATE")
_KEY = "PRIVATE KEY"
_REVOCATIONS = ("X509 CRL",)
# A bundle of all authorities that there are has a quarter of this.
_FILE_BYTES_MAX = 2**20


def blocks(text: str, *labels: str) -> list[str]:
    """Those with one of the labels, in order, without what stands around them."""
    return [found[0] for found in _BLOCK.finditer(text) if found[1] in labels]


def key_block(text: str) -> str | None:
    """The first private key, of whatever form."""
    found = (match for match in _BLOCK.finditer(text) if match[1].endswith(_KEY))
    return next((match[0] for match in found), None)


def decoded(block: str) -> bytes:
    """What stands between the block's first line and its last, without its own headers."""
    return base64.b64decode("".join(line for line in block.splitlines()[1:-1] if ":" not in line))


def is_encrypted(key: str) -> bool:
    """Whether the key needs a password."""
    return "ENCRYPTED" in key


def texts(client: Mapping[str, Any]) -> dict[str, Any]:
    """The texts of all files that the options of TLS name, and what is said beside them, as
    `login.context` takes it. BadArgument with the option and the file."""
    chain, key = _certificate(client)
    return {
        "check_hostname": client.get("ssl_check_hostname", True),
        "ca": _joined(client, "ssl_cafile", "certificate", _CERTIFICATES),
        "chain": chain,
        "key": key,
        "password": _secret(client.get("ssl_password")),
        "ciphers": client.get("ssl_ciphers"),
        "crl": _joined(client, "ssl_crlfile", "list of revoked certificates", _REVOCATIONS),
    }


def _certificate(client: Mapping[str, Any]) -> tuple[str | None, Secret | None]:
    chain = _joined(client, "ssl_certfile", "certificate", _CERTIFICATES)
    if chain is None:
        return None, None
    option = "ssl_keyfile" if client.get("ssl_keyfile") is not None else "ssl_certfile"
    key = key_block(_read(client, option))
    if key is None:
        what = (
            "a private key" if option == "ssl_keyfile" else "its private key too, or ssl_keyfile="
        )
        raise _unfit(client, option, f"a PEM file with {what}")
    if is_encrypted(key) and not client.get("ssl_password"):
        raise _unfit(client, option, "with ssl_password=, as this key is encrypted")
    return chain, Secret(key)


def _joined(
    client: Mapping[str, Any], option: str, what: str, labels: tuple[str, ...]
) -> str | None:
    if client.get(option) is None:
        return None
    found = blocks(_read(client, option), *labels)
    if not found:
        raise _unfit(client, option, f"a PEM file with a {what}")
    return "\n".join(found) + "\n"


def _read(client: Mapping[str, Any], option: str) -> str:
    try:
        with Path(client[option]).open("rb") as file:
            return file.read(_FILE_BYTES_MAX).decode("latin-1")
    except OSError as error:
        allowed = f"a file that can be read here ({error.strerror})"
        raise _unfit(client, option, allowed) from None


def _unfit(client: Mapping[str, Any], option: str, allowed: str) -> BadArgument:
    return BadArgument(argument=option, value=str(client[option]), allowed=allowed)


def _secret(value: Any) -> Secret | None:
    return Secret(value) if value is not None else None
