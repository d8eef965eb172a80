"""What tells a proxy that speaks WebHDFS from a name node. No I/O."""

from __future__ import annotations

from typing import Any
from urllib.parse import parse_qsl, urlsplit

from windowlog.access.webhdfs_answers import Refusal


def proxy(node: str) -> Refusal:
    """HttpFS, or whatever else carries files itself: it does not know `renameoptions`, and says
    200 where it has not renamed."""
    return Refusal("proxy", f"{node} is no name node, but HttpFS or another proxy")


def carries_itself(response: Any, verb: str) -> bool:
    """Does an answer to CREATE, OPEN or GETFILECHECKSUM show a proxy?"""
    location = response.headers.get("location", "")
    if not location:
        # A creation that leads nowhere is no name node's answer either, but may be half of one.
        return verb != "CREATE"
    return dict(parse_qsl(urlsplit(location).query)).get("data") == "true"
