"""The table of types through Spark's DataFrames, whose time zone changes no value."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from jdbc_sink.errors import BadValue, TargetUnsuitable
from tests.jdbc_sink.typed import Refused, given
from tests.jdbc_sink.typed_parts import CASES
from tests.jdbc_sink.windows import DATABASES, Bench

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

ZONE = "spark.sql.session.timeZone"


@pytest.fixture(params=["UTC", "America/New_York"])
def zoned(request: pytest.FixtureRequest, spark: SparkSession) -> Iterator[SparkSession]:
    """A session in this zone."""
    before = spark.conf.get(ZONE) or "UTC"
    spark.conf.set(ZONE, request.param)
    yield spark
    spark.conf.set(ZONE, before)


def stage(bench: Bench, frame: DataFrame) -> None:
    """Prepare, stage and hold a DataFrame."""
    window = bench.story.window()
    bench.sink.prepare(frame.limit(0).toArrow().schema)
    bench.sink.stage(window, frame)
    bench.sink.hold(window)


@pytest.mark.spark
@pytest.mark.parametrize("load", ["driver", "executors"])
@pytest.mark.parametrize("database", DATABASES)
def test_spark_values_come_back_on_every_way(
    tmp_path: Path, zoned: SparkSession, database: str, load: str
) -> None:
    """All types in one frame, with a row of NULLs."""
    cases = [case for case in CASES if not isinstance(getattr(case, database), Refused)]
    columns = ", ".join(f"{case.expression} AS c{at}" for at, case in enumerate(cases))
    nulls = ", ".join(f"CAST(NULL AS {case.spark})" for case in cases)
    frame = zoned.sql(f"SELECT 1 AS n, {columns} UNION ALL SELECT 2, {nulls}")
    bench = Bench(tmp_path / "x.db", database, load=load)
    stage(bench, frame)
    for at, case in enumerate(cases):
        assert frame.schema[at + 1].dataType.simpleString() == case.spark.replace("`", "")
        found = given(bench, f"c{at}", case.kind)
        assert repr(found) == repr([getattr(case, database), None]), case.name


@pytest.mark.spark
@pytest.mark.parametrize("load", ["driver", "executors"])
def test_what_sqlite_would_change_is_refused_on_every_way(
    tmp_path: Path, spark: SparkSession, load: str
) -> None:
    """A spool is looked through, too."""
    bench = Bench(tmp_path / "x.db", "sqlite", load=load)
    with pytest.raises(BadValue, match="column x holds NaN in window 1"):
        stage(bench, spark.sql("SELECT double('NaN') AS x"))


@pytest.mark.spark
def test_a_local_time_that_a_zone_has_twice_or_not_at_all_is_what_spark_makes_of_it(
    tmp_path: Path, spark: SparkSession
) -> None:
    """The earlier of two; an hour later than one that is not. Offsets tell the two apart."""
    texts = ["2024-11-03 01:30:00", "2024-11-03 01:30:00-05:00", "2024-03-10 02:30:00"]
    before = spark.conf.get(ZONE) or "UTC"
    spark.conf.set(ZONE, "America/New_York")
    try:
        columns = ", ".join(f"timestamp'{text}' AS c{at}" for at, text in enumerate(texts))
        bench = Bench(tmp_path / "x.db", "sqlite")
        stage(bench, spark.sql(f"SELECT {columns}"))
    finally:
        spark.conf.set(ZONE, before)
    assert bench.ask("SELECT * FROM words") == [
        (
            "2024-11-03 05:30:00.000000+00:00",
            "2024-11-03 06:30:00.000000+00:00",
            "2024-03-10 07:30:00.000000+00:00",
        )
    ]


@pytest.mark.spark
@pytest.mark.parametrize("database", DATABASES)
@pytest.mark.parametrize(
    ("expression", "name"),
    [
        ("parse_json('{\"a\": 1}')", "variant"),
        ("array(parse_json('1'))", "variant"),
        ("st_geomfromwkb(X'0101000000000000000000F03F0000000000000040')", "geometry"),
        ("null", "null"),
    ],
)
def test_a_type_without_a_form_is_refused_by_name(
    tmp_path: Path, spark: SparkSession, database: str, expression: str, name: str
) -> None:
    """Their insides would be stored otherwise."""
    bench = Bench(tmp_path / "x.db", database)
    with pytest.raises(TargetUnsuitable, match=f"column odd is {name}: "):
        stage(bench, spark.sql(f"SELECT {expression} AS odd, 1 AS n"))


@pytest.mark.spark
@pytest.mark.parametrize("load", ["driver", "executors"])
@pytest.mark.parametrize("database", DATABASES)
def test_bytes_that_spark_cast_to_a_string_are_written_nowhere(
    tmp_path: Path, spark: SparkSession, database: str, load: str
) -> None:
    """DuckDB looks itself at a spool, and does not say in which column: that is found then."""
    bench = Bench(tmp_path / "x.db", database, load=load)
    bad = "CAST(X'FFFE' AS STRING)"
    with pytest.raises(BadValue, match=r"column x .*xff.xfe.*not UTF-8"):
        stage(bench, spark.sql(f"SELECT 'fine' AS a, array('b', {bad}) AS x"))
    assert bench.ask("SELECT count(*) FROM words") == [(0,)]
