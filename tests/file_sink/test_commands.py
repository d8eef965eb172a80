"""A person's mistake with folders: the refusal, the command that it prints, and a pipeline that
goes on."""

from __future__ import annotations

import re
import shlex
import shutil
from pathlib import Path

import pytest

from file_sink.errors import FolderTaken, RowsLost
from tests.file_sink.job import pipeline
from windowed import errors
from windowed.commands.app import main
from windowlog.errors import KitError


class Place:
    """Two lines are in files already."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.arguments: dict[str, str] = {}
        (root / "in").mkdir()
        self.lines = 0
        self.add()
        self.add()
        self.run()

    def add(self) -> None:
        """One line more."""
        self.lines += 1
        with (self.root / "in" / "a.txt").open("a") as file:
            file.write(f"line {self.lines}\n")

    def run(self) -> None:
        """All that is new."""
        pipeline(str(self.root), **self.arguments).run(None, progress=False)

    def command(self, text: str) -> int:
        """A command as it is printed, with the pipeline's place."""
        words = [repr(str(self.root)), *(f"{k}={v!r}" for k, v in self.arguments.items())]
        where = f"tests.file_sink.job:pipeline({', '.join(words)})"
        return main([*shlex.split(text.replace("WHERE", shlex.quote(where))), "--apply"])

    def seen(self, folder: str = "out") -> list[str]:
        """The lines that a reader finds, in the order of windows."""
        files = sorted((self.root / folder).rglob("*.txt"), key=lambda path: path.name)
        return [line for file in files for line in file.read_text().splitlines()]

    def expected(self) -> list[str]:
        """All of them, once."""
        return [f"line {number}" for number in range(1, self.lines + 1)]


@pytest.fixture
def place(tmp_path: Path) -> Place:
    """Fresh."""
    return Place(tmp_path)


def refused(place: Place, kind: type[KitError], choice: str) -> None:
    """A start is refused, and one of the commands that it prints is this one."""
    with pytest.raises(kind) as caught:
        place.run()
    commands = [command for _, command in caught.value.choices if command]
    assert [c for c in commands if re.search(f"{choice}$", c)], str(caught.value)


def test_a_folder_that_is_gone_is_filled_again(place: Place) -> None:
    """From the oldest kept plan."""
    shutil.rmtree(place.root / "out")
    refused(place, errors.TargetLost, "out --from oldest")
    assert place.command("adopt WHERE out --from oldest") == 0
    place.add()
    place.run()
    assert place.seen() == place.expected()


def test_a_memory_that_is_gone_goes_on_behind_what_is_there(
    place: Place, capsys: pytest.CaptureFixture[str]
) -> None:
    """And never twice: from the oldest on is not offered while the windows are there, and refused
    with what can be done."""
    shutil.rmtree(place.root / "out.staging")
    refused(place, errors.LedgerLost, "out --from now")
    assert place.command("adopt WHERE out --from oldest") != 0
    said = capsys.readouterr().err
    assert f"windows up to 2 are in folder {place.root}/out" in said
    assert re.search(r"go on after them \(`python -m windowed adopt .* out --from now`\)", said)
    with pytest.raises(errors.LedgerLost):
        place.run()
    assert place.command("adopt WHERE out --from now") == 0
    place.add()
    place.run()
    assert place.seen() == place.expected()


def test_a_lost_memory_is_named_and_only_what_can_work_is_offered(place: Place) -> None:
    """A folder has no ledger and no table; moved back, it is found again."""
    shutil.move(place.root / "out.staging", place.root / "away")
    with pytest.raises(errors.LedgerLost) as caught:
        place.run()
    said = str(caught.value)
    assert "ledger" not in said
    assert "table" not in said
    staging = f"the folder {place.root}/out.staging"
    assert f"nothing is remembered of that in {staging}" in said
    assert caught.value.choices[0] == (f"put back, moved or from a backup, {staging}", "")
    assert [command[-len("--from now") :] for _, command in caught.value.choices[1:]] == [
        "--from now"
    ]
    shutil.move(place.root / "away", place.root / "out.staging")
    place.add()
    place.run()
    assert place.seen() == place.expected()


def test_more_than_the_log_has_is_for_another_folder(
    place: Place, capsys: pytest.CaptureFixture[str]
) -> None:
    """Windows of another log are there: no command could go on behind them."""
    shutil.rmtree(place.root / "out.staging")
    (place.root / "out" / "window_id=00000009").mkdir()
    with pytest.raises(errors.LedgerLost) as caught:
        place.run()
    assert [command for _, command in caught.value.choices] == ["", ""]
    assert "has windows up to 9, and the log ends at window 2" in str(caught.value)
    assert place.command("adopt WHERE out --from now") != 0
    assert "Name another place for the sink" in capsys.readouterr().err


def test_another_layout_is_for_a_person_to_decide(
    place: Place, capsys: pytest.CaptureFixture[str]
) -> None:
    """`files` in a folder of windows, which no reader could read, until those are moved away."""
    place.arguments = {"layout": "files"}
    refused(place, errors.TargetChanged, "out --from now")
    assert place.command("adopt WHERE out --from now") != 0
    assert "window_id=00000001 and 1 more is in it" in capsys.readouterr().err
    (place.root / "before").mkdir()
    for window in list((place.root / "out").iterdir()):
        window.rename(place.root / "before" / window.name)
    assert place.command("adopt WHERE out --from now") == 0
    place.add()
    place.run()
    assert place.seen("before") + place.seen() == place.expected()


def test_a_folder_of_another_name_is_for_a_person_to_decide(place: Place) -> None:
    """It has no memory."""
    place.arguments = {"folder": "files"}
    refused(place, errors.LedgerLost, "out --from now")
    assert place.command("adopt WHERE out --from now") == 0
    place.add()
    place.run()
    assert place.seen("files") == place.expected()[2:]


def test_a_renamed_sink_goes_on_and_back(place: Place) -> None:
    """With its folder, as often as one likes."""
    for name, before in (("fresh", "out"), ("out", "fresh"), ("fresh", "out")):
        place.arguments = {"name": name}
        with pytest.raises(errors.Refused) as caught:
            place.run()
        assert f"{name} --renamed-from {before}" in str(caught.value)
        assert place.command(f"adopt WHERE {name} --renamed-from {before}") == 0
        place.add()
        place.run()
        assert place.seen() == place.expected()


def test_a_lost_log_is_begun_anew_behind_the_files(place: Place) -> None:
    """No number is used twice in a folder."""
    shutil.rmtree(place.root / "log")
    with pytest.raises(errors.LogMismatch):
        place.run()
    assert place.command("adopt WHERE --log --from lines=end") == 0
    place.add()
    place.run()
    assert place.seen() == place.expected()
    folders = sorted(path.name for path in (place.root / "out").iterdir())
    assert folders == ["window_id=00000001", "window_id=00000002", "window_id=00000004"]


def test_rows_that_are_lost_are_written_again(place: Place) -> None:
    """As the error says: the staging folder is moved away, and the window is replayed."""
    place.add()
    opened = pipeline(str(place.root))
    with opened.open(None) as run:
        window = run.next()
        assert window is not None
        sink = opened.sinks["out"]
        frame = window.frames["lines"].select(["value"])
        sink.prepare(frame.schema)
        sink.stage(window.window, frame)
        sink.hold(window.window)
    shutil.rmtree(place.root / "out.staging" / "staged")
    with pytest.raises(RowsLost, match="move the staging folder away"):
        place.run()
    shutil.move(place.root / "out.staging", place.root / "away")
    refused(place, errors.LedgerLost, "out --from 3")
    assert place.command("adopt WHERE out --from 3") == 0
    place.run()
    assert place.seen() == place.expected()


def test_a_folder_of_a_deleted_pipeline_is_refused(place: Place) -> None:
    """Log and memory are gone, and the windows are there: to begin at 1 would double them."""
    shutil.rmtree(place.root / "log")
    shutil.rmtree(place.root / "out.staging")
    with pytest.raises(FolderTaken, match=r"(?s)windows up to 2 are in it.* out --from 3"):
        place.run()
    assert place.seen() == place.expected()
