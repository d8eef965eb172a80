"""What each format takes, and how many rows one of its files says it has."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, BinaryIO

from file_sink.layout import WINDOW_COLUMN, WINDOWS

if TYPE_CHECKING:
    import pyarrow

    from file_sink.settings import Settings

# Formats whose files say how many rows they have.
COUNTED = ("parquet", "orc")
# Formats of one line for each row, and how their files end; in the last two a value may hold more
# line ends.
LINES = {"json": ".json", "csv": ".csv", "text": ".txt"}
# Options that make lines end, or be written, in another way.
_OTHER_LINES = ("linesep", "encoding", "charset", "multiline", "pretty")
_PIECE_BYTES = 2**20


def counter(settings: Settings, name: str) -> Callable[[BinaryIO], int] | None:
    """What counts the rows of the file `name`: its footer, or its lines. None where nobody can."""
    if settings.format in COUNTED:
        return lambda stream: rows_in(settings.format, stream)
    plain = name.endswith(LINES.get(settings.format, "\0"))
    return _lines_in if plain and not other_lines(settings) else None


def other_lines(settings: Settings) -> list[str]:
    """The options, of those given, with which a file is not lines of one row each."""
    return [option for option in settings.options if option.lower() in _OTHER_LINES]


def fits(settings: Settings, rows: int, counted: int) -> bool:
    """Can files in which so many rows were counted hold exactly `rows`? Lines may be more than
    rows: headers, and line ends in values."""
    return counted == rows or (settings.format in ("csv", "text") and counted > rows)


def rows_in(name: str, stream: BinaryIO) -> int:
    """The rows of one file of a counted format, by its footer. OSError or pyarrow.ArrowException
    for a file that is none."""
    if name == "parquet":
        import pyarrow.parquet

        return int(pyarrow.parquet.read_metadata(stream).num_rows)
    import pyarrow.orc

    return int(pyarrow.orc.ORCFile(stream).nrows)


def _lines_in(stream: BinaryIO) -> int:
    lines = 0
    while piece := stream.read(_PIECE_BYTES):
        lines += piece.count(b"\n")
    return lines


def findings(settings: Settings, schema: pyarrow.Schema) -> list[str]:
    """Everything for which rows of this schema cannot be written; empty if nothing is wrong."""
    return [*_name_findings(settings, schema.names), *_type_findings(settings, schema)]


def _name_findings(settings: Settings, names: list[str]) -> Iterator[str]:
    folded: dict[str, str] = {}
    for name in names:
        if settings.layout == WINDOWS and name.lower() == WINDOW_COLUMN:
            yield (
                f"column {name} is there twice for a reader, who takes the folders"
                f" {WINDOW_COLUMN}=… for a column: rename it"
            )
        if name.lower() in folded:
            yield f"columns {folded[name.lower()]} and {name} differ in case only, or not at all"
        folded[name.lower()] = name
    for argument in ("partition_by", "sort_by"):
        for column in getattr(settings, argument):
            if column not in names:
                meant = folded.get(column.lower())
                hint = f" (did you mean {meant}?)" if meant else ""
                yield f"column {column} of {argument} is missing{hint}"
    for column in settings.partition_by:
        if column.startswith(("_", ".")):
            yield (
                f"column {column} of partition_by would be hidden from readers, who pass over"
                f" folders whose names begin so ({column}=…): rename it"
            )
    if set(names) <= set(settings.partition_by):
        yield "all columns are in partition_by, and none is left for the files"


def _type_findings(settings: Settings, schema: pyarrow.Schema) -> Iterator[str]:
    import pyarrow.types as types

    inner = [field for field in schema if field.name not in settings.partition_by]
    for field in schema:
        nested = types.is_nested(field.type)
        nameless = nested or types.is_interval(field.type) or _is_binary(field.type)
        if field.name in settings.partition_by and nameless:
            yield f"column {field.name} ({field.type}) cannot be a folder's name"
        elif nested and settings.format == "csv":
            yield f"column {field.name} ({field.type}) is nested, and csv has no such thing"
    if settings.format == "text":
        texts = [f for f in inner if types.is_string(f.type) or types.is_large_string(f.type)]
        if len(inner) != 1 or len(texts) != 1:
            found = ", ".join(f"{field.name} {field.type}" for field in inner)
            yield f"text takes exactly one column of type string, and here are: {found or 'none'}"


def _is_binary(kind: pyarrow.DataType) -> bool:
    import pyarrow.types as types

    kinds = (
        types.is_binary,
        types.is_large_binary,
        types.is_fixed_size_binary,
        types.is_binary_view,
    )
    return any(is_one(kind) for is_one in kinds)
