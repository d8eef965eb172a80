"""Two drivers that finish one roll-up, each paused where the other one needs it."""

from __future__ import annotations

import threading
from collections import Counter
from pathlib import Path

import pytest

from file_sink.errors import RollUpRefused
from tests.file_sink.bench import Bench, words
from tests.file_sink.readers import rows_by_pyarrow
from tests.file_sink.test_fencing import Paused
from tests.file_sink.test_rollup import filled, roll_up, rows

PATIENCE_S = 30


class Stop:
    """A place at which a driver waits until it is let go on."""

    def __init__(self) -> None:
        self._reached = threading.Event()
        self._free = threading.Event()

    def here(self) -> None:
        """Called by the driver."""
        self._reached.set()
        assert self._free.wait(PATIENCE_S)

    def reached(self) -> None:
        """Wait until it is there."""
        assert self._reached.wait(PATIENCE_S)

    def go_on(self) -> None:
        """Let it go."""
        self._free.set()


def begun(bench: Bench, tree: Paused) -> None:
    """A roll-up has its manifest, and who began it is dead."""

    def die() -> None:
        raise KeyboardInterrupt

    tree.at("rename rolled twin", die)
    with pytest.raises(KeyboardInterrupt):
        roll_up(bench)
    bench.die()


def started(bench: Bench, tree: Paused, window_id: int) -> threading.Thread:
    """Another driver publishes up to this window."""
    driver = Bench.__new__(Bench)
    driver.path, driver.story, driver.arguments = bench.path, bench.story, {"storage": tree}
    driver.die()
    thread = threading.Thread(target=driver.sink.committed, args=(window_id,))
    thread.start()
    return thread


def test_a_twin_that_was_taken_meanwhile_is_not_taken_for_the_old_folder(tmp_path: Path) -> None:
    """One has taken it and pauses, another one takes it from there and pauses before the exchange:
    the first one must not go on as if all were done. ‡"""
    tree, first_tree, second_tree = Paused(), Paused(), Paused()
    bench = filled(tmp_path / "out", 4, storage=tree)
    begun(bench, tree)
    bench.sink.prepare(words().schema)
    bench.hold(words(("w2", 5)))
    taken, about_to_exchange = Stop(), Stop()
    first_tree.at("rename rolled", taken.here, after=True)
    second_tree.at("exchange rolled", about_to_exchange.here)
    first = started(bench, first_tree, 5)
    taken.reached()
    second = started(bench, second_tree, 5)
    about_to_exchange.reached()
    taken.go_on()
    first.join()
    assert Counter(rows_by_pyarrow(bench.path)) == rows(5)
    about_to_exchange.go_on()
    second.join()
    assert Counter(rows_by_pyarrow(bench.path)) == rows(5)
    assert "window_id=00000004/part-00000001-to-00000004-000.snappy.parquet" in bench.published()


def test_a_driver_that_sweeps_the_trial_of_an_exchange_refuses_nothing_for_ever(
    tmp_path: Path,
) -> None:
    """The folder in which it is tried is named for a window that a driver holds just then."""
    tree = Paused()
    bench = filled(tmp_path / "out", 4, storage=tree)
    driver = Bench.__new__(Bench)
    driver.path, driver.story, driver.arguments = bench.path, bench.story, {}
    driver.die()
    driver.sink.prepare(words().schema)

    def publish() -> None:
        driver.publish(words(("w2", 5)))

    tree.at("exchange staged", publish)
    with pytest.raises(RollUpRefused, match="Say it again"):
        roll_up(bench)
    assert roll_up(bench) == ["5 files become 1 (5 rows)"]
    assert Counter(rows_by_pyarrow(bench.path)) == rows(5)
