"""A window log's append on HDFS against the same write and rename by hand."""

from __future__ import annotations

import getpass
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from benchmarks.command import alone
from benchmarks.result import Figure, Grid, Result
from benchmarks.stats import median, percentile
from windowed.testing.services import HdfsService
from windowlog import WindowLog
from windowlog.values import Part, Plan
from windowlog.window import Draft
from windowlog.wiring import InputIdentity, SinkIdentity


@dataclass(frozen=True, slots=True)
class Sizes:
    """So many appends are measured, after `warm_up` more."""

    appends: int
    warm_up: int


FULL = Sizes(appends=400, warm_up=40)
QUICK = Sizes(appends=60, warm_up=15)


def measure(sizes: Sizes, folder: Path) -> Result:
    """On a real HDFS of this machine, started for it."""
    with HdfsService(folder / "hdfs") as hdfs:
        return compare(sizes, hdfs.webhdfs_url)


def compare(sizes: Sizes, webhdfs_url: str) -> Result:
    """Both in turns, each window's record by hand right after ours."""
    import hdfs

    place = f"{webhdfs_url}/benchmark-{time.time_ns()}"
    log = WindowLog(f"{place}/log")
    log.open("benchmark", "run")
    log.create()
    log.scan()
    client = hdfs.InsecureClient(webhdfs_url.replace("webhdfs", "http"), user=getpass.getuser())
    by_hand = f"{place.removeprefix(webhdfs_url)}/by_hand"
    ours_s, hand_s = list[float](), list[float]()
    for number in range(1, sizes.warm_up + sizes.appends + 1):
        ours_s.append(_seconds(partial(log.append, _draft(number))))
        data = bytes(700)  # as long as the record of such a window
        hand_s.append(_seconds(partial(_write, client, by_hand, number, data)))
    log.close()
    return _result(ours_s[sizes.warm_up :], hand_s[sizes.warm_up :])


def _write(client: object, folder: str, number: int, data: bytes) -> None:
    """The least that makes a record that is whole or not there, and never overwrites."""
    import hdfs

    assert isinstance(client, hdfs.Client)
    client.write(f"{folder}/.{number}", data, overwrite=False)
    client._rename(f"{folder}/.{number}", destination=f"{folder}/{number}", renameoptions="NONE")


def _draft(window_id: int) -> Draft:
    return Draft(
        window_id,
        datetime.now(UTC),
        {"rows": Plan((Part(f"rows[{window_id}]", {"at": window_id}),), window_id, records=1)},
        {"rows": InputIdentity("rows", "word, count")},
        {"list": SinkIdentity("memory", "append")},
        "run",
    )


def _seconds(action: Callable[[], object]) -> float:
    start_s = time.perf_counter()
    action()
    return time.perf_counter() - start_s


def _result(ours_s: list[float], hand_s: list[float]) -> Result:
    pairs = median([ours / hand for ours, hand in zip(ours_s, hand_s, strict=True)])
    rows = [
        (name, median(values) * 1000, percentile(values, 90) * 1000)
        for name, values in (("log append", ours_s), ("write and rename by hand", hand_s))
    ]
    return Result(
        "log_hdfs",
        "What does an append to a log on HDFS cost beside the bare write and rename?",
        [Figure("append on HDFS", pairs, "of the write and rename by hand", 1.2)],
        [Grid("ms", ("what", "p50", "p90"), rows)],
        ["One name node, one data node, on this machine. An append also looks at the mark."],
    )


if __name__ == "__main__":
    alone(measure, full=FULL, quick=QUICK)
