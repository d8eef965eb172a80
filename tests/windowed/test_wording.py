"""Numbers as people read them."""

from __future__ import annotations

import pytest

from windowed.wording import counted, lasted, sized


@pytest.mark.parametrize(
    ("count", "text"),
    [
        (0, "0 bytes"),
        (1, "1 byte"),
        (19, "19 bytes"),
        (949, "949 bytes"),
        (1_000, "1.0 kB"),
        (19_400, "19.4 kB"),
        (999_940, "999.9 kB"),
        (999_960, "1.0 MB"),
        (21_000_000, "21.0 MB"),
        (1_250_000_000, "1.2 GB"),
        (7_000_000_000_000, "7,000.0 GB"),
    ],
)
def test_a_size_is_never_0_of_a_large_unit(count: int, text: str) -> None:
    """A small window has some bytes too."""
    assert sized(count) == text


def test_counts_and_seconds() -> None:
    """One of it, several, none."""
    assert [counted(number, "window") for number in (0, 1, 1200)] == [
        "0 windows",
        "1 window",
        "1,200 windows",
    ]
    assert lasted(18.64) == "18.6 s"
