"""A pipeline with state is checked on construction: its transform, its checkpoints, its places."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow
import pytest

from connectors import FileInput
from file_sink import FileSink
from tests.windowed.state.world import SCHEMA, World, count
from windowed import Pipeline
from windowed.testing import ListSink, RowsInput, StorageState
from windowlog import WindowLog
from windowlog.errors import BadArgument


class _Placed(StorageState):
    """A store that has folders of its own."""

    def __init__(self, *folders: str) -> None:
        super().__init__(SCHEMA, key=["word"])
        self._folders = folders

    def folders(self) -> Sequence[str]:
        """Those."""
        return self._folders


def _without(lines: pyarrow.Table) -> pyarrow.Table:
    return lines


def _any(**frames: pyarrow.Table) -> pyarrow.Table:
    return frames["lines"]


def _all(lines: Any, state: Any, window: Any) -> Any:
    return lines, state.unchanged()


def _refused(match: str, **given: Any) -> None:
    with pytest.raises(BadArgument, match=match):
        World().pipeline(**{"every": None, **given})


def test_a_transform_must_name_the_state() -> None:
    """By a parameter of that name: else what it returns would say nothing of the state."""
    said = "with state= it must have an argument named state"
    _refused(f"^transform='_without' is not possible: {said}", transform=_without)
    _refused(f"^transform='_any' is not possible: {said}", transform=_any)


def test_a_transform_may_name_the_state_only_where_there_is_one() -> None:
    """It would get None."""
    said = r"its argument state needs a Pipeline\(…, state=file_sink\.FileState\(…\)\)"
    _refused(f"^transform='count' is not possible: {said}", state=None)
    _refused("^transform='_all' is not possible", state=None, transform=_all)


def test_a_transform_may_want_state_and_window() -> None:
    """In any order."""
    world = World("a")
    world.run(transform=_all, sinks={"out": ListSink()})
    assert list(world.records()) == [(1, 0)]


def test_a_transform_takes_its_inputs_beside_the_state() -> None:
    """What is missing is named with the inputs."""

    def transform(other: Any, state: Any) -> Any:
        return other, state.unchanged()

    _refused("it must take the input lines as keyword arguments", transform=transform)


@pytest.mark.parametrize("every", [0, -1, True, False, 2.0, "10"])
def test_checkpoints_come_after_a_number_of_windows(every: Any) -> None:
    """From 1 on, and no other type."""
    _refused("^checkpoint_every=.* is not possible: a number of windows from 1", every=every)


def test_checkpoint_every_needs_state() -> None:
    """Left out it is ten windows."""
    said = "leave it out: there is no state= to make checkpoints of"
    given: dict[str, Any] = {"state": None, "transform": _without}
    _refused(f"^checkpoint_every=5 is not possible: {said}", every=5, **given)
    assert World().pipeline(every=None).parts.checkpoint_every == 10
    assert World().pipeline(every=3).parts.checkpoint_every == 3


@pytest.mark.parametrize(
    "state",
    [StorageState, "folder", Path("folder"), object(), ListSink(), RowsInput([], schema="a int")],
)
def test_a_state_is_an_object_that_keeps_one(state: Any) -> None:
    """A class, a path or a sink is none."""
    kind = type(state).__name__
    said = f"^the type of state='{kind}' is not possible: something like file_sink.FileState"
    _refused(said, state=state)


@pytest.mark.parametrize("name", ["state", "window"])
def test_no_input_is_called_as_what_a_transform_gets(name: str) -> None:
    """Both would be one argument."""
    inputs = {name: RowsInput([], schema="word string")}
    _refused(f"^inputs='{name}' is not possible: another name", inputs=inputs)


def test_a_pipeline_without_a_transform_may_have_state() -> None:
    """For a loop of one's own."""
    made = World().pipeline(transform=None, every=4)
    assert (made.transform, made.checkpoint_every) == (None, 4)


def _build(root: Path, *folders: Path | str) -> None:
    (root / "in").mkdir(parents=True, exist_ok=True)
    Pipeline(
        "placed",
        inputs={"lines": FileInput(root / "in", format="lines")},
        transform=count,
        sinks={"files": FileSink(root / "out", format="parquet")},
        log=root / "log",
        state=_Placed(*map(str, folders)),
    )


@pytest.mark.parametrize(
    ("folder", "who"),
    [
        ("log", "the log"),
        ("log/inside", "the log"),
        ("out", "sink 'files'"),
        ("out/inside", "sink 'files'"),
        ("out.staging", "sink 'files'"),
        ("in", "input 'lines'"),
        ("in/_inside", "input 'lines'"),
        ("other/../log", "the log"),
        (".", "the log"),
    ],
)
def test_its_folders_share_nothing_with_others(tmp_path: Path, folder: str, who: str) -> None:
    """Not with the log, nor with a sink or an input: neither in theirs, nor above them."""
    given = tmp_path / folder
    with pytest.raises(BadArgument) as raised:
        _build(tmp_path, tmp_path / "beside", given)
    assert f"state='{given}' is not possible: a folder that shares nothing with {who}" in str(
        raised.value
    )
    assert not (tmp_path / "log").exists()


def test_a_link_into_another_folder_is_found(tmp_path: Path) -> None:
    """What counts is where it leads."""
    (tmp_path / "log").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "log")
    with pytest.raises(BadArgument, match="shares nothing with the log"):
        _build(tmp_path, tmp_path / "link" / "state")


def test_folders_beside_the_others_may_be_its_own(tmp_path: Path) -> None:
    """Also where one name begins as another does; and a store may have none."""
    _build(tmp_path, tmp_path / "log2", tmp_path / "state", tmp_path / "out.states")
    _build(tmp_path)


def test_a_mirror_of_the_log_is_one_of_its_folders(tmp_path: Path) -> None:
    """It is named as such."""
    log = WindowLog(tmp_path / "log", mirror=tmp_path / "mirror")
    with pytest.raises(BadArgument, match="shares nothing with the mirror"):
        World().pipeline(log=log, state=_Placed(str(tmp_path / "mirror" / "state")))
