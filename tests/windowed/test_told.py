"""Sinks tell where they are; of those that do not, nothing is said that may not be so."""

from __future__ import annotations

import pytest

from tests.windowed.worlds import FileWorld, RowsWorld
from windowed.errors import LedgerLost, TargetLost
from windowed.testing.list_sink import ListStore


def test_a_sink_that_tells_nothing_has_no_ledger() -> None:
    """A list in memory has neither ledger nor table nor database."""
    world = RowsWorld("untold", 2)
    world.run()
    world.stores["out"] = ListStore()
    with pytest.raises(LedgerLost) as caught:
        world.run()
    said = str(caught.value)
    for word in ("ledger", "table", "database"):
        assert word not in said
    assert "nothing is remembered of that in the memory of sink out" in said
    assert "put back, moved or from a backup, the memory of sink out" in said


def test_a_lost_table_is_named_with_its_database(tmp_path_factory: pytest.TempPathFactory) -> None:
    """What is to be restored, and where."""
    world = FileWorld(tmp_path_factory.mktemp("world") / "world")
    world.write("a b")
    world.run()
    world.sql("DROP TABLE word_counts")
    with pytest.raises(TargetLost) as caught:
        world.run()
    where = f"table word_counts in {world.database}"
    assert caught.value.choices[0] == (f"restore {where} from a backup", "")
    world.sql("DROP TABLE window_ledger")
    with pytest.raises(LedgerLost) as lost:
        world.run()
    assert f"the ledger table window_ledger in {world.database}" in lost.value.choices[0][0]
