"""The word count from Kafka: as a program, and killed until it has finished."""

from __future__ import annotations

import random
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from kafka import KafkaAdminClient, KafkaProducer

import samples.wordcount.__main__ as program
from samples.wordcount.kafka_demo import KafkaDemo, lines_of
from tests.machine import need_java
from tests.samples.counting import ask, words_in_database, words_of

if TYPE_CHECKING:
    from windowed.testing.services import KafkaService

ROOT = Path(__file__).parents[2]


class Topics:
    """Texts as records, and where their words go."""

    def __init__(self, bootstrap: str, home: Path) -> None:
        self.bootstrap = bootstrap
        self.database = home / "counts.duckdb"
        self.state = home / "state"
        self.name = f"texts-{home.parent.name}-{home.name}"[-60:]

    def create(self) -> None:
        """A topic of two partitions."""
        admin = KafkaAdminClient(bootstrap_servers=self.bootstrap)
        admin.create_topics(
            {self.name: {"num_partitions": 2, "replication_factor": 1}}, wait_for_metadata=True
        )
        admin.close()

    def write(self, *texts: bytes) -> None:
        """Surely."""
        producer = KafkaProducer(bootstrap_servers=self.bootstrap)
        for number, text in enumerate(texts):
            producer.send(self.name, text, partition=number % 2).get(timeout=20)
        producer.close()

    def arguments(self, *more: str) -> list[str]:
        """What to say to the program."""
        words = ["--kafka", self.bootstrap, "--database", f"duckdb:///{self.database}"]
        return [*words, "--state", str(self.state), "--window-records", "3", *more]


@pytest.fixture
def topics(kafka: KafkaService, tmp_path: Path) -> Topics:
    """A topic with some texts, two of them not UTF-8."""
    made = Topics(kafka.bootstrap, tmp_path)
    made.create()
    made.write(b"to be\nor not", b"To_be", b"\xff no", "na\u00efve".encode(), b"be\xc3", b"")
    return made


COUNTED = [b"to be\nor not", b"To_be", "na\u00efve".encode(), b""]


@pytest.mark.spark
def test_words_of_records_are_counted_once(
    topics: Topics, one_session: None, capsys: pytest.CaptureFixture[str]
) -> None:
    """By name and by pattern; records that are not UTF-8 are counted by themselves."""
    assert program.main(topics.arguments("--topic", topics.name)) == 0
    assert words_in_database(topics.database) == words_of(COUNTED)
    rows = ask(topics.database, "SELECT value, reason FROM undecodable_records ORDER BY 1")
    assert rows == [(b"be\xc3", "value is not UTF-8"), (b"\xff no", "value is not UTF-8")]
    shown = capsys.readouterr().out
    assert "windows 1 to 2" in shown
    assert "ranges" in shown
    assert "2 records are not UTF-8" in shown
    topics.write(b"more")
    assert program.main(topics.arguments("--topic", topics.name)) == 0
    assert words_in_database(topics.database) == words_of([*COUNTED, b"more"])
    other = Topics(topics.bootstrap, topics.state / "other")
    other.state.mkdir(parents=True)
    more = ("--pattern", f"{topics.name[:-1]}.", "--start", "latest")
    assert program.main(other.arguments(*more)) == 0
    assert words_in_database(other.database) == {}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "one of the two"),
        (["in", "--kafka", "a:1"], "one of the two"),
        (["in", "--topic", "t"], "--topic is for --kafka"),
        (["--kafka", "a:1", "--topic", "t", "--files", "x"], "are for files"),
    ],
)
def test_what_does_not_go_together_is_said(
    words: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """With status 2, as all such programs."""
    with pytest.raises(SystemExit) as told:
        program.main(words)
    assert told.value.code == 2
    assert said in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--kafka", "a:1"], "topics="),
        (["--kafka", "a", "--topic", "t"], "bootstrap_servers="),
        (["--kafka", "a:1", "--topic", "t", "--start", "soon"], "start='soon'"),
        (["--kafka", "a:1", "--topic", "t", "--window-records", "0"], "max_records_per_window=0"),
    ],
)
def test_what_cannot_be_is_named(
    words: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Without Java and without a broker."""
    assert program.main(words) == 1
    assert said in capsys.readouterr().err


@pytest.mark.spark
@pytest.mark.kill
def test_killed_at_random_moments_counts_and_rejects_are_equal(
    kafka: KafkaService, tmp_path: Path
) -> None:
    """With a broker that is there already; nothing is left running."""
    need_java()
    (tmp_path / "a.py").write_text("".join(f"word_{n % 7} = word\n\n" for n in range(6_000)))
    command = [sys.executable, "-m", "samples.wordcount.kafka_demo", str(tmp_path)]
    command += ["--kafka", kafka.bootstrap, "--shares", "1", "--window-records", "1500"]
    done = subprocess.run(
        [*command, "--seed", "336"],
        cwd=ROOT, capture_output=True, text=True, timeout=900, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert "kill 1: SIGKILL" in done.stdout
    assert "11,988 words, 8 different ones; the independent count is equal" in done.stdout
    assert "6 records that are not UTF-8" in done.stdout
    assert "as many as were written (6)" in done.stdout
    assert done.stderr == ""


def test_a_difference_of_rejects_is_shown_and_is_status_1(
    kafka: KafkaService,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Though every word is counted."""
    demo = KafkaDemo(
        bootstrap=kafka.bootstrap,
        home=tmp_path,
        rng=random.Random(1),
        lines=[b"one two", b"\xff"],
        shares=1,
        window_records=10,
    )
    answers = {"SELECT count(*) FROM undecodable_records": [(0,)]}
    monkeypatch.setattr(demo, "_run_and_kill", lambda kill=True: False)
    monkeypatch.setattr(demo, "_found", lambda: Counter(["one", "two"]))
    monkeypatch.setattr(demo, "_ask", answers.get)
    assert demo.run() == 1
    said = capsys.readouterr().out
    assert "the independent count is equal" in said
    assert "0 records that are not UTF-8" in said
    assert "NOT AS MANY as were written (1)" in said


def test_lines_are_those_of_all_files(tmp_path: Path) -> None:
    """Without the empty ones, however they end."""
    (tmp_path / "b.py").write_bytes(b"one\r\n\ntwo")
    (tmp_path / "a.py").write_bytes(b"\xff\n")
    assert list(lines_of(tmp_path)) == [b"\xff", b"one", b"two"]
