"""Services that stay: started once, used by many test runs, ended by hand.

.services/env            NAME=value lines, one for each address
.services/hdfs/          a service's folder: data, settings, logs, `running`
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Protocol

from windowed.testing.services.daemon import END_S_MAX, kept
from windowed.testing.services.errors import ServiceFailed
from windowed.testing.services.hdfs import HdfsService
from windowed.testing.services.kafka import KafkaService

ENV = "env"
_POLL_S = 0.1


class Service(Protocol):
    """What each starter offers here."""

    def start(self) -> None:
        """Begin it and wait until it can be used."""

    def addresses(self) -> Mapping[str, str]:
        """Names of environment variables, and what they hold."""


# Name -> how it is made so that it stays, in a folder of its own.
SERVICES: dict[str, Callable[[Path], Service]] = {
    "hdfs": lambda folder: HdfsService(folder, stays=True),
    "kafka": lambda folder: KafkaService(folder, stays=True),
}


def start(folder: Path, names: Sequence[str] = ()) -> dict[str, str]:
    """Start the named services, all without names, that do not run yet; the addresses of all that
    run. ServiceUnavailable or ServiceFailed for the first that cannot be had: those before it
    run."""
    for name in names or SERVICES:
        if kept(folder / name) and (folder / name / ENV).exists():
            continue
        stop(folder, [name])
        shutil.rmtree(folder / name, ignore_errors=True)
        (folder / name).mkdir(parents=True)
        service = SERVICES[name](folder / name)
        service.start()
        _write(folder / name / ENV, service.addresses())
        _tell(folder)
    return _read(folder / ENV)


def stop(folder: Path, names: Sequence[str] = ()) -> list[str]:
    """End the named services, all without names; those that ran. Their folders stay, for their
    logs."""
    chosen = [name for name in names or SERVICES if kept(folder / name)]
    for name in chosen:
        (folder / name / "running").unlink(missing_ok=True)
    for name in chosen:
        _wait_for_end(folder / name)
    _tell(folder)
    return chosen


def _tell(folder: Path) -> None:
    """Write the addresses of all that run."""
    running = [name for name in SERVICES if kept(folder / name)]
    found = {k: v for name in running for k, v in _read(folder / name / ENV).items()}
    if found:
        _write(folder / ENV, found)
    else:
        (folder / ENV).unlink(missing_ok=True)


def _read(path: Path) -> dict[str, str]:
    lines = path.read_text().splitlines() if path.exists() else []
    return dict(line.split("=", 1) for line in lines)


def _write(path: Path, addresses: Mapping[str, str]) -> None:
    path.write_text("".join(f"{name}={value}\n" for name, value in sorted(addresses.items())))


def _wait_for_end(folder: Path) -> None:
    limit = time.monotonic() + 2 * END_S_MAX
    while names := kept(folder):
        if time.monotonic() > limit:
            reason = f"has not ended within {2 * END_S_MAX:.0f} s"
            log = folder / f"{names[0]}.log"
            raise ServiceFailed(daemon=names[0], reason=reason, log=log, lines="")
        time.sleep(_POLL_S)
