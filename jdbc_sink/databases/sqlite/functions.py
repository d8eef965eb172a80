"""What SQLite lacks for sums and decimals, given to each connection as functions of ours.

`a + b` on integers becomes a float where it overflows, silently; decimals are text, which neither
adds nor compares as numbers do."""

from __future__ import annotations

from decimal import Context, Decimal, Inexact, InvalidOperation
from typing import Any

COLLATION = "windowed_decimal"
PLUS = "windowed_plus"
REAL_TOTAL = "windowed_real_total"
DECIMAL_PLUS = "windowed_decimal_plus"
DECIMAL_TOTAL = "windowed_decimal_total"

_NO_SUM = "inf and -inf have no sum"
_INTEGER_MAX = 2**63 - 1
# As wide as DECIMAL(38, x): a sum that needs more digits is an error, not a rounding.
_EXACT = Context(prec=38, traps=[Inexact, InvalidOperation])


def install(driver: Any) -> None:
    """Make the functions known to a sqlite3 connection."""
    driver.create_collation(COLLATION, _compare)
    driver.create_function(PLUS, 2, _plus, deterministic=True)
    driver.create_function(REAL_TOTAL, 2, _real_total, deterministic=True)
    driver.create_function(DECIMAL_PLUS, 2, _decimal_plus, deterministic=True)
    driver.create_aggregate(DECIMAL_TOTAL, 1, _DecimalTotal)


def _compare(one: str, other: str) -> int:
    left, right = Decimal(one), Decimal(other)
    return (left > right) - (left < right)


def _plus(one: Any, other: Any) -> Any:
    total = one + other
    if isinstance(total, int) and not -_INTEGER_MAX - 1 <= total <= _INTEGER_MAX:
        raise OverflowError(f"{one} + {other} is more than an INTEGER holds")
    if total != total:
        raise OverflowError(_NO_SUM)
    return total


def _real_total(total: float | None, count: int) -> float | None:
    """What sum() gave for so many values: NULL also stands for NaN."""
    if total is None and count:
        raise OverflowError(_NO_SUM)
    return total


def _decimal_plus(one: str, other: str) -> str:
    return format(_EXACT.add(Decimal(one), Decimal(other)), "f")


class _DecimalTotal:
    """An aggregate. NULL if there was no value."""

    def __init__(self) -> None:
        self._total: Decimal | None = None

    def step(self, value: str | None) -> None:
        """One more."""
        if value is not None:
            summand = Decimal(value)
            self._total = summand if self._total is None else _EXACT.add(self._total, summand)

    def finalize(self) -> str | None:
        """The sum."""
        return None if self._total is None else format(self._total, "f")
