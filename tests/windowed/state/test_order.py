"""Who is called when in a window with state, and at the end of a run."""

from __future__ import annotations

from tests.windowed.state.heard import HeardListener, HeardWorld

START = ["out open", "state open", "state checkpoints"]


def test_a_run_with_state_has_one_order() -> None:
    """The state is staged with the sinks' rows, and saved once inputs, sinks and listeners know
    that the window is held; what it was before goes then; plans go last of all."""
    world = HeardWorld("a b", "a")
    world.run(1, listeners=[HeardListener(world.heard)])
    assert world.heard == [
        *[*START, "lines open", "state load nothing"],
        *["log append 1", "told planned 1", "lines read 1", "transform 2 on 0"],
        *["out stage 1", "state stage 1", "lines verify 1", "out hold 1"],
        *["lines committed 1", "out committed 1", "told committed 1"],
        *["state save 1", "state let_go 0"],
        *["log append 2", "told planned 2", "lines read 2", "transform 1 on 2"],
        *["out stage 2", "state stage 2", "lines verify 2", "out hold 2"],
        *["lines committed 2", "out committed 2", "told committed 2"],
        *["state save 2", "state let_go 1"],
        *["log purge 1", "lines close", "out close", "state close"],
    ]
    world.is_right()


def test_what_was_staged_goes_once_the_next_window_is_held() -> None:
    """Between checkpoints: the state of the window before is named by no record."""
    world = HeardWorld("a", "b", "c", "d")
    world.run(3)
    assert world.of("state")[3:] == [
        *["state stage 1", "state stage 2", "state drop 1", "state stage 3", "state drop 2"],
        *["state save 3", "state let_go 0", "state stage 4"],
        *["state save 4", "state let_go 3", "state close"],
    ]
    world.is_right()


def test_all_sinks_hold_before_the_state_counts() -> None:
    """It is staged after all of their rows."""
    world = HeardWorld("a", "b", sinks=("two", "one"))
    world.run(1)
    middle = world.heard[world.heard.index("log append 2") : world.heard.index("log purge 1")]
    assert middle == [
        *["log append 2", "lines read 2", "transform 1 on 1", "one stage 2", "two stage 2"],
        *["state stage 2", "lines verify 2", "one hold 2", "two hold 2", "lines committed 2"],
        *["one committed 2", "two committed 2", "state save 2", "state let_go 1"],
    ]


def test_a_start_loads_the_state_of_the_newest_window() -> None:
    """And nothing is saved where nothing was new; what a dead driver may have left goes."""
    world = HeardWorld("a", "b", "c")
    world.run(2)
    world.run(2)
    assert world.heard == [
        *[*START, "lines open", "state load 3", "lines committed 3", "out committed 3"],
        *["state let_go 2", "log purge 2", "lines close", "out close", "state close"],
    ]


def test_a_replay_goes_on_from_the_checkpoint() -> None:
    """What sinks hold they are not asked again; the state is staged for each window."""
    world = HeardWorld("a", "b", "a b", "b")
    world.crash(4, 2)
    world.run(2, listeners=[HeardListener(world.heard)])
    assert world.heard[4:] == [
        *["state load 2", "lines committed 3", "out committed 3", "told committed 3"],
        *["told replay 3", "lines read 3", "transform 2 on 2", "state stage 3", "lines verify 3"],
        *["lines committed 3", "out committed 3", "told committed 3"],
        *["told replay 4", "lines read 4", "transform 1 on 2", "out stage 4", "state stage 4"],
        *["lines verify 4", "out hold 4", "state drop 3"],
        *["lines committed 4", "out committed 4", "told committed 4"],
        *["state save 4", "state let_go 2", "log purge 2"],
        *["lines close", "out close", "state close"],
    ]
    world.is_right()
