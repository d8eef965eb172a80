"""A pipeline whose log has a mirror, from files to DuckDB: a machine is lost, the mirror is lost or
away; and what a person types then."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from connectors import FileInput
from tests.windowed.mirror_job import Job, windows_in
from tests.windowed.worlds import count_words
from windowed import Pipeline
from windowed.errors import LogMismatch
from windowed.testing.crash import crash_everywhere
from windowed.testing.list_sink import ListSink, ListStore
from windowed.testing.rows import RowsInput
from windowlog.errors import (
    BadArgument,
    MirrorAway,
    MirrorMismatch,
    MirrorNotAdopted,
)
from windowlog.log import WindowLog
from windowlog.storage import MemoryStorage, MirroredStorage


@pytest.fixture
def job(tmp_path: Path) -> Job:
    """Nothing has run yet."""
    return Job(tmp_path)


def test_a_machine_is_lost_and_the_mirror_was_required(job: Job) -> None:
    """The next one goes on by itself: each line counts once."""
    job.run("to be", "or not to be")
    job.lose("near")
    job.run("not to be found")
    assert job.counts() == {"to": 3, "be": 3, "or": 1, "not": 2, "found": 1}
    assert job.command("verify") == 0


def test_a_machine_is_lost_and_the_mirror_was_not_required(
    job: Job, capsys: pytest.CaptureFixture[str]
) -> None:
    """A person says so, by the command that the refusal prints; a dry run changes nothing."""
    job.required = False
    job.run("to be", "or not to be")
    job.lose("near")
    with pytest.raises(MirrorNotAdopted) as caught:
        job.run()
    assert not (job.root / "near").exists()
    line = caught.value.choices[1][1].removeprefix("python -m windowed adopt MODULE:PIPELINE ")
    assert line in str(caught.value)
    assert "tests.windowed.mirror_job:made" in str(caught.value)
    assert job.command("adopt", line) == 0
    assert "goes on from the mirror" in capsys.readouterr().out
    assert not (job.root / "near").exists()
    assert job.command("adopt", line, "--apply") == 0
    job.run("not to be found")
    assert job.counts() == {"to": 3, "be": 3, "or": 1, "not": 2, "found": 1}
    assert job.command("verify") == 0


@pytest.mark.parametrize("required", [True, False])
def test_the_mirror_is_lost(job: Job, required: bool, capsys: pytest.CaptureFixture[str]) -> None:
    """Refused; then another one is filled, by the command that the refusal prints."""
    job.required = required
    job.run("to be", "or not to be")
    job.lose("far")
    with pytest.raises(MirrorMismatch, match=r"adopt .* --mirror"):
        job.run("not to be found")
    assert not (job.root / "far").exists()
    assert job.command("adopt", "--mirror") == 0
    assert "gets what it lacks" in capsys.readouterr().out
    assert job.command("adopt", "--mirror", "--apply") == 0
    job.run()
    assert job.counts() == {"to": 3, "be": 3, "or": 1, "not": 2, "found": 1}
    assert job.command("verify") == 0
    job.lose("near")
    job.required = True
    if required:
        job.run("again")
        assert job.counts()["again"] == 1


def test_the_mirror_is_away_and_required(job: Job) -> None:
    """The run stops before anything is done, and goes on when it is back."""
    job.run("to be")
    job.away()
    with pytest.raises(Exception, match="far"):
        job.run("or not to be")
    assert job.counts() == {"to": 1, "be": 1}
    job.back()
    job.run()
    assert job.counts() == {"to": 2, "be": 2, "or": 1, "not": 1}


def test_the_mirror_is_away_and_not_required(job: Job, capsys: pytest.CaptureFixture[str]) -> None:
    """It goes on, says so, and `show` does; then the mirror gets what it lacks."""
    job.required = False
    job.run("to be")
    job.away()
    with pytest.warns(MirrorAway, match=r"count in .*/near alone"):
        summary = job.run("or not to be")
    assert str(summary).endswith("; the log's mirror is away, and may lack windows")
    assert job.counts() == {"to": 2, "be": 2, "or": 1, "not": 1}
    with pytest.warns(MirrorAway):
        assert job.command("show", "--json") == 0
    assert json.loads(capsys.readouterr().out)["log"]["mirror"].startswith("not required, away (")
    job.back()
    assert job.command("verify") == 0
    assert job.command("show", "--json") == 0
    assert "required, level" in capsys.readouterr().out
    assert str(job.run()) == "words: nothing new"
    assert windows_in(job.root / "near") == windows_in(job.root / "far")


def test_windows_of_a_lost_tail_are_a_mismatch(
    job: Job, capsys: pytest.CaptureFixture[str]
) -> None:
    """A machine counted windows alone, the sink holds them, and the machine is lost: the new one
    says that sink and log do not belong together; `adopt --log` goes on behind, and no row is there
    twice."""
    job.required = False
    job.run("to be")
    job.away()
    with pytest.warns(MirrorAway):
        job.run("or not to be")
    job.back()
    job.lose("near")
    assert job.command("adopt", "--folder", "--apply") == 0
    with pytest.raises(LogMismatch, match="holds window 2"):
        job.run()
    capsys.readouterr()
    assert job.command("adopt", "--log", "--from", "lines=end", "--apply") == 0
    said = capsys.readouterr().out
    assert "input lines: 1 record passed over, not known to what is left of the log" in said
    assert "reset" in said
    job.run("found")
    assert job.counts() == {"to": 2, "be": 2, "or": 1, "not": 1, "found": 1}
    assert job.command("verify") == 0


def test_commands_that_would_do_harm_are_refused(
    job: Job, capsys: pytest.CaptureFixture[str]
) -> None:
    """A folder that has a log, a mirror that is whole, a log without a mirror; other words."""
    job.run("to be")
    assert job.command("adopt", "--folder") == 0
    assert "is the log's folder already" in capsys.readouterr().out
    assert job.command("adopt", "--mirror", "--apply") == 0
    assert "has all of it already" in capsys.readouterr().out
    assert job.command("adopt", "--folder", "--gone") == 1
    assert "stand alone" in capsys.readouterr().err
    job.mirror = None
    assert job.command("adopt", "--folder") == 1
    assert "no mirror=" in capsys.readouterr().err
    shutil.rmtree(job.root / "near")
    assert job.command("adopt", "--mirror") == 1
    assert "has no mirror" in capsys.readouterr().err
    job.mirror = "far"
    assert job.command("adopt", "--folder") == 1
    assert "a start needs no leave" in capsys.readouterr().err
    assert job.command("adopt", "--mirror") == 1
    assert "no log in" in capsys.readouterr().err


def test_verify_finds_what_is_on_one_side_only(
    job: Job, capsys: pytest.CaptureFixture[str]
) -> None:
    """And what is not the same: somebody was at a folder."""
    job.run("to be", "or not", "to be")
    first = min((job.root / "far" / "windows").iterdir())
    first.write_bytes(first.read_bytes()[:-1])
    assert job.command("verify") == 1
    assert f"{first.name} is not the same in" in capsys.readouterr().err


def test_an_input_reads_neither_side(tmp_path: Path) -> None:
    """Each window would give the next one something to read."""
    (tmp_path / "in").mkdir()
    for near, far in (("in/near", "far"), ("near", "in/far")):
        with pytest.raises(BadArgument, match="feed itself"):
            Pipeline(
                "words",
                inputs={"lines": FileInput(tmp_path / "in")},
                transform=count_words,
                sinks={"out": ListSink()},
                log=WindowLog(tmp_path / near, mirror=tmp_path / far),
            )


@pytest.mark.parametrize("required", [True, False])
def test_a_driver_may_die_anywhere(required: bool) -> None:
    """Before and after everything it does; the sink has each row once."""
    stores: list[ListStore] = []

    def build() -> Pipeline:
        memory = MemoryStorage()
        storage = MirroredStorage(memory.within("near"), memory.within("far"), required=required)
        stores.append(ListStore())
        return Pipeline(
            "numbers",
            inputs={"rows": RowsInput([[(1,)], [(2,)], [(3,)]], schema="n long")},
            transform=lambda rows: rows,
            sinks={"out": ListSink(stores[-1])},
            log=WindowLog(storage),
        )

    def check(pipeline: Pipeline) -> None:
        held = [row["n"] for window in sorted(stores[-1].windows) for row in _at(stores, window)]
        assert held == [1, 2, 3]

    assert crash_everywhere(build, check) > 50


def _at(stores: list[ListStore], window: int) -> list[dict[str, int]]:
    return stores[-1].windows[window]
