"""Names: what is ours in a folder, in which order, and what is debris."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windowlog import naming


@given(st.integers(0, 10**18 - 1), st.integers(0, 10**9 - 1))
def test_a_name_says_its_record_and_attempt(record_id: int, attempt: int) -> None:
    """And no other name does."""
    assert naming.parse(naming.numbered(record_id, attempt)) == (record_id, attempt)


def test_names_are_as_documented() -> None:
    """Twelve digits, so that a listing is in order; more when they are needed."""
    assert naming.numbered(42) == "000000000042.json"
    assert naming.numbered(42, 3) == "000000000042.3.json"
    assert naming.numbered(10**12) == "1000000000000.json"


@pytest.mark.parametrize(
    "name",
    [
        "",
        "42.json",
        "00000000042.json",
        "0000000000042.json",
        "000000000042.0.json",
        "000000000042.01.json",
        "000000000042.json.tmp",
        "000000000042.json~",
        " 000000000042.json",
        "000000000042.JSON",
        "000000000042.1.2.json",
        "notes.txt",
        "٠٠٠٠٠٠٠٠٠٠٤٢.json",
    ],
)
def test_a_name_written_in_another_way_is_not_ours(name: str) -> None:
    """One record, one name: copies and notes of people do not count."""
    assert naming.parse(name) is None


def test_attempts_are_gathered_by_record_in_order() -> None:
    """By number, not by letter: the tenth attempt comes after the ninth."""
    names = ["000000000007.10.json", "000000000007.9.json", "x", "000000000002.json"]
    names += ["000000000007.json"]
    assert list(naming.attempts(names).items()) == [(2, [0]), (7, [0, 9, 10])]
    assert naming.attempts([]) == {}
