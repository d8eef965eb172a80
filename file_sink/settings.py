"""FileSink's arguments, checked: argument, value, what is allowed."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from os import PathLike, fspath
from typing import Any, cast

from file_sink.layout import LAYOUTS
from windowlog.access.hdfs_path import WITH_STORAGE
from windowlog.access.places import refuse_bare_address, shown
from windowlog.errors import BadArgument
from windowlog.wiring import SinkIdentity

FORMATS = ("parquet", "orc", "csv", "json", "text", "avro")

# Those that Spark 4 names for each, in any case.
_PLAIN = ("none", "uncompressed")
_LINES_CODECS = (*_PLAIN, "bzip2", "deflate", "gzip", "lz4", "snappy")
_CODECS = {
    "parquet": (*_PLAIN, "snappy", "gzip", "zstd", "lz4", "lz4_raw", "lzo", "brotli"),
    "orc": (*_PLAIN, "snappy", "zlib", "zstd", "lz4", "lzo", "brotli"),
    **dict.fromkeys(("csv", "json", "text"), _LINES_CODECS),
    "avro": ("uncompressed", "deflate", "snappy", "bzip2", "xz", "zstandard"),
}
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):/")
# Their rename copies file by file, or overwrites: no reader could trust it.
_OBJECT_STORES = {
    **dict.fromkeys(("s3", "s3a", "s3n"), "Amazon S3"),
    **dict.fromkeys(("gs", "gcs"), "Google Cloud Storage"),
    **dict.fromkeys(("abfs", "abfss", "wasb", "wasbs", "adl", "az"), "Azure storage"),
    **dict.fromkeys(("oss", "cosn", "obs", "swift", "http", "https", "dbfs"), "this store"),
}
_PLACES = (
    "a folder of this machine, or of a file system that driver and executors have mounted; or "
    f"{WITH_STORAGE}"
)
# What has an argument of its own, or would write elsewhere.
_OWN = {
    "path": "path=",
    "compression": "compression=",
    "codec": "compression=",
    "maxrecordsperfile": "max_records_per_file=",
    "partitionoverwritemode": "nothing, as a window's files are never overwritten,",
}


@dataclass(frozen=True, slots=True)
class Settings:
    """How rows are written. `options` are those of Spark's writer, as text."""

    format: str
    layout: str
    partition_by: tuple[str, ...]
    sort_by: tuple[str, ...]
    options: Mapping[str, str]
    compression: str | None
    target_file_bytes: int | None
    max_records_per_file: int | None
    rollup: int | None = None

    def says_true(self, option: str) -> bool:
        """Is this option on? As Spark reads it: name and value in any case."""
        return (self.option(option) or "").lower() == "true"

    def option(self, name: str) -> str | None:
        """An option's value, its name in any case; None if it is not given."""
        return next((v for n, v in self.options.items() if n.lower() == name), None)

    def identity(self, path: str) -> SinkIdentity:
        """The folder's name, not where it is: its memory stands beside it, and moves with it."""
        name = path.rstrip("/").rpartition("/")[2]
        by = f" by {', '.join(self.partition_by)}" if self.partition_by else ""
        return SinkIdentity(f"folder {name}", f"{self.format} {self.layout}{by}")


def settings(**given: Any) -> Settings:
    """All but the path, checked. BadArgument."""
    _one_of("format", given["format"], FORMATS)
    _one_of("layout", given["layout"], LAYOUTS)
    for argument in ("target_file_bytes", "max_records_per_file"):
        value = given[argument]
        if value is not None and (type(value) is not int or value < 1):
            raise BadArgument(argument=argument, value=value, allowed="a whole number from 1")
    rollup = given["rollup"]
    if rollup is not None and (type(rollup) is not int or rollup < 2):
        allowed = "a whole number of windows from 2, or None"
        raise BadArgument(argument="rollup", value=rollup, allowed=allowed)
    compression = _codec(given["format"], given["compression"])
    return Settings(
        format=given["format"],
        layout=given["layout"],
        partition_by=_columns("partition_by", given["partition_by"]),
        sort_by=_columns("sort_by", given["sort_by"]),
        options=_options(given["options"]),
        compression=compression,
        target_file_bytes=given["target_file_bytes"],
        max_records_per_file=given["max_records_per_file"],
        rollup=rollup,
    )


def local_path(path: str | PathLike[str]) -> str:
    """The path without `file:`. BadArgument for other schemes, and for what is no folder's name."""
    text: Any = fspath(path) if isinstance(cast(object, path), str | PathLike) else None
    if not isinstance(text, str) or not text.strip() or "\0" in text:
        raise BadArgument(argument="path", value=path, allowed=_PLACES)
    refuse_bare_address("path", path, "hdfs")
    scheme = _SCHEME.match(text)
    if scheme is None:
        return _folder(path, text)
    name = scheme[1].lower()
    rest = text[len(scheme[1]) + 1 :]
    if name == "file" and not re.match(r"//[^/]", rest):
        return _folder(path, re.sub(r"^/+", "/", rest))
    why = f"{_OBJECT_STORES[name]} has no atomic rename; " if name in _OBJECT_STORES else ""
    raise BadArgument(argument="path", value=shown(path), allowed=f"{why}{_PLACES}")


def _folder(path: Any, text: str) -> str:
    stripped = text.rstrip("/")
    # Spark leaves out what begins so, and `..` has no name to stand beside.
    if stripped.rpartition("/")[2] in ("", ".", ".."):
        allowed = f"{_PLACES}, by its name: {text!r} has none"
        raise BadArgument(argument="path", value=path, allowed=allowed)
    return stripped


def _one_of(argument: str, value: Any, allowed: Sequence[str]) -> None:
    if value not in allowed:
        raise BadArgument(argument=argument, value=value, allowed=" or ".join(map(repr, allowed)))


def _codec(name: str, given: Any) -> str | None:
    codec = given.lower() if isinstance(given, str) else given
    if codec is not None and codec not in _CODECS[name]:
        allowed = f"{', '.join(map(repr, _CODECS[name]))} for {name}, or None for Spark's default"
        raise BadArgument(argument="compression", value=given, allowed=allowed)
    return cast("str | None", codec)


def _columns(argument: str, value: Any) -> tuple[str, ...]:
    columns = (value,) if isinstance(value, str) else value
    good = isinstance(columns, Sequence) and all(isinstance(c, str) and c for c in columns)
    if not good or len({c.lower() for c in columns}) < len(columns):
        raise BadArgument(argument=argument, value=value, allowed="names of columns, each once")
    return tuple(columns)


def _options(given: Any) -> dict[str, str]:
    if given is None:
        return {}
    allowed = "a dict of option -> text, number or bool"
    if not isinstance(given, Mapping):
        raise BadArgument(argument="options", value=given, allowed=allowed)
    for name, value in given.items():
        if not isinstance(name, str) or not isinstance(value, str | int | float | bool):
            raise BadArgument(argument="options", value=name, allowed=allowed)
        if name.lower() in _OWN:
            raise BadArgument(
                argument=f"options[{name!r}]",
                value=value if name.lower() != "path" else shown(value),
                allowed=f"leave it out; FileSink has {_OWN[name.lower()]} for that",
            )
    return {n: str(v).lower() if isinstance(v, bool) else str(v) for n, v in given.items()}
