"""StorageContract: the tests that every storage passes. An author subclasses it.

class TestMyStorage(StorageContract):
    @pytest.fixture
    def storage(self):
        return MyStorage(...)               # an empty place

    def another(self, storage):
        return MyStorage(...)               # as another process would open the same place
"""

from __future__ import annotations

import random
import threading
from collections.abc import Callable

import pytest

from windowlog.contracts import Storage
from windowlog.errors import BadArgument, RecordExists, RecordNotFound

# Names like those of the log, and as odd as a storage must bear.
NAMES = ("000000000001.json", "000000000001.2.json", "a b", "ü", "UPPER", "upper", "n" * 100)
BAD_NAMES = ("", ".", "..", ".hidden", "a/b", "/", "a\0b")
_CREATORS = 8
_STEPS = 300


class StorageContract:
    """What windowlog.contracts.Storage promises, but for durability, which needs a disk to cut.

    `walk_steps` is how long each random walk is: less for a storage that is slow."""

    walk_steps = _STEPS

    @pytest.fixture
    def storage(self) -> Storage:
        """An empty place. Yours to give."""
        raise NotImplementedError("give a fixture `storage`: an empty place")

    def another(self, storage: Storage) -> Storage:
        """A second, independent storage of the same place. Yours to give."""
        raise NotImplementedError("give a method `another`")

    def test_it_is_a_storage_and_says_where(self, storage: Storage) -> None:
        """All verbs are there, and messages can name the place."""
        assert isinstance(storage, Storage)
        assert storage.describe()
        assert storage.within("folder").describe() != storage.describe()

    @pytest.mark.parametrize("data", [b"", b"\x00\xff\n\r\n", bytes(range(256)) * 4096])
    def test_a_record_is_read_as_it_was_created(self, storage: Storage, data: bytes) -> None:
        """Any bytes, none or a megabyte."""
        storage.create("record", data)
        assert storage.read("record") == data

    def test_a_name_that_is_taken_is_never_overwritten(self, storage: Storage) -> None:
        """Not even with the same bytes."""
        storage.create("record", b"first")
        for data in (b"second", b"first"):
            with pytest.raises(RecordExists):
                storage.create("record", data)
        assert storage.read("record") == b"first"

    def test_a_missing_record_is_not_found(self, storage: Storage) -> None:
        """In an empty place, beside others, and in a sub-folder that is not there."""
        with pytest.raises(RecordNotFound):
            storage.read("missing")
        storage.create("record", b"")
        for place in (storage, storage.within("folder")):
            for verb in (place.read, place.sync):
                with pytest.raises(RecordNotFound):
                    verb("missing")

    def test_a_listing_is_sorted_and_has_records_only(self, storage: Storage) -> None:
        """Every name that was created, no sub-folders."""
        assert storage.list() == []
        for name in NAMES:
            storage.create(name, b"data")
        storage.within("folder").create("inner", b"data")
        assert storage.list() == sorted(NAMES)

    def test_folders_keep_records_apart(self, storage: Storage) -> None:
        """One name may stand in many folders, at any depth."""
        inner = storage.within("folder")
        places = [storage, inner, inner.within("folder"), storage.within("other").within("deep")]
        for number, place in enumerate(places):
            place.create("record", b"%d" % number)
        for number, place in enumerate(places):
            assert (place.read("record"), place.list()) == (b"%d" % number, ["record"])

    def test_a_sub_folder_comes_into_being_with_a_record(self, storage: Storage) -> None:
        """Looking at it, syncing it and deleting in it leave nothing."""
        inner = storage.within("folder")
        inner.sync()
        inner.delete("record")
        inner.delete("record", durable=False)
        assert (inner.list(), storage.list()) == ([], [])
        storage.create("folder", b"the name was free")

    @pytest.mark.parametrize("durable", [True, False])
    def test_a_deleted_record_is_gone(self, storage: Storage, durable: bool) -> None:
        """Deleting it again does nothing; its name is free; the others stay."""
        storage.create("record", b"old")
        storage.create("other", b"other")
        storage.delete("record", durable=durable)
        storage.delete("record", durable=durable)
        assert storage.list() == ["other"]
        with pytest.raises(RecordNotFound):
            storage.read("record")
        storage.create("record", b"new")
        assert (storage.read("record"), storage.read("other")) == (b"new", b"other")

    def test_a_renamed_record_moves(self, storage: Storage) -> None:
        """The old name is free, the new one has the bytes."""
        storage.create("source", b"data")
        storage.rename("source", "target")
        assert (storage.list(), storage.read("target")) == (["target"], b"data")
        storage.create("source", b"new")

    def test_a_rename_never_overwrites(self, storage: Storage) -> None:
        """Another record, one with the same bytes, or the record itself."""
        storage.create("source", b"same")
        storage.create("target", b"same")
        storage.create("other", b"other")
        for taken in ("target", "other", "source"):
            with pytest.raises(RecordExists):
                storage.rename("source", taken)
        assert storage.list() == ["other", "source", "target"]
        assert storage.read("other") == b"other"

    def test_a_rename_needs_its_source(self, storage: Storage) -> None:
        """In a place with records and in one without."""
        for place in (storage, storage.within("folder")):
            with pytest.raises(RecordNotFound):
                place.rename("missing", "target")
            place.create("record", b"")
            with pytest.raises(RecordNotFound):
                place.rename("missing", "target")
            assert place.list() == ["record"]

    def test_what_is_there_can_be_synced(self, storage: Storage) -> None:
        """A record, a listing, an empty place; as often as one likes."""
        storage.sync()
        storage.create("record", b"data")
        for _ in range(2):
            storage.sync("record")
            storage.sync()
        assert storage.read("record") == b"data"

    @pytest.mark.parametrize("name", BAD_NAMES)
    def test_a_name_is_one_path_component(self, storage: Storage, name: str) -> None:
        """Anything else is refused by every verb, and nothing is touched."""
        storage.create("record", b"data")
        for verb in (
            lambda: storage.read(name),
            lambda: storage.create(name, b""),
            lambda: storage.rename("record", name),
            lambda: storage.rename(name, "free"),
            lambda: storage.delete(name),
            lambda: storage.sync(name),
            lambda: storage.within(name),
        ):
            with pytest.raises(BadArgument):
                verb()
        assert storage.list() == ["record"]

    def test_another_storage_of_the_place_sees_at_once_what_was_done(
        self, storage: Storage
    ) -> None:
        """Each verb, in either direction, sub-folders included."""
        other = self.another(storage)
        storage.create("record", b"data")
        storage.within("folder").create("inner", b"inner")
        assert (other.list(), other.read("record")) == (["record"], b"data")
        assert other.within("folder").read("inner") == b"inner"
        with pytest.raises(RecordExists):
            other.create("record", b"other")
        other.rename("record", "moved")
        assert storage.list() == ["moved"]
        storage.delete("moved")
        assert other.list() == []

    def test_of_many_creators_exactly_one_wins(self, storage: Storage) -> None:
        """Each with a storage of its own, all at the same moment."""
        start = threading.Barrier(_CREATORS)
        won: list[bytes] = []

        def create(number: int) -> None:
            own, data = self.another(storage), b"creator %d" % number
            start.wait()
            try:
                own.create("record", data)
            except RecordExists:
                return
            won.append(data)

        threads = [threading.Thread(target=create, args=(n,)) for n in range(_CREATORS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert won == [storage.read("record")]

    def test_it_can_be_closed_twice_and_the_records_stay(self, storage: Storage) -> None:
        """A driver's last act must not fail, and the next driver finds everything."""
        another = self.another(storage)
        storage.create("record", b"data")
        storage.close()
        storage.close()
        assert another.read("record") == b"data"

    @pytest.mark.parametrize("seed", range(3))
    def test_it_behaves_like_a_dict(self, storage: Storage, seed: int) -> None:
        """A long random walk over a few names, compared with a dict after each step."""
        random_source, model = random.Random(seed), dict[str, bytes]()
        for step in range(self.walk_steps):
            name, target = random_source.choices(NAMES[:4], k=2)
            match random_source.choice(("create", "delete", "rename", "sync")):
                case "create":
                    data = b"%d" % step
                    _only_if(name not in model, RecordExists, storage.create, name, data)
                    model.setdefault(name, data)
                case "delete":
                    storage.delete(name, durable=random_source.random() < 0.5)
                    model.pop(name, None)
                case "rename" if name in model:
                    free = target not in model
                    _only_if(free, RecordExists, storage.rename, name, target)
                    if free:
                        model[target] = model.pop(name)
                case _:
                    _only_if(name in model, RecordNotFound, storage.sync, name)
            assert {each: storage.read(each) for each in storage.list()} == model


def _only_if(
    possible: bool, refusal: type[Exception], verb: Callable[..., None], *arguments: object
) -> None:
    if possible:
        verb(*arguments)
    else:
        with pytest.raises(refusal):
            verb(*arguments)
