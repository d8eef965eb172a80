"""The pipeline: lines of one folder → the same lines as text files of another."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from connectors import FileInput
from file_sink import FileSink
from windowed import Pipeline

if TYPE_CHECKING:
    from windowlog.contracts import Frame

WINDOW_BYTES = 16 * 2**10


def build(source: str, target: str, state: str, window_bytes: int = WINDOW_BYTES) -> Pipeline:
    """Each line of `source` into `target`, in order if there is one file, or one after the
    other. Touches nothing yet."""
    given = json.dumps([source, target, state, window_bytes], ensure_ascii=False)
    return Pipeline(
        "passthrough",
        inputs={"lines": FileInput(source, format="lines", max_bytes_per_window=window_bytes)},
        transform=_text,
        sinks={"lines": FileSink(target, format="text")},
        log=state,
        locator=f"samples.passthrough:build({given[1:-1]})",
    )


def _text(lines: Frame) -> Frame:
    # A frame of Spark and a table of pyarrow have the same word for it.
    return lines.select(["value"])


def written(target: Path) -> bytes:
    """What readers find, in the order of windows, tasks and their files: that of their names."""
    return b"".join(path.read_bytes() for path in sorted(target.glob("window_id=*/part-*")))
