"""What a person reads of a log with a mirror whose folder is lost."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.windowed.mirror_job import Job
from windowed import opening
from windowlog.errors import MirrorAway, MirrorNotAdopted, StorageFailed


@pytest.fixture
def job(tmp_path: Path) -> Job:
    """One line has been held."""
    job = Job(tmp_path)
    job.required = False
    job.run("to be")
    return job


@pytest.mark.parametrize("lost", ["near", "far"])
def test_a_start_that_sides_refuse_has_status_3(
    job: Job, lost: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Whoever watches for 3 sees it, and why; nothing comes to be."""
    job.lose(lost)
    assert job.command("show") == 3
    said = capsys.readouterr().out
    assert "a start is refused (Mirror" in said
    assert "tests.windowed.mirror_job:made" in said
    assert job.command("show", "--json") == 3
    seen = json.loads(capsys.readouterr().out)
    assert (seen["start"]["row"], seen["windows"]) == (None, [])
    assert not (job.root / lost).exists()


def test_a_mirror_that_is_away_is_said_of_this_run(job: Job) -> None:
    """It goes on; the line shown is the one that runs it, not one of the kit."""
    job.away()
    with pytest.warns(MirrorAway) as caught:
        job.run("or not")
    (away,) = (warning for warning in caught if warning.category is MirrorAway)
    assert "next run" not in str(away.message)
    assert away.filename.endswith("tests/windowed/mirror_job.py")


def test_what_goes_by_is_no_refusal(job: Job, monkeypatch: pytest.MonkeyPatch) -> None:
    """A disk that is full: the command has failed, and no start is refused for good."""

    def full(*arguments: object) -> None:
        raise StorageFailed(where="near", reason="the disk is full", remedy="Make room.")

    monkeypatch.setattr(opening, "open_and_gather", full)
    assert job.command("show") == 1


def test_a_lost_folder_of_a_required_mirror_is_paired(
    job: Job, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its local side is gone, and comes back by itself."""
    job.required = True
    job.run("or not")
    job.lose("near")
    assert job.command("show", "--json") == 0
    said = json.loads(capsys.readouterr().out)["log"]["mirror"]
    empty = "the local folder is empty: the next start fills it from the mirror"
    assert said == f"required, {empty}"


def test_one_path_is_not_named_as_another_place(job: Job) -> None:
    """The folder was here: it is not said to be elsewhere."""
    job.lose("near")
    with pytest.raises(MirrorNotAdopted) as caught:
        job.run()
    said = str(caught.value)
    assert "belongs to the folder that was at" in said
    assert "at that path there is nothing" in said
    assert "start there (" not in said
