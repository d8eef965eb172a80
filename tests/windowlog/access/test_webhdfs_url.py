"""webhdfs: URLs: what is understood, what is refused, and that no secret is repeated."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from windowlog.access.webhdfs_url import HdfsPlace, parse_place
from windowlog.errors import BadArgument
from windowlog.storage import HdfsStorage, open_storage

HIDDEN = "hunter2"


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("webhdfs://nn:9870/state/x", HdfsPlace("webhdfs", ("nn:9870",), "/state/x")),
        ("webhdfs://nn/state/x/", HdfsPlace("webhdfs", ("nn:9870",), "/state/x")),
        ("swebhdfs://nn/x", HdfsPlace("swebhdfs", ("nn:9871",), "/x")),
        ("webhdfs://nn", HdfsPlace("webhdfs", ("nn:9870",), "")),
        ("webhdfs://nn1:1,nn2/x", HdfsPlace("webhdfs", ("nn1:1", "nn2:9870"), "/x")),
        ("webhdfs://[::1]:9870//a%20b//c", HdfsPlace("webhdfs", ("[::1]:9870",), "/a b/c")),
        ("webhdfs://nn/x?user.name=a%40b", HdfsPlace("webhdfs", ("nn:9870",), "/x", user="a@b")),
        (
            "webhdfs://nn/x?kerberos=true&timeout_s=1.5&patience_s=2",
            HdfsPlace("webhdfs", ("nn:9870",), "/x", kerberos=True, timeout_s=1.5, patience_s=2.0),
        ),
        (
            "swebhdfs://nn/x?delegation=t&ca_file=/etc/ca.pem&kerberos=false",
            HdfsPlace("swebhdfs", ("nn:9871",), "/x", token="t", ca_file="/etc/ca.pem"),
        ),
    ],
)
def test_a_url_is_understood(url: str, expected: HdfsPlace) -> None:
    """Scheme, name nodes, folder and options; ports as Hadoop has them."""
    assert parse_place(url, {}) == expected


def test_arguments_go_before_the_url_s_own() -> None:
    """And leave alone what they do not name."""
    given: dict[str, Any] = {"user": "b", "timeout_s": 3, "ca_file": Path("/ca"), "token": None}
    place = parse_place("webhdfs://nn/x?user.name=a&timeout_s=1&delegation=t", given)
    found = (place.user, place.timeout_s, place.ca_file, place.token)
    assert found == ("b", 3.0, "/ca", "t")


def test_how_a_place_is_written_in_messages() -> None:
    """All its name nodes, and none of its options."""
    place = parse_place(f"webhdfs://nn1,nn2:1/x?delegation={HIDDEN}", {})
    assert place.text == "webhdfs://nn1:9870,nn2:1/x"
    assert place.base(1) == "http://nn2:1"
    assert HIDDEN not in repr(place)


@pytest.mark.parametrize(
    "url",
    [
        "",
        None,
        7,
        "webhdfs:/x",
        "webhdfs:///x",
        "webhdfs://nn:0/x",
        "webhdfs://nn:65536/x",
        "webhdfs://nn:port/x",
        "webhdfs://nn1,,nn2/x",
        "webhdfs://nn/a/../b",
        "webhdfs://nn/a:b",
        "webhdfs://nn/a%00b",
        "webhdfs://nn/x#y",
        f"webhdfs://user:{HIDDEN}@nn/x",
        f"webhdfs:/x?delegation={HIDDEN}",
        f"webhdfs://nn/x?delegation={HIDDEN}#y",
        f"webhdfs://nn:port/x?delegation={HIDDEN}",
        f"webhdfs://nn/x?token={HIDDEN}",
        f"webhdfs://nn/x?delegation={HIDDEN}&kerberos=true",
        "webhdfs://nn/x?delegation=",
        "webhdfs://nn/x?user.name=",
        "webhdfs://nn/x?kerberos=yes",
        "webhdfs://nn/x?timeout_s=0",
        "webhdfs://nn/x?timeout_s=soon",
        "webhdfs://nn/x?patience_s=inf",
        "webhdfs://nn/x?patience_s=nan",
    ],
)
def test_what_cannot_be_is_refused(url: Any) -> None:
    """On construction, without the secret that it may hold."""
    with pytest.raises(BadArgument) as raised:
        HdfsStorage(url)
    assert HIDDEN not in str(raised.value)


@pytest.mark.parametrize(
    "given", [{"timeout_s": True}, {"user": 7}, {"kerberos": "yes"}, {"token": ""}, {"ca_file": 1}]
)
def test_an_argument_that_cannot_be_is_refused(given: dict[str, Any]) -> None:
    """By its name."""
    with pytest.raises(BadArgument, match=next(iter(given))):
        HdfsStorage("webhdfs://nn/x", **given)


def test_spark_s_url_is_answered_with_ours() -> None:
    """hdfs:// is another protocol; other schemes are no better."""
    for url in ("hdfs://nn:8020/x", "https://nn:9871/x", "s3a://bucket/x"):
        with pytest.raises(BadArgument, match="webhdfs://NAMENODE:9870/FOLDER"):
            open_storage(url)
