"""A pipeline that has all its places on a secured HDFS: files in, log, files out."""

from __future__ import annotations

import io
import traceback
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from typing import Any

from connectors import FileInput
from file_sink import FileSink
from file_sink.hdfs_tree import HdfsTree
from windowed import Pipeline
from windowlog import WindowLog
from windowlog.access.hdfs_path import name_nodes
from windowlog.storage import HdfsStorage

# What a run is given each time: a window holds as many bytes as a line of this length has.
LINES = [f"line {number}" for number in range(4)]


def job(url: str, folder: str, login: dict[str, Any], at_window: Callable[[], None]) -> Pipeline:
    """One line a window; `at_window` is called in each. `login` is said to each of the three."""

    def transform(lines: Any, window: Any) -> Any:
        at_window()
        return lines.select(["value"])

    source = FileInput(
        f"hdfs://cluster{folder}/in",
        storage=name_nodes(url, login),
        max_bytes_per_window=1,
        quiet_s=0,
        reader="driver",
    )
    tree = HdfsTree(url, **login)
    log = WindowLog(HdfsStorage(f"{url}{folder}/state", **login))
    return Pipeline(
        "secured",
        inputs={"lines": source},
        transform=transform,
        sinks={"out": FileSink(f"hdfs://cluster{folder}/out", storage=tree, format="text")},
        log=log,
    )


def shown_by(work: Callable[[], object], error: type[BaseException]) -> str:
    """All that a person sees of `work`, which is to fail: output, message, traceback."""
    output = io.StringIO()
    try:
        with redirect_stdout(output), redirect_stderr(output):
            work()
    except error as failure:
        return output.getvalue() + "".join(traceback.format_exception(failure))
    raise AssertionError("it did not fail")
