"""How Spark's tasks reach an HDFS: by the package `hdfs` alone, with what the driver knows.

`task_client` is sent to the workers by value, so it uses nothing of ours. What `login_of` gives may
hold a token: it goes with the code that is sent, never as an option of a source, which Spark shows.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from windowlog.access.webhdfs_login import user_of

if TYPE_CHECKING:
    from windowlog.access.webhdfs_url import HdfsPlace


def login_of(place: HdfsPlace) -> dict[str, Any]:
    """For tasks that work as the same user as the driver; not with Kerberos, whose ticket they do
    not have."""
    return {
        "url": ";".join(place.base(number) for number in range(len(place.name_nodes))),
        "user": user_of(place),
        "token": place.token,
        "ca_file": place.ca_file,
        "timeout": place.timeout_s,
    }


@contextmanager
def task_client(login: Mapping[str, Any]) -> Iterator[Any]:
    """In a task: the package's client, for as long as it is used. Errors come without the token,
    which stands in each URL: Spark shows them to whoever sees the job."""
    from functools import partial
    from urllib.parse import quote_plus

    import hdfs
    import requests

    with requests.Session() as session:
        # Else the bytes that come would be compressed ones.
        session.headers["Accept-Encoding"] = "identity"
        if login["ca_file"] is not None:
            # Said of the session, it would yield to the environment's REQUESTS_CA_BUNDLE.
            asked = partial(session.request, verify=login["ca_file"])
            session.request = asked  # type: ignore[method-assign]
        common = {"url": login["url"], "timeout": login["timeout"], "session": session}
        token = login["token"]
        if token is None:
            yield hdfs.InsecureClient(user=login["user"], **common)
            return
        try:
            yield hdfs.TokenClient(token=token, **common)
        except Exception as error:  # noqa: BLE001 (whatever it is, it may name the URL)
            said = str(error).replace(quote_plus(token), "…").replace(token, "…")
            if "InvalidToken" in said:
                said += ". Give the driver a fresh delegation token, and start again"
            raise RuntimeError(f"{type(error).__name__}: {said}") from None
