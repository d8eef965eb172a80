"""How a client logs in, made ready where it connects: TLS from the texts of files, which tasks do
not have, and nothing of a log-in in a log. Sent to tasks by value: it uses nothing else of ours.
"""

from __future__ import annotations

import logging
import os
import ssl
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

# Options of ours, which kafka-python does not know: what the context of TLS is made of.
TLS = "tls_"
# Where kafka-python shows each message at DEBUG: names and passwords of PLAIN, proofs of SCRAM.
_LOGGERS = ("kafka.net.connection", "kafka.protocol.parser")
_HIDDEN = "(a log-in)"
# Where a request says what it is, behind its length, and what a log-in says there.
_KIND, _SASL_AUTHENTICATE = slice(4, 6), b"\0\x24"


class Unfit(Exception):
    """A text that TLS cannot use: the option that gave it, and why."""


def ready(options: Mapping[str, Any]) -> dict[str, Any]:
    """The options for a client that connects here. Unfit."""
    hush()
    given = {name: value for name, value in options.items() if not name.startswith(TLS)}
    tls = {name.removeprefix(TLS): options[name] for name in options.keys() - given.keys()}
    if tls:
        given["ssl_context"] = context(tls)
    return given


def context(tls: Mapping[str, Any]) -> ssl.SSLContext:
    """As kafka-python would make it of its files; revocation and ciphers too, of which it has the
    options and no more. `tls`: texts `ca`, `chain`, `key` and `crl`; `password`, `ciphers`,
    `check_hostname`. What is None is not there."""
    made = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    made.minimum_version = ssl.TLSVersion.TLSv1_2
    made.check_hostname = tls["check_hostname"]
    if tls["ciphers"] is not None:
        _try("ssl_ciphers", made.set_ciphers, tls["ciphers"])
    if tls["ca"] is None:
        made.load_default_certs()
    else:
        _try("ssl_cafile", made.load_verify_locations, None, None, tls["ca"])
    if tls["crl"] is not None:
        with _as_file(tls["crl"]) as path:
            _try("ssl_crlfile", made.load_verify_locations, path)
        made.verify_flags |= ssl.VERIFY_CRL_CHECK_LEAF
    if tls["chain"] is not None:
        with _as_file(f"{tls['chain']}\n{tls['key']}") as path:
            # Without a password OpenSSL would ask for one at the terminal, and wait.
            password = tls["password"] or ""
            _try(
                "ssl_certfile, ssl_keyfile, ssl_password",
                made.load_cert_chain,
                path,
                None,
                password,
            )
    return made


def hush() -> None:
    """Keep log-ins out of kafka-python's logs in this process."""
    for name in _LOGGERS:
        logger = logging.getLogger(name)
        if not any(
            getattr(one, "__name__", "") == without_log_in.__name__ for one in logger.filters
        ):
            logger.addFilter(without_log_in)


def without_log_in(record: logging.LogRecord) -> bool:
    """A filter of logs: messages of a log-in are not shown."""
    if isinstance(record.args, tuple):
        record.args = tuple(_HIDDEN if _is_log_in(one) else one for one in record.args)
    return True


def _is_log_in(value: Any) -> bool:
    if isinstance(value, bytes | bytearray):
        return bytes(value[_KIND]) == _SASL_AUTHENTICATE
    return type(value).__name__.startswith("SaslAuthenticate")


def _try(option: str, load: Any, *values: Any) -> None:
    try:
        load(*values)
    except (ssl.SSLError, ValueError) as error:
        raise Unfit(option, getattr(error, "reason", None) or str(error)) from None


@contextmanager
def _as_file(text: str) -> Iterator[str]:
    """A file for OpenSSL, which takes nothing else, with a private key in it: in memory where the
    system has such files, else one that only we may read."""
    if hasattr(os, "memfd_create"):
        number = os.memfd_create("tls")
        with os.fdopen(number, "w") as stream:
            stream.write(text)
            stream.flush()
            yield f"/proc/self/fd/{number}"
        return
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "tls.pem")
        with open(path, "w") as stream:
            stream.write(text)
        yield path
