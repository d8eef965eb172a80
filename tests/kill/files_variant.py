"""A sink of files under fire, in each layout; and what readers must find then, by plain counting.

Files are read one by one, by their names; manifests as a person would: the first line is dropped,
the rest is JSON."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from file_sink import FileSink
from tests.kill.file_moments import (
    FILE_MOMENTS,
    OF_A_FOLDER,
    OF_A_ROLL_UP,
    OF_PARTITIONS,
    OF_SEVERAL_FILES,
)
from tests.kill.moments import OF_ALL
from tests.kill.place import Place
from tests.kill.variants import Rows, Windows

LAYOUTS: Mapping[str, Mapping[str, Any]] = {
    "windows": {"layout": "windows"},
    "files": {"layout": "files", "format": "json", "max_records_per_file": 3},
    "partitions": {"layout": "files", "format": "json", "partition_by": ["word"]},
    "rolled": {"layout": "windows", "rollup": 2},
}
_MOMENTS = {
    "windows": (*FILE_MOMENTS, *OF_A_FOLDER),
    "files": (*FILE_MOMENTS, *OF_SEVERAL_FILES),
    "partitions": (*FILE_MOMENTS, *OF_SEVERAL_FILES, *OF_PARTITIONS),
    "rolled": (*FILE_MOMENTS, *OF_A_FOLDER, *OF_A_ROLL_UP, *OF_A_ROLL_UP),
}
# Published, and nothing else: a folder of the window or of a partition, and a file of ours.
_PUBLISHED = {
    "windows": re.compile(r"window_id=(\d{8})/part-\1-\d{5}-\d{3}\.snappy\.parquet"),
    "files": re.compile(r"part-(\d{8})-\d{5}-\d{3}\.json"),
    "partitions": re.compile(r"word=(?:\w+)/part-(\d{8})-\d{5}-\d{3}\.json"),
    "rolled": re.compile(r"window_id=(\d{8})/part-(?:\1-\d{5}|\d{8}-to-\1)-\d{3}\.snappy\.parquet"),
}


@dataclass(frozen=True)
class FilesVariant(Place):
    """One layout. Written down in the world's folder, for drivers that are processes of their
    own."""

    layout: str = "windows"

    @property
    def moments(self) -> tuple[str, ...]:
        """Where a driver dies."""
        return _MOMENTS[self.layout]

    @property
    def spark_moments(self) -> tuple[str, ...]:
        """Where a driver with Spark dies, besides random moments: those of the sink."""
        return tuple(
            moment for moment in self.moments if moment not in OF_ALL or moment == "staged"
        )

    @property
    def partly(self) -> bool:
        """May readers see some of a window's files, and not yet the others?"""
        return self.layout in ("files", "partitions")

    def save(self, root: Path) -> None:
        """Write it down."""
        (root / "variant").write_text(f"files {self.layout}")

    def sink(self, root: Path) -> FileSink:
        """The sink under fire."""
        return FileSink(root / "out", **LAYOUTS[self.layout])

    def outputs(self, counts: Any) -> Any:
        """What the transform returns."""
        return counts

    def ask(self, root: Path) -> tuple[int, int, list[list[Any]]]:
        """(H, up to where everything must be visible, rows with their windows). The window before
        H was told before H was planned; H itself once the sink's mark has reached it."""
        moves = dict(_manifests(root / "out.staging" / "manifests"))
        if not moves:
            return 0, 0, []
        held = moves[max(moves)]["memories"]["counts"]["window"]
        marks = [int(path.stem) for path in (root / "out.staging" / "marks").glob("[0-9]*.json")]
        shown = held if max(marks, default=0) == max(moves) else max(held - 1, 0)
        return held, shown, list(self._rows(root / "out"))

    def _rows(self, out: Path) -> Iterator[list[Any]]:
        for path in sorted(path for path in out.rglob("*") if path.is_file()):
            name = path.relative_to(out).as_posix()
            known = _PUBLISHED[self.layout].fullmatch(name)
            assert known, f"{name} is among the published files"
            partition = dict(part.split("=") for part in name.split("/")[:-1])
            for row in _read(path):
                # Joined rows do not say any more which window they came from.
                window_id = 0 if self.layout == "rolled" else int(known[1])
                yield [window_id, row.get("word", partition.get("word")), row["count"]]

    def expected(self, windows: Windows) -> Rows:
        """What readers must find."""
        return Counter(
            (0 if self.layout == "rolled" else number, *pair)
            for number, counts in windows.items()
            for pair in counts.items()
        )


def _manifests(folder: Path) -> Iterator[tuple[int, Any]]:
    for path in folder.glob("[0-9]*.json"):
        yield int(path.stem), json.loads(path.read_bytes().split(b"\n", 1)[1])


def _read(path: Path) -> list[dict[str, Any]]:
    if path.suffix == ".json":
        return [json.loads(line) for line in path.read_text().splitlines()]
    import pyarrow.parquet

    rows: list[dict[str, Any]] = pyarrow.parquet.ParquetFile(path).read().to_pylist()
    return rows
