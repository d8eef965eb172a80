"""Who we are to an HDFS: a name, a token or a ticket; and whom we believe that it is one."""

from __future__ import annotations

import importlib.util
import os
import ssl
from getpass import getuser
from typing import Any

from windowlog.access.webhdfs_answers import Refusal
from windowlog.access.webhdfs_url import HdfsPlace
from windowlog.errors import StorageUnsuitable

# A connection to a machine that is there takes milliseconds; one that is not there says nothing.
CONNECT_S_MAX = 5.0


def need_packages(place: HdfsPlace) -> None:
    """StorageUnsuitable where one is not installed."""
    _need_package("hdfs", place, "hdfs")
    if place.kerberos:
        _need_package("requests_kerberos", place, "hdfs,kerberos")


def log_in(place: HdfsPlace, number: int) -> Any:
    """The package's client for one name node. Refusal where `ca_file` cannot be used."""
    _check_authority(place)
    import hdfs
    import requests

    session = requests.Session()
    # Else the length that is promised would be that of compressed bytes.
    session.headers["Accept-Encoding"] = "identity"
    common = {
        "url": place.base(number),
        "timeout": (min(CONNECT_S_MAX, place.timeout_s), place.timeout_s),
        "session": session,
    }
    if place.kerberos:
        from hdfs.ext.kerberos import KerberosClient

        return KerberosClient(**common)
    if place.token is not None:
        return hdfs.TokenClient(token=place.token, **common)
    return hdfs.InsecureClient(user=user_of(place), **common)


def user_of(place: HdfsPlace) -> str:
    """Who we are, where the cluster trusts names."""
    return place.user or os.environ.get("HADOOP_USER_NAME") or getuser()


def _check_authority(place: HdfsPlace) -> None:
    """The HTTP library would say that the connection broke."""
    if place.ca_file is None or not place.base(0).startswith("https:"):
        return
    kind = "capath" if os.path.isdir(place.ca_file) else "cafile"
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).load_verify_locations(**{kind: place.ca_file})
    except OSError as error:
        # Of a file that has no certificate, OpenSSL says why.
        why = "it holds no certificate" if isinstance(error, ssl.SSLError) else error.strerror
        raise Refusal("SSL file", f"{place.ca_file} cannot be used ({why})") from None


def _need_package(package: str, place: HdfsPlace, extra: str) -> None:
    if importlib.util.find_spec(package) is None:
        raise StorageUnsuitable(
            where=place.text,
            reason=f"the Python package {package} is not installed",
            remedy=f"Install it: pip install 'windowed-connectors[{extra}]'.",
        )
