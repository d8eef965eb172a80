"""Every argument that takes a place names itself, and shows what it was given but for secrets."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from connectors import FileInput
from file_sink import FileSink
from jdbc_sink import JdbcSink
from tests.windowed.made import rows
from windowed import Pipeline
from windowed.testing import ListSink
from windowlog import WindowLog
from windowlog.access.places import shown
from windowlog.errors import BadArgument

HIDDEN = "hunter2"


def pipeline(log: Any) -> Any:
    """As people write it."""
    return Pipeline("made", inputs={"a": rows()}, sinks={"out": ListSink()}, log=log)


def spooled(spool: Any) -> Any:
    """A sink with that spool."""
    return JdbcSink("duckdb:///x.db", table="words", spool=spool)


ARGUMENTS: dict[str, Any] = {
    "where": WindowLog,
    "mirror": lambda url: WindowLog("here", mirror=url),
    "spool": spooled,
    "path of FileSink": FileSink,
    "path of FileInput": FileInput,
    "storage of FileSink": lambda url: FileSink("hdfs://nn:8020/out", storage=url),
    "storage of FileInput": lambda url: FileInput("hdfs://nn:8020/in", storage=url),
}


@pytest.mark.parametrize("argument", ARGUMENTS)
@pytest.mark.parametrize(
    ("url", "whole"),
    [
        ("ftp://nn:21/a/b", "ftp://nn:21/a/b"),
        (f"ftp://me:{HIDDEN}@nn/a?key={HIDDEN}", "ftp://…@nn/a?…"),
        (f"webhdfs://me:{HIDDEN}/x@nn/a?delegation={HIDDEN}", "webhdfs://…@nn"),
    ],
)
def test_a_url_that_cannot_be_is_shown_under_the_name_of_its_argument(
    argument: str, url: str, whole: str
) -> None:
    """Whole, so that the slip in it is seen; a password or a token never."""
    with pytest.raises(BadArgument) as raised:
        ARGUMENTS[argument](url)
    said = str(raised.value)
    assert said.startswith(f"{argument.partition(' ')[0]}='{whole}")
    assert HIDDEN not in said


@pytest.mark.parametrize("argument", [name for name in ARGUMENTS if not name.startswith("storage")])
def test_a_host_and_a_port_without_a_scheme_are_no_folder_here(argument: str) -> None:
    """It would be made in silence; both readings are told."""
    for text in ("127.0.0.1:9870/state", "namenode:9870"):
        with pytest.raises(BadArgument) as raised:
            ARGUMENTS[argument](text)
        said = str(raised.value)
        assert said.startswith(f"{argument.partition(' ')[0]}='{text}' is not possible")
        assert f"hdfs://{text} for a folder of HDFS, or ./{text} for" in said


def test_a_folder_with_such_a_name_is_had_by_a_dot(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And by a path that is no text, or has letters behind its colon."""
    monkeypatch.chdir(tmp_path)
    for where in ("./nn:9870/state", Path("nn:9870/state"), "a:b/state"):
        assert WindowLog(where).describe() == f"{tmp_path}/{str(where).removeprefix('./')}"


@pytest.mark.parametrize("argument", ["where", "mirror", "spool"])
def test_a_folder_is_wanted_where_files_are_made(argument: str) -> None:
    """They would fill the root of HDFS, which is everybody's."""
    for url in ("webhdfs://nn:9870", "swebhdfs://nn/"):
        with pytest.raises(BadArgument, match=rf"^{argument}='s?webhdfs://nn.*9870/FOLDER"):
            ARGUMENTS[argument](url)


def test_a_storage_is_asked_for_without_a_folder() -> None:
    """Whatever it was given: the advice holds when it is followed."""
    for argument in ("storage of FileSink", "storage of FileInput"):
        for url in ("hdfs://nn:8020", "webhdfs://nn:9870/out", "nn:9870"):
            with pytest.raises(BadArgument, match=r"webhdfs://NAMENODE:9870, without a folder"):
                ARGUMENTS[argument](url)


@pytest.mark.parametrize("argument", ["path of FileSink", "path of FileInput"])
def test_a_path_of_webhdfs_is_answered_with_spark_s(argument: str) -> None:
    """HDFS is possible; it takes two arguments."""
    said = r'hdfs://NAMENODE:8020/FOLDER, with storage="webhdfs://NAMENODE:9870"'
    with pytest.raises(BadArgument, match=said):
        ARGUMENTS[argument]("webhdfs://nn:9870/out")


def test_the_log_of_a_pipeline_is_called_log() -> None:
    """As people write it."""
    with pytest.raises(BadArgument, match=r"^log='hdfs://nn:8020/state' is not possible"):
        pipeline("hdfs://nn:8020/state")


def test_what_is_no_text_is_shown_as_it_is() -> None:
    """Nothing is hidden in it."""
    assert shown(7) == 7
