"""Columns that become folders: which may, and how their values stand there."""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal
from pathlib import Path

import pyarrow
import pytest

from file_sink.errors import FrameUnsuitable
from file_sink.partitions import folder
from tests.file_sink.bench import Bench


@pytest.mark.parametrize("column", ["_day", ".day"])
@pytest.mark.parametrize("layout", ["windows", "files"])
def test_a_partition_that_readers_pass_over_is_refused(
    tmp_path: Path, column: str, layout: str
) -> None:
    """Spark passes over folders that begin with a dot, pyarrow over those with `_` too: they saw no
    row. Inside the files a column may be called so."""
    schema = pyarrow.schema([(column, pyarrow.string()), ("_n", pyarrow.int64())])
    bench = Bench(tmp_path / "out", layout=layout, partition_by=[column])
    with pytest.raises(FrameUnsuitable, match=f"column {column} of partition_by would be hidden"):
        bench.sink.prepare(schema)
    assert not bench.path.exists()
    Bench(tmp_path / "other", layout=layout).sink.prepare(schema)


@pytest.mark.parametrize(
    "kind",
    [
        pyarrow.binary(),
        pyarrow.large_binary(),
        pyarrow.binary(2),
        pyarrow.binary_view(),
        pyarrow.month_day_nano_interval(),
    ],
    ids=str,
)
def test_what_has_no_words_is_no_folders_name(tmp_path: Path, kind: pyarrow.DataType) -> None:
    """They would be called b'…', as Python shows them."""
    bench = Bench(tmp_path / "out", partition_by=["x"])
    with pytest.raises(FrameUnsuitable, match=r"column x \(.*\) cannot be a folder's name"):
        bench.sink.prepare(pyarrow.schema([("x", kind), ("n", pyarrow.int64())]))


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("a b", "k=a b"),
        ("a/b=c%", "k=a%2Fb%3Dc%25"),
        ("", "k=__HIVE_DEFAULT_PARTITION__"),
        (None, "k=__HIVE_DEFAULT_PARTITION__"),
        (True, "k=true"),
        (Decimal("1E+2"), "k=100"),
        (datetime(2024, 5, 1, 2, 3, 4), "k=2024-05-01 02%3A03%3A04"),  # noqa: DTZ001
    ],
)
def test_values_as_folders(value: object, text: str) -> None:
    """As Hive and Spark escape them."""
    assert folder(["k"], [value]) == text
