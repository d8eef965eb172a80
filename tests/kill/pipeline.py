"""The pipeline under fire: files or a topic → word count → a database, or files. With a session on
Spark, without one on Arrow."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyarrow

from connectors import FileInput
from tests.kill.files_variant import FilesVariant
from tests.kill.hdfs_variant import HdfsVariant
from tests.kill.mirror_variant import MirrorVariant
from tests.kill.spool_variant import SpoolVariant
from tests.kill.state_variant import StateVariant, running_totals
from tests.kill.text_folder import BYTES_PER_WINDOW
from tests.kill.topic import input_of
from tests.kill.variants import Variant
from windowed import Pipeline

_WORD = re.compile(r"[A-Za-z0-9_]+")
_KINDS: Mapping[str, type[Variant | FilesVariant]] = {
    "files": FilesVariant,
    "hdfs": HdfsVariant,
    "mirror": MirrorVariant,
    "spool": SpoolVariant,
    "state": StateVariant,
}


def count_words(lines: Any) -> Any:
    """Words and how often they come, as the sample counts them; values of bytes are UTF-8."""
    if not isinstance(lines, pyarrow.Table):
        from samples.wordcount.words import count_words as on_spark

        return on_spark(lines.withColumn("value", lines["value"].cast("string")))
    counts: Counter[str] = Counter()
    for line in lines.column("value").cast(pyarrow.string()).to_pylist():
        counts.update(word.lower() for word in _WORD.findall(line or ""))
    schema = pyarrow.schema([("word", pyarrow.string()), ("count", pyarrow.int64())])
    return pyarrow.table({"word": list(counts), "count": list(counts.values())}, schema=schema)


def variant_of(root: Path) -> Variant | FilesVariant:
    """As it was written down."""
    kind, *words = (root / "variant").read_text().split()
    return _KINDS[kind](*words) if kind in _KINDS else Variant(kind, *words)


def build(root: Path) -> Pipeline:
    """The pipeline of the world at `root`."""
    variant = variant_of(root)
    if isinstance(variant, StateVariant):
        return Pipeline(
            "killed",
            inputs={"lines": input_of(root) or _files(root)},
            transform=lambda lines, state: running_totals(count_words(lines), state),
            sinks={"counts": variant.sink(root)},
            log=variant.log(root),
            state=variant.state(root),
            checkpoint_every=variant.checkpoint_every,
        )
    return Pipeline(
        "killed",
        inputs={"lines": input_of(root) or _files(root)},
        transform=lambda lines: variant.outputs(count_words(lines)),
        sinks={"counts": variant.sink(root)},
        log=variant.log(root),
    )


def _files(root: Path) -> FileInput:
    return FileInput(root / "in", format="lines", max_bytes_per_window=BYTES_PER_WINDOW, quiet_s=0)


def located(root: str) -> Pipeline:
    """The same, for commands."""
    return build(Path(root))
