"""What JSON has, as values of columns, exactly or not at all. Sent to tasks by value: it uses
nothing else of ours.
"""

from __future__ import annotations

import base64
import math
import re
import struct
from collections.abc import Callable
from datetime import UTC, date, datetime
from decimal import Context, Decimal
from typing import Any, TypeAlias

Convert: TypeAlias = Callable[[Any], Any]

_INTEGERS = {
    "byte": ("tinyint", 8),
    "short": ("smallint", 16),
    "integer": ("int", 32),
    "long": ("bigint", 64),
}
# Longer ones fit nowhere, and take Python long to read.
_INTEGER_LENGTH_MAX = 20
_DECIMAL = re.compile(r"decimal\((\d+),(\d+)\)")
_EXACT = Context(prec=50)
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_MOMENT = re.compile(
    r"([0-9]{4}-[0-9]{2}-[0-9]{2})[T ]((?:[01][0-9]|2[0-3]):[0-5][0-9])"
    r"(?:(:[0-5][0-9])(?:\.([0-9]+))?)?(Z|[+-](?:0[0-9]|1[0-8]):?[0-5][0-9])?"
)
_MICROSECOND_DIGITS = 6


class Unfit(Exception):
    """A value that is not one of its column. As text it follows the name of what is decoded."""

    def __init__(self, why: str, path: str = "") -> None:
        super().__init__(why)
        self._path = path

    def __str__(self) -> str:
        return f"{self._path} {self.args[0]}"

    def below(self, step: str) -> None:
        """Seen from one level up."""
        self._path = step + self._path


class WholeNumber(str):
    """A JSON number without fraction and exponent, as it was written."""

    __slots__ = ()


class OtherNumber(str):
    """Any other one: whether it is exact depends on the column."""

    __slots__ = ()


def other(given: Any, wanted: str) -> Unfit:
    """It is of another type. What it is stays untold: reasons go to logs."""
    names = {dict: "an object", list: "an array", str: "a string", bool: "a boolean"}
    found = "null" if given is None else names.get(type(given), "a number")
    return Unfit(f"is {found}, not {wanted}")


def scalar_of(kind: str) -> Convert:
    """From what JSON has to a value of this type, or Unfit. Null never comes."""
    if kind in _INTEGERS:
        return _integer(*_INTEGERS[kind])
    match = _DECIMAL.fullmatch(kind)
    if match is not None:
        return _decimal(int(match[1]), int(match[2]))
    return {
        "boolean": _boolean,
        "float": _single,
        "double": _double,
        "string": _string,
        "binary": _binary,
        "date": _day,
        "timestamp": _moment,
        "timestamp_ntz": _moment_without_zone,
    }[kind]


def _integer(name: str, bits: int) -> Convert:
    high = 2 ** (bits - 1)

    def convert(given: Any) -> int:
        if type(given) is OtherNumber:
            raise Unfit(f"has a fraction or an exponent, and is not {name}")
        if type(given) is not WholeNumber:
            raise other(given, name)
        number = int(given) if len(given) <= _INTEGER_LENGTH_MAX else high
        if not -high <= number < high:
            raise Unfit(f"is outside of {name}")
        return number

    return convert


def _double(given: Any) -> float:
    return _finite(given, "double")


def _single(given: Any) -> float:
    """Rounded here as it is there."""
    number = _finite(given, "float")
    try:
        rounded: float = struct.unpack("<f", struct.pack("<f", number))[0]
    except OverflowError:
        raise Unfit("is outside of float") from None
    return rounded


def _finite(given: Any, name: str) -> float:
    if type(given) not in (WholeNumber, OtherNumber):
        raise other(given, name)
    number = float(given)
    if math.isinf(number):
        raise Unfit(f"is outside of {name}")
    return number


def _decimal(digits: int, scale: int) -> Convert:
    name = f"decimal({digits},{scale})"
    unit = Decimal(1).scaleb(-scale)

    def convert(given: Any) -> Decimal:
        if type(given) not in (WholeNumber, OtherNumber):
            raise other(given, name)
        try:
            number = Decimal(given)
        except ArithmeticError:
            raise Unfit(f"is outside of {name}") from None
        if number.is_zero():
            return unit * 0
        if number.adjusted() >= digits - scale:
            raise Unfit(f"is outside of {name}")
        if not _ends_within(number, scale):
            raise Unfit(f"has more decimal places than {name}")
        return number.quantize(unit, context=_EXACT)

    return convert


def _ends_within(number: Decimal, scale: int) -> bool:
    """Has it no digit but 0 behind so many decimal places?"""
    _, figures, exponent = number.as_tuple()
    behind = -scale - int(exponent)
    return behind <= 0 or (behind < len(figures) and not any(figures[-behind:]))


def _boolean(given: Any) -> bool:
    if type(given) is not bool:
        raise other(given, "boolean")
    return given


def _string(given: Any) -> str:
    if type(given) is not str:
        raise other(given, "string")
    return given


def _binary(given: Any) -> bytes:
    if type(given) is not str:
        raise other(given, "binary (a string in base64)")
    try:
        return base64.b64decode(given, validate=True)
    except ValueError:
        raise Unfit("is not base64") from None


def _day(given: Any) -> date:
    if type(given) is not str:
        raise other(given, "date (a string)")
    try:
        if _DATE.fullmatch(given):
            return date.fromisoformat(given)
    except ValueError:
        pass
    raise Unfit("is not a date like 2001-02-03")


def _moment(given: Any) -> datetime:
    found = _read_moment(given, "timestamp")
    if found.tzinfo is None:
        raise Unfit("has no time zone, which a timestamp needs (timestamp_ntz has none)")
    try:
        return found.astimezone(UTC)
    except OverflowError:
        raise Unfit("is outside of timestamp") from None


def _moment_without_zone(given: Any) -> datetime:
    found = _read_moment(given, "timestamp_ntz")
    if found.tzinfo is not None:
        raise Unfit("has a time zone, which timestamp_ntz cannot keep")
    return found


def _read_moment(given: Any, name: str) -> datetime:
    if type(given) is not str:
        raise other(given, f"{name} (a string)")
    match = _MOMENT.fullmatch(given)
    if match is None:
        raise Unfit("is not a moment like 2001-02-03T04:05:06Z")
    fraction = (match[4] or "").rstrip("0").ljust(_MICROSECOND_DIGITS, "0")
    if len(fraction) > _MICROSECOND_DIGITS:
        raise Unfit("is more exact than microseconds")
    try:
        return datetime.fromisoformat(
            f"{match[1]}T{match[2]}{match[3] or ':00'}.{fraction}{match[5] or ''}"
        )
    except ValueError:
        raise Unfit("is not a moment like 2001-02-03T04:05:06Z") from None
