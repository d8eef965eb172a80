"""Which type holds the values of which: compared with the ranges that the SQL names stand for."""

from __future__ import annotations

import duckdb
import pytest

from jdbc_sink.databases.duckdb.types import DuckDbTypes

INTEGERS = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT")
UNSIGNED = ("UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT", "UHUGEINT")


@pytest.mark.parametrize(
    ("source", "target", "answer"),
    [
        ("BIGINT", "BIGINT", True),
        ("INTEGER", "BIGINT", True),
        ("BIGINT", "INTEGER", False),
        ("FLOAT", "DOUBLE", True),
        ("DOUBLE", "FLOAT", False),
        ("BIGINT", "DOUBLE", False),
        ("DECIMAL(10,2)", "DECIMAL(12,2)", True),
        ("DECIMAL(10,2)", "DECIMAL(12,4)", True),
        ("DECIMAL(10,2)", "DECIMAL(10,4)", False),
        ("DECIMAL(10,2)", "DECIMAL(12,1)", False),
        ("INTEGER", "VARCHAR", False),
        ("TIMESTAMP", "TIMESTAMP WITH TIME ZONE", False),
    ],
)
def test_a_type_fits_when_no_value_changes(source: str, target: str, answer: bool) -> None:
    """Integers, floats and decimals may widen, nothing else."""
    assert DuckDbTypes().fits(source, target) is answer


def test_an_integer_fits_where_duckdb_keeps_its_least_and_greatest() -> None:
    """Every pair of types, asked of DuckDB itself."""
    with duckdb.connect() as connection:
        for source in (*INTEGERS, *UNSIGNED):
            bits = 8 * 2 ** ((INTEGERS if source in INTEGERS else UNSIGNED).index(source))
            low, high = (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
            if source in UNSIGNED:
                low, high = 0, 2**bits - 1
            for target in (*INTEGERS, *UNSIGNED):
                query = f"SELECT TRY_CAST('{low}' AS {target}), TRY_CAST('{high}' AS {target})"
                kept = connection.execute(query).fetchall() == [(low, high)]
                assert DuckDbTypes().fits(source, target) is kept, (source, target)


@pytest.mark.parametrize(
    ("summand", "column"),
    [
        ("TINYINT", "BIGINT"),
        ("UINTEGER", "BIGINT"),
        ("BIGINT", "BIGINT"),
        ("UBIGINT", "UBIGINT"),
        ("HUGEINT", "HUGEINT"),
        ("FLOAT", "DOUBLE"),
        ("DECIMAL(10,2)", "DECIMAL(38,2)"),
        ("INTERVAL", "INTERVAL"),
        ("VARCHAR", None),
        ("BOOLEAN", None),
        ("TIMESTAMP", None),
    ],
)
def test_a_sum_gets_the_widest_type_of_its_kind(summand: str, column: str | None) -> None:
    """And every summand fits into it."""
    assert DuckDbTypes().sum_type(summand) == column
    assert column is None or DuckDbTypes().fits(summand, column)
