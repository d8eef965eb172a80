"""`adopt --log` where a sink holds rows and does not tell how far its inputs were read: it was
adopted behind plans that are purged, and then the log was lost."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.windowed.cases import LINES, MORE
from tests.windowed.worlds import FileWorld, command, counted
from windowed import Refused


def test_where_inputs_begin_is_asked_for(
    quick_folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Else they would be read from their beginning, and what the sink holds would be there twice;
    each command that the refusal prints says where."""
    world = FileWorld(quick_folder / "world")
    world.write(*LINES[:2])
    world.run()
    older = world.back_up(world.database)
    world.write(*LINES[2:])
    world.run()
    world.run()
    world.restore(older)
    assert command("adopt", world.locator, "counts", "--from", "oldest", "--apply") == 0
    shutil.rmtree(world.state)
    with pytest.raises(Refused) as caught:
        world.run()
    commands = [words for _, words in caught.value.choices if words]
    assert [words.split()[-1] for words in commands] == ["lines=end", "lines=beginning"]
    assert command("adopt", world.locator, "--log", "--apply") == 1
    assert "the sinks do not tell where input lines stands" in capsys.readouterr().err
    words = ("--log", "--from", "lines=end", "--apply")
    assert command("adopt", world.locator, *words) == 0
    world.write(MORE)
    world.run()
    assert world.counts() == counted(*LINES[:2], MORE)
