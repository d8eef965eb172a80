"""What may happen to a state's checkpoints, and to a pipeline that is given a state."""

from __future__ import annotations

import shutil

from tests.windowed.cases import ALL, LINES, MORE, Case, begin_purged
from tests.windowed.worlds import FileWorld, command
from windowed import errors

KEPT = "kept"


def counted_lines(*lines: str, since: int = 1) -> list[str]:
    """Each line with the word that the state adds to it."""
    return [f"{line} nth{number}" for number, line in enumerate(lines, since)]


def begin_with_state(world: FileWorld) -> None:
    """Five windows, all held, with a state; the plans before the older checkpoint are purged."""
    world.wiring["kept"] = KEPT
    world.write(*LINES[:4])
    world.run()
    world.write(LINES[4])
    world.run()
    world.run()
    kept = sorted(path.name for path in world.plan(5).parent.iterdir())
    assert kept == [world.plan(4).name, world.plan(5).name]


def _deleted(world: FileWorld) -> None:
    begin_with_state(world)
    shutil.rmtree(world.folder(KEPT))


def _all_damaged(world: FileWorld) -> None:
    begin_with_state(world)
    records = list(world.folder(KEPT).glob("*/checkpoints/*.json"))
    assert len(records) == 2
    for record in records:
        world.flip(record)


def _rows_damaged(world: FileWorld) -> None:
    begin_with_state(world)
    states = list(world.folder(KEPT).glob("*/states/*"))
    assert len(states) == 2
    for state in states:
        world.flip(state)


def _rows_gone(world: FileWorld) -> None:
    begin_with_state(world)
    for states in world.folder(KEPT).glob("*/states"):
        shutil.rmtree(states)


def _added(world: FileWorld) -> None:
    begin_purged(world)
    world.wiring["kept"] = KEPT


def _other_columns(world: FileWorld) -> None:
    begin_with_state(world)
    world.wiring["columns"] = "seen long"


def _older_database(world: FileWorld) -> None:
    """The sink comes from a backup, the checkpoints are lost, and a person has said already that
    the sink does without window 3."""
    world.wiring["kept"] = KEPT
    world.write(*LINES[:2])
    world.run()
    older = world.back_up(world.database)
    world.write(*LINES[2:])
    world.run()
    world.run()
    world.restore(older)
    shutil.rmtree(world.folder(KEPT))
    assert command("adopt", world.locator, "counts", "--from", "oldest", "--apply") == 0


# From nothing on: the sixth line is the first one that the state counts.
_EMPTY = {
    "adopt --empty-state": {"word_counts": [*counted_lines(*LINES), *counted_lines(MORE)]},
}
_FIRST = {"adopt --empty-state": {"word_counts": [*LINES, *counted_lines(MORE)]}}


def _older_database_beside_checkpoints(world: FileWorld) -> None:
    world.wiring["kept"] = KEPT
    world.write(*LINES[:2])
    world.run()
    older = world.back_up(world.database)
    world.write(*LINES[2:])
    world.run()
    world.run()
    world.restore(older)


def _sink_added(world: FileWorld) -> None:
    begin_with_state(world)
    world.wiring["sinks"]["more"] = ("counts.duckdb", "more", "add")


STATE_CASES = [
    Case("checkpoints deleted", "Z", errors.StateLost, _deleted, _EMPTY),
    Case("checkpoints damaged", "Z", errors.StateLost, _all_damaged, _EMPTY),
    Case("states damaged", "Z", errors.StateLost, _rows_damaged, _EMPTY),
    Case("states gone", "Z", errors.StateLost, _rows_gone, _EMPTY),
    Case("state added", "Z", errors.StateLost, _added, _FIRST),
    # The state is known after window 4 at the earliest.
    Case(
        "older database beside checkpoints",
        "D",
        errors.PlansPurged,
        _older_database_beside_checkpoints,
        {
            "adopt counts --from oldest": {
                "word_counts": counted_lines(*LINES[:2]) + counted_lines(*ALL)[4:]
            },
            "adopt counts --from now": {
                "word_counts": counted_lines(*LINES[:2]) + counted_lines(*ALL)[5:]
            },
        },
    ),
    Case(
        "sink added beside a state",
        "W",
        errors.NewSink,
        _sink_added,
        {
            "adopt more --from oldest": {
                "word_counts": counted_lines(*ALL),
                "more": counted_lines(*ALL)[4:],
            },
            "adopt more --from now": {
                "word_counts": counted_lines(*ALL),
                "more": counted_lines(*ALL)[5:],
            },
        },
    ),
    Case("other columns", "Z", errors.StateLost, _other_columns, _EMPTY),
    Case(
        "older database without its state",
        "Z",
        errors.StateLost,
        _older_database,
        {
            "adopt --log --from lines=end --empty-state": {
                "word_counts": [*counted_lines(*LINES[:2]), *counted_lines(MORE)]
            },
            "adopt --log --from lines=beginning --empty-state": {
                "word_counts": [*counted_lines(*LINES[:2]), *counted_lines(*ALL)]
            },
        },
    ),
]
