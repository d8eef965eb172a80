"""FileSink's arguments: each wrong one is named with what is allowed; each right one is what it
says."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from connectors import FileInput
from file_sink import FileSink
from file_sink.layout import Places, from_spark
from file_sink.local_tree import LocalTree
from file_sink.paths import folders
from file_sink.published_names import newest_published
from file_sink.tree import Tree
from windowed import Pipeline
from windowed.testing import RowsInput
from windowlog import WindowLog
from windowlog.errors import BadArgument
from windowlog.naming import staged_name, staged_window


@pytest.mark.parametrize(
    ("argument", "value"),
    [
        ("format", "xlsx"),
        ("format", None),
        ("layout", "folders"),
        ("partition_by", 7),
        ("partition_by", [""]),
        ("partition_by", ["day", "Day"]),
        ("sort_by", [None]),
        ("options", "header"),
        ("options", {"a": None}),
        ("options", {1: "a"}),
        ("compression", ""),
        ("compression", 9),
        ("target_file_bytes", 0),
        ("target_file_bytes", "128m"),
        ("max_records_per_file", True),
        ("max_records_per_file", 1.5),
    ],
)
def test_a_wrong_argument_is_named(argument: str, value: Any) -> None:
    """Before anything is touched."""
    with pytest.raises(BadArgument, match=rf"^{argument}="):
        FileSink("out", **{argument: value})


@pytest.mark.parametrize(
    ("option", "ours"),
    [("path", "path="), ("compression", "compression="), ("codec", "compression="),
     ("maxRecordsPerFile", "max_records_per_file="), ("partitionOverwriteMode", "nothing")],
)  # fmt: skip
def test_an_option_that_has_an_argument_of_its_own_is_refused(option: str, ours: str) -> None:
    """Two answers to one question would be one too many."""
    said = rf"^options\['{option}'\]='x' is not possible: leave it out; FileSink has {ours}"
    with pytest.raises(BadArgument, match=said):
        FileSink("out", options={option: "x"})


@pytest.mark.parametrize(
    ("name", "codec", "others"),
    [("parquet", "snapy", "'snappy', 'gzip'"), ("orc", "gzip", "'zlib'"), ("csv", "zstd", "gzip"),
     ("json", "brotli", "'gzip'"), ("text", "xz", "'gzip'"), ("avro", "gzip", "'zstandard'")],
)  # fmt: skip
def test_a_codec_that_spark_does_not_know_is_refused(name: str, codec: str, others: str) -> None:
    """On construction, not by the first window. Those that it knows are taken in any case."""
    with pytest.raises(BadArgument, match=rf"^compression='{codec}' .*{others}.* for {name}"):
        FileSink("out", format=name, compression=codec)
    FileSink("out", format=name, compression="Snappy")
    FileSink("out", compression="LZ4_RAW")


@pytest.mark.parametrize(
    "path",
    ["", " ", "/", ".", "a/..", "a\0b", None, 7, "hdfs://h:8020/", "file://host/a", "ftp://x/y"],
)
def test_a_path_that_is_no_folders_name_is_refused(path: Any) -> None:
    """There would be nothing to stand beside."""
    with pytest.raises(BadArgument, match=r"^path="):
        FileSink(path)


@pytest.mark.parametrize("path", ["{0}/out", "{0}/out/", "file:{0}/out", "file://{0}/out"])
def test_a_folder_is_called_in_many_ways(tmp_path: Path, path: str) -> None:
    """All of them are one place."""
    sink = FileSink(path.format(tmp_path))
    assert sink.files()[0].startswith(f"{tmp_path}/out/window_id=00000001/part-")
    assert repr(sink).startswith("FileSink('")


def test_a_relative_path_stays_where_it_was_meant(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A transform changes the working folder, or the job does before it runs: log and inputs stay
    where they are, and so does the sink."""
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path)
    sinks = [FileSink("out"), FileSink("out", storage=LocalTree())]
    places = [sink.place().target for sink in sinks]
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert [sink.place().target for sink in sinks] == places == [f"folder {tmp_path}/out"] * 2


def test_a_link_is_followed(tmp_path: Path) -> None:
    """Staging stands where the folder is: a rename must not leave its file system."""
    (tmp_path / "far").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "far")
    published, staged, *_ = FileSink(tmp_path / "link", layout="files").files()
    assert published == f"{tmp_path}/far/part-00000001-00000-000.parquet"
    assert staged.startswith(f"{tmp_path}/far.staging/staged/")


def test_what_decides_for_readers_is_the_identity() -> None:
    """Another format, layout or partition is another mode; other options are not."""
    plain = FileSink("a/out").identity()
    assert (plain.target, plain.mode) == ("folder out", "parquet windows")
    assert FileSink("b/out", compression="zstd", options={"x": 1}, sort_by="a").identity() == plain
    other = FileSink("out", "json", "files", ["day", "hour"]).identity()
    assert other.mode == "json files by day, hour"


def test_a_tree_of_this_machine_is_a_tree() -> None:
    """The seam for other file systems."""
    assert isinstance(LocalTree(), Tree)


@pytest.mark.parametrize(
    ("spark", "ours"),
    [
        ("part-00003-0a1b2c3d-0a1b-0a1b-0a1b-0a1b2c3d4e5f-c000.snappy.parquet",
         "part-00000042-00003-000.snappy.parquet"),
        ("part-00012-0a1b2c3d-0a1b-0a1b-0a1b-0a1b2c3d4e5f.c001.csv.gz",
         "part-00000042-00012-001.csv.gz"),
        ("part-123456-0a1b2c3d-0a1b-0a1b-0a1b-0a1b2c3d4e5f-c000", "part-00000042-123456-000"),
        (".part-00003-0a1b2c3d-0a1b-0a1b-0a1b-0a1b2c3d4e5f-c000.json.crc", None),
        ("_SUCCESS", None),
        ("part-00000042-00003-000.parquet", None),
    ],
)  # fmt: skip
def test_sparks_names_become_ours(spark: str, ours: str | None) -> None:
    """With nothing random in them; what is no rows has no name."""
    assert from_spark(spark, 42) == ours


@pytest.mark.parametrize(
    ("layout", "names", "newest"),
    [
        ("windows", ["window_id=00000007", "window_id=00000012", "window_id=9"], 12),
        ("windows", ["part-00000042-00003-000.parquet", "window_id=123456789"], 123456789),
        ("files", ["part-00000042-00003-000.parquet", "part-00000041-00003-000"], 42),
        ("files", ["window_id=00000007", "part-0.csv", "part-00000042-00003-000x"], 0),
        ("windows", [], 0),
    ],
)
def test_the_newest_window_of_a_folder(layout: str, names: list[str], newest: int) -> None:
    """Among our names only."""
    assert newest_published(layout, names) == newest


def test_staged_names_are_known_again() -> None:
    """And others are not."""
    name = staged_name(7, "11111111-1111-1111-1111-111111111111", "a" * 32)
    assert staged_window(name) == 7
    assert [staged_window(other) for other in ("x", f"{name}x", "7.run.token")] == [None] * 3


@pytest.mark.parametrize(
    ("other", "overlaps"),
    [("/a/out", True), ("/a/out/x", True), ("/a", True), ("/a/out.staging", True),
     ("/a/out.staging/staged", True), ("/a/out2", False), ("/b/out", False)],
)  # fmt: skip
def test_places_that_overlap(other: str, overlaps: bool) -> None:
    """The same folder, one inside the other, staging included."""
    assert Places("/a/out").overlaps(Places(other)) is overlaps
    assert Places(other).overlaps(Places("/a/out")) is overlaps


def test_folders_come_inner_ones_first() -> None:
    """Each is made durable before the one that names it."""
    assert folders(["a/b/x", "a/y", "z"]) == ["a/b", "a", ""]


def _pipeline(sink: FileSink, log: Any, source: FileInput | None = None) -> Pipeline:
    inputs: dict[str, Any] = {"rows": source or RowsInput([], schema="word string")}
    return Pipeline("p", inputs=inputs, transform=lambda rows: rows, sinks={"out": sink}, log=log)


@pytest.mark.parametrize(
    ("out", "log"),
    [("q", "q"), ("q", "q/log"), ("q", "q.staging"), ("q", "q.staging/staged/log"),
     ("q/windows", "q"), ("q/deep/out", "q"), ("q", "link/log"), ("../here/q", "q/log")],
)  # fmt: skip
@pytest.mark.parametrize("argument", ["log", "mirror"])
def test_a_log_that_shares_files_with_a_sink_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, out: str, log: str, argument: str
) -> None:
    """In both directions, and its mirror too. Nothing is touched."""
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    Path("link").symlink_to("q")
    where = WindowLog("near", mirror=log) if argument == "mirror" else log
    with pytest.raises(BadArgument, match=rf"^{argument}='{tmp_path}/.*sink 'out', which has /"):
        _pipeline(FileSink(out), where)
    assert [path.name for path in Path().iterdir()] == ["link"]


@pytest.mark.parametrize("log", ["hdfs.log", "out2", "out.staging2", "state/log"])
def test_a_log_beside_a_sink_is_a_log(tmp_path: Path, log: str) -> None:
    """Also where one name begins with the other."""
    for out in ("out", "state/out"):
        _pipeline(FileSink(tmp_path / out), WindowLog(tmp_path / log, mirror=tmp_path / "state/m"))


def test_on_hdfs_too() -> None:
    """A log names name nodes, a path does not."""
    sink = FileSink("hdfs://nn:8020/out", storage="webhdfs://nn:9870,nn2:9870")
    for log in ("webhdfs://nn2:9870/out/log", "webhdfs://nn/out.staging?user.name=a"):
        with pytest.raises(BadArgument, match=r"^log='webhdfs://.*sink 'out', which has webhdfs"):
            _pipeline(sink, log)
    with pytest.raises(BadArgument, match=r"^mirror='webhdfs://nn:9870/out/m'"):
        _pipeline(sink, WindowLog("near", mirror="webhdfs://nn:9870/out/m"))
    for log in ("webhdfs://nn2:9870/out2", "webhdfs://other:9870/out", "/out"):
        _pipeline(sink, log)


@pytest.mark.parametrize("out", [".", "in"])
def test_a_sink_above_its_input_is_refused(tmp_path: Path, out: str) -> None:
    """Its readers would find the input's files, also where the input passes over the sink's."""
    source = FileInput(tmp_path / "in", pattern="*.txt")
    with pytest.raises(BadArgument, match=rf"sinks\['out'\]='{tmp_path}.*input 'rows' .*/in:"):
        _pipeline(FileSink(tmp_path / out), tmp_path / "../log", source)
    _pipeline(FileSink(tmp_path / "in" / "_out"), tmp_path / "log", source)


def test_the_folder_is_named_that_an_input_would_read(tmp_path: Path) -> None:
    """And no path inside of it."""
    with pytest.raises(BadArgument, match=r"input 'rows' does not read") as refused:
        _pipeline(FileSink(tmp_path / "in/out"), tmp_path / "log", FileInput(tmp_path / "in"))
    assert str(refused.value).startswith(f"sinks['out']='{tmp_path}/in/out' ")
    assert f"({tmp_path}/in)" in str(refused.value)
    assert "staging" not in str(refused.value)
