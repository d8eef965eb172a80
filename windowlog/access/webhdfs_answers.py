"""What an answer of WebHDFS means, and what it means that there is none. No I/O.

Three outcomes beside success, told apart because a caller does something else after each:

    Refusal      the server said no: nothing was done, and asking again gives the same answer
    Unavailable  nothing was done, and another name node, or a later moment, may say something else
    Unanswered   the request may have taken effect, now or a little later: look before you ask again
"""

from __future__ import annotations

import socket
from collections.abc import Iterator
from typing import Any

from windowlog.access.webhdfs_tls import tls_reason

# Said before anything is done: the other name node is active, or this one takes no changes yet.
_NOT_NOW = {"RetriableException", "SafeModeException", "StandbyException"}
# Said when something between the servers went wrong, at an unknown moment.
_UNSURE = {
    "BlockMissingException",
    "ClosedChannelException",
    "ConnectException",
    "EOFException",
    "IOException",
    "InterruptedIOException",
    "LeaseExpiredException",
    "NoRouteToHostException",
    "NotReplicatedYetException",
    "SocketException",
    "SocketTimeoutException",
}
# How a name node falls over a text that is no token: before it has done anything.
_GARBLED = {"IndexOutOfBoundsException", "NegativeArraySizeException"}
# What is wrong with a token stands behind all that is in it.
_LENGTH_MAX = 500
# What a name node's other port says to whoever speaks HTTP.
_IPC = "Hadoop IPC port"
# Parts of reasons, by which a person is told what to look at.
NAME_UNKNOWN = "its name is not known"
NOT_WEBHDFS = "without a word of WebHDFS"


class _Outcome(Exception):
    """`reason` is for messages and has no secret in it: a URL with its token never gets here."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class Refusal(_Outcome):
    """The server's no; `kind` is the short name of its Java exception, or HTTP and the status."""

    def __init__(self, kind: str, reason: str) -> None:
        super().__init__(reason)
        self.kind = kind


class Unavailable(_Outcome):
    """Nothing was done: not reached, standby, in safe mode, starting."""


class Unanswered(_Outcome):
    """The request may have been carried out, or may still be."""


def outcome(response: Any, node: str) -> Exception | None:
    """None for success; else what the answer means. `response` is one of the package requests."""
    if response.status_code < 400:
        return None
    said = _remote_exception(response)
    if said is None:
        if response.status_code in (401, 403):
            return Refusal(f"HTTP {response.status_code}", _shut_out(response, node))
        if _IPC in response.text:
            reason = f"{node} is the port for Spark's hdfs://, not the web port"
            return Refusal("IPC port", reason)
        # A web server that is starting, or stopping, or is none of HDFS.
        return Unanswered(f"{node} answers HTTP {response.status_code} {NOT_WEBHDFS}")
    kind, message = said
    if kind in _GARBLED and "delegation=" in (response.url or ""):
        return Refusal("InvalidToken", f"{node} cannot read the delegation token ({kind})")
    if kind in _NOT_NOW:
        return Unavailable(f"{node}: {message}")
    if kind in _UNSURE or response.status_code >= 500:
        return Unanswered(f"{node}: {message}")
    return Refusal(kind, message)


def _shut_out(response: Any, node: str) -> str:
    if "negotiate" in response.headers.get("www-authenticate", "").lower():
        return f"{node} lets in whoever has a Kerberos ticket or a delegation token; none was valid"
    return f"{node} does not let this user in"


def _remote_exception(response: Any) -> tuple[str, str] | None:
    """(kind, the first line of its message), or None where the answer is something else."""
    try:
        said = response.json()["RemoteException"]
        kind = str(said["exception"]).rpartition("$")[2]
        # Some exceptions carry the server's whole stack in their message, and some have none.
        lines = str(said["message"] or "").strip().splitlines() or [f"{kind}, no reason given"]
        return kind, lines[0][:_LENGTH_MAX]
    except (ValueError, KeyError, TypeError):
        return None


def of_failure(failure: Exception, node: str, timeout_s: float) -> Exception:
    """What an exception of the package requests means. Its own text is not used: it has the URL,
    and with it the token."""
    import requests

    causes = list(_causes(failure))
    for cause in causes:
        found = tls_reason(cause, node)
        if found is not None:
            return Refusal(*found)
    names = {type(cause).__name__ for cause in causes}
    if isinstance(failure, requests.exceptions.ConnectTimeout) or names & {
        "ConnectTimeoutError",
        "NameResolutionError",
        "NewConnectionError",
    }:
        return Unavailable(f"{node} cannot be reached ({_why(causes)})")
    if isinstance(failure, requests.exceptions.Timeout) or "ReadTimeoutError" in names:
        return Unanswered(f"{node} has not answered within {timeout_s:g} s")
    return Unanswered(f"the connection to {node} broke ({_why(causes)})")


def _causes(failure: BaseException | None) -> Iterator[BaseException]:
    """The exception and those that it stands for, outermost first; the wrappings of requests and
    urllib3 keep theirs in `args` and `reason`."""
    seen: set[int] = set()
    waiting = [failure]
    while waiting:
        one = waiting.pop(0)
        if not isinstance(one, BaseException) or id(one) in seen:
            continue
        seen.add(id(one))
        yield one
        waiting += [*one.args, getattr(one, "reason", None), one.__cause__, one.__context__]


def _why(causes: list[BaseException]) -> str:
    for cause in causes:
        if isinstance(cause, socket.gaierror):
            return NAME_UNKNOWN
        if isinstance(cause, OSError) and cause.strerror:
            return cause.strerror
    return type(causes[-1]).__name__
