"""SIGTERM and SIGINT: the first one lets the window in flight finish, a second one stops now."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from tests.windowed.made import pipeline, rows, words
from windowed.testing.list_sink import ListSink

BOTH = (signal.SIGTERM, signal.SIGINT)
# For what takes a moment: a busy machine is never as slow.
PATIENCE_S = 60.0


@contextmanager
def _child(mode: str) -> Iterator[subprocess.Popen[str]]:
    """A driver that is in its first window."""
    command = [sys.executable, "-m", "tests.windowed.signalled", mode]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True) as child:
        try:
            assert child.stdout is not None
            assert child.stdout.readline() == "in the window\n"
            yield child
        finally:
            child.kill()


@pytest.mark.parametrize("mode", ["run", "wait"])
@pytest.mark.parametrize("number", BOTH)
def test_the_first_signal_lets_the_window_finish(mode: str, number: signal.Signals) -> None:
    """It is held, no other is begun, and the process ends well."""
    with _child(mode) as child:
        child.send_signal(number)
        said, errors = child.communicate("go\n" * 3, timeout=PATIENCE_S)
    assert (said, errors) == ("held\nwindows run: 1\n", "")
    assert child.returncode == 0


@pytest.mark.parametrize("mode", ["run", "wait"])
def test_a_second_signal_stops_now(mode: str) -> None:
    """In the middle of the window, which is replayed by the next run."""
    with _child(mode) as child:
        for number in BOTH:
            child.send_signal(number)
        # Its input stays open: the window cannot end by itself.
        assert child.wait(timeout=PATIENCE_S) != 0
        said, errors = (pipe.read() for pipe in (child.stdout, child.stderr) if pipe is not None)
    assert said == ""
    assert errors.rstrip().endswith("KeyboardInterrupt")


def _handlers() -> list[Any]:
    return [signal.getsignal(number) for number in BOTH]


def _run_with(action: Callable[[], object]) -> ListSink:
    """A run of three windows that does this in the middle of each."""
    sink = ListSink()

    def transform(lines: Any) -> Any:
        action()
        return lines

    pipeline(rows(["a"], ["b"], ["c"]), {"out": sink}, transform=transform).run(None)
    return sink


@pytest.mark.parametrize("number", BOTH)
def test_old_handlers_come_back(number: signal.Signals) -> None:
    """After a run that was stopped, after one that failed, after one that was not."""
    before, during = _handlers(), list[list[Any]]()
    assert words(_run_with(lambda: during.append(_handlers()))) == ["a", "b", "c"]
    assert words(_run_with(lambda: signal.raise_signal(number))) == ["a"]
    with pytest.raises(ZeroDivisionError):
        _run_with(lambda: 1 // 0)
    assert before not in during
    assert _handlers() == before


@pytest.mark.parametrize("number", BOTH)
def test_an_ignored_signal_stays_ignored(number: signal.Signals) -> None:
    """A script's background job has SIGINT ignored: a Ctrl-C is for others."""
    before = signal.signal(number, signal.SIG_IGN)
    try:
        assert words(_run_with(lambda: signal.raise_signal(number))) == ["a", "b", "c"]
        assert signal.getsignal(number) is signal.SIG_IGN
    finally:
        signal.signal(number, before)


def test_two_signals_in_one_window_interrupt_it() -> None:
    """Not swallowed on the way; handlers come back."""
    before = _handlers()

    def twice() -> None:
        signal.raise_signal(signal.SIGTERM)
        signal.raise_signal(signal.SIGTERM)

    with pytest.raises(KeyboardInterrupt):
        _run_with(twice)
    assert _handlers() == before


def test_a_second_signal_ends_the_thread_that_works_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """An interpreter that ends while DuckDB works in another thread is aborted."""
    monkeypatch.setattr("windowed.stopping.INTERRUPT_S", PATIENCE_S)
    begun = threading.Event()

    def endless(lines: Any) -> Any:
        begun.set()
        while True:
            time.sleep(0.01)

    run = pipeline(rows(["a"]), transform=endless).start(None)

    before = signal.getsignal(signal.SIGTERM)

    def interrupt() -> None:
        begun.wait(PATIENCE_S)
        while signal.getsignal(signal.SIGTERM) is before:
            time.sleep(0.01)  # the main thread is on its way into `wait`
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGTERM)
        # Two of a kind that nobody has answered yet are one.
        while not run._stop.is_set():
            time.sleep(0.01)
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGTERM)

    threading.Thread(target=interrupt).start()
    with pytest.raises(KeyboardInterrupt):
        run.wait()
    assert run._ended.is_set()
    assert isinstance(run._error, KeyboardInterrupt)


@pytest.mark.parametrize("number", BOTH)
def test_a_first_signal_after_stop_lets_the_window_finish(number: signal.Signals) -> None:
    """`stop()` is no signal: the first one after it is still polite, only the next one is not."""
    run = pipeline(rows(["a"])).start(None, progress=False)
    run.wait()
    run.stop()
    with run._signals():
        signal.raise_signal(number)
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(number)


def test_beside_the_main_thread_no_handler_is_installed() -> None:
    """Signals belong to whoever has the main thread."""
    before, during = _handlers(), list[list[Any]]()
    thread = threading.Thread(target=_run_with, args=[lambda: during.append(_handlers())])
    thread.start()
    thread.join()
    assert during == [before] * 3


@pytest.mark.timeout(120)
def test_a_signal_that_finds_the_stop_flag_in_use_stops_all_the_same() -> None:
    """The main thread may hold the flag's lock when the signal comes: no waiting for itself."""
    run = pipeline(rows(["a"])).start(None, progress=False)
    run.wait()
    with run._signals(), run._stop._cond:  # type: ignore[attr-defined]
        signal.raise_signal(signal.SIGTERM)
    assert run._stop.wait(PATIENCE_S)


def test_a_signal_is_answered_by_the_progress(capsys: pytest.CaptureFixture[str]) -> None:
    """On standard error, at the latest when the run has ended."""

    def transform(lines: Any) -> Any:
        signal.raise_signal(signal.SIGTERM)
        return lines

    summary = pipeline(rows(["a"], ["b"]), transform=transform).run(None, progress=True)
    assert str(summary).endswith("; it was stopped")
    assert "stopped by SIGTERM" in capsys.readouterr().err
