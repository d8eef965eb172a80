"""A schema as SQL writes it, "id bigint not null, tags array<string>": into the form that Spark's
own schemas have as JSON. Without Spark, whose parser needs a session and heeds its settings.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

# Backquoted name, word, text in quotes, punctuation.
_TOKEN = re.compile(
    r"\s*(?:`((?:[^`]|``)+)`|(\w+)|('(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\")|([<>(),:]))"
)
_END = ""
_NAMES = {
    "boolean": "boolean",
    "tinyint": "byte",
    "byte": "byte",
    "smallint": "short",
    "short": "short",
    "int": "integer",
    "integer": "integer",
    "bigint": "long",
    "long": "long",
    "float": "float",
    "real": "float",
    "double": "double",
    "string": "string",
    "binary": "binary",
    "date": "date",
    "timestamp": "timestamp",
    "timestamp_ltz": "timestamp",
    "timestamp_ntz": "timestamp_ntz",
}
_DECIMALS = ("decimal", "dec", "numeric")


def parse_ddl(text: str) -> dict[str, Any]:
    """Columns, or struct<…>, as a struct in Spark's JSON. ValueError says what is wrong where."""
    words = _Words(text)
    if [word.lower() for word in words.next(2)] == ["struct", "<"]:
        found = _type(words)
    else:
        found = _struct(words, _END)
    words.expect(_END)
    struct: dict[str, Any] = found
    return struct


class _Words:
    """The text's words, one after the other."""

    def __init__(self, text: str) -> None:
        self._words = list(_split(text))
        self._at = 0

    def next(self, count: int) -> list[str]:
        """The next ones, as they stand; they are not taken."""
        return [word for word, _ in self._words[self._at : self._at + count]]

    def take(self) -> str:
        """The next one."""
        word, _ = self._words[self._at]
        self._at = min(self._at + 1, len(self._words) - 1)
        return word

    def takes(self, *wanted: str) -> bool:
        """Take these words if they come next."""
        come = [word.lower() for word in self.next(len(wanted))] == list(wanted)
        if come:
            self._at += len(wanted)
        return come

    def expect(self, wanted: str) -> None:
        """Take this word, or ValueError."""
        if not self.takes(wanted):
            raise ValueError(f"{wanted or 'the end'} is wanted{self.place()}")

    def place(self) -> str:
        """Where the next word stands, for messages."""
        word, at = self._words[self._at]
        return f" at character {at + 1}, not {word}" if word else " at the end"

    def name(self) -> str:
        """A column's name."""
        word, _ = self._words[self._at]
        if word == _END or word in "<>(),:" or word[0] in "'\"":
            raise ValueError(f"a name is wanted{self.place()}")
        self.take()
        return word[1:-1].replace("``", "`") if word[0] == "`" else word


def _split(text: str) -> Iterator[tuple[str, int]]:
    at = 0
    end = len(text.rstrip())
    while at < end:
        match = _TOKEN.match(text, at)
        if match is None:
            raise ValueError(f"nothing is understood from character {at + 1} on")
        yield match[0].lstrip(), match.end() - len(match[0].lstrip())
        at = match.end()
    yield _END, end


def _struct(words: _Words, end: str) -> dict[str, Any]:
    fields = [_field(words)]
    while words.takes(","):
        fields.append(_field(words))
    if end:
        words.expect(end)
    return {"type": "struct", "fields": fields}


def _field(words: _Words) -> dict[str, Any]:
    name = words.name()
    words.takes(":")
    kind = _type(words)
    nullable = not words.takes("not", "null")
    if words.takes("comment"):
        words.take()
    return {"name": name, "type": kind, "nullable": nullable, "metadata": {}}


def _type(words: _Words) -> Any:
    place = words.place()
    word = words.take().lower()
    if word in _DECIMALS:
        return _decimal(words)
    if word == "array":
        words.expect("<")
        element = _type(words)
        words.expect(">")
        return {"type": "array", "elementType": element, "containsNull": True}
    if word == "map":
        return _map(words)
    if word == "struct":
        words.expect("<")
        return _struct(words, ">")
    if word not in _NAMES:
        raise ValueError(f"a type is wanted{place}")
    return _NAMES[word]


def _map(words: _Words) -> dict[str, Any]:
    words.expect("<")
    key = _type(words)
    words.expect(",")
    value = _type(words)
    words.expect(">")
    return {"type": "map", "keyType": key, "valueType": value, "valueContainsNull": True}


def _decimal(words: _Words) -> str:
    digits, scale = "10", "0"
    if words.takes("("):
        digits = words.take()
        if words.takes(","):
            scale = words.take()
        words.expect(")")
    return f"decimal({digits},{scale})"
