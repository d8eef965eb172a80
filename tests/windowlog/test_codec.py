"""Record bytes: a flipped bit anywhere is torn, never a newer format and never another record."""

from __future__ import annotations

import hashlib
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windowlog import codec
from windowlog.errors import NewerFormat, RecordTorn

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.text()
    | st.floats(allow_nan=False, allow_infinity=False),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=10,
)


def _torn(data: bytes) -> bool:
    try:
        codec.unframe(data, kind="window", record_id=42, name="42")
    except RecordTorn:
        return True
    return False


@given(st.integers(0, 10**18), JSON)
def test_what_was_encoded_comes_back(record_id: int, body: object) -> None:
    """Any JSON, under any number."""
    data = codec.encode("window", record_id, body)  # type: ignore[arg-type]
    assert codec.decode(data, kind="window", record_id=record_id, name="n") == body


def test_a_record_is_one_line_and_a_body_that_a_person_can_read() -> None:
    """Magic, format, kind, id, length and CRC-32; then JSON with sorted keys, ASCII only."""
    data = codec.encode("window", 42, {"b": "ü", "a": 1})
    body = b'{"a": 1,\n "b": "\\u00fc"}\n'
    start = b"windowlog 1 window 42 %d" % len(body)
    crc = zlib.crc32(start + body)
    assert data == start + b" %08x\n" % crc + body


def test_a_path_that_is_not_valid_text_survives() -> None:
    """File names are bytes; Python gives the odd ones as lone surrogates."""
    name = b"caf\xe9.txt".decode("utf-8", "surrogateescape")
    data = codec.encode("window", 1, name)
    assert codec.decode(data, kind="window", record_id=1, name="1") == name


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_what_is_no_json_is_refused(value: float) -> None:
    """Other readers could not read it back."""
    with pytest.raises(ValueError, match="JSON"):
        codec.encode("window", 1, value)


@pytest.mark.parametrize("body", [b"", b"x", b"\n\n", bytes(range(256))])
def test_any_bytes_can_be_a_body(body: bytes) -> None:
    """For an input's memory."""
    data = codec.frame("memory", 7, body)
    assert codec.unframe(data, kind="memory", record_id=7, name="7") == body


def test_every_flipped_bit_is_torn() -> None:
    """In the first line as in the body; a digit of the format too."""
    data = codec.encode("window", 42, {"plans": {"lines": [1, 2, 3]}})
    for position in range(len(data)):
        for bit in range(8):
            flipped = bytearray(data)
            flipped[position] ^= 1 << bit
            assert _torn(bytes(flipped)), (position, bit)


def test_every_cut_and_every_addition_is_torn() -> None:
    """Too short, too long, empty, zeros."""
    data = codec.encode("window", 42, {"a": 1})
    assert all(_torn(data[:length]) for length in range(len(data)))
    assert _torn(data + b"x")
    assert _torn(data + b"\n")
    assert _torn(b"\0" * len(data))


def test_a_torn_record_says_what_was_expected_and_found() -> None:
    """With its name: a person may look at it."""
    data = codec.encode("window", 42, {"a": 1})
    cases = {
        "found b'rubbish'": b"rubbish",
        "expected 9 bytes, found 8 bytes": data[:-1],
        r"expected CRC [0-9a-f]{8}, found [0-9a-f]{8}": data.replace(b'"a"', b'"b"'),
        "expected window 42, found window 43": codec.encode("window", 43, {"a": 1}),
        "expected window 42, found memory 42": codec.encode("memory", 42, {"a": 1}),
    }
    for message, stored in cases.items():
        with pytest.raises(RecordTorn, match=f"Record r42 is damaged: .*{message}"):
            codec.unframe(stored, kind="window", record_id=42, name="r42")


def test_an_intact_record_of_a_newer_format_says_so() -> None:
    """With both versions; whatever its kind and id."""
    start = b"windowlog 12 window 42 2"
    data = b"%s %08x\n{}" % (start, zlib.crc32(start + b"{}"))
    with pytest.raises(NewerFormat, match=r"format 12.*up to 1"):
        codec.unframe(data, kind="window", record_id=42, name="42")


def test_the_digest_is_sha_256() -> None:
    """So that anybody can check a chain with sha256sum."""
    assert codec.digest(b"abc") == hashlib.sha256(b"abc").hexdigest()
