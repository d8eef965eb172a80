"""The sample as a program: what it counts, says and answers."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import pytest

import samples.wordcount.__main__ as program
from tests.file_sink.hdfs_world import download, files_of
from tests.machine import need_java
from tests.samples.counting import ask, words_in_database, words_in_files
from tests.windowlog.storage.hdfs_world import ask as ask_hdfs

if TYPE_CHECKING:
    from windowed.testing.services import HdfsService

ROOT = Path(__file__).parents[2]


class Place:
    """A folder with texts, and beside it what a run makes."""

    def __init__(self, home: Path) -> None:
        self.texts = home / "texts"
        self.database = home / "counts.duckdb"
        self.state = home / "state"
        (self.texts / "deep").mkdir(parents=True)
        self.write("a.txt", "To be, or not to be\nthat is the question\n" * 40)
        self.write("deep/b.txt", "Whether 'tis nobler\nin the mind_to suffer\n" * 40)

    def write(self, name: str, text: str) -> None:
        """A file that has long been quiet."""
        path = self.texts / name
        path.write_text(text)
        os.utime(path, (time.time() - 60,) * 2)

    def arguments(self, *more: str) -> list[str]:
        """What to say to the program."""
        words = [str(self.texts), "--database", f"duckdb:///{self.database}"]
        return [*words, "--state", str(self.state), "--window-bytes", "1000", *more]


@pytest.fixture
def place(tmp_path: Path) -> Place:
    """Texts of about 3 kB: some windows of a thousand bytes."""
    return Place(tmp_path)


@pytest.mark.spark
def test_every_word_is_counted_once(
    place: Place, one_session: None, capsys: pytest.CaptureFixture[str]
) -> None:
    """In several windows, and shown: windows, top words, where everything is."""
    assert program.main(place.arguments()) == 0
    assert words_in_database(place.database) == words_in_files(place.texts)
    [(windows,)] = ask(place.database, "SELECT window_id FROM window_ledger")
    assert windows >= 3
    shown = capsys.readouterr().out
    assert f"windows 1 to {windows}" in shown
    assert "the" in shown.split()
    assert str(place.database) in shown
    assert str(place.state) in shown


@pytest.mark.spark
def test_a_second_run_finds_nothing_new_and_says_so(
    place: Place, one_session: None, capsys: pytest.CaptureFixture[str]
) -> None:
    """The counts stay, and no window is made."""
    assert program.main(place.arguments()) == 0
    before = ask(place.database, "SELECT window_id, digest FROM window_ledger")
    capsys.readouterr()
    assert program.main(place.arguments()) == 0
    assert "nothing new" in capsys.readouterr().out
    assert ask(place.database, "SELECT window_id, digest FROM window_ledger") == before
    assert words_in_database(place.database) == words_in_files(place.texts)


@pytest.mark.spark
def test_what_is_added_is_counted_by_the_next_run(place: Place, one_session: None) -> None:
    """A file that grew and a new one: only what is new of both."""
    assert program.main(place.arguments()) == 0
    with (place.texts / "a.txt").open("a") as text:
        text.write("to sleep perchance to dream\n")
    place.write("c.txt", "to die\n")
    assert program.main(place.arguments()) == 0
    assert words_in_database(place.database) == words_in_files(place.texts)


@pytest.mark.spark
def test_counts_of_each_window_are_written_as_files_too(
    place: Place, one_session: None, capsys: pytest.CaptureFixture[str]
) -> None:
    """One folder for each window; together they are what the table says."""
    folder = place.state.with_name("files")
    assert program.main(place.arguments("--files", str(folder))) == 0
    [(windows,)] = ask(place.database, "SELECT DISTINCT window_id FROM window_ledger")
    assert len(list(folder.glob("window_id=*"))) == windows
    query = f"SELECT word, sum(count)::bigint FROM '{folder}/*/*.parquet' GROUP BY word"
    assert dict(ask(place.database, query)) == words_in_files(place.texts)
    assert words_in_database(place.database) == words_in_files(place.texts)
    assert str(folder) in capsys.readouterr().out


@pytest.mark.spark
def test_one_run_with_input_log_staging_and_output_on_hdfs(
    place: Place, one_session: None, hdfs: HdfsService, on_hdfs: str
) -> None:
    """Nothing but the table is on this machine; a second run with more text goes on."""
    folder = f"{hdfs.hdfs_url}{urlsplit(on_hdfs).path}"
    words = [f"{folder}/texts", "--database", f"duckdb:///{place.database}", "--window-bytes"]
    words += ["3000", "--state", f"{on_hdfs}/state", "--files", f"{folder}/out"]
    words += ["--storage", hdfs.webhdfs_url]
    for name in ("a.txt", "deep/b.txt"):
        data = (place.texts / name).read_bytes()
        ask_hdfs(f"{on_hdfs}/texts/{name}", "PUT", "CREATE", data)
    assert program.main(words) == 0
    (place.texts / "c.txt").write_text("to die\n")
    ask_hdfs(f"{on_hdfs}/texts/c.txt", "PUT", "CREATE", b"to die\n")
    assert program.main(words) == 0
    out = download(f"{on_hdfs}/out", place.state.with_name("copy"))
    query = f"SELECT word, sum(count)::bigint FROM '{out}/*/*.parquet' GROUP BY word"
    expected = words_in_files(place.texts)
    assert dict(ask(place.database, query)) == expected
    assert words_in_database(place.database) == expected
    [(windows,)] = ask(place.database, "SELECT DISTINCT window_id FROM window_ledger")
    assert len(list(out.glob("window_id=*"))) == windows
    assert any(path.startswith("windows/") for path in files_of(f"{on_hdfs}/state"))
    assert not place.state.exists()


@pytest.mark.spark
def test_an_empty_folder_is_counted_too(place: Place, one_session: None) -> None:
    """There is a table, without words."""
    shutil.rmtree(place.texts)
    place.texts.mkdir()
    assert program.main(place.arguments()) == 0
    assert words_in_database(place.database) == {}


@pytest.mark.spark
def test_a_refusal_is_a_message_and_status_1(
    place: Place, one_session: None, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its state lost, it would count everything again: it says so, and what there is to choose."""
    assert program.main(place.arguments()) == 0
    shutil.rmtree(place.state)
    capsys.readouterr()
    assert program.main(place.arguments()) == 1
    said = capsys.readouterr()
    assert "[WD3]" in said.err
    assert "python -m windowed adopt" in said.err
    assert "Traceback" not in said.err
    assert words_in_database(place.database) == words_in_files(place.texts)
    assert not place.state.exists()


@pytest.mark.spark
@pytest.mark.parametrize(
    ("spoil", "code"),
    [
        (lambda place: shutil.rmtree(place.texts), "[FI1]"),
        (lambda place: place.database.write_text("no database\n" * 999), "[JS2]"),
    ],
)
def test_what_cannot_be_used_is_named(
    place: Place, one_session: None, capsys: pytest.CaptureFixture[str], spoil: Any, code: str
) -> None:
    """A folder that is not there, a file that is no database: status 1, nothing made."""
    spoil(place)
    assert program.main(place.arguments()) == 1
    said = capsys.readouterr().err
    assert code in said
    assert "Traceback" not in said
    assert not place.state.exists()


def test_a_wrong_argument_needs_no_java_to_be_seen(
    place: Place, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The message names argument, value and what is allowed."""
    monkeypatch.setenv("JAVA_HOME", "/nowhere")
    assert program.main(place.arguments("--window-bytes", "0")) == 1
    said = capsys.readouterr().err
    assert "max_bytes_per_window=0" in said
    assert "whole number from 1" in said


def test_a_missing_java_is_named(
    place: Place, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Spark's own words for it do not say what to do."""
    monkeypatch.setenv("JAVA_HOME", "/nowhere")
    assert program.main(place.arguments()) == 1
    assert "openjdk-17-jre-headless" in capsys.readouterr().err
    assert not place.database.exists()


@contextmanager
def _child(place: Place, *more: str) -> Iterator[subprocess.Popen[str]]:
    """The program in a process group of its own, as a shell starts it."""
    need_java()
    command = [sys.executable, "-m", "samples.wordcount", *place.arguments(*more)]
    pipe = subprocess.PIPE
    with subprocess.Popen(
        command, cwd=ROOT, stdout=pipe, stderr=pipe, text=True, start_new_session=True
    ) as child:
        try:
            yield child
        finally:
            if child.poll() is None:
                os.killpg(child.pid, signal.SIGKILL)


def _wait_for(place: Place, count: int, child: subprocess.Popen[str]) -> None:
    """Until this many plans are in the log and the last one's window must be under way."""
    give_up_s = time.monotonic() + 120
    while len(list((place.state / "windows").glob("*.json"))) < count:
        assert child.poll() is None, child.communicate()
        assert time.monotonic() < give_up_s
        time.sleep(0.05)


@pytest.mark.spark
def test_follow_counts_what_comes_until_it_is_told_to_stop(place: Place) -> None:
    """SIGTERM ends it well: status 0, no traceback, and everything it took is counted."""
    with _child(place, "--follow", "--window-bytes", "1000000") as child:
        _wait_for(place, 1, child)
        place.write("later.txt", "something new\n")
        _wait_for(place, 2, child)
        child.send_signal(signal.SIGTERM)
        _, errors = child.communicate(timeout=120)
    assert child.returncode == 0, errors
    assert "Traceback" not in errors
    assert words_in_database(place.database) == words_in_files(place.texts)


@pytest.mark.spark
def test_a_signal_for_the_whole_group_lets_the_window_finish(
    place: Place, one_session: None
) -> None:
    """As of `timeout`, of Kubernetes, or of a shell's job control: Spark's JVM gets it, too."""
    with _child(place, "--window-bytes", "50") as child:
        _wait_for(place, 2, child)
        os.killpg(child.pid, signal.SIGTERM)
        said, errors = child.communicate(timeout=120)
    assert child.returncode == 1
    assert "; it was stopped" in said
    assert "stopped by SIGTERM\n" in errors
    assert "Traceback" not in errors
    # The window in flight was held: there is nothing to replay.
    [(held,)] = ask(place.database, "SELECT window_id FROM window_ledger")
    assert held == len(list((place.state / "windows").glob("*.json")))
    assert program.main(place.arguments()) == 0
    assert words_in_database(place.database) == words_in_files(place.texts)


@pytest.mark.spark
def test_a_run_that_is_stopped_early_has_status_1_and_the_next_goes_on(
    place: Place, one_session: None
) -> None:
    """0 means that everything that was there is counted."""
    with _child(place, "--window-bytes", "50") as child:
        _wait_for(place, 2, child)
        child.send_signal(signal.SIGINT)
        _, errors = child.communicate(timeout=120)
    assert child.returncode == 1
    assert "the next run goes on" in errors
    assert "Traceback" not in errors
    counted = words_in_database(place.database)
    assert 0 < counted.total() < words_in_files(place.texts).total()
    assert program.main(place.arguments()) == 0
    assert words_in_database(place.database) == words_in_files(place.texts)
