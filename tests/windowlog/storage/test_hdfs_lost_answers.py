"""HdfsStorage when a request or its answer is lost on the way to a real HDFS: each in turn."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from types import SimpleNamespace

import pytest

from tests.windowlog.storage.lossy_proxy import (
    Loss,
    LossyProxy,
    Request,
    all_from,
    nth,
    verbs,
)
from tests.windowlog.storage.test_hdfs import ask, names_of
from windowlog.contracts import Storage
from windowlog.errors import (
    KitError,
    RecordExists,
    RecordNotFound,
    StorageFailed,
    StorageUnsuitable,
)
from windowlog.storage import HdfsStorage
from windowlog.storage.hdfs import STALE_S

# Less than this no verb needs, so that a test that fails does not pass by waiting.
REQUESTS_MIN = 13


@pytest.fixture
def proxy(on_hdfs: str) -> Iterator[LossyProxy]:
    """Between the test and HDFS."""
    with LossyProxy(on_hdfs) as proxy:
        yield proxy


@pytest.fixture
def folder(on_hdfs: str) -> str:
    """The path of a folder that is not there."""
    return f"/{on_hdfs.rpartition('/')[2]}"


def reached_by(proxy: LossyProxy, folder: str, patience_s: float = 10.0) -> HdfsStorage:
    """A storage whose requests go through the proxy."""
    return HdfsStorage(f"{proxy.url}{folder}", timeout_s=5, patience_s=patience_s)


def every_verb(storage: Storage) -> None:
    """Each verb once, and what it answers."""
    storage.create("one", b"data of one")
    assert storage.read("one") == b"data of one"
    storage.rename("one", "two")
    storage.sync("two")
    assert storage.list() == ["two"]
    storage.create("one", b"another one")
    storage.delete("two")


def test_any_lost_answer_is_made_good(proxy: LossyProxy, folder: str, on_hdfs: str) -> None:
    """Whichever it is, the verbs do what they say, once, and leave nothing unfinished behind."""
    for number in range(1, 100):
        proxy.seen.clear()
        proxy.lose = nth(number, "after")
        every_verb(reached_by(proxy, f"{folder}/{number}"))
        if len(proxy.seen) < number:
            break
        assert records_of(f"{on_hdfs}/{number}") == {"one": b"another one"}
    assert number > REQUESTS_MIN


@pytest.mark.parametrize("loss", ["before", "after", "cut"])
@pytest.mark.parametrize("rest", [0, 1, 2, 3])
def test_many_losses_are_made_good(
    proxy: LossyProxy, folder: str, on_hdfs: str, loss: Loss, rest: int
) -> None:
    """Each fourth request, its answer, or half of its answer; what is asked again too."""
    proxy.lose = lambda request: loss if request.number % 4 == rest else None
    every_verb(reached_by(proxy, folder))
    assert records_of(on_hdfs) == {"one": b"another one"}


def records_of(url: str) -> dict[str, bytes]:
    """What is there, asked of HDFS without a proxy."""
    storage = HdfsStorage(url)
    return {name: storage.read(name) for name in storage.list()}


@pytest.mark.parametrize("first", ["before", "after"])
def test_a_client_that_is_cut_off_for_good_leaves_nothing_half(
    proxy: LossyProxy, folder: str, on_hdfs: str, first: Loss
) -> None:
    """It says so, and what is there is what was there before the verb or after it."""
    allowed: tuple[dict[str, bytes], ...] = (
        {},
        {"one": b"data of one"},
        {"two": b"data of one"},
        {"two": b"data of one", "one": b"another one"},
        {"one": b"another one"},
    )
    for number in range(1, 100):
        proxy.seen.clear()
        proxy.lose = all_from(number, first)
        storage = reached_by(proxy, f"{folder}/{number}", patience_s=0.1)
        with suppress(StorageFailed):
            every_verb(storage)
        if len(proxy.seen) < number:
            break
        assert records_of(f"{on_hdfs}/{number}") in allowed
    assert number > REQUESTS_MIN


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


@pytest.mark.parametrize("loss", ["cut", "unsized", "missing"])
def test_what_a_data_node_gives_in_half_or_denies_is_asked_again(
    proxy: LossyProxy, folder: str, loss: Loss
) -> None:
    """Half a record would be taken for a damaged one; an error is said where it stays half."""
    storage, hasty = reached_by(proxy, folder), reached_by(proxy, folder, patience_s=0.1)
    storage.create("one", bytes(1000))
    proxy.lose = verbs("OPEN at the data node", loss)
    assert storage.read("one") == bytes(1000)
    proxy.lose = verbs("OPEN at the data node", loss, times=1000)
    with pytest.raises(StorageFailed, match="reading one failed"):
        hasty.read("one")


def test_chunks_have_an_end_of_their_own(proxy: LossyProxy, folder: str) -> None:
    """A gateway that sends them says no length."""
    storage = reached_by(proxy, folder)
    storage.create("one", bytes(1000))
    proxy.lose = verbs("OPEN at the data node", "chunks")
    assert storage.read("one") == bytes(1000)


def test_a_rename_that_never_arrives_is_given_up(proxy: LossyProxy, folder: str) -> None:
    """Though all else works; and nothing has got the name."""
    storage = reached_by(proxy, folder, patience_s=0.2)
    storage.create("one", b"data")
    proxy.lose = verbs("RENAME at the name node", "before", times=1000)
    moves: list[Callable[[], object]] = [
        lambda: storage.create("two", b""),
        lambda: storage.rename("one", "two"),
    ]
    for verb in moves:
        with pytest.raises(StorageFailed, match=r"the connection to .* broke"):
            verb()
    assert storage.list() == ["one"]


def test_only_a_name_node_says_that_a_record_is_not_there(proxy: LossyProxy, folder: str) -> None:
    """No failure on the way is RecordNotFound, for any verb."""
    storage = reached_by(proxy, folder, patience_s=0.1)
    storage.create("one", b"data")
    proxy.lose = all_from(1, "before")
    for verb in (
        storage.list,
        storage.sync,
        partial(storage.read, "one"),
        partial(storage.sync, "one"),
        partial(storage.delete, "one"),
        partial(storage.rename, "one", "two"),
    ):
        with pytest.raises(KitError) as raised:
            verb()
        assert isinstance(raised.value, StorageFailed)
