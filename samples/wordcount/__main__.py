"""`python -m samples.wordcount INPUT_FOLDER`: count the words of all files there, each once."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from samples.session import local_session, need_java
from samples.wordcount.report import Report
from samples.wordcount.words import HOME, WINDOW_BYTES, build
from windowed import drained, forever
from windowlog import KitError


def main(words: list[str] | None = None) -> int:
    """0 when everything that was there is counted, 1 with a message when it is not."""
    given = _parse(words)
    try:
        return _count(given)
    except (KitError, OSError) as refused:
        print(refused, file=sys.stderr)
    except KeyboardInterrupt:
        print("Stopped at once; the next run goes on from here.", file=sys.stderr)
    return 1


def _count(given: argparse.Namespace) -> int:
    pipeline = build(
        given.input_folder,
        given.database,
        given.state,
        given.window_bytes,
        given.pattern,
        given.files,
    )
    need_java()
    _make_folder(given.database)
    report = Report()
    spark = local_session("wordcount")
    try:
        until = forever() if given.follow else drained()
        summary = pipeline.run(spark, until=until, listeners=[report])
    finally:
        spark.stop()
    report.show(summary, given.database)
    print(f"Counts: {given.database}\nWindow log: {given.state}")
    if given.files:
        print(f"Counts of each window: {given.files}")
    if summary.stopped and not given.follow:
        print("Stopped before everything was counted; the next run goes on.", file=sys.stderr)
        return 1
    return 0


def _parse(words: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m samples.wordcount", description=__doc__)
    parser.add_argument("input_folder", metavar="INPUT_FOLDER", help="text files, sub-folders too")
    parser.add_argument(
        "--database",
        metavar="URL",
        default=f"duckdb:///{HOME}/counts.duckdb",
        help="where the counts go (default: %(default)s)",
    )
    parser.add_argument(
        "--state",
        metavar="FOLDER",
        default=f"{HOME}/state",
        help="the window log (default: %(default)s)",
    )
    parser.add_argument(
        "--window-bytes",
        metavar="N",
        type=int,
        default=WINDOW_BYTES,
        help="how much one window reads (default: %(default)s)",
    )
    parser.add_argument("--pattern", metavar="GLOB", default="*", help="which files (default: all)")
    parser.add_argument(
        "--files",
        metavar="FOLDER",
        default="",
        help="each window's own counts as Parquet files, too (default: none)",
    )
    parser.add_argument(
        "--follow", action="store_true", help="go on with what is added, until Ctrl-C or SIGTERM"
    )
    return parser.parse_args(words)


def _make_folder(database: str) -> None:
    """The folder of a DuckDB file, if it is the default one: elsewhere a typing mistake should
    show."""
    if database.startswith(f"duckdb:///{HOME}/"):
        Path(HOME).mkdir(parents=True, exist_ok=True)


if __name__ == "__main__":
    sys.exit(main())
