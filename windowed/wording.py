"""Numbers as people read them: counts, sizes and seconds."""

from __future__ import annotations

_SIZES = (("GB", 1e9), ("MB", 1e6), ("kB", 1e3))


def counted(count: int, what: str) -> str:
    """`1 window`, `1,200 windows`."""
    return f"{count:,} {what}" if count == 1 else f"{count:,} {what}s"


def sized(count: int) -> str:
    """`21.0 MB`, `19 bytes`: in the largest unit of which it is one or more."""
    # Half of the last digit shown: 999,960 bytes are 1.0 MB, not 1,000.0 kB.
    fits = ((name, unit) for name, unit in _SIZES if count >= unit - unit / 20_000)
    name, unit = next(fits, ("", 0.0))
    return f"{count / unit:,.1f} {name}" if unit else counted(count, "byte")


def lasted(seconds: float) -> str:
    """`1.2 s`."""
    return f"{seconds:,.1f} s"
