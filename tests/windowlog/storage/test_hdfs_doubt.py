"""HdfsStorage in doubt: a rename was asked for, and nobody answered. What tells what came of it."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace

import pytest

from tests.windowlog.storage.hdfs_world import ask, names_of, reached_by, records_of
from tests.windowlog.storage.lossy_proxy import Loss, LossyProxy, Request, verbs
from windowlog.errors import RecordExists, RecordNotFound, StorageFailed, StorageUnsuitable
from windowlog.storage import HdfsStorage
from windowlog.storage.hdfs import STALE_S


@pytest.mark.parametrize("verb", ["RENAME at the name node", "CREATE at the data node"])
@pytest.mark.parametrize("loss", ["before", "after"])
def test_a_creation_in_doubt_does_not_take_another_s_record_for_its_own(
    proxy: LossyProxy, folder: str, on_hdfs: str, verb: str, loss: Loss
) -> None:
    """The name was taken before, with the very same bytes: only where it came from tells. ‡"""
    HdfsStorage(on_hdfs).create("one", b"same")
    proxy.lose = verbs(verb, loss)
    with pytest.raises(RecordExists):
        reached_by(proxy, folder).create("one", b"same")
    assert verb in [str(request) for request in proxy.seen]
    assert records_of(on_hdfs) == {"one": b"same"}


def test_a_rename_that_comes_late_does_not_undo_a_refusal(
    proxy: LossyProxy, folder: str, on_hdfs: str
) -> None:
    """A creation that lost its name to another has said so; its own rename, still under way, must
    not succeed when the name is free again. ‡"""
    HdfsStorage(on_hdfs).create("one", b"theirs")
    proxy.lose = verbs("RENAME at the name node", "late")
    with pytest.raises(RecordExists):
        reached_by(proxy, folder).create("one", b"ours")
    HdfsStorage(on_hdfs).delete("one")
    proxy.release()
    assert records_of(on_hdfs) == {}


def test_a_rename_that_comes_late_may_be_the_one_that_counts(
    proxy: LossyProxy, folder: str, on_hdfs: str
) -> None:
    """It overtakes the second one, whose temporary file is then gone: the record is ours."""
    renames = verbs("RENAME at the name node", "late")

    def lose(request: object) -> Loss | None:
        if str(request) == "RENAME at the name node" and proxy._held:
            proxy.release()
        return renames(request)  # type: ignore[arg-type]

    proxy.lose = lose
    reached_by(proxy, folder).create("one", b"ours")
    assert records_of(on_hdfs) == {"one": b"ours"}


def test_a_record_that_is_gone_again_was_created_all_the_same(
    proxy: LossyProxy, folder: str, on_hdfs: str
) -> None:
    """The answer was lost, and before we looked another driver has purged the record."""
    storage = reached_by(proxy, folder)

    def lose(request: object) -> Loss | None:
        if str(request) == "GETFILESTATUS at the name node":
            HdfsStorage(on_hdfs).delete("one")
        return renames(request)  # type: ignore[arg-type]

    renames = verbs("RENAME at the name node", "after")
    proxy.lose = lose
    storage.create("one", b"ours")
    assert records_of(on_hdfs) == {}


def test_a_refusal_stays_unsaid_while_its_temporary_file_may_still_be_renamed(
    proxy: LossyProxy, folder: str, on_hdfs: str
) -> None:
    """Whether our rename came to pass is not known when its withdrawal is not answered either."""
    HdfsStorage(on_hdfs).create("one", b"theirs")
    renames, deletes = (verbs(f"{verb} at the name node", "after") for verb in ("RENAME", "DELETE"))
    proxy.lose = lambda request: renames(request) or deletes(request)
    with pytest.raises(StorageFailed, match="creating one failed"):
        reached_by(proxy, folder).create("one", b"ours")
    assert records_of(on_hdfs) == {"one": b"theirs"}


def test_a_rename_that_comes_late_is_found_by_the_withdrawal(
    proxy: LossyProxy, folder: str, on_hdfs: str
) -> None:
    """The name was taken when we looked; it was freed, and our rename came true, before we withdrew
    it: then it was ours after all. ‡"""
    HdfsStorage(on_hdfs).create("one", b"theirs")
    renames = verbs("RENAME at the name node", "late")

    def lose(request: Request) -> Loss | None:
        if request.verb == "DELETE":
            ask(f"{on_hdfs}/one", "DELETE", "DELETE")
            proxy.release()
        return renames(request)

    proxy.lose = lose
    reached_by(proxy, folder).create("one", b"ours")
    assert records_of(on_hdfs) == {"one": b"ours"}


def test_a_look_is_enough_to_find_what_was_created(
    proxy: LossyProxy, folder: str, on_hdfs: str
) -> None:
    """It may be repeated; what changes something may not, and its answer can be lost as well."""
    proxy.lose = verbs("RENAME at the name node", "after")
    reached_by(proxy, folder).create("one", b"ours")
    assert [request.verb for request in proxy.seen][-2:] == ["RENAME", "GETFILESTATUS"]


def test_a_refusal_without_doubt_is_said_whether_or_not_the_rest_can_be_removed(
    proxy: LossyProxy, folder: str, on_hdfs: str
) -> None:
    """The name is taken; a hidden file may stay."""
    HdfsStorage(on_hdfs).create("one", b"theirs")
    proxy.lose = verbs("DELETE at the name node", "before", times=1000)
    with pytest.raises(RecordExists):
        reached_by(proxy, folder, patience_s=0.1).create("one", b"ours")


def test_a_creation_whose_temporary_file_is_taken_away_begins_again(
    proxy: LossyProxy, folder: str, on_hdfs: str
) -> None:
    """By somebody who swept too early: it had not got its name yet."""
    swept = list[str]()

    def lose(request: Request) -> None:
        if request.verb == "RENAME" and not swept:
            (name,) = [name for name in names_of(on_hdfs) if name.endswith(".tmp")]
            swept.append(name)
            ask(f"{on_hdfs}/{name}", "DELETE", "DELETE")

    proxy.lose = lose
    reached_by(proxy, folder).create("one", b"ours")
    assert swept
    assert records_of(on_hdfs) == {"one": b"ours"}


def test_a_driver_that_slept_for_an_hour_does_not_trust_what_is_gone(
    proxy: LossyProxy, folder: str, on_hdfs: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its temporary file may have been swept meanwhile, and its name be another's. ‡"""
    moments = iter([0.0, STALE_S])
    clock = SimpleNamespace(time=lambda: next(moments))
    monkeypatch.setattr("windowlog.storage.hdfs.time", clock)
    proxy.lose = verbs("RENAME at the name node", "after")
    with pytest.raises(StorageFailed, match="whether it is there cannot be told"):
        reached_by(proxy, folder).create("one", b"ours")


def test_a_rename_that_is_refused_for_another_reason_says_that_reason(
    proxy: LossyProxy, folder: str, on_hdfs: str
) -> None:
    """Neither verb takes it for a name that is taken."""
    storage = reached_by(proxy, folder)
    storage.create("one", b"data")
    moves: list[Callable[[], object]] = [
        lambda: storage.create("two", b""),
        lambda: storage.rename("one", "two"),
    ]
    for verb in moves:
        proxy.lose = verbs("RENAME at the name node", "refuse")
        with pytest.raises(StorageUnsuitable, match="no rights"):
            verb()
    assert names_of(on_hdfs) == ["one"]


@pytest.mark.parametrize("loss", ["before", "after"])
def test_a_move_in_doubt_is_told_by_the_file_itself(
    proxy: LossyProxy, folder: str, on_hdfs: str, loss: Loss
) -> None:
    """Done once; and refused where the target is another file with the same bytes."""
    storage = reached_by(proxy, folder)
    for name in ("one", "taken"):
        storage.create(name, b"same")
    proxy.lose = verbs("RENAME at the name node", loss)
    with pytest.raises(RecordExists):
        storage.rename("one", "taken")
    proxy.lose = verbs("RENAME at the name node", loss)
    storage.rename("one", "two")
    with pytest.raises(RecordNotFound):
        storage.rename("one", "two")
    assert records_of(on_hdfs) == {"taken": b"same", "two": b"same"}
