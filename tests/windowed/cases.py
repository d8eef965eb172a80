"""One way at least into each row of the recovery table, by what a person might do; and what each
choice that the refusal prints leads to.

Each world has five windows of one line each. After the choice a sixth line comes, and the pipeline
runs. `tables` are then counted by hand.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from tests.windowed.worlds import FileWorld, counted
from windowed import errors

LINES = [f"line{number} word" for number in range(1, 6)]
MORE = "line6 word"
ALL = [*LINES, MORE]

# Table -> the lines that it counts, with repetition.
Tables = Mapping[str, list[str]]


@dataclass(frozen=True)
class Case:
    """`damage` brings a world with five windows into row `row`. `choices`: the words of each
    command that is printed -> what the tables hold in the end."""

    name: str
    row: str
    refusal: type[errors.Refused]
    damage: Callable[[FileWorld], None]
    choices: Mapping[str, Tables]


def begin(world: FileWorld) -> None:
    """Five windows, all held."""
    world.write(*LINES)
    world.run()


def begin_purged(world: FileWorld) -> None:
    """Five windows, all held, and all plans but the newest purged."""
    world.write(*LINES[:4])
    world.run()
    world.write(LINES[4])
    world.run()
    world.run()
    assert [path.name for path in world.plan(5).parent.iterdir()] == [world.plan(5).name]


def _needed_plan_damaged(world: FileWorld) -> None:
    world.write(*LINES[:2])
    world.run()
    older = world.back_up(world.database)
    world.write(*LINES[2:])
    world.run()
    world.restore(older)
    world.flip(world.plan(4))


def _needed_plan_missing(world: FileWorld) -> None:
    _needed_plan_damaged(world)
    world.plan(4).unlink()


def _newest_plan_damaged(world: FileWorld) -> None:
    begin(world)
    world.flip(world.plan(5))


def _only_plan_damaged(world: FileWorld) -> None:
    begin_purged(world)
    world.flip(world.plan(5))


def _log_deleted(world: FileWorld) -> None:
    begin(world)
    shutil.rmtree(world.state)


def _older_log(world: FileWorld) -> None:
    world.write(*LINES[:3])
    world.run()
    older = world.back_up(world.state)
    world.write(*LINES[3:])
    world.run()
    world.restore(older)


def _foreign_log(world: FileWorld) -> None:
    begin(world)
    other = FileWorld(world.root / "other")
    other.write(*ALL, "line7 word")
    other.run()
    world.wiring["state"] = "other/state"


def _table_dropped(world: FileWorld) -> None:
    begin(world)
    world.sql("DROP TABLE word_counts")


def _table_dropped_purged(world: FileWorld) -> None:
    begin_purged(world)
    world.sql("DROP TABLE word_counts")


def _other_table(world: FileWorld) -> None:
    begin(world)
    world.wiring["sinks"]["counts"] = ("counts.duckdb", "other", "add")


def _other_mode(world: FileWorld) -> None:
    begin(world)
    world.wiring["sinks"]["counts"] = ("counts.duckdb", "word_counts", "max")


def _ledger_dropped(world: FileWorld) -> None:
    begin(world)
    world.sql("DROP TABLE window_ledger")


def _database_deleted(world: FileWorld) -> None:
    begin(world)
    world.database.unlink()


def _sink_renamed(world: FileWorld) -> None:
    begin(world)
    world.wiring["sinks"] = {"words": world.wiring["sinks"]["counts"]}


def _sink_added(world: FileWorld) -> None:
    begin(world)
    world.wiring["sinks"]["more"] = ("counts.duckdb", "more", "add")


def _folder_moved(world: FileWorld) -> None:
    begin(world)
    world.folder("in").rename(world.folder("in2"))
    world.wiring["inputs"]["lines"] = "in2"
    # For whoever still writes there.
    world.folder("in").symlink_to("in2")


def _input_added(world: FileWorld) -> None:
    begin(world)
    world.folder("extra").mkdir()
    world.write("extra1", "extra2", folder="extra")
    world.wiring["inputs"]["extra"] = "extra"


def _input_gone(world: FileWorld) -> None:
    world.folder("extra").mkdir()
    world.wiring["inputs"]["extra"] = "extra"
    begin(world)
    world.write("extra1", folder="extra")
    del world.wiring["inputs"]["extra"]


def _memory_deleted(world: FileWorld) -> None:
    begin_purged(world)
    shutil.rmtree(world.state / "inputs")


def _older_memory(world: FileWorld) -> None:
    world.write(*LINES[:2])
    world.run()
    older = world.back_up(world.state / "inputs")
    world.write(*LINES[2:])
    world.run()
    world.run()
    world.run()
    world.restore(older)


def _older_database(world: FileWorld) -> None:
    world.write(*LINES[:2])
    world.run()
    older = world.back_up(world.database)
    world.write(*LINES[2:])
    world.run()
    world.run()
    world.restore(older)


def _new_log(held: list[str]) -> dict[str, Tables]:
    return {
        "adopt --log --from lines=end": {"word_counts": [*held, MORE]},
        "adopt --log --from lines=beginning": {"word_counts": [*held, *ALL]},
    }


CASES = [
    Case("needed plan damaged", "A", errors.LogCorrupted, _needed_plan_damaged, _new_log(ALL[:2])),
    Case("needed plan missing", "A", errors.LogCorrupted, _needed_plan_missing, _new_log(ALL[:2])),
    Case("only plan damaged", "A", errors.LogCorrupted, _only_plan_damaged, _new_log(LINES)),
    Case("newest plan damaged", "B", errors.PositionLost, _newest_plan_damaged, _new_log(LINES)),
    Case("log deleted", "C", errors.LogMismatch, _log_deleted, _new_log(LINES)),
    Case("older log", "C", errors.LogMismatch, _older_log, _new_log(LINES)),
    Case("foreign log", "C", errors.LogMismatch, _foreign_log, _new_log(LINES)),
    Case(
        "table dropped",
        "T",
        errors.TargetLost,
        _table_dropped,
        {
            "adopt counts --from oldest": {"word_counts": ALL},
            "adopt counts --from now": {"word_counts": [MORE]},
        },
    ),
    Case(
        "table dropped and plans purged",
        "T",
        errors.TargetLost,
        _table_dropped_purged,
        {
            "adopt counts --from oldest": {"word_counts": ALL[4:]},
            "adopt counts --from now": {"word_counts": [MORE]},
        },
    ),
    Case(
        "other table",
        "U",
        errors.TargetChanged,
        _other_table,
        {
            "adopt counts --from oldest": {"word_counts": LINES, "other": ALL},
            "adopt counts --from now": {"word_counts": LINES, "other": [MORE]},
        },
    ),
    Case(
        "other mode",
        "U",
        errors.TargetChanged,
        _other_mode,
        # The greatest of 5 and 1 is 5, and each line's own word comes once.
        {
            "adopt counts --from oldest": {"word_counts": [*LINES, "line6"]},
            "adopt counts --from now": {"word_counts": [*LINES, "line6"]},
        },
    ),
    Case(
        "ledger dropped",
        "V",
        errors.LedgerLost,
        _ledger_dropped,
        {
            "adopt counts --from now": {"word_counts": ALL},
            "adopt counts --from oldest": {"word_counts": [*LINES, *ALL]},
        },
    ),
    Case(
        "database deleted",
        "V",
        errors.LedgerLost,
        _database_deleted,
        {
            "adopt counts --from oldest": {"word_counts": ALL},
            "adopt counts --from now": {"word_counts": [MORE]},
        },
    ),
    Case(
        "sink renamed",
        "S",
        errors.SinkRenamed,
        _sink_renamed,
        {
            "adopt words --renamed-from counts": {"word_counts": ALL},
            "adopt words --from oldest": {"word_counts": [*LINES, *ALL]},
            "adopt words --from now": {"word_counts": ALL},
        },
    ),
    Case(
        "sink added",
        "W",
        errors.NewSink,
        _sink_added,
        {
            "adopt more --from oldest": {"word_counts": ALL, "more": ALL},
            "adopt more --from now": {"word_counts": ALL, "more": [MORE]},
        },
    ),
    Case(
        "folder moved",
        "X",
        errors.InputChanged,
        _folder_moved,
        {
            "adopt lines --from same": {"word_counts": ALL},
            "adopt lines --from beginning": {"word_counts": [*LINES, *ALL]},
            "adopt lines --from end": {"word_counts": ALL},
        },
    ),
    Case(
        "input added",
        "X",
        errors.InputChanged,
        _input_added,
        {
            "adopt extra --from beginning": {"word_counts": [*ALL, "extra1", "extra2"]},
            "adopt extra --from end": {"word_counts": ALL},
        },
    ),
    Case(
        "input gone",
        "X",
        errors.InputChanged,
        _input_gone,
        {"adopt extra --gone": {"word_counts": ALL}},
    ),
    Case(
        "memory deleted",
        "Y",
        errors.MemoryLost,
        _memory_deleted,
        {
            "reset lines --to beginning": {"word_counts": [*LINES, *ALL]},
            "reset lines --to end": {"word_counts": ALL},
        },
    ),
    Case(
        "older memory",
        "Y",
        errors.MemoryLost,
        _older_memory,
        {
            "reset lines --to beginning": {"word_counts": [*LINES, *ALL]},
            "reset lines --to end": {"word_counts": ALL},
        },
    ),
    Case(
        "older database",
        "D",
        errors.PlansPurged,
        _older_database,
        {
            "adopt counts --from oldest": {"word_counts": [*ALL[:2], *ALL[4:]]},
            "adopt counts --from now": {"word_counts": [*ALL[:2], MORE]},
        },
    ),
]


def expected(tables: Tables) -> dict[str, dict[str, int]]:
    """The counts that these lines give."""
    return {table: counted(*lines) for table, lines in tables.items()}
