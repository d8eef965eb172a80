"""The pipeline under fire: files → word count → a database, or files. With a session on Spark,
without one on Arrow."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Any

import pyarrow

from connectors import FileInput
from tests.kill.files_variant import FilesVariant
from tests.kill.variants import Variant
from tests.kill.world import BYTES_PER_WINDOW
from windowed import Pipeline

if TYPE_CHECKING:
    from pathlib import Path

_WORD = re.compile(r"[A-Za-z0-9_]+")


def count_words(lines: Any) -> Any:
    """Words and how often they come, as the sample counts them."""
    if not isinstance(lines, pyarrow.Table):
        from samples.wordcount.words import count_words as on_spark

        return on_spark(lines)
    counts: Counter[str] = Counter()
    for line in lines.column("value").to_pylist():
        counts.update(word.lower() for word in _WORD.findall(line))
    schema = pyarrow.schema([("word", pyarrow.string()), ("count", pyarrow.int64())])
    return pyarrow.table({"word": list(counts), "count": list(counts.values())}, schema=schema)


def variant_of(root: Path) -> Variant | FilesVariant:
    """As it was written down."""
    kind, *words = (root / "variant").read_text().split()
    return FilesVariant(*words) if kind == "files" else Variant(kind, *words)


def build(root: Path) -> Pipeline:
    """The pipeline of the world at `root`."""
    variant = variant_of(root)
    return Pipeline(
        "killed",
        inputs={
            "lines": FileInput(
                root / "in", format="lines", max_bytes_per_window=BYTES_PER_WINDOW, quiet_s=0
            )
        },
        transform=lambda lines: variant.outputs(count_words(lines)),
        sinks={"counts": variant.sink(root)},
        log=root / "state",
    )
