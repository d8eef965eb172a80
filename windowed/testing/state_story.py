"""What the tests of a state's store are made of: a place, stores of one log, and what a keeper does
with them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any
from uuid import uuid4

import pyarrow
import pytest

from windowed.changes import types_of
from windowlog.state_store import Checkpoint, Staged, StateContext, StateStore

SCHEMA = "word string, n bigint"
_TABLE = pyarrow.schema([("word", pyarrow.string()), ("n", pyarrow.int64())])

Row = tuple[Any, ...]


def digest_of(window_id: int) -> str:
    """What stands for the digest of a window's record: any 64 digits that no other window has."""
    return f"{window_id:064x}"


class StatePlace:
    """What an author gives: where an empty store is to be, a store, what is there, and ways to
    damage it. `frame`, `rows` and `session` are for stores that take no Arrow tables."""

    @pytest.fixture
    def place(self) -> Any:
        """Where an empty store is to be. Yours to give."""
        raise NotImplementedError("give a fixture `place`")

    def store(self, place: Any, schema: str = SCHEMA) -> StateStore:
        """A new store on this place with columns like "word string, n bigint" and the key `word`,
        as another process would make it. Yours to give."""
        raise NotImplementedError("give a method `store`")

    def listing(self, place: Any) -> Sequence[str]:
        """All files or records that are there, as paths from the place on with `/` between, below
        LOG/checkpoints and LOG/states; without empty folders. Yours to give."""
        raise NotImplementedError("give a method `listing`")

    def damage(self, place: Any, name: str) -> None:
        """Change a byte in the middle of what the listing calls so. Yours to give."""
        raise NotImplementedError("give a method `damage`")

    def lose(self, place: Any, name: str) -> None:
        """Remove what the listing calls so. Yours to give."""
        raise NotImplementedError("give a method `lose`")

    @pytest.fixture
    def session(self) -> Any:
        """The Spark session of the frames; None: they are Arrow tables."""
        return None

    def frame(self, session: Any, *rows: Row) -> Any:
        """Rows as a frame of SCHEMA."""
        table = table_of(*rows)
        return table if session is None else session.createDataFrame(table)

    @pytest.fixture
    def story(self, place: Any, session: Any) -> Iterator[StateStory]:
        """Stores of one log, one of them open as `story.store`."""
        story = StateStory(self, place, session)
        yield story
        story.close()


def table_of(*rows: Row) -> pyarrow.Table:
    """Rows as an Arrow table of SCHEMA."""
    words, numbers = [row[0] for row in rows], [row[1] for row in rows]
    return pyarrow.table({"word": words, "n": numbers}, schema=_TABLE)


def rows_of(staged: Staged) -> list[Row]:
    """What windows read of a state, in an order of its own; its columns are those of SCHEMA."""
    assert list(types_of(staged.frame)) == ["word", "n"]
    frame: Any = staged.frame
    table = frame if isinstance(frame, pyarrow.Table) else frame.toArrow()
    found = zip(table["word"].to_pylist(), table["n"].to_pylist(), strict=True)
    return sorted(found, key=repr)


class StateStory:
    """The stores of one log in one place, and what drivers do with them."""

    def __init__(self, by: StatePlace, place: Any, session: Any) -> None:
        self._by = by
        self.place = place
        self._session = session
        self._opened: list[StateStore] = []
        self.log_id = str(uuid4())
        self.store = self.another()

    def another(
        self, *, log_id: str | None = None, pipeline: str = "contract", schema: str = SCHEMA
    ) -> StateStore:
        """One more store of the place, open, as the next driver would have it."""
        store = self._by.store(self.place, schema)
        self._opened.append(store)
        return self.open(store, log_id=log_id, pipeline=pipeline)

    def open(
        self, store: StateStore, *, log_id: str | None = None, pipeline: str = "contract"
    ) -> StateStore:
        """Open a store, as a new run does."""
        log = log_id if log_id is not None else self.log_id
        store.open(StateContext(self._session, pipeline, log, str(uuid4())))
        return store

    def stage(self, window_id: int, *rows: Row, by: StateStore | None = None) -> Staged:
        """Stage these rows as the state after a window."""
        return (by or self.store).stage(window_id, self._by.frame(self._session, *rows))

    def save(self, window_id: int, *rows: Row, by: StateStore | None = None) -> Checkpoint:
        """Stage and save."""
        staged = self.stage(window_id, *rows, by=by)
        return (by or self.store).save(window_id, digest_of(window_id), staged)

    def listing(self) -> list[str]:
        """All that is there."""
        return sorted(self._by.listing(self.place))

    def record(self, checkpoint: Checkpoint, log_id: str | None = None) -> str:
        """What the listing calls the record of a checkpoint."""
        attempt = f".{checkpoint.attempt}" if checkpoint.attempt else ""
        name = f"{checkpoint.window_id:012d}{attempt}.json"
        return self._only(f"{log_id or self.log_id}/checkpoints/{name}")

    def rows(self, staged: Checkpoint | Staged) -> list[str]:
        """What the listing calls the rows of a state: one name, or several."""
        assert staged.folder
        return [name for name in self.listing() if staged.folder in name]

    def close(self) -> None:
        """Close all of them."""
        for store in self._opened:
            store.close()

    def _only(self, end: str) -> str:
        found = [name for name in self.listing() if name.endswith(end)]
        assert len(found) == 1, f"one record {end} in {self.listing()}"
        return found[0]
