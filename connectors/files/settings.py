"""What a FileInput was told, checked. BadArgument names the argument, its value and what is
allowed.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from connectors.files.folder import Folder
from windowlog.access.hdfs_path import WITH_STORAGE
from windowlog.access.places import refuse_bare_address, shown
from windowlog.errors import BadArgument

FORMATS = ("lines",)
READERS = ("auto", "driver", "executors")
LAST_LINES = ("take", "wait")

# Some 4,000 parts: a plan of 1.5 MB, far below what the log takes.
MAX_BYTES_PER_WINDOW_MAX = 64 * 2**30
# A plan of 4 MB, and as many files opened to plan and to verify a window.
MAX_FILES_PER_WINDOW_MAX = 10_000
_QUIET_S_MAX = 86_400.0


@dataclass(frozen=True, slots=True)
class Settings:
    """The checked arguments. `pattern` is the expression that `glob` stands for."""

    folder: Folder
    format: str
    glob: str
    pattern: re.Pattern[str]
    max_bytes_per_window: int
    max_files_per_window: int
    quiet_s: float
    last_line: str
    reader: str
    clock: Callable[[], datetime]


def utc_now() -> datetime:
    """The machine's clock."""
    return datetime.now(UTC)


def check_folder(path: Any) -> str:
    """An absolute local path. It need not exist yet. BadArgument for other schemes."""
    allowed = f"a local folder, as a path or a file:// URL, or {WITH_STORAGE}"
    try:
        text = os.fsdecode(path)
    except TypeError:
        raise BadArgument(argument="path", value=path, allowed=allowed) from None
    if text.startswith("file:"):
        url = re.fullmatch(r"file:(?://(?:localhost)?)?(/(?!/).*)", text, re.DOTALL)
        if url is None:  # relative, or on another host
            raise BadArgument(argument="path", value=shown(path), allowed=allowed)
        text = url[1]
    if not text or "\0" in text or re.match(r"[a-zA-Z][a-zA-Z0-9+.-]*://", text):
        raise BadArgument(argument="path", value=shown(path), allowed=allowed)
    refuse_bare_address("path", path, "hdfs")
    return os.path.abspath(text)


def check_choice(argument: str, value: Any, choices: tuple[str, ...]) -> str:
    """One of a few words."""
    if not isinstance(value, str) or value not in choices:
        allowed = " or ".join(repr(choice) for choice in choices)
        raise BadArgument(argument=argument, value=value, allowed=allowed)
    return value


def check_count(argument: str, value: Any, highest: int) -> int:
    """A whole number from 1."""
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= highest:
        allowed = f"a whole number from 1 to {highest}"
        raise BadArgument(argument=argument, value=value, allowed=allowed)
    return value


def check_seconds(argument: str, value: Any) -> float:
    """Seconds, from 0 to a day."""
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if not number or not 0 <= value <= _QUIET_S_MAX:
        allowed = f"seconds from 0 to {_QUIET_S_MAX:.0f}"
        raise BadArgument(argument=argument, value=value, allowed=allowed)
    return float(value)
