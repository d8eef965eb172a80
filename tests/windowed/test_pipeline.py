"""Pipeline: every wrong argument fails on construction; looking changes nothing."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from tests.windowed.made import pipeline, rows, same, words
from windowed import Pipeline, drained, every, windows
from windowed.testing.crash import Crash
from windowed.testing.list_sink import ListSink
from windowed.testing.rows import CRASH, RowsInput
from windowlog.errors import BadArgument, RecordNotFound
from windowlog.log import WindowLog

SOURCE, SINK = rows(), ListSink()


class _Callable:
    """A transform that is no function."""

    def __call__(self, lines: Any) -> Any:
        return lines


def _made(**given: Any) -> Pipeline:
    right: dict[str, Any] = {
        "name": "made",
        "inputs": {"lines": SOURCE},
        "sinks": {"out": SINK},
        "log": WindowLog.in_memory(),
        "transform": same,
    }
    arguments = right | given
    return Pipeline(arguments.pop("name"), **arguments)


SINKS = "jdbc_sink.JdbcSink(…) or file_sink.FileSink(…)"
WRONG: list[tuple[str, Any, str]] = [
    ("name", "", "text of 1 to 200 characters"),
    ("name", "   ", "text of 1 to 200 characters"),
    ("name", "n" * 201, "text of 1 to 200 characters"),
    ("name", None, "text of 1 to 200 characters"),
    ("name", 7, "text of 1 to 200 characters"),
    ("name", " counts", "printable text without spaces around it"),
    ("name", "counts\n", "printable text without spaces around it"),
    ("name", "a\0b", "printable text without spaces around it"),
    ("inputs", {}, "a dict with at least one entry"),
    ("inputs", [SOURCE], "a dict with at least one entry"),
    ("inputs", None, "a dict with at least one entry"),
    ("inputs", SOURCE, "a dict with at least one entry"),
    ("inputs", {"2lines": SOURCE}, "names of ASCII letters, digits and _"),
    ("inputs", {"": SOURCE}, "names of ASCII letters, digits and _"),
    ("inputs", {"a-b": SOURCE}, "names of ASCII letters, digits and _"),
    ("inputs", {"é": SOURCE}, "names of ASCII letters, digits and _"),
    ("inputs", {1: SOURCE}, "names of ASCII letters, digits and _"),
    ("inputs", {"n" * 201: SOURCE}, "names of ASCII letters, digits and _"),
    ("inputs", {"window": SOURCE}, "argument 'window' means something else"),
    ("inputs", {"state": SOURCE}, "argument 'state' means something else"),
    ("inputs", {"lines": SOURCE, "Lines": rows()}, "differ in more than case from 'lines'"),
    ("inputs", {"lines": SOURCE, "more": SOURCE}, "'lines' uses the same one"),
    ("sinks", {}, "a dict with at least one entry"),
    ("sinks", SINK, "a dict with at least one entry"),
    ("sinks", {"o ut": SINK}, "names of ASCII letters, digits and _"),
    ("sinks", {"out": SINK, "OUT": ListSink()}, "differ in more than case from 'out'"),
    ("sinks", {"out": SINK, "more": SINK}, "'out' uses the same one"),
    ("keep", -1, "a number of windows from 0"),
    ("keep", 1.5, "a number of windows from 0"),
    ("keep", True, "a number of windows from 0"),
    ("keep", None, "a number of windows from 0"),
    ("transform", "count", "a function of lines"),
    ("transform", lambda: None, "must take the input lines as keyword arguments"),
    ("transform", lambda words: words, "must take the input lines as keyword arguments"),
    ("transform", lambda lines, /: lines, "must take the input lines as keyword arguments"),
    ("transform", lambda lines, words: lines, "must take the input lines as keyword arguments"),
]


@pytest.mark.parametrize(("argument", "value", "allowed"), WRONG)
def test_a_wrong_argument_is_named(argument: str, value: Any, allowed: str) -> None:
    """With its value, and what is allowed instead."""
    with pytest.raises(BadArgument) as caught:
        _made(**{argument: value})
    message = str(caught.value)
    assert message.startswith(f"{argument}=")
    assert allowed in message
    assert message.endswith("[WL1]")


@pytest.mark.parametrize(
    ("argument", "name", "member", "found", "allowed"),
    [
        ("inputs", "lines", SINK, "ListSink", "connectors.FileInput(…)"),
        ("inputs", "lines", "in/", "str", "connectors.FileInput(…)"),
        ("sinks", "out", SOURCE, "RowsInput", SINKS),
        ("sinks", "out", ListSink, "type", SINKS),
    ],
)
def test_a_member_of_another_type_is_named(
    argument: str, name: str, member: Any, found: str, allowed: str
) -> None:
    """The type, and not the value, which may be long, or have a password in it."""
    with pytest.raises(BadArgument) as caught:
        _made(**{argument: {name: member}})
    what = f"the type of {argument}['{name}']='{found}'"
    assert str(caught.value) == f"{what} is not possible: something like {allowed}. [WL1]"


@pytest.mark.parametrize("log", [7, None, "s3a://bucket/log"])
def test_a_log_that_cannot_be_one_is_named(log: Any) -> None:
    """Objects, and schemes that nothing here can keep a promise on."""
    with pytest.raises(BadArgument, match="log="):
        _made(log=log)


@pytest.mark.parametrize(
    "transform",
    [
        same,
        lambda lines, window: lines,
        lambda *, window, lines: lines,
        lambda lines, more=1: lines,
        lambda **frames: frames["lines"],
        _Callable(),
        dict,
    ],
)
def test_any_function_of_the_inputs_by_keyword_is_a_transform(transform: Any) -> None:
    """With or without the window, with defaults, of any kind."""
    assert _made(transform=transform).transform is transform


def test_a_transform_that_names_the_window_gets_it() -> None:
    """The one it works on."""
    seen = []

    def transform(lines: Any, window: Any) -> Any:
        seen.append((window.id, window.planned_at))
        return lines

    made = pipeline(rows(["a"], ["b"]), transform=transform)
    made.run(None)
    assert [window_id for window_id, _ in seen] == [1, 2]
    assert seen[0][1] <= seen[1][1]


def test_a_transform_gets_each_input_under_its_name() -> None:
    """And may give each sink its own frame."""
    one, two = ListSink(), ListSink()
    made = Pipeline(
        "made",
        inputs={"left": rows(["l"]), "right": rows(["r"])},
        sinks={"one": one, "two": two},
        transform=lambda left, right: {"one": right, "two": left},
        log=WindowLog.in_memory(),
    )
    made.run(None)
    assert (words(one), words(two)) == (["r"], ["l"])


def test_construction_touches_nothing(tmp_path: Path) -> None:
    """No folder, no connection; a folder may be text or a path."""
    for log in (tmp_path / "state" / "a", str(tmp_path / "state" / "b")):
        made = pipeline(rows(["a"]), log=log)
        assert repr(made) == f"Pipeline('made', log={str(log)!r})"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"until": 3}, r"until=3 .* drained\(\), windows\(n\) or forever\(\)"),
        ({"until": drained}, r"until=.* drained\(\)"),
        ({"trigger": 5}, r"trigger=5 .* every\(seconds\)"),
        ({"listeners": [print]}, r"listeners=.*windowed.Listener"),
    ],
)
@pytest.mark.parametrize("verb", ["run", "start"])
def test_a_run_names_what_it_cannot_be_given(verb: str, given: Any, message: str) -> None:
    """Before anything is read or written."""
    made = pipeline(rows(["a"]))
    with pytest.raises(BadArgument, match=message):
        getattr(made, verb)(None, **given)
    assert made.log.storage.within("headers").list() == []


@pytest.mark.parametrize("seconds", [0, -1, True, "5", None, 1e9, float("nan"), float("inf")])
def test_a_trigger_is_a_number_of_seconds(seconds: Any) -> None:
    """Above zero, and finite."""
    with pytest.raises(BadArgument, match=r"every\(seconds\)=.*seconds above 0"):
        every(seconds)


@pytest.mark.parametrize("count", [0, -1, True, 1.5, "3", None])
def test_a_number_of_windows_is_whole(count: Any) -> None:
    """From one."""
    with pytest.raises(BadArgument, match=r"windows\(count\)=.*whole number from 1"):
        windows(count)


@pytest.mark.parametrize("timeout_s", [0, -5])
def test_a_timeout_is_a_number_of_seconds(timeout_s: Any) -> None:
    """Above zero."""
    with pytest.raises(BadArgument, match=r"timeout_s=.*seconds above 0"):
        windows(1, timeout_s=timeout_s)


def test_without_a_transform_only_the_own_loop_can_be_used() -> None:
    """The others say so."""
    made = pipeline(rows(["a"]), transform=None)
    for use in (made.run, made.start, made.preview):
        with pytest.raises(BadArgument, match="transform=None"):
            use(None)
    with made.open(None) as run:
        assert run.next() is not None


def _bytes(folder: Path) -> dict[str, tuple[bytes, int]]:
    """Every file below a folder: its bytes, and when it was changed."""
    return {
        str(path.relative_to(folder)): (path.read_bytes(), os.stat(path).st_mtime_ns)
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def _preview(made: Pipeline) -> list[str]:
    frame: Any = made.preview(None)["out"]
    return [row["word"] for row in frame.to_pylist()]


def test_a_preview_changes_nothing(tmp_path: Path) -> None:
    """It shows what the next window would hold: of an empty log, between runs, after a crash."""
    sink = ListSink()
    made = pipeline(rows(["a"], ["b"], CRASH, ["c"]), {"out": sink}, log=tmp_path / "log")
    assert _preview(made) == ["a"]
    assert _bytes(tmp_path) == {}
    with pytest.raises(Crash):
        made.run(None)
    before = _bytes(tmp_path)
    assert _preview(made) == ["c"]
    assert _preview(made) == ["c"]
    assert (_bytes(tmp_path), words(sink)) == (before, ["a", "b"])
    made.run(None)
    assert _preview(made) == []
    assert words(sink) == ["a", "b", "c"]


def test_a_preview_of_a_window_that_is_logged_shows_the_replay(tmp_path: Path) -> None:
    """The rows of the plan, whatever has come in since."""
    source, sink = rows(["a"]), ListSink()
    made = pipeline(source, {"out": sink}, log=tmp_path / "log")
    with made.open(None) as run:
        assert run.next() is not None
    source.windows.append([("b", 1)])
    before = _bytes(tmp_path)
    assert _preview(made) == ["a"]
    assert (_bytes(tmp_path), words(sink)) == (before, [])


def test_the_rows_of_a_window_that_is_kept_can_be_read(tmp_path: Path) -> None:
    """From the source, by its plan; nothing is changed."""
    made = pipeline(rows(["a"], ["b"], ["c"]), log=tmp_path / "log", keep=1)
    made.run(None)
    before = _bytes(tmp_path)
    frame: Any = made.read_window(None, 2)["lines"]
    assert frame.to_pylist() == [{"word": "b", "count": 1}]
    for gone in (1, 4, 0, -1):
        with pytest.raises(RecordNotFound, match=f"window {gone}"):
            made.read_window(None, gone)
    assert _bytes(tmp_path) == before


def test_a_look_gives_inputs_a_memory_they_cannot_change(tmp_path: Path) -> None:
    """An input that folds at close leaves nothing behind."""

    class Folding(RowsInput):
        def open(self, context: Any) -> None:
            super().open(context)
            assert context.memory.newest() is None
            context.memory.save(1, b"folded")

    source = Folding([[("a", 1)]], schema="word string, count long")
    made = pipeline(source, log=tmp_path / "log")
    assert _preview(made) == ["a"]
    assert _bytes(tmp_path) == {}
