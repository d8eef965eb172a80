"""What a word is."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import pytest

from samples.wordcount import count_words
from tests.samples.counting import words_of

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

# Written out by hand from the rule: ASCII letters, digits and underscore, lower-cased afterwards.
CASES = {
    "one two  two": {"one": 1, "two": 2},
    "The the THE": {"the": 3},
    "snake_case __init__ _ 3_4": {"snake_case": 1, "__init__": 1, "_": 1, "3_4": 1},
    "42 0x1F 3.14": {"42": 1, "0x1f": 1, "3": 1, "14": 1},
    "don't isn't": {"don": 1, "t": 2, "isn": 1},
    "naïve café": {"na": 1, "ve": 1, "caf": 1},
    # KELVIN SIGN and LATIN CAPITAL LETTER I WITH DOT ABOVE are not ASCII, but in lower case they
    # would be, or would begin with what is.
    "3\u212a \u212aelvin": {"3": 1, "elvin": 1},
    "\u0130stanbul": {"stanbul": 1},
    "\uff21\uff22 \u0661\u0662 漢字": {},
    "a\tb\u00a0c\u2028d\x00e": {"a": 1, "b": 1, "c": 1, "d": 1, "e": 1},
    "--- ... ''": {},
    "": {},
}


def _counted(spark: SparkSession, lines: list[str]) -> dict[str, int]:
    frame = spark.createDataFrame([(line,) for line in lines], "value string")
    return {row["word"]: row["count"] for row in count_words(frame).collect()}


@pytest.mark.spark
@pytest.mark.parametrize("line", CASES)
def test_a_word_is_a_run_of_ascii_letters_digits_and_underscores(
    spark: SparkSession, line: str
) -> None:
    """In lower case; all else parts words."""
    assert _counted(spark, [line]) == CASES[line]


@pytest.mark.spark
def test_lines_are_counted_together(spark: SparkSession) -> None:
    """And a word never crosses the end of a line."""
    expected = sum((Counter(case) for case in CASES.values()), Counter())
    assert _counted(spark, list(CASES)) == dict(expected)


@pytest.mark.spark
def test_no_lines_have_no_words_but_the_same_columns(spark: SparkSession) -> None:
    """The sink creates its table from them."""
    empty = count_words(spark.createDataFrame([], "value string"))
    assert empty.collect() == []
    assert empty.dtypes == [("word", "string"), ("count", "bigint")]


def test_the_count_by_hand_knows_the_same_rule() -> None:
    """It is the measure of all tests here."""
    for line, expected in CASES.items():
        assert words_of([line.encode()]) == expected
