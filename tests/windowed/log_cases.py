"""What may happen to the log, to what inputs remember, and to an older database beside it."""

from __future__ import annotations

import shutil

from tests.windowed.cases import ALL, LINES, MORE, Case, Tables, begin, begin_purged
from tests.windowed.worlds import FileWorld
from windowed import errors


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


def _memory_deleted(world: FileWorld) -> None:
    begin_purged(world)
    shutil.rmtree(world.state / "inputs")


def _memory_damaged(world: FileWorld) -> None:
    begin(world)
    world.flip(world.state / "inputs" / "lines" / "000000000005.json")


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


LOG_CASES = [
    Case("needed plan damaged", "A", errors.LogCorrupted, _needed_plan_damaged, _new_log(ALL[:2])),
    Case("needed plan missing", "A", errors.LogCorrupted, _needed_plan_missing, _new_log(ALL[:2])),
    Case("only plan damaged", "A", errors.LogCorrupted, _only_plan_damaged, _new_log(LINES)),
    Case("newest plan damaged", "B", errors.PositionLost, _newest_plan_damaged, _new_log(LINES)),
    Case("log deleted", "C", errors.LogMismatch, _log_deleted, _new_log(LINES)),
    Case("older log", "C", errors.LogMismatch, _older_log, _new_log(LINES)),
    Case("foreign log", "C", errors.LogMismatch, _foreign_log, _new_log(LINES)),
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
        "memory damaged",
        "Y",
        errors.MemoryLost,
        _memory_damaged,
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
