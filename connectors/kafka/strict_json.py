"""JSON as a struct of a schema, or why it is none. Sent to tasks by value: it uses nothing else of
ours but `strict_values`.

By rules of its own, so that a record means the same in every reader, session and version: Spark's
parser takes numbers for texts, the last of two equal keys, NaN, and the session's time zone.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from itertools import accumulate
from typing import Any, TypeAlias

from connectors.kafka.strict_values import (
    Convert,
    OtherNumber,
    Unfit,
    WholeNumber,
    other,
    scalar_of,
)

# Deeper ones would come up against Python's own limit, which is another one in each process.
DEPTH_MAX = 100
_NAME_SHOWN_MAX = 40
# A string that never ends goes to the end: looked for again from each quote in it, it took a minute
# for 100 KB.
_STRINGS = re.compile(rb'"(?:[^"\\]|\\.)*+"?', re.DOTALL)
_BRACKETS = re.compile(rb"[\[{\]}]")
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")

# (what it is, None), or (None, why it is none).
Decoded: TypeAlias = "tuple[dict[str, Any] | None, str | None]"


class JsonDecoder:
    """A struct's values from bytes. `pairs`: maps are lists of pairs, as pyarrow takes them, not
    dicts as Spark does."""

    def __init__(self, schema: dict[str, Any], *, pairs: bool) -> None:
        self._given = schema, pairs
        self._convert = _converter_of(schema, pairs)
        self._parse = json.JSONDecoder(
            object_pairs_hook=_object,
            parse_int=WholeNumber,
            parse_float=OtherNumber,
            parse_constant=_refuse,
        ).decode

    def __reduce__(self) -> tuple[object, ...]:
        return _made, self._given

    def __call__(self, data: bytes | None) -> Decoded:
        """The struct, or words that follow the name of what was decoded. Nothing of nothing: a
        tombstone is no bad record."""
        if data is None:
            return None, None
        try:
            return self._convert(self._document(bytes(data))), None
        except Unfit as why:
            return None, str(why)

    def _document(self, data: bytes) -> Any:
        try:
            text = data.decode()
        except UnicodeDecodeError:
            raise Unfit("is not UTF-8") from None
        if not text:
            raise Unfit("is empty")
        if data.count(b"[") + data.count(b"{") > DEPTH_MAX and _depth(data) > DEPTH_MAX:
            raise Unfit(f"is nested deeper than {DEPTH_MAX}")
        try:
            document = self._parse(text)
        except json.JSONDecodeError as error:
            raise Unfit(f"is not JSON from character {error.pos + 1} on") from None
        if _SURROGATE.search(text) is not None:
            _check_surrogates(document)
        return document


def _made(schema: dict[str, Any], pairs: bool) -> JsonDecoder:
    return JsonDecoder(schema, pairs=pairs)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        [(name, _)] = Counter(name for name, _ in pairs).most_common(1)
        raise Unfit(f"has the key {json.dumps(name[:_NAME_SHOWN_MAX])} twice in one object")
    return found


def _refuse(word: str) -> Any:
    raise Unfit(f"has {word}, which is not JSON")


def _depth(data: bytes) -> int:
    """How deep it opens, whatever it is otherwise."""
    found = _BRACKETS.findall(_STRINGS.sub(b"", data))
    return max(accumulate(1 if one in b"[{" else -1 for one in found), default=0)


def _check_surrogates(document: Any) -> None:
    """Half a character, escaped, is no text: nothing can store it."""
    try:
        json.dumps(document, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise Unfit("has half of a surrogate pair") from None


def _converter_of(kind: Any, pairs: bool) -> Convert:
    if isinstance(kind, str):
        return scalar_of(kind)
    if kind["type"] == "array":
        return _array(_converter_of(kind["elementType"], pairs), kind["containsNull"])
    if kind["type"] == "map":
        return _map(_converter_of(kind["valueType"], pairs), kind["valueContainsNull"], pairs)
    return _struct(
        [
            (field["name"], _converter_of(field["type"], pairs), field["nullable"])
            for field in kind["fields"]
        ]
    )


def _struct(fields: list[tuple[str, Convert, bool]]) -> Convert:
    def convert(given: Any) -> dict[str, Any]:
        if type(given) is not dict:
            raise other(given, "an object")
        found: dict[str, Any] = {}
        for name, inner, nullable in fields:
            one = given.get(name)
            if one is None:
                _check_absent(name, given, nullable)
                found[name] = None
                continue
            try:
                found[name] = inner(one)
            except Unfit as why:
                why.below(f".{name}")
                raise
        return found

    return convert


def _check_absent(name: str, given: dict[str, Any], nullable: bool) -> None:
    if name in given:
        if not nullable:
            raise Unfit("is null, which it may not be", f".{name}")
        return
    # A silent null for what is there under almost this name would lose it.
    if any(key.lower() == name.lower() for key in given):
        raise Unfit("is there in other upper and lower case", f".{name}")
    if not nullable:
        raise Unfit("is missing", f".{name}")


def _array(inner: Convert, nullable: bool) -> Convert:
    def convert(given: Any) -> list[Any]:
        if type(given) is not list:
            raise other(given, "an array")
        found = []
        for number, one in enumerate(given):
            try:
                found.append(_or_null(one, inner, nullable))
            except Unfit as why:
                why.below(f"[{number}]")
                raise
        return found

    return convert


def _map(inner: Convert, nullable: bool, pairs: bool) -> Convert:
    def convert(given: Any) -> Any:
        if type(given) is not dict:
            raise other(given, "an object")
        try:
            found = {key: _or_null(one, inner, nullable) for key, one in given.items()}
        except Unfit as why:
            why.below("[…]")
            raise
        return list(found.items()) if pairs else found

    return convert


def _or_null(given: Any, inner: Convert, nullable: bool) -> Any:
    if given is not None:
        return inner(given)
    if not nullable:
        raise Unfit("is null, which it may not be")
    return None
