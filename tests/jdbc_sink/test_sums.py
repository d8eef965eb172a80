"""Sums of decimals on DuckDB, which adds up in 128 bits and does not look at their digits."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal, localcontext
from pathlib import Path

import duckdb
import pyarrow
import pytest

from jdbc_sink import accumulate
from jdbc_sink.databases.duckdb.types import DuckDbTypes
from tests.jdbc_sink.windows import Bench
from windowlog.errors import NotHeld

MOST = "9" * 38


def hold(bench: Bench, values: Sequence[Decimal], scale: int) -> list[Decimal]:
    """Hold one window of these values of one word: what the table has for it."""
    n = pyarrow.array(values, pyarrow.decimal128(38, scale))
    bench.hold_all(pyarrow.table({"word": ["a"] * len(values), "n": n}))
    return [row[0] for row in bench.ask("SELECT n FROM words")]


@pytest.mark.parametrize("scale", [0, 2, 38])
@pytest.mark.parametrize("sign", [1, -1])
def test_a_sum_of_38_digits_has_room_and_one_of_39_has_none(
    tmp_path: Path, scale: int, sign: int
) -> None:
    """Although 128 bits have: the table's column does not."""
    with localcontext(prec=60):
        unit = sign * Decimal(1).scaleb(-scale)
        most = int(MOST) * unit
        bench = Bench(tmp_path / "x.db", mode=accumulate(["word"], add=["n"]))
        with pytest.raises(NotHeld, match="Out of Range"):
            hold(bench, [most, unit], scale)
        assert bench.ask("SELECT window_id FROM window_ledger") == [(0,)]
        other = Bench(tmp_path / "y.db", mode=accumulate(["word"], add=["n"]))
        assert hold(other, [most - 2 * unit, unit, unit], scale) == [most]


@pytest.mark.parametrize("times", [3, 4, 5, 7, 8])
def test_a_sum_of_several_threads_that_leaves_128_bits_is_an_error(times: int) -> None:
    """DuckDB 1.5 looks only inside each: 5 times 85e36 were 84717633079061536536625392568231788544,
    a number like any other."""
    value = "CAST('85' || repeat('0', 36) AS DECIMAL(38,0))"
    rows = " UNION ALL ".join([f"SELECT {value} AS n"] * times)
    total = DuckDbTypes().total("n", "DECIMAL(38,0)")
    with duckdb.connect() as connection, pytest.raises(duckdb.Error, match="Error"):
        connection.execute(f"SELECT {total} FROM ({rows})")


def test_no_value_makes_no_sum() -> None:
    """NULL stays NULL."""
    total = DuckDbTypes().total("n", "DECIMAL(38,2)")
    with duckdb.connect() as connection:
        query = f"SELECT {total} FROM (SELECT CAST(NULL AS DECIMAL(38,2)) AS n)"
        assert connection.execute(query).fetchall() == [(None,)]
