"""Whose copy it is: of which file, under which name, of which sinks."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pytest

from jdbc_sink.databases import database_of
from jdbc_sink.databases.duckdb.doublewrite import Doublewrite
from tests.jdbc_sink.test_doublewrite import HEADER, TABLES, Moment, lay, through_the_kit
from tests.jdbc_sink.windows import Bench


def rebuilt(path: Path, factor: int) -> Path:
    """A database that is made in the same steps as others, with other rows."""
    for turn in range(5):
        with duckdb.connect(str(path)) as connection:
            connection.begin()
            for each in range(turn % 2, TABLES):
                connection.execute(f"CREATE TABLE IF NOT EXISTS t{each}(a BIGINT)")
                connection.execute(f"INSERT INTO t{each} SELECT {factor} * i FROM range(300) t(i)")
            connection.commit()
    return path


def test_nothing_is_put_back_into_another_database_of_the_same_header(tmp_path: Path) -> None:
    """A header says where things are, and not whose: daily rebuilds have the same one."""
    path = rebuilt(tmp_path / "x.duckdb", 3)
    other = rebuilt(tmp_path / "y.duckdb", 7).read_bytes()
    with database_of(f"duckdb:///{path}")[1].begin() as connection:
        connection.exec_driver_sql("INSERT INTO t0 VALUES (1)")
    stale = Path(f"{path}.doublewrite").read_bytes()
    path.write_bytes(other)
    assert other[:HEADER] in stale
    Doublewrite(path).mend()
    assert path.read_bytes() == other


def test_the_copy_is_beside_the_file_and_not_beside_a_link(tmp_path: Path) -> None:
    """Where DuckDB has its log, too: whoever opens the file by its own name finds it."""
    (tmp_path / "moment").mkdir()
    moment = Moment(tmp_path / "moment" / "x.duckdb")
    path = lay(moment.before, tmp_path / "kit" / "x.duckdb")
    link = tmp_path / "link.duckdb"
    link.symlink_to(path)
    bench = Bench(link, ledger_table="other_ledger", table="other")
    bench.hold(("a", 1))
    assert Path(f"{path}.doublewrite").exists()
    assert not Path(f"{link}.doublewrite").exists()
    bench.sink.close()
    assert [each.name for each in path.parent.iterdir()] == [path.name]
    for image in moment.torn():
        lay(image, path)
        assert through_the_kit(link) == [tuple(row) for row in moment.holds]


def test_another_working_folder_takes_no_copy_away(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The file that is open is meant, whatever its name leads to now."""
    monkeypatch.chdir(tmp_path)
    _, engine, _ = database_of("duckdb:///x.duckdb")
    (tmp_path / "elsewhere").mkdir()
    with engine.connect() as connection:
        monkeypatch.chdir(tmp_path / "elsewhere")
        connection.exec_driver_sql("CREATE TABLE t(a BIGINT)")
        connection.commit()
        assert (tmp_path / "x.duckdb.doublewrite").exists()


def test_sinks_of_one_process_share_one_copy(tmp_path: Path) -> None:
    """Made anew in the middle of another one's checkpoint it would have what that has half
    written."""
    path = tmp_path / "x.duckdb"
    first = Bench(path)
    first.hold(("a", 1))
    copy = Path(f"{path}.doublewrite")
    kept = copy.stat().st_mtime_ns, copy.read_bytes()
    second = Bench(path, table="others", ledger_table="other_ledger")
    second.hold(("b", 1))
    assert (copy.stat().st_mtime_ns, copy.read_bytes()) == kept
    first.sink.close()
    second.sink.close()
    assert not copy.exists()


@pytest.mark.parametrize("name", ["~/x.duckdb", "a:b.duckdb"])
def test_names_that_duckdb_reads_as_files_are_files(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else nothing was kept, unsaid."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    bench = Bench(Path(name))
    bench.hold(("a", 1))
    file = Path(name).name
    assert Path(f"{file}.doublewrite").exists()
    bench.sink.close()
    assert [each.name for each in tmp_path.iterdir()] == [file]
