"""A pipeline that the commands find: lines of files, each a window, into a folder."""

from __future__ import annotations

from pathlib import Path

from connectors import FileInput
from file_sink import FileSink
from windowed import Pipeline


def pipeline(
    root: str, name: str = "out", folder: str = "out", layout: str = "windows"
) -> Pipeline:
    """Lines of `in` into files of `folder`, by sink `name`."""
    return Pipeline(
        "lines",
        inputs={"lines": FileInput(Path(root, "in"), max_bytes_per_window=1, quiet_s=0)},
        transform=lambda lines: lines.select(["value"]),
        sinks={name: FileSink(Path(root, folder), format="text", layout=layout)},
        log=Path(root, "log"),
        keep=100,
    )
