"""HdfsStorage when a request or its answer is lost on the way to a real HDFS: each in turn."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import partial

import pytest

from tests.windowlog.storage.hdfs_world import reached_by, records_of
from tests.windowlog.storage.lossy_proxy import Loss, LossyProxy, all_from, nth, verbs
from windowlog.contracts import Storage
from windowlog.errors import KitError, StorageFailed

# Less than this no verb needs, so that a test that fails does not pass by waiting.
REQUESTS_MIN = 13


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
