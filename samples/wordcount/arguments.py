"""What `python -m samples.wordcount` is told: files or topics, and where everything goes."""

from __future__ import annotations

import argparse

from samples.wordcount.topics import TOPICS_HOME, WINDOW_RECORDS
from samples.wordcount.words import HOME, WINDOW_BYTES


def parse(words: list[str] | None, about: str | None) -> argparse.Namespace:
    """The arguments, defaults filled in; SystemExit for what does not go together."""
    parser = argparse.ArgumentParser(prog="python -m samples.wordcount", description=about)
    parser.add_argument(
        "input_folder", metavar="INPUT_FOLDER", nargs="?", help="text files, sub-folders too"
    )
    _add_places(parser)
    _add_files(parser)
    _add_topics(parser)
    given = parser.parse_args(words)
    if (given.input_folder is None) == (given.kafka is None):
        parser.error("INPUT_FOLDER, or --kafka BOOTSTRAP --topic TOPIC: one of the two")
    if given.kafka is None and given.topic:
        parser.error("--topic is for --kafka")
    if given.kafka is not None and (given.files or given.storage):
        parser.error("--files and --storage are for files")
    home = HOME if given.kafka is None else TOPICS_HOME
    given.database = given.database or f"duckdb:///{home}/counts.duckdb"
    given.state = given.state or f"{home}/state"
    return given


def _add_places(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--database",
        metavar="URL",
        help=f"where the counts go (default: duckdb:///{HOME}/counts.duckdb, or {TOPICS_HOME}/…)",
    )
    parser.add_argument(
        "--state",
        metavar="FOLDER",
        help=f"the window log (default: {HOME}/state, or {TOPICS_HOME}/state)",
    )
    parser.add_argument(
        "--follow",
        "--forever",
        action="store_true",
        help="go on with what is added, until Ctrl-C or SIGTERM",
    )
    parser.add_argument(
        "--pattern",
        metavar="PATTERN",
        help="which files, as *.txt (default: all); or which topics, as a regular expression",
    )


def _add_files(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--window-bytes",
        metavar="N",
        type=int,
        default=WINDOW_BYTES,
        help="how much of files one window reads (default: %(default)s)",
    )
    parser.add_argument(
        "--files",
        metavar="FOLDER",
        default="",
        help="each window's own counts as Parquet files, too (default: none)",
    )
    parser.add_argument(
        "--storage",
        metavar="URL",
        default="",
        help="where HDFS is reached for folders hdfs://… (default: port 9870 of the same machine)",
    )


def _add_topics(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--kafka", metavar="BOOTSTRAP", help="HOST:PORT of Kafka's brokers")
    parser.add_argument(
        "--topic", metavar="TOPIC", action="append", default=[], help="may be said several times"
    )
    parser.add_argument(
        "--start",
        metavar="WHERE",
        default="earliest",
        help="where the first window of topics starts: earliest, latest or a moment like"
        " 2001-02-03T04:05:06Z (default: %(default)s)",
    )
    parser.add_argument(
        "--window-records",
        metavar="N",
        type=int,
        default=WINDOW_RECORDS,
        help="how much of topics one window reads (default: %(default)s)",
    )
