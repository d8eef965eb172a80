"""HdfsTree when answers are lost, come late or say something else: what is looked for, and left."""

from __future__ import annotations

import pytest

from file_sink.tree import Entry
from tests.file_sink.hdfs_world import Place
from tests.windowlog.storage.hdfs_world import ask, names_of
from tests.windowlog.storage.lossy_proxy import Loss, Request, verbs
from windowlog.errors import RecordExists, RecordNotFound, StorageFailed, StorageUnsuitable

RENAME = "RENAME at the name node"


@pytest.mark.parametrize("loss", ["before", "after"])
@pytest.mark.parametrize("source", ["file", "folder"])
def test_a_rename_whose_answer_is_lost_is_looked_for(place: Place, source: str, loss: Loss) -> None:
    """By its number: what stands there already, with the same bytes or names, is another's."""
    for name in ("file", "other", "folder/inner", "others/inner"):
        place.write(name)
    taken = {"file": "other", "folder": "others"}[source]
    place.proxy.lose = verbs(RENAME, loss)
    with pytest.raises(RecordExists):
        place.tree.rename(place / source, place / taken)
    place.proxy.lose = verbs(RENAME, loss)
    place.tree.rename(place / source, place / "new")
    assert place.tree.kind(place / source) is None
    assert place.tree.kind(place / "new") == source


def test_a_rename_that_comes_late_is_found_by_the_second_one(place: Place) -> None:
    """Which is told that there is no source any more."""
    file, renames = place.write("file"), verbs(RENAME, "late")

    def lose(request: Request) -> Loss | None:
        if str(request) == RENAME and place.proxy._held:
            place.proxy.release()
        return renames(request)

    place.proxy.lose = lose
    place.tree.rename(file, place / "new")
    assert names_of(place.url) == ["new"]


def test_a_rename_that_never_arrives_is_given_up(place: Place) -> None:
    """Though all else works."""
    file = place.write("file")
    place.proxy.lose = verbs(RENAME, "before", times=1000)
    with pytest.raises(StorageFailed, match=r"renaming it to .*new failed"):
        place.hasty().rename(file, place / "new")
    assert names_of(place.url) == ["file"]


def test_a_rename_that_is_refused_for_another_reason_says_that_reason(place: Place) -> None:
    """It is not taken for a name that is taken."""
    file = place.write("file")
    place.proxy.lose = verbs(RENAME, "refuse")
    with pytest.raises(StorageUnsuitable, match="no rights"):
        place.tree.rename(file, place / "new")


@pytest.mark.parametrize("loss", ["before", "after"])
def test_a_file_in_doubt_is_written_again_under_another_name(place: Place, loss: Loss) -> None:
    """What is left of the first one is removed at once, or swept later."""
    place.proxy.lose = verbs("CREATE at the data node", loss)
    with place.tree.create(place / "file") as stream:
        stream.write(b"data")
    assert names_of(place.url) == ["file"]
    with place.tree.open(place / "file") as stream:
        assert stream.read() == b"data"
    place.proxy.lose = verbs("CREATE at the data node", loss, times=1000)
    stream = place.hasty().create(place / "another")
    with pytest.raises(StorageFailed, match="writing it failed"):
        stream.close()
    assert place.tree.list(place.path) == [Entry("file", "file", 4)]


def test_a_file_whose_folder_is_removed_meanwhile_is_not_found(place: Place) -> None:
    """It is written beside its place, and then somebody removes both."""
    place.tree.make(place / "a")
    stream = place.tree.create(place / "a/file")

    def lose(request: Request) -> None:
        if request.verb == "GETFILESTATUS":
            ask(f"{place.url}/a", "DELETE", "DELETE", recursive="true")

    place.proxy.lose = lose
    with pytest.raises(RecordNotFound) as raised:
        stream.close()
    assert raised.value.values["name"] == "a"


def test_a_file_in_doubt_that_cannot_be_removed_hinders_nobody(place: Place) -> None:
    """Its name is never used again, and it is swept later."""
    creations = verbs("CREATE at the data node", "after", times=2)

    def lose(request: Request) -> Loss | None:
        return "refuse" if request.verb == "DELETE" else creations(request)

    place.proxy.lose = lose
    with place.tree.create(place / "file") as stream:
        stream.write(b"data")
    assert len(names_of(place.url)) == 3
    assert place.tree.list(place.path) == [Entry("file", "file", 4)]
