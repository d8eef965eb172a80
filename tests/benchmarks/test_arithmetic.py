"""What the benchmarks reckon with: medians, percentiles, steps, promises, equal tables."""

from __future__ import annotations

from pathlib import Path

import pyarrow
import pytest

from benchmarks.__main__ import main
from benchmarks.by_hand import ByHand, check_equal, contents
from benchmarks.inputs import LINE_BYTES, write_lines
from benchmarks.overhead import count_arrow
from benchmarks.result import Figure
from benchmarks.stats import differences, median, percentile, steps
from benchmarks.table import number


def test_the_99th_percentile_leaves_one_in_a_hundred_above_it() -> None:
    """Nearest rank: 99 of the numbers 1 to 100."""
    values = [float(n) for n in range(100, 0, -1)]
    assert percentile(values, 99) == 99
    assert percentile(values, 1) == 1
    assert percentile([7.0], 99) == 7
    assert median([3.0, 1.0, 2.0]) == 2


def test_differences_are_taken_pair_by_pair() -> None:
    """Not of sorted values."""
    assert differences([5.0, 1.0], [1.0, 5.0]) == [4.0, -4.0]


def test_steps_are_what_each_window_added() -> None:
    """A step that came later began at nothing."""
    found = steps([{"log": 1.0}, {"log": 3.0, "purge": 5.0}, {"log": 3.5, "purge": 5.0}])
    assert found == {"log": [2.0, 0.5], "purge": [5.0, 0.0]}


@pytest.mark.parametrize(
    ("figure", "met"),
    [
        (Figure("", 5.0, "ms", 5.0), True),
        (Figure("", 5.1, "ms", 5.0), False),
        (Figure("", 0.9, "", 0.9, at_least=True), True),
        (Figure("", 0.89, "", 0.9, at_least=True), False),
        (Figure("", 1e9, "MB"), None),
    ],
)
def test_a_promise_is_met_up_to_its_limit(figure: Figure, met: bool | None) -> None:
    """At most, or at least; without a limit there is no promise."""
    assert figure.met is met


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (0.01234, "0.012"),
        (1.234, "1.23"),
        (12.34, "12.3"),
        (123.4, "123"),
        (1234.5, "1,234"),
        (20_000, "20,000"),
        (-5.96, "-5.96"),
    ],
)
def test_numbers_are_short(value: float, shown: str) -> None:
    """About three digits."""
    assert number(value) == shown


ROWS = pyarrow.table({"word": ["a", "b", "a"], "count": [1, 2, 3]})


def _counted(path: Path, *tables: pyarrow.Table) -> Path:
    by_hand = ByHand(path)
    for table in tables:
        by_hand.add(table)
    by_hand.close()
    return path


def test_rivals_that_count_otherwise_are_found_out(tmp_path: Path) -> None:
    """One count more in one table is enough; so is an empty table on both sides."""
    one = _counted(tmp_path / "one", ROWS)
    check_equal(one, _counted(tmp_path / "two", ROWS.slice(1), ROWS.slice(0, 1)))
    with pytest.raises(RuntimeError, match="6 and 7 words"):
        check_equal(one, _counted(tmp_path / "more", ROWS, ROWS.slice(0, 1)))
    with pytest.raises(RuntimeError, match="0 and 0 words"):
        check_equal(_counted(tmp_path / "none"), _counted(tmp_path / "nothing"))


def test_the_streams_sink_takes_a_batch_once(tmp_path: Path) -> None:
    """A number that was done is passed over."""
    by_hand = ByHand(tmp_path / "stream")
    for batch in (0, 0, 1, 1, 0):
        by_hand.add_once(batch, ROWS)
    by_hand.close()
    assert contents(tmp_path / "stream") == [("a", 8), ("b", 4)]


def test_lines_to_measure_with_have_one_length(tmp_path: Path) -> None:
    """So that a window's bytes are its lines."""
    write_lines(tmp_path / "lines", 3)
    data = (tmp_path / "lines").read_bytes()
    assert [len(line) for line in data.splitlines(keepends=True)] == [LINE_BYTES] * 3


def test_words_are_counted_without_spark() -> None:
    """Several blanks are one."""
    counted = count_arrow(pyarrow.table({"value": ["a b  a", "b "]})).to_pylist()
    assert {row["word"]: row["count"] for row in counted} == {"a": 2, "b": 2}


def test_a_name_that_is_no_benchmark_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    """With those there are."""
    with pytest.raises(SystemExit):
        main(["overheads"])
    assert "overhead, small_windows, log, log_hdfs, throughput" in capsys.readouterr().err
