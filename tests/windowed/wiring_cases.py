"""What may happen to sinks and inputs: their targets, ledgers, names and places."""

from __future__ import annotations

from tests.windowed.cases import ALL, LINES, MORE, Case, begin, begin_purged
from tests.windowed.worlds import FileWorld
from windowed import errors


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


WIRING_CASES = [
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
]
