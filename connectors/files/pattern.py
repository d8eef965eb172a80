"""Glob patterns for paths inside a folder, as a regular expression: `*`, `?`, `[a-z]`, `{a,b}` and
`**`.

A pattern without a slash is matched with the file's name, in every sub-folder; one with a slash
with the whole path relative to the input's folder, where `*` stays inside one name and `**/` stands
for any number of folders.
"""

from __future__ import annotations

import re

from windowlog.errors import BadArgument

ALL_FILES = "*"
_ONE_NAME = {"*": "[^/]*", "?": "[^/]"}


def compile_pattern(pattern: str) -> re.Pattern[str]:
    """The expression that a file's path (with `/` between names) must match in full. BadArgument if
    it is none.
    """
    value: object = pattern
    if not isinstance(value, str) or not pattern or pattern.startswith("/"):
        allowed = "a glob for paths inside the folder, such as '*.log' or '2024/**/*.txt'"
        raise BadArgument(argument="pattern", value=pattern, allowed=allowed)
    anywhere = "" if "/" in pattern else "(?:.*/)?"
    try:
        return re.compile(anywhere + "".join(_translated(pattern)), re.DOTALL)
    except re.error as error:
        allowed = f"a glob with closed brackets and braces ({error})"
        raise BadArgument(argument="pattern", value=pattern, allowed=allowed) from error


def _translated(pattern: str) -> list[str]:
    pieces: list[str] = []
    at, depth = 0, 0
    while at < len(pattern):
        character = pattern[at]
        piece, length = re.escape(character), 1
        if pattern.startswith("**/", at):
            piece, length = "(?:[^/]+/)*", 3
        elif pattern.startswith("**", at):
            piece, length = ".*", 2
        elif character in _ONE_NAME:
            piece = _ONE_NAME[character]
        elif character == "[":
            piece, length = _character_class(pattern, at)
        elif character in "{}":
            depth += 1 if character == "{" else -1
            piece = "(?:" if character == "{" else ")"
        elif character == "," and depth:
            piece = "|"
        pieces.append(piece)
        at += length
    return pieces


def _character_class(pattern: str, start: int) -> tuple[str, int]:
    """`[a-z]` or `[!a-z]` and its length. A `]` that comes first is one of the characters."""
    first = start + (2 if pattern.startswith("[!", start) else 1)
    end = pattern.find("]", first + 1)
    if end < 0:
        raise re.error("missing ]")
    inside = re.sub(r"([\\\[\]^&~|])", r"\\\1", pattern[first:end])
    return f"(?!/)[{'^' if first - start == 2 else ''}{inside}]", end + 1 - start
