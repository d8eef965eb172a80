"""The options of kafka-python's clients: what the promises rest on, and what the user has given.

Nothing is imported from kafka-python here.
"""

from __future__ import annotations

from typing import Any

from connectors.kafka import pem, security
from connectors.kafka.fetch import Secret
from connectors.kafka.login import TLS
from connectors.kafka.settings import Settings

# Everything that is read lies below the stable end already, so no fetch has to wait for more.
FETCH_MAX_WAIT_MS = 10
# What a small window does not take of a fetch is thrown away: 250 records of each of four
# partitions took 29 ms with kafka-python's own 1 MiB, and 20 ms so. Large ranges take the same.
PARTITION_FETCH_BYTES_MAX = 2**18
# kafka-python's own, for a request that the broker does not answer.
_REQUEST_TIMEOUT_MS_MAX = 30_000
_RECONNECT_BACKOFF_MAX_MS = 1_000
# What `login.ready` makes a context of.
_OF_TLS = (*security.FILES, "ssl_check_hostname", "ssl_ciphers", "ssl_password")
# Parts of names of options whose values are shown to nobody; an address of a proxy may have one.
_SECRET = ("password", "proxy")


def common(settings: Settings) -> dict[str, Any]:
    """What every client is given: the addresses, bounded waits, and the user's own options, with
    the texts of files for files: for `login.ready`. BadArgument for files that do not serve."""
    wait_ms = int(settings.stall_timeout_s * 1000)
    request_ms = min(wait_ms, _REQUEST_TIMEOUT_MS_MAX)
    return {
        "bootstrap_servers": list(settings.servers),
        "client_id": "windowed-connectors",
        "request_timeout_ms": request_ms,
        "default_api_timeout_ms": max(wait_ms, request_ms),
        "bootstrap_timeout_ms": wait_ms,
        "reconnect_backoff_max_ms": _RECONNECT_BACKOFF_MAX_MS,
        **_given(settings),
    }


def for_consumers(settings: Settings) -> dict[str, Any]:
    """What a reading client is given: committed records only, from a given offset or not at all, no
    group, no topic created."""
    return {
        "fetch_max_wait_ms": FETCH_MAX_WAIT_MS,
        "max_partition_fetch_bytes": PARTITION_FETCH_BYTES_MAX,
        "metrics_enabled": False,
        **common(settings),
        "group_id": None,
        "isolation_level": "read_committed",
        "auto_offset_reset": "none",
        "enable_auto_commit": False,
        "allow_auto_create_topics": False,
    }


def _given(settings: Settings) -> dict[str, Any]:
    client = settings.client
    own = {name: _hidden(name, value) for name, value in client.items() if name not in _OF_TLS}
    if not security.is_tls(client) or client.get("ssl_context") is not None:
        return own
    return own | {f"{TLS}{name}": value for name, value in pem.texts(client).items()}


def _hidden(name: str, value: Any) -> Any:
    secret = any(part in name for part in _SECRET) and isinstance(value, str)
    return Secret(value) if secret else value
