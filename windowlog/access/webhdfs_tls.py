"""What a failure below HTTP means, where certificates and encryption meet. No I/O."""

from __future__ import annotations

import http.client
import ssl

# OpenSSL's numbers: what a certificate is refused for, beside that nobody vouches for it.
_NOT_YET_OR_NO_MORE = {9, 10}
_OTHER_NAME = {62, 64}
# How OpenSSL's versions call an answer that is not encrypted.
_PLAIN = {"HTTP_REQUEST", "RECORD_LAYER_FAILURE", "UNKNOWN_PROTOCOL", "WRONG_VERSION_NUMBER"}
# An alert of TLS 1.x.
_ALERT = "\x15\x03"


def tls_reason(cause: BaseException, node: str) -> tuple[str, str] | None:
    """(kind, reason) of a refusal; None where it is about something else."""
    if isinstance(cause, ssl.SSLCertVerificationError):
        reason = f"the certificate of {node} is refused ({cause.verify_message.rstrip('.')})"
        if cause.verify_code in _OTHER_NAME:
            return "SSL name", reason
        return "SSL time" if cause.verify_code in _NOT_YET_OR_NO_MORE else "SSL", reason
    # One that OpenSSL has not made itself has no such attribute.
    if isinstance(cause, ssl.SSLError) and getattr(cause, "reason", None) in _PLAIN:
        return "SSL scheme", f"{node} does not speak https"
    if isinstance(cause, http.client.BadStatusLine) and str(cause).startswith(_ALERT):
        return "SSL scheme", f"{node} speaks https alone"
    return None
