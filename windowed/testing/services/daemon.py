"""Daemon: one process of a service, which surely ends."""

from __future__ import annotations

import fcntl
import os
import random
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from windowed.testing.services import keeper
from windowed.testing.services.errors import ServiceFailed

# Java on a busy machine; what has not come up by then will not.
READY_S_MAX = 120.0
END_S_MAX = 15.0
_POLL_S = 0.05
# Below the ports that systems hand out for outgoing connections.
_PORTS = range(20_000, 32_000)
_LINES = 12


class Daemon:
    """A process `name` in `folder`: its log is `folder/name.log`.

    `ready` says whether it answers. It ends with `stop` and `kill`, when this process ends, however
    it does, and when the file `folder/running` goes. With `stays` it outlives this process: then
    only the file ends it.
    """

    def __init__(
        self,
        name: str,
        folder: Path,
        command: Callable[[], Sequence[str]],
        ready: Callable[[], bool],
        stays: bool = False,
    ) -> None:
        self.name = name
        self.log = folder / f"{name}.log"
        self._lock = folder / f"{name}.lock"
        self._running = folder / "running"
        self._command = command
        self._ready = ready
        self._parent = 0 if stays else os.getpid()
        self._keeper: subprocess.Popen[str] | None = None
        self._process_id = 0

    @property
    def alive(self) -> bool:
        """Whether it runs, begun by this object; one that stays, begun by whomever."""
        if self._parent == 0:
            return self._lock.exists() and _locked(self._lock)
        return self._keeper is not None and self._keeper.poll() is None

    def start(self, *, wait: bool = True) -> None:
        """Begin it, and wait until it is ready; nothing happens if it runs. ServiceFailed."""
        if not self.alive:
            arguments = [str(self._running), str(self._parent), str(self._lock), str(self.log)]
            # It outlives commands: one that held their output would keep a pipe behind them open.
            with self.log.open("ab") as log:
                self._keeper = subprocess.Popen(
                    [sys.executable, "-I", keeper.__file__, *arguments, *self._command()],
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.PIPE,
                    stderr=log,
                    text=True,
                    # Ctrl-C in a terminal is for the program that uses the service.
                    start_new_session=True,
                )
            assert self._keeper.stdout is not None
            with self._keeper.stdout as told:
                number = told.readline()
            if self._parent == 0 or not number:
                self._keeper.wait()
            if not number:
                raise self._failed("could not be begun")
            self._process_id = int(number)
        if wait:
            self.wait()

    def wait(self) -> None:
        """Wait until it is ready. ServiceFailed if it ends before, or takes too long."""
        limit = time.monotonic() + READY_S_MAX
        while not self._ready():
            if not self.alive:
                raise self._failed("has ended")
            if time.monotonic() > limit:
                raise self._failed(f"does not answer after {READY_S_MAX:.0f} s")
            time.sleep(_POLL_S)

    def stop(self) -> None:
        """End it as a service manager would: SIGTERM. Nothing happens if it does not run."""
        self._signal(signal.SIGTERM)
        self._wait_for_end()

    def kill(self) -> None:
        """End it as a power cut would, but for the disk: SIGKILL."""
        self._signal(signal.SIGKILL)
        self._wait_for_end()

    def pause(self) -> None:
        """Let it hang, connections and all: SIGSTOP. `resume` lets it go on; `kill` ends it."""
        self._signal(signal.SIGSTOP)

    def resume(self) -> None:
        """Let it go on after `pause`."""
        self._signal(signal.SIGCONT)

    def _signal(self, number: signal.Signals) -> None:
        # The keeper waits for its child and ends with it: while it lives, the id is the daemon's.
        if self.alive:
            os.kill(self._process_id, number)

    def _wait_for_end(self) -> None:
        if self._parent == 0:
            while self.alive:
                time.sleep(_POLL_S)
        elif self._keeper is not None:
            try:
                self._keeper.wait(END_S_MAX)
            except subprocess.TimeoutExpired:
                os.kill(self._process_id, signal.SIGKILL)
                self._keeper.wait(END_S_MAX)
            self._keeper = None

    def _failed(self, reason: str) -> ServiceFailed:
        lines = self.log.read_text(errors="replace").splitlines()[-_LINES:]
        said = " | ".join(line.strip() for line in lines)
        return ServiceFailed(daemon=self.name, reason=reason, log=self.log, lines=said)


def kept(folder: Path) -> list[str]:
    """Names of the daemons in `folder` that run, whoever has begun them."""
    return [lock.stem for lock in sorted(folder.glob("*.lock")) if _locked(lock)]


def _locked(lock: Path) -> bool:
    with lock.open("r") as stream:
        try:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return True
    return False


def free_port() -> int:
    """A port of 127.0.0.1 that nobody else is given while this process lives.

    Formatting takes seconds, and a daemon may be down for as long: a port that was free at first
    may be taken when it is wanted. So, on Linux, it stays bound here. What sets SO_REUSEADDR, as
    Java's servers do, may listen there nevertheless.
    """
    while True:
        port = random.choice(_PORTS)
        with socket.socket() as held:
            try:
                held.bind(("127.0.0.1", port))
            except OSError:
                continue
            if sys.platform == "linux":
                # After the bind: before it, two that both set it would both be given the port.
                held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                held.detach()
            return port
