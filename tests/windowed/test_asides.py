"""Inputs with a second frame, and inputs that know what an error means."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import pytest

from tests.windowed.made import rows, words
from windowed import Pipeline
from windowed.testing import ListSink, RowsInput
from windowlog import WindowLog
from windowlog.errors import BadArgument, KitError
from windowlog.values import Plan, Skip

if TYPE_CHECKING:
    from windowlog.contracts import Frame

LOG = WindowLog.in_memory


class Sorting(RowsInput):
    """Sets aside the rows whose count is not 1."""

    sets_aside = True

    def read_aside(self, plan: Plan, skips: Sequence[Skip]) -> tuple[Frame, Frame]:
        """Both of one reading."""
        import pyarrow.compute as arrow

        table: Any = self.read(plan, skips)
        good = arrow.equal(table["count"], 1)
        return table.filter(good), table.filter(arrow.invert(good))


class Bad(KitError):
    """In the input's words: {what}."""

    code = "XX1"


class Explaining(RowsInput):
    """Knows one error."""

    def explain(self, error: Exception) -> Exception | None:
        """That one's meaning."""
        return Bad(what="the tap is dry") if "E42" in str(error) else None


def sorting(*windows: list[tuple[str, int]]) -> Sorting:
    """With these rows."""
    return Sorting(list(windows), schema="word string, count long")


def two(**more: Any) -> Pipeline:
    """A pipeline with a sink for each of the frames of `lines`."""
    given: dict[str, Any] = {
        "inputs": {"lines": sorting([("a", 1), ("b", 2)], [("c", 3)])},
        "transform": lambda lines, lines_rejects: {"good": lines, "bad": lines_rejects},
        "sinks": {"good": ListSink(), "bad": ListSink()},
        "log": LOG(),
        "keep": 9,
    }
    return Pipeline("two", **(given | more))


def test_what_an_input_sets_aside_is_a_frame_of_the_same_window() -> None:
    """Each goes into its sink."""
    made = two()
    assert list(made.run(None, progress=False).window_ids) == [1, 2]
    good: Any = made.sinks["good"]
    bad: Any = made.sinks["bad"]
    assert (words(good), words(bad)) == (["a"], ["b", "c"])


def test_a_preview_and_a_kept_window_have_it_too() -> None:
    """And an own loop."""
    made = two()
    shown: Any = made.preview(None)
    assert [shown[name]["word"].to_pylist() for name in ("good", "bad")] == [["a"], ["b"]]
    made.run(None, progress=False)
    frames: Any = made.read_window(None, 2)
    assert {name: frame["word"].to_pylist() for name, frame in frames.items()} == {
        "lines": [],
        "lines_rejects": ["c"],
    }
    with two(transform=None).open(None) as run:
        window: Any = run.next()
        assert window.frames["lines_rejects"]["word"].to_pylist() == ["b"]


@pytest.mark.parametrize(
    "transform",
    [
        lambda lines, lines_rejects: lines,
        lambda lines, lines_rejects, window: lines,
        lambda lines, **more: more["lines_rejects"],
        lambda **frames: frames["lines_rejects"],
    ],
)
def test_a_transform_takes_it_by_name_or_with_all_others(transform: Any) -> None:
    """As keyword arguments."""
    two(transform=transform).run(None, progress=False)


@pytest.mark.parametrize(
    ("transform", "said"),
    [
        (lambda lines: lines, "lines_rejects: what is set aside"),
        (lambda lines, rejects: lines, "lines_rejects: what is set aside"),
        (lambda lines, window: lines, "lines_rejects: what is set aside"),
    ],
)
def test_a_transform_that_does_not_is_refused(transform: Any, said: str) -> None:
    """On construction."""
    with pytest.raises(BadArgument, match=said):
        two(transform=transform)


def test_a_transform_that_wants_what_is_not_set_aside_is_refused() -> None:
    """Unless it can do without."""
    with pytest.raises(BadArgument, match="lines_rejects"):
        two(inputs={"lines": rows(["a"])})
    spare = two(
        inputs={"lines": rows(["a"])},
        transform=lambda lines, lines_rejects=None: lines if lines_rejects is None else None,
    )
    assert list(spare.run(None, progress=False).window_ids) == [1]


@pytest.mark.parametrize("transform", [None, lambda **frames: frames["lines"]])
def test_no_other_input_is_called_as_what_is_set_aside(transform: Any) -> None:
    """Where nothing is set aside, it may be."""
    inputs = {"lines": sorting(), "lines_rejects": rows(["a"])}
    with pytest.raises(BadArgument, match=r"inputs='lines_rejects'.*what input 'lines' sets aside"):
        two(inputs=inputs, transform=transform)
    two(inputs={**inputs, "lines": rows(["b"])}, transform=transform)


@pytest.mark.parametrize("where", ["transform", "sink"])
def test_an_error_that_an_input_knows_is_told_in_its_words(where: str) -> None:
    """Of a transform that looks into a frame, and of a sink that does; others stay as they are."""

    class Failing(ListSink):
        text = ""

        def stage(self, window: Any, frame: Any) -> None:
            if self.text:
                raise ValueError(self.text)
            super().stage(window, frame)

    sink = Failing()
    text = ""

    def transform(lines: Any) -> Any:
        if text and where == "transform":
            raise ValueError(text)
        return lines

    source = Explaining([[("a", 1)]], schema="word string, count long")
    made = two(inputs={"lines": source}, transform=transform, sinks={"out": sink})
    for text, kind in (("E42: no row", Bad), ("E43: no row", ValueError)):
        sink.text = text if where == "sink" else ""
        with pytest.raises(kind) as told:
            made.run(None, progress=False)
        assert (told.value.__cause__ is not None) == (kind is Bad)
    text, sink.text = "", ""
    made.run(None, progress=False)
    assert words(sink) == ["a"]
