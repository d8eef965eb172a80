"""Daemon: it comes up, hangs, ends when told, and surely when nobody wants it any more."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from windowed.testing.services import ServiceFailed
from windowed.testing.services.daemon import Daemon, free_port, kept

# A daemon in five lines: says that it is there by a file, and writes its id.
PROGRAM = """
import os, pathlib, sys, time
pathlib.Path(sys.argv[1]).write_text(str(os.getpid()))
while True:
    time.sleep(0.05)
    pathlib.Path(sys.argv[1] + ".beat").write_text(str(time.monotonic()))
"""
SOON_S = 60.0


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A service's folder, wanted to run."""
    (tmp_path / "running").touch()
    return tmp_path


def made(folder: Path, code: str = PROGRAM, stays: bool = False) -> Daemon:
    """A daemon of that code."""
    there = folder / "there"
    command = [sys.executable, "-c", code, str(there)]
    return Daemon("sleeper", folder, lambda: command, there.exists, stays)


@pytest.fixture
def daemon(folder: Path) -> Iterator[Daemon]:
    """One that runs."""
    daemon = made(folder)
    daemon.start()
    yield daemon
    daemon.kill()


def process_id(folder: Path) -> int:
    """The daemon's own word."""
    until(lambda: bool((folder / "there").read_text()))
    return int((folder / "there").read_text())


def lives(number: int) -> bool:
    """Whether there is such a process; one that has ended and is not buried yet does not count."""
    return state(number) not in ("", "Z")


def state(number: int) -> str:
    """The system's letter for what a process does; none where there is none."""
    try:
        status = Path(f"/proc/{number}/status").read_text()
    except OSError:
        return ""
    return status.partition("\nState:\t")[2][:1]


def until(true: Callable[[], bool]) -> None:
    """Wait for it, not for ever."""
    limit = time.monotonic() + SOON_S
    while not true():
        assert time.monotonic() < limit
        time.sleep(0.02)


@pytest.mark.parametrize("end", ["stop", "kill"])
def test_it_ends_when_it_is_told_and_starts_again(folder: Path, daemon: Daemon, end: str) -> None:
    """Any number of times; ending what has ended does nothing."""
    first = process_id(folder)
    assert (daemon.alive, lives(first), kept(folder)) == (True, True, ["sleeper"])
    for _ in range(2):
        getattr(daemon, end)()
        assert (daemon.alive, lives(first), kept(folder)) == (False, False, [])
    (folder / "there").unlink()
    daemon.start()
    daemon.start()
    assert process_id(folder) != first


def test_it_hangs_and_goes_on(folder: Path, daemon: Daemon) -> None:
    """While it is paused it does nothing, and can be killed."""
    beat = folder / "there.beat"
    until(beat.exists)
    daemon.pause()
    until(lambda: state(process_id(folder)) == "T")
    last = beat.read_text()
    time.sleep(0.3)
    assert beat.read_text() == last
    daemon.resume()
    until(lambda: beat.read_text() != last)
    daemon.pause()
    daemon.kill()
    assert not lives(process_id(folder))


@pytest.mark.parametrize("stays", [False, True])
def test_it_ends_with_the_process_that_began_it_unless_it_stays(folder: Path, stays: bool) -> None:
    """Also when that is killed without a word. Then the file ends it."""
    module = "tests.windowed.testing.services.begin_one"
    parent = subprocess.Popen(
        [sys.executable, "-m", module, str(folder), str(int(stays))], stdout=subprocess.PIPE
    )
    assert parent.stdout is not None
    with parent.stdout as told:
        assert told.readline() == b"begun\n"
    number = process_id(folder)
    parent.kill()
    parent.wait()
    if stays:
        time.sleep(0.5)
        assert lives(number)
        assert kept(folder) == ["sleeper"]
        (folder / "running").unlink()
    until(lambda: not lives(number))
    until(lambda: kept(folder) == [])


def test_one_that_stays_holds_nothing_of_who_began_it(folder: Path) -> None:
    """`start 2>&1 | tee` ends with the command: neither daemon nor keeper keeps a pipe open."""
    code = "import sys, pathlib; from tests.windowed.testing.services.test_daemon import made"
    code += "; made(pathlib.Path(sys.argv[1]), stays=True).start()"
    command = [sys.executable, "-c", code, str(folder)]
    beginner = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    assert beginner.stdout is not None
    try:
        beginner.wait()
        with beginner.stdout as said:
            assert select.select([said], [], [], 1.0)[0], "somebody holds it"
            assert said.read() == b""
        assert kept(folder) == ["sleeper"]
    finally:
        (folder / "running").unlink()
    until(lambda: kept(folder) == [])


def test_what_its_keeper_says_stands_in_the_log(folder: Path) -> None:
    """A command that cannot be begun is said as any daemon's end is."""
    missing = str(folder / "no-such-program")
    daemon = Daemon("sleeper", folder, lambda: [missing], lambda: False)
    with pytest.raises(ServiceFailed, match=r"could not be begun.*no-such-program"):
        daemon.start()


def test_it_ends_when_its_keeper_is_killed(folder: Path, daemon: Daemon) -> None:
    """Nothing is left without a master, where the system can do it: Linux."""
    number = process_id(folder)
    keeper = int(Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[1])
    os.kill(keeper, signal.SIGKILL)
    until(lambda: not lives(number))


def test_one_that_does_not_come_up_says_what_it_said(folder: Path) -> None:
    """The last lines of its log, and where that is."""
    daemon = made(folder, "raise SystemExit('the port is taken')")
    with pytest.raises(ServiceFailed, match=r"sleeper has ended.*the port is taken") as raised:
        daemon.start()
    assert str(folder / "sleeper.log") in str(raised.value)


def test_one_that_never_answers_is_not_waited_for_long(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Said with the seconds that were waited."""
    monkeypatch.setattr("windowed.testing.services.daemon.READY_S_MAX", 0.2)
    daemon = made(folder, "import time; time.sleep(60)")
    with pytest.raises(ServiceFailed, match="does not answer after 0 s"):
        daemon.start()
    daemon.kill()


def test_a_port_is_given_once() -> None:
    """However many are asked for, none is given twice."""
    ports = [free_port() for _ in range(200)]
    assert len(set(ports)) == 200
    assert min(ports) >= 20_000


def test_a_port_that_was_given_is_nobody_elses() -> None:
    """Between the choice and a daemon's start, and while it is down, another process is refused;
    a server that sets SO_REUSEADDR, as Java's do, listens there, again and again."""
    port = free_port()
    other = (
        "import socket; s = socket.socket();"
        f" s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, %d); s.bind(('127.0.0.1', {port}));"
        " s.listen()"
    )
    for _ in range(2):
        refused = subprocess.run([sys.executable, "-c", other % 0], stderr=subprocess.PIPE)
        assert b"Address already in use" in refused.stderr
        subprocess.run([sys.executable, "-c", other % 1], check=True)
