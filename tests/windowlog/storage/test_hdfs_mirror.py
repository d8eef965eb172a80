"""A local folder with a mirror on a real HDFS, through whatever happens to either."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.windowlog.storage.hdfs_world import names_of, reached_by
from tests.windowlog.storage.lossy_proxy import LossyProxy, verbs
from windowed import Pipeline
from windowed.testing.list_sink import ListSink, ListStore
from windowed.testing.rows import RowsInput
from windowed.testing.storage_contract import StorageContract
from windowlog.contracts import Storage
from windowlog.errors import MirrorAway, MirrorBack, StorageFailed
from windowlog.log import WindowLog
from windowlog.storage import HdfsStorage, LocalStorage, MirroredStorage


class TestAFolderAndHdfs(StorageContract):
    """Both sides real."""

    walk_steps = 30

    @pytest.fixture
    def storage(self, tmp_path: Path, on_hdfs: str) -> Storage:
        """Folders that do not exist yet."""
        return MirroredStorage(LocalStorage(tmp_path / "log"), HdfsStorage(f"{on_hdfs}/log"))

    def another(self, storage: Storage) -> Storage:
        """The same two, opened anew."""
        assert isinstance(storage, MirroredStorage)
        near, far = storage.local.describe(), storage.mirror.describe()
        return MirroredStorage(LocalStorage(near), HdfsStorage(far))


class Job:
    """Rows of one number, a window each, into a list. `now_s` is the time."""

    def __init__(self, folder: Path, mirror: HdfsStorage, *, required: bool) -> None:
        self.folder = folder
        self.mirror = mirror
        self.required = required
        self.rows: list[list[tuple[int]]] = []
        self.store = ListStore()
        self.now_s = 0.0

    def run(self, *numbers: int) -> None:
        """Until these are held."""
        self.rows += [[(number,)] for number in numbers]
        self.pipeline().run(None, progress=False)

    def pipeline(self) -> Pipeline:
        """As a driver that starts now would make it."""
        storage = MirroredStorage(
            LocalStorage(self.folder),
            self.mirror,
            required=self.required,
            clock_s=lambda: self.now_s,
        )
        return Pipeline(
            "numbers",
            inputs={"rows": RowsInput(self.rows, schema="n long")},
            transform=lambda rows: rows,
            sinks={"out": ListSink(self.store)},
            log=WindowLog(storage),
        )

    def held(self) -> list[int]:
        """The numbers that the sink holds, in order."""
        windows = self.store.windows
        return [row["n"] for window_id in sorted(windows) for row in windows[window_id]]


@pytest.mark.parametrize("required", [True, False])
def test_a_log_on_both_sides(tmp_path: Path, on_hdfs: str, required: bool) -> None:
    """Named by a URL, as a user would: each record is here and there."""
    store = ListStore()
    log = WindowLog(tmp_path / "log", mirror=f"{on_hdfs}/log", mirror_required=required)
    Pipeline(
        "numbers",
        inputs={"rows": RowsInput([[(1,)], [(2,)]], schema="n long")},
        transform=lambda rows: rows,
        sinks={"out": ListSink(store)},
        log=log,
    ).run(None, progress=False)
    for folder in ("headers", "windows", "pairings"):
        here = {path.name for path in (tmp_path / "log" / folder).iterdir()}
        there = set(names_of(f"{on_hdfs}/log/{folder}"))
        assert here - {"000000000000.json"} == there
    assert sorted(store.windows) == [1, 2]


def test_a_machine_is_lost(tmp_path: Path, proxy: LossyProxy, folder: str) -> None:
    """The next one goes on from HDFS, and has all of it again."""
    job = Job(tmp_path / "log", reached_by(proxy, folder), required=True)
    job.run(1, 2, 3)
    shutil.rmtree(tmp_path / "log")
    job.run(4)
    assert job.held() == [1, 2, 3, 4]
    here = sorted(path.name for path in (tmp_path / "log" / "windows").iterdir())
    assert here == sorted(job.mirror.within("windows").list())


def test_a_required_hdfs_does_not_answer(tmp_path: Path, proxy: LossyProxy, folder: str) -> None:
    """The run stops; nothing is done by half."""
    job = Job(tmp_path / "log", reached_by(proxy, folder, patience_s=0.5), required=True)
    job.run(1)
    proxy.lose = lambda request: "before"
    with pytest.raises(StorageFailed, match=r"connection to .* broke"):
        job.run(2)
    assert job.held() == [1]
    proxy.lose = lambda request: None
    job.run(3)
    assert job.held() == [1, 2, 3]


def test_an_hdfs_that_is_not_required_does_not_answer(
    tmp_path: Path, proxy: LossyProxy, folder: str
) -> None:
    """The run goes on; the next one that sees it brings it level."""
    job = Job(tmp_path / "log", reached_by(proxy, folder, patience_s=0.5), required=False)
    job.run(1)
    proxy.lose = lambda request: "before"
    with pytest.warns(MirrorAway):
        job.run(2, 3)
    assert job.held() == [1, 2, 3]
    proxy.lose = lambda request: None
    job.run(4)
    assert job.held() == [1, 2, 3, 4]
    here = sorted(path.name for path in (tmp_path / "log" / "windows").iterdir())
    assert here == sorted(job.mirror.within("windows").list())


def test_it_comes_back_within_a_run(tmp_path: Path, proxy: LossyProxy, folder: str) -> None:
    """The same driver sees it again, a while later."""
    job = Job(tmp_path / "log", reached_by(proxy, folder, patience_s=0.5), required=False)
    job.run(1)
    job.rows += [[(2,)], [(3,)]]
    with job.pipeline().open(None) as run:
        proxy.lose = lambda request: "before"
        with pytest.warns(MirrorAway):
            window = run.next()
        assert window is not None
        run.hold(window, {"out": window.frames["rows"]})
        window = run.next()
        assert window is not None
        run.hold(window, {"out": window.frames["rows"]})
        proxy.lose = lambda request: None
        job.now_s = 1e6
        job.rows.append([(4,)])
        with pytest.warns(MirrorBack):
            window = run.next()
        assert window is not None
        run.hold(window, {"out": window.frames["rows"]})
    assert job.held() == [1, 2, 3, 4]
    here = sorted(path.name for path in (tmp_path / "log" / "windows").iterdir())
    assert here == sorted(job.mirror.within("windows").list())


@pytest.mark.parametrize("required", [True, False])
@pytest.mark.parametrize(
    "verb", ["CREATE at the data node", "RENAME at the name node", "LISTSTATUS at the name node"]
)
def test_an_answer_is_lost(
    tmp_path: Path, proxy: LossyProxy, folder: str, verb: str, required: bool
) -> None:
    """The storage below looks what has happened; both sides have each record once."""
    job = Job(tmp_path / "log", reached_by(proxy, folder), required=required)
    job.run(1)
    proxy.lose = verbs(verb, "after")
    job.run(2)
    assert job.held() == [1, 2]
    near = LocalStorage(tmp_path / "log").within("windows")
    far = job.mirror.within("windows")
    # The first one is purged at the end.
    assert near.list() == far.list() == ["000000000002.json"]
    assert [near.read(name) for name in near.list()] == [far.read(name) for name in far.list()]
