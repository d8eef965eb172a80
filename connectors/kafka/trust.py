"""What a failure of TLS means for a person, and what helps. Pure."""

from __future__ import annotations

import ssl

# OpenSSL's numbers of what is wrong with a certificate.
_UNKNOWN = (2, 18, 19, 20, 21, 27)
_NOT_YET, _EXPIRED, _REVOKED, _NO_LIST, _LIST_EXPIRED = 9, 10, 23, 3, 12
_NAME = (62, 64)
# What the other side says, in OpenSSL's words, when it wants or does not like our certificate.
_DISLIKED = (
    "CERTIFICATE_REQUIRED",
    "BAD_CERTIFICATE",
    "UNKNOWN_CA",
    "CERTIFICATE_EXPIRED",
    "CERTIFICATE_REVOKED",
    "UNSUPPORTED_CERTIFICATE",
    "CERTIFICATE_UNKNOWN",
    "ACCESS_DENIED",
)
_HELP = {
    _NOT_YET: "Compare the clocks, or let its owner renew its certificate",
    _EXPIRED: "Let its owner renew its certificate",
    _REVOKED: "It is on the list of ssl_crlfile in client=. Let its owner renew its certificate",
    _NO_LIST: "Name its authority's list of revoked certificates by ssl_crlfile in client=",
    _LIST_EXPIRED: "Get a newer list of revoked certificates for ssl_crlfile in client=",
}


class Distrusted(Exception):
    """No other try makes it better. `server`; `reason`; `remedy`; `refused`: whether it was the
    broker who did not trust us."""

    def __init__(self, server: str, reason: str, remedy: str, refused: bool) -> None:
        super().__init__(reason)
        self.server = server
        self.reason = reason
        self.remedy = remedy
        self.refused = refused


def distrusted(server: str, error: OSError, shows_one: bool) -> Distrusted | None:
    """What a failed connection says for good; None if another try may do better. `shows_one`:
    whether the client has a certificate."""
    if isinstance(error, ssl.SSLCertVerificationError):
        return Distrusted(server, error.verify_message, _help(error.verify_code), False)
    said = str(getattr(error, "reason", "") or "")
    if not any(word in said for word in _DISLIKED):
        return None
    if not shows_one:
        reason = f"it wants a certificate of whoever connects ({said})"
        remedy = "Name one by ssl_certfile and ssl_keyfile in client="
    else:
        reason = f"it does not take the certificate of whoever connects: {said}"
        remedy = "Name another one by ssl_certfile and ssl_keyfile in client="
    return Distrusted(server, reason, remedy, True)


def _help(code: int) -> str:
    if code in _UNKNOWN:
        return "Name the certificate of its authority by ssl_cafile in client="
    if code in _NAME:
        return (
            "Reach it by a name of its certificate: in bootstrap_servers, and in the brokers'"
            " advertised.listeners"
        )
    return _HELP.get(code, "Let its owner correct its certificate")
