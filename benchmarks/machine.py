"""The machine a benchmark ran on: figures without it mean nothing."""

from __future__ import annotations

import os
import platform
import re
import shutil
import subprocess
import time
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

_PACKAGES = ("pyspark", "duckdb", "pyarrow", "SQLAlchemy", "duckdb-sqlalchemy")
_SYNCS = 50
# A block of most disks, and about a small plan's record.
_SYNC_BYTES = 4096


@dataclass(frozen=True, slots=True)
class Machine:
    """`disk` is that of the folder the benchmark writes to; `sync_ms` how long a write of 4 KiB
    and its fsync take there (median); `load` the machine's load of the last minute at the start."""

    cpu: str
    cores: int
    ram_gb: float
    disk: str
    sync_ms: float
    load: float
    system: str
    versions: dict[str, str]

    def lines(self) -> list[str]:
        """For a person."""
        return [
            f"{self.cpu}, {self.cores} cores, {self.ram_gb:.0f} GB RAM, load {self.load:.1f}",
            f"{self.disk}, write and fsync of 4 KiB {self.sync_ms:.2f} ms, {self.system}",
            ", ".join(f"{name} {version}" for name, version in self.versions.items()),
        ]


def look(folder: Path) -> Machine:
    """What can be seen from `folder`. Writes and syncs a small file there for a moment."""
    return Machine(
        cpu=_cpu(),
        cores=os.cpu_count() or 1,
        ram_gb=os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e9,
        disk=_disk(folder),
        sync_ms=_sync_ms(folder),
        load=os.getloadavg()[0],
        system=f"{platform.system()} {platform.release()}",
        versions=_versions(),
    )


def _cpu() -> str:
    try:
        found = re.search(r"model name\s*:\s*(.+)", Path("/proc/cpuinfo").read_text())
    except OSError:
        found = None
    return found[1] if found else platform.processor() or platform.machine()


def _disk(folder: Path) -> str:
    """File system, device, and whether it spins, where the system says so."""
    try:
        mounts = [line.split() for line in Path("/proc/mounts").read_text().splitlines()]
    except OSError:
        return "disk unknown"
    real = os.path.realpath(folder)
    above = [m for m in mounts if real == m[1] or real.startswith(m[1].rstrip("/") + "/")]
    device, _, kind = max(above, key=lambda mount: len(mount[1]))[:3]
    block = re.sub(r"p?\d+$", "", os.path.basename(device))
    if block.startswith(("vd", "xvd")):
        return f"{kind} on {device} (virtual)"  # its host knows what turns
    try:
        spins = Path(f"/sys/block/{block}/queue/rotational").read_text().strip() == "1"
    except OSError:
        return f"{kind} on {device}"
    return f"{kind} on {device} ({'spinning' if spins else 'not spinning'})"


def _sync_ms(folder: Path) -> float:
    path = folder / "sync-probe"
    taken = []
    with path.open("wb", buffering=0) as stream:
        for _ in range(_SYNCS):
            start = time.perf_counter()
            stream.write(b"\0" * _SYNC_BYTES)
            os.fsync(stream.fileno())
            taken.append(time.perf_counter() - start)
    path.unlink()
    return sorted(taken)[_SYNCS // 2] * 1000


def _versions() -> dict[str, str]:
    found = {"Python": platform.python_version()}
    found |= {name: metadata.version(name) for name in _PACKAGES}
    home = os.environ.get("JAVA_HOME")
    java = str(Path(home, "bin", "java")) if home else shutil.which("java")
    if java is not None:
        answer = subprocess.run([java, "-version"], capture_output=True, text=True, check=False)
        version = re.search(r'version "([^"]+)"', answer.stderr)
        found["Java"] = version[1] if version else "unknown"
    return found
