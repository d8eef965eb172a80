"""Schemas: DDL as Spark reads it, and what is refused."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from connectors.kafka.ddl import parse_ddl
from connectors.kafka.schema import schema_of, spark_type
from tests.connectors.kafka.json_cases import DDL
from windowlog.errors import BadArgument

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

TEXTS = [
    "a int",
    "a: int, b : string",
    "A INTEGER NOT NULL COMMENT 'its' , `b c` bigint, `d``e` long, _f1 byte",
    "a tinyint, b smallint, c short, d real, e float, f double, g boolean, h binary",
    "a decimal, b dec(5), c numeric(38, 38), d decimal( 10 , 2 )",
    "a date, b timestamp, c timestamp_ntz, d timestamp_ltz, e string",
    "a array<array<int>>, b map<string, map<string, struct<c: int NOT NULL, d string>>>",
    "struct<a: int, b: array<string>>",
    "struct int, array string, map date",
    " a\n int ",
    DDL,
]


@pytest.mark.spark
@pytest.mark.parametrize("text", TEXTS)
def test_ddl_means_what_it_means_to_spark(spark: SparkSession, text: str) -> None:
    """Whatever its session's settings would make of it."""
    from pyspark.sql.types import StructType

    own: Any = StructType.fromDDL(text)
    # Comments are no part of values.
    plain = [{**field.jsonValue(), "metadata": {}} for field in own.fields]
    assert parse_ddl(text)["fields"] == plain
    assert schema_of(own) == schema_of(text)
    assert spark_type(schema_of(text)).simpleString() == own.simpleString()


@pytest.mark.parametrize(
    ("value", "allowed"),
    [
        ("", "a name is wanted at the end"),
        ("a", "a type is wanted at the end"),
        ("a int b string", "the end is wanted at character 7, not b"),
        ("a int,", "a name is wanted at the end"),
        ("a array<int", "> is wanted at the end"),
        ("a array", "< is wanted at the end"),
        ("a map<int, int>", "a is a map whose keys are no strings"),
        ("a varchar(5)", "a type is wanted at character 3, not varchar"),
        ("a interval", "a type is wanted at character 3, not interval"),
        ("a decimal(39,2)", "a is decimal(39,2)"),
        ("a decimal(5,6)", "a is decimal(5,6)"),
        ("a decimal(x)", "a is decimal(x,0)"),
        ("a int, A string", "A and a differ in case only"),
        ("a struct<b: int, b: int>", "a.b and a.b differ in case only"),
        ("a int; drop", "nothing is understood from character 6 on"),
        ("a " + "array<" * 60 + "int" + ">" * 60, "is nested deeper than 50"),
        ("array<int>", "a type is wanted at character 6, not <"),
        (5, "a StructType, or columns like"),
        ({"a": "int"}, "a StructType, or columns like"),
    ],
)
def test_anything_else_is_a_bad_argument_that_says_where(value: Any, allowed: str) -> None:
    """Found on construction."""
    with pytest.raises(BadArgument) as told:
        schema_of(value)
    assert str(told.value).startswith("schema=")
    assert allowed in str(told.value)


def test_types_that_json_has_no_form_for_are_refused() -> None:
    """By the column's name."""
    from pyspark.sql import types as t

    for kind in (t.DayTimeIntervalType(), t.NullType(), t.MapType(t.LongType(), t.LongType())):
        with pytest.raises(BadArgument, match=r"a\.b"):
            schema_of(t.StructType().add("a", t.StructType().add("b", kind)))
    with pytest.raises(BadArgument, match="has no columns"):
        schema_of(t.StructType())
    for not_a_struct in (t.ArrayType(t.LongType()), t.StringType()):
        with pytest.raises(BadArgument, match="a StructType"):
            schema_of(not_a_struct)
