"""What readers find in a published folder, each asked in its own words, and never the sink."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import duckdb
import pyarrow.dataset


def rows_by_pyarrow(
    folder: Path, columns: tuple[str, ...] = ("word", "n")
) -> list[tuple[Any, ...]]:
    """The columns of all rows, as pyarrow's datasets read Hive folders of Parquet."""
    if not any(folder.rglob("*.parquet")):
        return []
    found = pyarrow.dataset.dataset(folder, format="parquet", partitioning="hive")
    table = found.to_table(columns=list(columns))
    return list(zip(*(table.column(name).to_pylist() for name in columns), strict=True))


def rows_of_json(folder: Path) -> list[tuple[Any, ...]]:
    """Words and numbers of all lines, with the folder `word=…` that Hive's readers would see."""
    found = []
    for file in folder.rglob("*.json"):
        hive = dict(part.split("=") for part in file.relative_to(folder).parts if "=" in part)
        for line in file.read_text().splitlines():
            row = {**hive, **json.loads(line)}
            found.append((row["word"], row["n"]))
    return found


def rows_by_duckdb(folder: Path, columns: str = "word, n") -> list[tuple[Any, ...]]:
    """The columns of all rows, as DuckDB reads Hive folders of Parquet."""
    if not any(folder.rglob("*.parquet")):
        return []
    place = f"read_parquet('{folder}/**/*.parquet', hive_partitioning = true)"
    return asked_of_duckdb(f"SELECT {columns} FROM {place}")


def asked_of_duckdb(query: str) -> list[tuple[Any, ...]]:
    """On a connection of its own: what all share is in an aborted transaction after an error."""
    with duckdb.connect() as connection:
        return connection.execute(query).fetchall()


def paths(folder: Path) -> list[str]:
    """The relative paths of all files, as `find` lists them."""
    return sorted(str(p.relative_to(folder)) for p in folder.rglob("*") if p.is_file())
