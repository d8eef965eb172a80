"""Small windows of files: the file sink against Structured Streaming's, with and without a past."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.command import alone
from benchmarks.file_stream import FileStream, Folders, lengthen
from benchmarks.result import Figure, Grid, Result
from benchmarks.stats import median, percentile
from benchmarks.text import lines
from connectors import FileInput
from file_sink import FileSink
from samples.session import local_session
from windowed import Pipeline, drained

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from windowlog.contracts import Frame

_UNIT = "of its time"
_LOOKS = 3


@dataclass(frozen=True, slots=True)
class Sizes:
    """`windows` of `lines` lines are measured after `warm_up` others; then `late` more by a job
    that has a past of `past` windows (of one line each)."""

    windows: int
    warm_up: int
    lines: int
    past: int
    late: int


FULL = Sizes(windows=100, warm_up=30, lines=1000, past=10_000, late=30)
QUICK = Sizes(windows=10, warm_up=5, lines=1000, past=100, late=10)


@dataclass
class Measured:
    """Seconds of ours and of the rival's, pair by pair."""

    ours_s: list[float] = field(default_factory=list)
    rival_s: list[float] = field(default_factory=list)

    def ratio(self) -> float:
        """Ours over the rival's, the median of all pairs."""
        return median([a / b for a, b in zip(self.ours_s, self.rival_s, strict=True)])

    def row(self, name: str) -> tuple[str, float, float, float, float]:
        """For a table, in ms."""
        found: list[float] = []
        for seconds in (self.ours_s, self.rival_s):
            found += [median(seconds) * 1000, percentile(seconds, 99) * 1000]
        return name, found[0], found[1], found[2], found[3]


class Ours:
    """Our job: text files to Parquet files, a window for each file that it is given."""

    def __init__(self, folder: Path) -> None:
        self.source, self.out = folder / "source", folder / "out"
        self.source.mkdir(parents=True)
        self._sink = FileSink(self.out)
        self._pipeline = Pipeline(
            "file_windows",
            inputs={"lines": FileInput(self.source, max_files_per_window=1)},
            transform=_values,
            sinks={"out": self._sink},
            log=folder / "log",
        )

    def past(self, windows: int) -> None:
        """So many windows, really run, without Spark."""
        for number in range(windows):
            (self.source / f"past-{number:06d}.txt").write_text("one line\n")
        self._pipeline.run(None, until=drained(), progress=False)

    def roll_up(self) -> float:
        """Join all small files; how many seconds that took."""
        with self._pipeline.open(None):
            start_s = time.perf_counter()
            said, deed = self._sink.roll_up()
            if deed is None:
                raise RuntimeError(f"nothing is joined: {'; '.join(said)}")
            deed()
            return time.perf_counter() - start_s

    @contextmanager
    def started(self, spark: SparkSession) -> Iterator[Callable[[Path], float]]:
        """A run: what it gives does one file's window and says how many seconds that took."""
        with self._pipeline.open(spark) as run:

            def turn(path: Path) -> float:
                aside = self.source / f".{path.name}"
                shutil.copyfile(path, aside)
                start_s = time.perf_counter()
                aside.rename(self.source / path.name)
                window = run.next()
                if window is None:
                    raise RuntimeError(f"{path.name} was not found in {self.source}")
                run.hold(window, {"out": _values(window.frames["lines"])})
                return time.perf_counter() - start_s

            yield turn


def measure(sizes: Sizes, folder: Path) -> Result:
    """Both in one Spark session, file by file in turns."""
    spark = local_session("file_windows")
    files = _files(folder / "files", sizes)
    early, late = files[: sizes.warm_up + sizes.windows], files[-sizes.late :]
    new = _new(spark, folder / "new", early, sizes.warm_up)
    ours, theirs = Ours(folder / "old-ours"), Folders.below(folder / "old-theirs")
    ours.past(sizes.past)
    _past(spark, theirs, files[0], sizes.past)
    restart, old = _old(spark, ours, theirs, late)
    listing = _listing(spark, ours.out, theirs.out, sizes.past + sizes.late)
    joining_s = ours.roll_up()
    joined = _listing(spark, ours.out, theirs.out, sizes.past + sizes.late, joined=True)
    return _result(sizes, [new, old, restart, listing, joined], joining_s)


def _new(spark: SparkSession, folder: Path, files: Sequence[Path], warm_up: int) -> Measured:
    ours, theirs = Ours(folder / "ours"), Folders.below(folder / "theirs")
    stream = FileStream(spark, theirs)
    try:
        with ours.started(spark) as turn:
            taken = _in_turns(files, turn, stream)
    finally:
        stream.stop()
    _check(spark, ours.out, theirs.out)
    return Measured(taken.ours_s[warm_up:], taken.rival_s[warm_up:])


def _old(
    spark: SparkSession, ours: Ours, theirs: Folders, files: Sequence[Path]
) -> tuple[Measured, Measured]:
    """A start with its first window, by the clock; then the others in turns."""
    begin_s = time.perf_counter()
    stream = FileStream(spark, theirs)
    try:
        stream.turn(files[0])
        rival_s = time.perf_counter() - begin_s
        begin_s = time.perf_counter()
        with ours.started(spark) as turn:
            turn(files[0])
            ours_s = time.perf_counter() - begin_s
            return Measured([ours_s], [rival_s]), _in_turns(files[1:], turn, stream)
    finally:
        stream.stop()


def _in_turns(files: Sequence[Path], turn: Callable[[Path], float], stream: FileStream) -> Measured:
    taken = Measured()
    for path in files:
        taken.ours_s.append(turn(path))
        taken.rival_s.append(stream.turn(path))
    return taken


def _past(spark: SparkSession, folders: Folders, path: Path, batches: int) -> None:
    stream = FileStream(spark, folders)
    stream.turn(path)
    stream.stop()
    lengthen(folders, batches)


def _listing(
    spark: SparkSession, ours: Path, theirs: Path, files: int, *, joined: bool = False
) -> Measured:
    """Spark learns which files a folder has, as it does before each query."""
    taken = Measured()
    for _ in range(_LOOKS):
        for folder, seconds in ((ours, taken.ours_s), (theirs, taken.rival_s)):
            start_s = time.perf_counter()
            found = spark.read.schema("value string").parquet(str(folder)).inputFiles()
            seconds.append(time.perf_counter() - start_s)
            fits = len(found) < files / 10 if joined and folder == ours else len(found) == files
            assert fits, f"{folder} has {len(found)} files of {files}"
    return taken


def _values(lines: Frame) -> Frame:
    """The lines alone, as Spark's text source gives them."""
    # Arrow tables want a list of names, and Spark's frames take one.
    return lines.select(["value"])


def _check(spark: SparkSession, ours: Path, theirs: Path) -> None:
    """Both have written the same lines."""
    found, expected = (spark.read.parquet(str(f)).select("value") for f in (ours, theirs))
    if found.exceptAll(expected).count() or expected.exceptAll(found).count():
        raise RuntimeError(f"{ours} and {theirs} differ")


def _files(folder: Path, sizes: Sizes) -> list[Path]:
    folder.mkdir()
    real = lines()
    paths = [folder / f"{n:05d}.txt" for n in range(sizes.warm_up + sizes.windows + sizes.late)]
    for path in paths:
        path.write_bytes(b"".join(islice(real, sizes.lines)))
    return paths


def _result(sizes: Sizes, measured: Sequence[Measured], joining_s: float) -> Result:
    past = f"after {sizes.past:,} windows"
    names = (
        ("a window", "a window against Spark's file sink, median of pairs"),
        (f"a window {past}", f"a window {past}"),
        (f"a start {past}", f"a start and its first window {past}"),
        (f"listing {past}", f"listing the files {past}"),
        ("listing, ours joined", "listing the files once ours are joined"),
    )
    pairs = list(zip(names, measured, strict=True))
    figures = [
        Figure(name, each.ratio(), _UNIT, None if at else 0.6)
        for at, ((_, name), each) in enumerate(pairs)
    ]
    figures.append(Figure("joining ours", joining_s, "s"))
    rows = [each.row(short) for (short, _), each in pairs]
    return Result(
        "file_windows",
        f"How long does a window of {sizes.lines:,} lines take, text files to Parquet files?",
        figures,
        [Grid("ms", ("", "ours", "p99", "Spark's file sink", "p99"), rows)],
        [
            "A batch's time is Spark's own account of it (triggerExecution), a start's by clock.",
            "The rival's past is written in Spark's own forms, ours was run.",
        ],
    )


if __name__ == "__main__":
    alone(measure, full=FULL, quick=QUICK)
