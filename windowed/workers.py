"""Spark's Python workers that cannot do their work: told from what Spark says. Uses no pyspark."""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from windowed.errors import WorkersUnfit

_VARIABLE = "PYSPARK_PYTHON"
_SPARKS = ("pyspark", "py4j")
# The innermost error of a worker comes as text, at the end of a traceback in a message.
_MODULE = re.compile(r"ModuleNotFoundError: No module named '([\w.]+)'")
_PACKAGE = re.compile(
    r"ImportError: \[(?:PACKAGE_NOT_INSTALLED|UNSUPPORTED_PACKAGE_VERSION)\] (.*)"
)
_VERSION = re.compile(r"\[PYTHON_VERSION_MISMATCH\] .*?: ([\d.]+) than that in driver: ([\d.]+)")
_PROGRAM = re.compile(r'Cannot run program "([^"]*)"(?: \([^)]*\))?: (?:error=\d+, )?(.*)')
# What is sent to tasks by the kit needs these; any other may be a module of the user's.
_OURS = ("pyarrow", "hdfs", "requests")


@contextmanager
def explaining() -> Iterator[None]:
    """Spark's errors about the Python of its workers become WorkersUnfit; all others pass."""
    try:
        yield
    except Exception as error:
        found = _reason(str(error)) if type(error).__module__.startswith(_SPARKS) else None
        if found is None:
            raise
        reason, also = found
        raise WorkersUnfit(
            reason=reason, workers=_workers(), driver=sys.executable, also=also
        ) from error


def _reason(text: str) -> tuple[str, str] | None:
    """Why, and what else may help; None where it is about something else."""
    if found := _MODULE.search(text):
        package = found[1].partition(".")[0]
        own = "" if package in _OURS else " A module of your own can be sent with --py-files."
        return f"they have no module {found[1]}", own
    if found := _PACKAGE.search(text):
        return f"in them {found[1].strip()}", ""
    if found := _VERSION.search(text):
        return f"they are Python {found[1]}, the driver is Python {found[2]}", ""
    found = _PROGRAM.search(text)
    if found and "python" in found[1].rpartition("/")[2]:
        return f"{found[1]} cannot be started ({found[2].strip()})", ""
    return None


def _workers() -> str:
    """Which Python they are, as far as this machine knows."""
    chosen = os.environ.get(_VARIABLE)
    if chosen:
        return f"{_VARIABLE}={chosen}"
    here = shutil.which("python3") or "none"
    return f"{_VARIABLE} is not set, so python3 of each machine's path (here {here})"
