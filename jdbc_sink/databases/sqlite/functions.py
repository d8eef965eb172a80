"""What SQLite lacks for decimals, given to each connection as functions of ours: decimals are text,
which neither adds nor compares as numbers do."""

from __future__ import annotations

from decimal import Context, Decimal, InvalidOperation, Rounded
from typing import Any

COLLATION = "windowed_decimal"
DECIMAL_PLUS = "windowed_decimal_plus"
DECIMAL_TOTAL = "windowed_decimal_total"

# As wide as DECIMAL(38, x): a sum that needs more digits is none, not a rounded one.
_EXACT = Context(prec=38, traps=[InvalidOperation, Rounded])


def overflow(truth: str) -> str:
    """SQL that fails with "integer overflow". `truth` is SQL that is true, and speaks of a column:
    constants may be computed where they are not reached.

    A function of ours that raises fails with no reason given, or a wrong one."""
    return f"abs({-(2**63 - 1)} - ({truth}))"


def install(driver: Any) -> None:
    """Make the functions known to a sqlite3 connection."""
    driver.create_collation(COLLATION, _compare)
    driver.create_function(DECIMAL_PLUS, 2, _decimal_plus, deterministic=True)
    driver.create_aggregate(DECIMAL_TOTAL, 1, _DecimalTotal)


def _compare(one: str, other: str) -> int:
    left, right = Decimal(one), Decimal(other)
    return (left > right) - (left < right)


def _decimal_plus(one: str, other: str) -> str | None:
    """The sum; NULL if it has no room."""
    try:
        return format(_EXACT.add(Decimal(one), Decimal(other)), "f")
    except (InvalidOperation, Rounded):
        return None


class _DecimalTotal:
    """An aggregate. NULL if there was no value, or the sum has no room."""

    def __init__(self) -> None:
        self._total: str | None = None
        self._fits = True

    def step(self, value: str | None) -> None:
        """One more."""
        if value is not None and self._fits:
            self._total = value if self._total is None else _decimal_plus(self._total, value)
            self._fits = self._total is not None

    def finalize(self) -> str | None:
        """The sum."""
        return self._total
