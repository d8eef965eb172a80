"""Where an HDFS is and how to log in: a `webhdfs:` URL as a value. Pure functions."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl, unquote

from windowlog.access.places import shown
from windowlog.errors import BadArgument

# A name node that collects garbage is silent for some seconds; a dead one must not hold a run.
TIMEOUT_S = 20.0
# A fail-over, or a name node that starts again, takes about this long.
PATIENCE_S = 60.0
# Scheme -> what is spoken, and the port that Hadoop 3 listens on.
SCHEMES = {"webhdfs": ("http", 9870), "swebhdfs": ("https", 9871)}

_URL = re.compile(r"(s?webhdfs)://([^/?#]*)(/[^?#]*)?(?:\?([^#]*))?")
_HOST = re.compile(r"(?P<host>[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(?::(?P<port>[0-9]{1,5}))?")
_OPTIONS = {
    "user.name": "user",
    "delegation": "token",
    "kerberos": "kerberos",
    "ca_file": "ca_file",
    "timeout_s": "timeout_s",
    "patience_s": "patience_s",
}
_MORE = (
    "is wanted (swebhdfs:// for https), with a comma between the name nodes if there are several, "
    f"and after a ? any of {', '.join(_OPTIONS)}"
)
_ALLOWED = f"a folder on HDFS, webhdfs://NAMENODE:9870/FOLDER, {_MORE}"
NAME_NODES = f"webhdfs://NAMENODE:9870, without a folder, {_MORE}"


@dataclass(frozen=True)
class HdfsPlace:
    """A folder of an HDFS. `name_nodes` are HOST:PORT; the token never shows in a repr."""

    scheme: str
    name_nodes: tuple[str, ...]
    path: str
    user: str | None = None
    token: str | None = field(default=None, repr=False)
    kerberos: bool = False
    ca_file: str | None = None
    timeout_s: float = TIMEOUT_S
    patience_s: float = PATIENCE_S

    @property
    def text(self) -> str:
        """The URL without its options: for messages."""
        return f"{self.scheme}://{','.join(self.name_nodes)}{self.path or '/'}"

    def base(self, number: int) -> str:
        """The http URL of a name node."""
        return f"{SCHEMES[self.scheme][0]}://{self.name_nodes[number]}"


def parse_place(url: object, given: Mapping[str, object]) -> HdfsPlace:
    """The place that `url` means; options in `given` that are not None go before the URL's own.

    BadArgument, without the URL's options, for one that cannot be."""
    found = _URL.fullmatch(url) if isinstance(url, str) else None
    if found is None:
        raise BadArgument(argument="url", value=shown(url), allowed=_ALLOWED)
    scheme, hosts, path, query = found.groups()
    nodes = tuple(_name_node(scheme, host, url) for host in hosts.split(","))
    options: dict[str, object] = {}
    for name, value in parse_qsl(query or "", keep_blank_values=True):
        if name not in _OPTIONS:
            raise BadArgument(argument="url", value=f"…?{name}=…", allowed=_ALLOWED)
        options[_OPTIONS[name]] = value
    options |= {name: value for name, value in given.items() if value is not None}
    checked: dict[str, Any] = _checked(options)
    return HdfsPlace(scheme, nodes, _path(path or "/", url), **checked)


def parse_folder(url: object, given: Mapping[str, object]) -> HdfsPlace:
    """As `parse_place`. BadArgument also without a folder: the root is everybody's."""
    place = parse_place(url, given)
    if not place.path:
        raise BadArgument(argument="url", value=place.text, allowed=_ALLOWED)
    return place


def _name_node(scheme: str, host: str, url: object) -> str:
    found = _HOST.fullmatch(host)
    if found is None or not 0 < int(found["port"] or 1) < 65536:
        raise BadArgument(argument="url", value=shown(url), allowed=_ALLOWED)
    return f"{found['host']}:{found['port'] or SCHEMES[scheme][1]}"


def _path(text: str, url: object) -> str:
    """The folder, without a slash at its end: "" is the root."""
    parts = [part for part in unquote(text).split("/") if part]
    if any(part in (".", "..") or ":" in part or "\0" in part for part in parts):
        allowed = "HDFS has no folder whose name is . or .. or has a colon in it"
        raise BadArgument(argument="url", value=shown(url), allowed=allowed)
    return "".join(f"/{part}" for part in parts)


def _checked(options: dict[str, object]) -> dict[str, object]:
    for name in ("timeout_s", "patience_s"):
        if name in options:
            options[name] = _seconds(name, options[name])
    if "kerberos" in options:
        options["kerberos"] = _truth(options["kerberos"])
    for name in ("user", "token", "ca_file"):
        value = options.get(name, "x")
        if not isinstance(value, str | os.PathLike) or not os.fspath(value):
            told = "…" if name == "token" else value
            raise BadArgument(argument=name, value=told, allowed="text is wanted")
        if name in options:
            options[name] = str(value)
    if options.get("kerberos") and "token" in options:
        allowed = "log in with a token or with Kerberos, not both"
        raise BadArgument(argument="kerberos", value=True, allowed=allowed)
    return options


def _seconds(name: str, value: object) -> float:
    try:
        seconds = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        seconds = math.nan
    if isinstance(value, bool) or not 0 < seconds < math.inf:
        raise BadArgument(argument=name, value=value, allowed="a number of seconds above 0")
    return seconds


def _truth(value: object) -> bool:
    known = {"true": True, "false": False, True: True, False: False}
    if not isinstance(value, str | bool) or value not in known:
        raise BadArgument(argument="kerberos", value=value, allowed="true or false")
    return known[value]
