"""`python -m samples.wordcount INPUT_FOLDER`, or `… --kafka BOOTSTRAP --topic TOPIC`: count the
words of all files there, or of all records, each once, in small letters."""

from __future__ import annotations

import argparse
import sys

from samples.session import local_session, need_java
from samples.wordcount.arguments import parse
from samples.wordcount.report import Report
from samples.wordcount.topics import TOPICS_HOME, build_from_topics
from samples.wordcount.words import HOME, build
from windowed import Pipeline, drained, forever
from windowlog import KitError


def main(words: list[str] | None = None) -> int:
    """0 when everything that was there is counted, 1 with a message when it is not."""
    given = parse(words, __doc__)
    try:
        return _count(given)
    except (KitError, OSError) as refused:
        print(refused, file=sys.stderr)
    except KeyboardInterrupt:
        print("Stopped at once; the next run goes on from here.", file=sys.stderr)
    return 1


def _count(given: argparse.Namespace) -> int:
    pipeline = _pipeline(given)
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


def _pipeline(given: argparse.Namespace) -> Pipeline:
    if given.kafka is not None:
        return build_from_topics(
            given.kafka,
            given.topic,
            given.pattern or "",
            given.start,
            given.database,
            given.state,
            given.window_records,
        )
    return build(
        given.input_folder,
        given.database,
        given.state,
        given.window_bytes,
        given.pattern or "*",
        given.files,
        given.storage,
    )


def _make_folder(database: str) -> None:
    """The folder of a DuckDB file, if it is a default one: elsewhere a typing mistake should
    show."""
    for home in (HOME, TOPICS_HOME):
        if database.startswith(f"duckdb:///{home}/"):
            home.mkdir(parents=True, exist_ok=True)


if __name__ == "__main__":
    sys.exit(main())
