"""Warnings for the code that runs a pipeline."""

from __future__ import annotations

import sys
import warnings

# A run goes through these, and `with` statements.
_OURS = ("windowlog", "windowed", "connectors", "jdbc_sink", "file_sink", "contextlib")


def warn(warning: Warning) -> None:
    """A warning at the line that runs the pipeline, none of ours. Each time: Python remembers what
    it has shown of a line, and would pass over equal words of the next outage, or run."""
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").split(".")[0] in _OURS:
        frame = frame.f_back
    code, module = frame.f_code, frame.f_globals.get("__name__")
    warnings.warn_explicit(warning, None, code.co_filename, frame.f_lineno, module, registry={})
