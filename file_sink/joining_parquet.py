"""Parquet files joined: the same columns, stored as they were, in fewer and larger row groups."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, BinaryIO

from file_sink.joining import Inspected, LeftAlone

if TYPE_CHECKING:
    from file_sink.joining import Opens

# Rows are written when so many bytes of them are in memory: as large as Spark's own row groups are
# on average, and memory stays bounded.
_PIECE_BYTES = 2**26
# Written as many rows at most at once, whatever they weigh.
_ROWS_AT_ONCE = 2**16


class ParquetJoiner:
    """Obeys `Joiner`."""

    def __init__(self, opens: Opens) -> None:
        self._opens = opens
        self._faithful: dict[object, bool] = {}

    def inspect(self, path: str) -> Inspected:
        """By its footer. LeftAlone where pyarrow would store a column in another way."""
        with self._opens(path) as stream:
            file = _file(stream)
            kind = _kind(file)
            if kind not in self._faithful:
                self._faithful[kind] = _is_faithful(file)
            if not self._faithful[kind]:
                raise LeftAlone("pyarrow would store their columns in another way")
            return Inspected(kind, int(file.metadata.num_rows))

    def join(self, paths: Sequence[str], stream: BinaryIO, check: Callable[[], None]) -> None:
        """Piece by piece."""
        import pyarrow

        with self._opens(paths[0]) as first:
            writer = _writer(_file(first), stream)
        some: list[Any] = []
        size = 0
        with writer:
            for path in paths:
                with self._opens(path) as source:
                    for piece in _file(source).iter_batches(_ROWS_AT_ONCE):
                        check()
                        some.append(piece)
                        size += piece.nbytes
                        if size > _PIECE_BYTES:
                            writer.write_table(pyarrow.Table.from_batches(some))
                            some, size = [], 0
            if some:
                writer.write_table(pyarrow.Table.from_batches(some))


def _file(stream: BinaryIO) -> Any:
    import pyarrow.parquet

    # Spark's INT96 has years that nanoseconds have not.
    return pyarrow.parquet.ParquetFile(stream, coerce_int96_timestamp_unit="us")


def _kind(file: Any) -> object:
    metadata = file.schema_arrow.metadata or {}
    # Its first line is where the object is in memory.
    columns = str(file.schema).partition("\n")[2]
    return columns, tuple(sorted(metadata.items())), _codec(file)


def _codec(file: Any) -> str:
    if not file.metadata.num_row_groups:
        return "none"
    codec = str(file.metadata.row_group(0).column(0).compression).lower()
    return "none" if codec == "uncompressed" else codec


def _writer(file: Any, stream: BinaryIO) -> Any:
    import pyarrow.parquet

    columns = [file.schema.column(at) for at in range(len(file.schema))]
    return pyarrow.parquet.ParquetWriter(
        stream,
        file.schema_arrow,
        compression=_codec(file),
        use_deprecated_int96_timestamps=any(c.physical_type == "INT96" for c in columns),
        store_decimal_as_integer=any(
            c.logical_type.type == "DECIMAL" and c.physical_type.startswith("INT") for c in columns
        ),
    )


def _is_faithful(file: Any) -> bool:
    """Is what pyarrow writes of no rows stored as this file is?"""
    written = io.BytesIO()
    with _writer(file, written) as writer:
        writer.write_table(file.schema_arrow.empty_table())
    return bool(_file(written).schema.equals(file.schema))
