"""What failures below HTTP mean. Where a real server shows one, tests/secured/ has it."""

from __future__ import annotations

import http.client
import ssl

import pytest
import requests

from windowlog.access.webhdfs_answers import Refusal, Unanswered, outcome
from windowlog.access.webhdfs_tls import tls_reason


@pytest.mark.parametrize(
    ("code", "kind"), [(9, "time"), (10, "time"), (18, ""), (20, ""), (62, "name"), (64, "name")]
)
def test_a_certificate_is_refused_for_one_of_three_reasons(code: int, kind: str) -> None:
    """Its time, its name, or nobody vouches for it: OpenSSL's numbers (x509_vfy.h)."""
    failure = ssl.SSLCertVerificationError()
    failure.verify_code, failure.verify_message = code, "why."
    expected = (f"SSL {kind}".strip(), "the certificate of nn is refused (why)")
    assert tls_reason(failure, "nn") == expected


@pytest.mark.parametrize(
    "failure",
    [
        ssl.SSLEOFError("EOF occurred"),
        http.client.BadStatusLine("HTP/1.1"),
        ConnectionResetError(),
    ],
)
def test_a_connection_that_broke_is_no_refusal(failure: Exception) -> None:
    """It may be whole the next time."""
    assert tls_reason(failure, "nn") is None


@pytest.mark.parametrize("kind", ["IndexOutOfBoundsException", "NegativeArraySizeException"])
def test_a_server_that_falls_over_a_token_refuses_it(kind: str) -> None:
    """Without a token it is a defect, and nobody knows what has been done."""
    response = requests.Response()
    response.status_code = 500
    response._content = (
        f'{{"RemoteException": {{"exception": "{kind}", "message": null}}}}'.encode()
    )
    response.url = "https://nn/webhdfs/v1/?op=LISTSTATUS"
    defect = outcome(response, "nn")
    assert isinstance(defect, Unanswered)
    assert str(defect) == f"nn: {kind}, no reason given"
    response.url += "&delegation=hunter2"
    refusal = outcome(response, "nn")
    assert isinstance(refusal, Refusal)
    assert (refusal.kind, "hunter2" in str(refusal)) == ("InvalidToken", False)
