"""A mirror is given up; and another day it, or another log's, is named again."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.windowed.mirror_job import Job, windows_in
from windowlog.errors import MirrorMismatch, MirrorUnnamed


@pytest.fixture
def job(tmp_path: Path) -> Job:
    """Nothing has run yet."""
    return Job(tmp_path)


def test_without_mirror_it_is_refused_until_it_is_given_up(job: Job) -> None:
    """Somebody took `mirror=` out of the job."""
    job.run("to be")
    job.mirror = None
    with pytest.raises(MirrorUnnamed, match=r"adopt .* --mirror"):
        job.run("or not to be")
    assert job.command("adopt", "--mirror", "--apply") == 0
    job.run()
    assert job.counts() == {"to": 2, "be": 2, "or": 1, "not": 1}


@pytest.mark.parametrize("required", [True, False])
def test_a_mirror_that_was_given_up_and_is_named_again(job: Job, required: bool) -> None:
    """The printed command gives it what it lacks; then the two are a pair as any other."""
    job.required = required
    job.run("to be")
    job.mirror = None
    assert job.command("adopt", "--mirror", "--apply") == 0
    job.run("or not to be")
    job.mirror = "far"
    with pytest.raises(MirrorMismatch, match=r"given a mirror up.*(\n.*)*adopt .* --mirror"):
        job.run("that")
    assert job.command("adopt", "--mirror", "--apply") == 0
    job.run()
    assert job.counts() == {"to": 2, "be": 2, "or": 1, "not": 1, "that": 1}
    assert job.command("verify") == 0
    assert windows_in(job.root / "near") == windows_in(job.root / "far")
    job.mirror = None
    with pytest.raises(MirrorUnnamed):
        job.run()


def test_a_mirror_of_another_log_is_not_filled_by_one_that_gave_its_own_up(
    job: Job, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its folder says no more which mirror it had; neither log has anything of the other."""
    (job.root / "other").mkdir()
    other = Job(job.root / "other")
    other.run("of another log")
    job.run("to be")
    job.mirror = None
    assert job.command("adopt", "--mirror", "--apply") == 0
    job.mirror = "other/far"
    assert job.command("adopt", "--mirror", "--apply") == 1
    assert "given a mirror up" in capsys.readouterr().err
    other.run("and again")
    assert other.counts() == {"of": 1, "another": 1, "log": 1, "and": 1, "again": 1}
