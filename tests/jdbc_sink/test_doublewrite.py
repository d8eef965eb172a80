"""A kill in the middle of DuckDB's write of a checkpoint: the block is put back."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest

from jdbc_sink.databases import database_of
from jdbc_sink.databases.duckdb import doublewrite
from jdbc_sink.databases.duckdb.doublewrite import Doublewrite
from jdbc_sink.errors import DatabaseFailed
from tests.jdbc_sink.processes import another_process
from tests.jdbc_sink.windows import Bench, ask
from windowlog.errors import NotHeld

HEADER, BLOCK, PAGE = 3 * 4096, 2**18, 4096
TABLES = 12
WHOLE = "SELECT (SELECT sum(n) FROM words), " + ", ".join(
    f"(SELECT count(*) || '/' || coalesce(sum(a), 0) FROM t{each})" for each in range(TABLES)
)


class Moment:
    """A file of many checkpoints as it is right before the next one, and right after: its bytes,
    its log's, the copy's, and what it holds."""

    def __init__(self, path: Path) -> None:
        self.kind, self.engine, _ = database_of(f"duckdb:///{path}")
        self.path = path
        self._step(["CREATE TABLE words(word VARCHAR PRIMARY KEY, n BIGINT)"])
        self._step([f"CREATE TABLE t{each}(a BIGINT, b VARCHAR)" for each in range(TABLES)])
        for turn in range(5):
            self._step(changes(turn))
        self.connection = self.engine.connect()
        with self.connection.begin():
            for statement in changes(5):
                self.connection.exec_driver_sql(statement)
        self.before = self._files()
        self.kind.place.settle(self.connection)
        self.after = self._files()
        self.holds = self.connection.exec_driver_sql(WHOLE).fetchall()
        self._close()

    def _step(self, statements: list[str]) -> None:
        with self.engine.begin() as connection:
            for statement in statements:
                connection.exec_driver_sql(statement)

    def _close(self) -> None:
        self.connection.close()
        self.kind.place.closed(self.engine)

    def _files(self) -> dict[str, bytes]:
        endings = ("", ".wal", ".doublewrite")
        paths = {each: Path(f"{self.path}{each}") for each in endings}
        return {each: path.read_bytes() for each, path in paths.items() if path.exists()}

    def torn(self) -> Iterator[dict[str, bytes]]:
        """What kills leave in the middle of each write over an old block: its first pages only."""
        old, new = self.before[""], self.after[""]
        # Behind the newer end the file was cut off only after the header had been written.
        for start in range(HEADER, min(len(old), len(new)), BLOCK):
            block = slice(start, start + BLOCK)
            for pages in (1, 32) if old[block] != new[block] else ():
                cut = start + pages * PAGE
                yield {**self.before, "": old[:start] + new[start:cut] + old[cut:]}


def changes(turn: int) -> list[str]:
    """Rows for most tables."""
    words = f"INSERT INTO words SELECT 'k' || (i + {500 * turn}), i FROM range(500) t(i)"
    rows = "SELECT i, 'v' || i FROM range(300) t(i)"
    return [words, *(f"INSERT INTO t{each} {rows}" for each in range(turn % 2, TABLES))]


@pytest.fixture(scope="module")
def moment(tmp_path_factory: pytest.TempPathFactory) -> Moment:
    """Made once: nobody writes there afterwards."""
    return Moment(tmp_path_factory.mktemp("moment") / "x.duckdb")


def lay(files: dict[str, bytes], path: Path) -> Path:
    """These files, and no others, at `path`."""
    shutil.rmtree(path.parent, ignore_errors=True)
    path.parent.mkdir()
    for ending, content in files.items():
        Path(f"{path}{ending}").write_bytes(content)
    return path


def through_the_kit(path: Path) -> list[Any]:
    """What is in the file, opened as a sink opens it."""
    kind, engine, _ = database_of(f"duckdb:///{path}")
    with engine.connect() as connection:
        found = connection.exec_driver_sql(WHOLE).fetchall()
    kind.place.closed(engine)
    return [tuple(row) for row in found]


def opens(path: Path) -> bool:
    """By DuckDB alone."""
    try:
        with duckdb.connect(str(path)) as connection:
            return bool(connection.execute(WHOLE).fetchall())
    except duckdb.Error:
        return False


def test_a_part_of_a_block_is_put_back(moment: Moment, tmp_path: Path) -> None:
    """Wherever the write was cut, all that was committed is there, and nothing stays beside it."""
    for image in moment.torn():
        path = lay(image, tmp_path / "kit" / "x.duckdb")
        assert through_the_kit(path) == [tuple(row) for row in moment.holds]
        assert [each.name for each in path.parent.iterdir()] == [path.name]


@pytest.mark.parametrize("settings", ["", "?threads=1"])
def test_what_duckdb_alone_refuses_is_whole_again(
    moment: Moment, tmp_path: Path, settings: str
) -> None:
    """Also where its dialect opens the file, and not we. If DuckDB opens all such files one day,
    this can go."""
    path = tmp_path / "kit" / "x.duckdb"
    refused = next(each for each in moment.torn() if not opens(lay(each, path)))
    lay(refused, path)
    _, engine, _ = database_of(f"duckdb:///{path}{settings}")
    with engine.connect() as connection:
        assert connection.exec_driver_sql(WHOLE).fetchall() == moment.holds
    engine.dispose()
    assert opens(path)


def test_under_another_header_nothing_is_put_back(moment: Moment, tmp_path: Path) -> None:
    """The checkpoint has taken effect: the copy is of the file before."""
    stale = {**moment.after, ".doublewrite": moment.before[".doublewrite"]}
    path = lay(stale, tmp_path / "kit" / "x.duckdb")
    Doublewrite(path).mend()
    assert path.read_bytes() == moment.after[""]
    assert through_the_kit(path) == [tuple(row) for row in moment.holds]


def test_a_copy_that_is_no_whole_one_is_not_believed(moment: Moment, tmp_path: Path) -> None:
    """It was being written, so that no checkpoint was; or somebody has damaged it."""
    whole = moment.before[".doublewrite"]
    middle = len(whole) // 2
    flipped = whole[:middle] + bytes([whole[middle] ^ 1]) + whole[middle + 1 :]
    hostile = b"[]\n", b"\xff\n", b"[" * 100_000, b'{"blocks": 1, "format": 2}\n'
    elsewhere = whole.replace(b"[[12288,", b"[[12289,", 1)
    assert elsewhere != whole
    for copy in (elsewhere, b"", whole[:40], whole[:-1], flipped, *hostile):
        path = lay({**moment.before, ".doublewrite": copy}, tmp_path / "kit" / "x.duckdb")
        Doublewrite(path).mend()
        assert path.read_bytes() == moment.before[""]


def test_a_file_that_somebody_has_open_is_left_alone(moment: Moment, tmp_path: Path) -> None:
    """Another process may be in the middle of its checkpoint, and so may this one."""
    path = lay(moment.before, tmp_path / "kit" / "x.duckdb")
    opening = f"import duckdb; held = duckdb.connect({str(path)!r})"
    with another_process(opening):
        assert kept_away(path)
    with duckdb.connect(str(path)):
        assert kept_away(path)
    assert not kept_away(path)


def kept_away(path: Path) -> bool:
    """A copy that would change the file is made, and tried."""
    content = path.read_bytes()
    all_gaps = doublewrite.Block(HEADER, list(range(64)), bytes(PAGE))
    doublewrite._write(Path(f"{path}.doublewrite"), content[:HEADER], [all_gaps])
    Doublewrite(path).mend()
    return path.read_bytes() == content


def test_duckdbs_lock_stays(tmp_path: Path) -> None:
    """To close a file anywhere in a process gives up all of its locks on it."""
    bench = Bench(tmp_path / "x.duckdb")
    bench.hold(("a", 1))
    assert Path(f"{bench.path}.doublewrite").exists()
    other = f"import duckdb; duckdb.connect({str(bench.path)!r})"
    refused = subprocess.run([sys.executable, "-c", other], capture_output=True, check=False)
    assert b"onflicting lock" in refused.stderr
    bench.sink.close()
    subprocess.run([sys.executable, "-c", other], check=True)


def test_one_copy_lasts_until_the_next_checkpoint(tmp_path: Path) -> None:
    """Windows between them cost nothing."""
    bench = Bench(tmp_path / "x.duckdb")
    bench.hold(("a", 1))
    copy = Path(f"{bench.path}.doublewrite")
    first = copy.stat().st_mtime_ns
    bench.hold(("b", 2))
    assert copy.stat().st_mtime_ns == first
    with duckdb.connect(str(bench.path)) as beside:
        beside.execute("CHECKPOINT")
    bench.hold(("c", 3))
    assert copy.stat().st_mtime_ns != first
    bench.sink.close()


def test_the_copy_stays_as_long_as_anybody_in_the_process_has_the_file(tmp_path: Path) -> None:
    """The one who goes last takes it away; who comes anew makes it anew."""
    bench = Bench(tmp_path / "x.duckdb")
    bench.hold(("a", 1))
    copy = Path(f"{bench.path}.doublewrite")
    with duckdb.connect(str(bench.path)):
        bench.sink.close()
        assert copy.exists()
    bench.hold(("b", 2))
    assert copy.exists()
    assert bench.ask("SELECT sum(n) FROM words") == [(3,)]
    assert not copy.exists()


def test_another_process_keeps_its_copy(tmp_path: Path) -> None:
    """It has the file while this one's run ends."""
    bench = Bench(tmp_path / "x.duckdb")
    bench.hold(("a", 1))
    bench.sink.idle()
    copy = Path(f"{bench.path}.doublewrite")
    with another_process(f"import duckdb; held = duckdb.connect({str(bench.path)!r})"):
        bench.sink.close()
        assert copy.exists()
    bench.sink.close()
    assert not copy.exists()


def test_a_copy_that_cannot_be_written_is_an_error_and_writes_nothing(tmp_path: Path) -> None:
    """Whatever the transaction is for."""
    bench = Bench(tmp_path / "x.duckdb")
    bench.hold(("a", 1))
    bench.sink.close()
    in_the_way = Path(f"{bench.path}.doublewrite")
    in_the_way.mkdir()
    with pytest.raises(NotHeld, match=r"x\.duckdb\.doublewrite"):
        bench.hold(("b", 2))
    bench.sink.close()
    other = Bench(tmp_path / "y.duckdb")
    other.sink.close()
    other.path.unlink()
    Path(f"{other.path}.doublewrite").mkdir()
    with pytest.raises(DatabaseFailed, match=r"y\.duckdb\.doublewrite"):
        Bench(other.path)
    in_the_way.rmdir()
    assert ask(bench.path, "duckdb", "SELECT word FROM words") == [("a",)]
