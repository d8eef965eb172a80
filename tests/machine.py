"""What this machine has, and `absent` for what it lacks."""

from __future__ import annotations

import functools
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import NoReturn

import pytest

JAVA_VERSION_MIN = 17


def absent(what: str) -> NoReturn:
    """Skip the running test because this machine lacks `what`, as in `absent("Java 17 or newer")`.

    The skip is counted at the end of the run. With CI=true, where everything must be present, it
    is a failure.
    """
    pytest.skip(f"absent: {what}")


def on_ci() -> bool:
    """True where a skipped test is a failure: CI=true."""
    return os.environ.get("CI", "").lower() in ("true", "1")


def need_java() -> None:
    """Skip the running test unless Spark's Java is here."""
    version = java_version()
    if version is None or version < JAVA_VERSION_MIN:
        absent(f"Java {JAVA_VERSION_MIN} or newer (found: {version or 'none'})")


@functools.cache
def java_version() -> int | None:
    """The major version of the Java that Spark would start, None if there is none."""
    home = os.environ.get("JAVA_HOME")
    java = str(Path(home, "bin", "java")) if home else shutil.which("java")
    if java is None or not Path(java).exists():
        return None
    answer = subprocess.run([java, "-version"], capture_output=True, text=True, check=False)
    match = re.search(r'version "(?:1\.)?(\d+)', answer.stderr)
    return int(match[1]) if match else None
