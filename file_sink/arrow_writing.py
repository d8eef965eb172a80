"""Rows of a pyarrow.Table into files, without Spark: what `pipeline.run(None)` writes."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, BinaryIO

from file_sink import no_line, partitions
from file_sink.errors import FormatUnavailable
from file_sink.json_lines import rows_of, to_json
from file_sink.layout import file_name
from file_sink.paths import join, parent

if TYPE_CHECKING:
    import pyarrow

    from file_sink.settings import Settings
    from file_sink.tree import Tree

# Formats that compress as a whole: pyarrow's name of the codec, and how such files end.
_WHOLE = {"none": (None, ""), "gzip": ("gzip", ".gz"), "bzip2": ("bz2", ".bz2")}
_INNER = {
    "parquet": ("none", "snappy", "gzip", "zstd", "lz4", "brotli"),
    "orc": ("none", "snappy", "zlib", "zstd", "lz4"),
}
_DEFAULT = {"parquet": "snappy", "orc": "zstd"}
_CSV_OPTIONS = ("header", "sep")
# Lines are joined so many at once.
_ROWS_AT_ONCE = 10_000


def write(
    table: pyarrow.Table, folder: str, window_id: int, settings: Settings, tree: Tree, sink: str
) -> None:
    """Write all rows below `folder`, which is there. FormatUnavailable for what only Spark can,
    NoLine for rows that readers would pass over."""
    only = no_line.only_column(settings, table.column_names)
    no_line.refuse_no_line(table.column(only).null_count if only is not None else 0, only or "")
    codec, ending = _codec(settings, sink)
    write_one = _writer(settings, codec, sink)
    if settings.sort_by:
        table = table.sort_by([(column, "ascending") for column in settings.sort_by])
    limit = settings.max_records_per_file or table.num_rows or 1
    for below, rows in partitions.split(table, settings.partition_by):
        for number, start in enumerate(range(0, rows.num_rows, limit)):
            name = file_name(window_id, 0, number, ending)
            path = join(folder, below, name)
            if below and not number:
                tree.make(parent(path), durable=False)
            with tree.create(path) as stream:
                write_one(rows.slice(start, limit), stream)


def check(settings: Settings, sink: str) -> None:
    """FormatUnavailable for what only Spark can, before anything is written."""
    codec, _ = _codec(settings, sink)
    _writer(settings, codec, sink)


def _codec(settings: Settings, sink: str) -> tuple[str | None, str]:
    """The codec as pyarrow calls it, and how files end."""
    name, given = settings.format, settings.compression
    if name in _INNER:
        codec = "none" if given in ("none", "uncompressed") else given or _DEFAULT[name]
        if codec not in _INNER[name]:
            raise _unavailable(settings, sink, f"pyarrow has no compression {given!r} for it")
        return codec, f".{name}" if codec == "none" else f".{codec}.{name}"
    if (given or "none") not in _WHOLE:
        raise _unavailable(settings, sink, f"pyarrow has no compression {given!r} for it")
    whole, ending = _WHOLE[given or "none"]
    return whole, f".{'txt' if name == 'text' else name}{ending}"


def _writer(
    settings: Settings, codec: str | None, sink: str
) -> Callable[[pyarrow.Table, BinaryIO], None]:
    known = _CSV_OPTIONS if settings.format == "csv" else ()
    unknown = sorted(set(settings.options) - set(known))
    if unknown:
        raise _unavailable(settings, sink, f"only Spark knows the options {', '.join(unknown)}")
    if settings.format == "avro":
        raise _unavailable(settings, sink, "only Spark writes it")
    if settings.format == "parquet":
        return lambda rows, stream: _parquet(rows, stream, codec)
    if settings.format == "orc":
        return lambda rows, stream: _orc(rows, stream, codec)
    return lambda rows, stream: _text(rows, stream, codec, settings)


def _unavailable(settings: Settings, sink: str, reason: str) -> FormatUnavailable:
    remedy = "Run the pipeline with a Spark session, or leave it out."
    reason = f"the frame is a pyarrow.Table, and {reason}"
    return FormatUnavailable(sink=sink, format=settings.format, reason=reason, remedy=remedy)


def _parquet(rows: pyarrow.Table, stream: BinaryIO, codec: str | None) -> None:
    import pyarrow.parquet

    pyarrow.parquet.write_table(rows, stream, compression=codec)


def _orc(rows: pyarrow.Table, stream: BinaryIO, codec: str | None) -> None:
    import pyarrow.orc

    compression = "uncompressed" if codec == "none" else codec
    pyarrow.orc.write_table(rows, stream, compression=compression)


def _text(rows: pyarrow.Table, stream: BinaryIO, codec: str | None, settings: Settings) -> None:
    import pyarrow

    if codec is None:
        _lines(rows, stream, settings)
        return
    with pyarrow.CompressedOutputStream(stream, codec) as compressed:
        _lines(rows, compressed, settings)


def _lines(rows: pyarrow.Table, stream: Any, settings: Settings) -> None:
    if settings.format == "csv":
        import pyarrow.csv

        options = pyarrow.csv.WriteOptions(
            include_header=settings.says_true("header"),
            delimiter=settings.options.get("sep", ","),
        )
        pyarrow.csv.write_csv(rows, stream, options)
        return
    as_line = to_json if settings.format == "json" else _text_line
    for some in rows.to_batches(_ROWS_AT_ONCE):
        stream.write("".join(f"{as_line(row)}\n" for row in rows_of(some)).encode())


def _text_line(row: dict[str, Any]) -> str:
    (value,) = row.values()
    return value or ""
