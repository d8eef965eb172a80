"""FileState's arguments; and columns that cannot be kept, before anything is written."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow
import pytest

from file_sink import FileSink, FileState
from file_sink.errors import FrameUnsuitable
from tests.file_sink.state.totals import WINDOWS, made
from windowed import Pipeline
from windowed.testing import ListSink, RowsInput
from windowlog import WindowLog
from windowlog.errors import BadArgument
from windowlog.state_store import StateContext, StateStore

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ARROW = pyarrow.schema([("word", pyarrow.string()), ("n", pyarrow.int64())])


@pytest.mark.parametrize(
    ("arguments", "argument"),
    [
        ({"schema": ""}, "schema"),
        ({"schema": 3}, "schema"),
        ({"schema": pyarrow.schema([])}, "schema"),
        ({"key": ["word", "word"]}, "key"),
        ({"key": ["nobody"]}, "key"),
        ({"key": 3}, "key"),
        ({"compression": "bzip2"}, "compression"),
        ({"path": "s3a://there/state"}, "path"),
        ({"path": ""}, "path"),
        ({"storage": 3}, "storage"),
    ],
)
def test_arguments_are_checked(arguments: dict[str, Any], argument: str) -> None:
    """When it is made."""
    good: dict[str, Any] = {"path": "state", "schema": ARROW, "key": "word"}
    with pytest.raises(BadArgument) as refused:
        FileState(**{**good, **arguments})
    assert refused.value.values["argument"] == argument


def test_it_obeys_the_contract_and_says_where_it_is(tmp_path: Path) -> None:
    """A name of one column is a key of one column."""
    state = FileState(tmp_path / "state", schema=ARROW, key="word")
    assert isinstance(state, StateStore)
    assert (state.key, state.describe()) == (("word",), str(tmp_path / "state"))
    assert list(state.folders()) == [str(tmp_path / "state")]


def test_no_place_is_shared(tmp_path: Path) -> None:
    """With the log, a sink's folder, or an input's."""
    for place in ("log", "log/state", "out", "out.staging/x"):
        with pytest.raises(BadArgument) as refused:
            Pipeline(
                "p",
                inputs={"lines": RowsInput([], schema="word string")},
                transform=lambda lines, state: (lines, state.unchanged()),
                sinks={"out": FileSink(tmp_path / "out")},
                log=WindowLog(tmp_path / "log"),
                state=FileState(tmp_path / place, schema=ARROW),
            )
        assert refused.value.values["argument"] == "state"


def test_words_of_spark_need_a_session(tmp_path: Path) -> None:
    """A pipeline without one is told to give a schema of Arrow's; nothing is created."""
    state = FileState(tmp_path / "state", schema="word string, n long")
    with pytest.raises(BadArgument, match=r"a pyarrow\.Schema"):
        made(tmp_path, WINDOWS, ListSink(), state=state).run(None)
    assert not (tmp_path / "state").exists()


def test_a_look_creates_nothing(tmp_path: Path) -> None:
    """As commands look: without a session, and with words of Spark's too."""
    state = FileState(tmp_path / "state", schema="word string, n long")
    state.open(StateContext(None, "p", "log", "run"))
    assert state.checkpoints() == ()
    state.close()
    assert not (tmp_path / "state").exists()


@pytest.mark.spark
def test_columns_that_no_file_can_hold(tmp_path: Path, spark: SparkSession) -> None:
    """Names that differ in case only."""
    state = FileState(tmp_path / "state", schema="word string, Word string")
    pipeline = made(
        tmp_path,
        WINDOWS,
        ListSink(),
        state=state,
        transform=lambda lines, state: (lines, state.replace(state.frame)),
    )
    with pytest.raises(FrameUnsuitable, match="differ in case only"):
        pipeline.run(spark)
    assert not (tmp_path / "state").exists()


@pytest.mark.spark
@pytest.mark.parametrize("schema", ["word strin", "c char(5)", "y interval year to month"])
def test_words_that_spark_refuses(tmp_path: Path, spark: SparkSession, schema: str) -> None:
    """Types that it does not know, or does not hand over: before anything is created."""
    state = FileState(tmp_path / "state", schema=schema)
    with pytest.raises(BadArgument) as refused:
        made(tmp_path, WINDOWS, ListSink(), state=state).run(spark)
    assert refused.value.values["argument"] == "schema"
    assert not (tmp_path / "state").exists()
