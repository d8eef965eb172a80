"""What becomes of keys and values: the arguments, checked, and the columns they lead to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pyarrow

from connectors.kafka.checks import check_choice, check_number
from connectors.kafka.rows import SCHEMA
from connectors.kafka.schema import arrow_type, schema_of
from windowlog.errors import BadArgument

BYTES, UTF8, JSON = "bytes", "utf8", "json"
# As JSON says it, too.
NOT_UTF8 = " is not UTF-8"
_FAIL, _SET_ASIDE = "fail", "set_aside"
# More in one window are seldom bad records, and mostly a schema that is not the topic's.
MAX_REJECTS = 100
# More than any window has.
_MAX_REJECTS_MAX = 2**31 - 1

# A record that is set aside, as it is in the topic, and why.
REJECTS = pyarrow.schema(
    [
        *(SCHEMA.field(name) for name in ("topic", "partition", "offset")),
        *(SCHEMA.field(name) for name in ("timestamp", "timestampType")),
        ("reason", pyarrow.string()),
        *(SCHEMA.field(name) for name in ("key", "value", "headers")),
    ]
)


@dataclass(frozen=True, slots=True)
class Decoding:
    """`key` is BYTES or UTF8, `value` these or JSON, and then `schema` a struct in Spark's JSON.
    `max_rejects`: how many of one window are set aside at most."""

    key: str = BYTES
    value: str = BYTES
    schema: dict[str, Any] | None = None
    sets_aside: bool = False
    max_rejects: int = MAX_REJECTS

    @property
    def active(self) -> bool:
        """Is there anything to decode?"""
        return self.key != BYTES or self.value != BYTES

    @property
    def rows(self) -> pyarrow.Schema:
        """The columns of what could be decoded."""
        types = {"key": self._type(self.key), "value": self._type(self.value)}
        return pyarrow.schema(
            [field.with_type(types.get(field.name, field.type)) for field in SCHEMA]
        )

    def _type(self, how: str) -> pyarrow.DataType:
        if how == JSON:
            return arrow_type(self.schema)
        return pyarrow.string() if how == UTF8 else pyarrow.binary()


def checked_decoding(
    key: Any, value: Any, schema: Any, on_bad_record: Any, max_rejects: Any = MAX_REJECTS
) -> Decoding:
    """What the arguments say, or BadArgument."""
    key = check_choice("key", key, (BYTES, UTF8))
    value = check_choice("value", value, (BYTES, UTF8, JSON))
    what = check_choice("on_bad_record", on_bad_record, (_FAIL, _SET_ASIDE))
    most = int(check_number("max_rejects", max_rejects, 1, _MAX_REJECTS_MAX))
    if (schema is not None) != (value == JSON):
        allowed = "a schema with value='json', and only with it"
        raise BadArgument(argument="schema", value=schema, allowed=allowed)
    kind = None if schema is None else schema_of(schema)
    found = Decoding(key, value, kind, what == _SET_ASIDE, most)
    if found.sets_aside and not found.active:
        allowed = "'set_aside' only with value='utf8', value='json' or key='utf8'"
        raise BadArgument(argument="on_bad_record", value=what, allowed=allowed)
    return found
