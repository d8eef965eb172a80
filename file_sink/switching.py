"""The switch of a roll-up: the published folder and its twin take each other's place, once.

    rolled/NAME/twin      the twin, until somebody takes it
    rolled/NAME/TOKEN     taken by this driver, which alone exchanges what has this name: the twin
                          before, the folder that readers had after
    rolled/NAME/void      the twin, never to be exchanged

To take it is a rename, from whatever name it has: a driver that was paused then finds nothing under
its own name, and cannot exchange a second time. Which of both folders it is, the joined files tell:
only the twin has them. Repeatable, as publishing is.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING
from uuid import uuid4

from file_sink import paths
from file_sink.tree import walk
from windowlog.errors import KitError, RecordExists, RecordNotFound, StorageFailed

if TYPE_CHECKING:
    from file_sink.layout import Places
    from file_sink.manifests import Manifest, Rolled
    from file_sink.tree import ExchangingTree

TWIN = "twin"
VOID = "void"
# Each other driver that takes the folder at the same moment costs one; more is a fault.
_ATTEMPTS = 100
# A listing may miss a name that is changed just then; not so often.
_EMPTY_LOOKS = 3


class Switching:
    """Switches for one run of one sink. `is_past(number)`: has somebody settled this manifest
    meanwhile? `own` are the roll-ups that this run made itself, whose bytes it need not look at.
    `bring_over` as in Sweeping."""

    def __init__(
        self,
        tree: ExchangingTree,
        places: Places,
        bring_over: Callable[[str], bool],
        is_past: Callable[[int], bool],
    ) -> None:
        self._tree = tree
        self._places = places
        self._bring_over = bring_over
        self._is_past = is_past
        self._token = uuid4().hex
        self.own: set[str] = set()
        # Why the folders were not exchanged, the last time.
        self.failure: KitError | None = None

    def settle(self, manifest: Manifest) -> None:
        """Exchange the folders, or make sure that they never are; durable. Not exchanged are those
        that no longer fit: a file was taken away meanwhile, or a foreign one came."""
        rolled = manifest.rolled
        assert rolled is not None, "it is a roll-up"
        self.failure = None
        self._settle(manifest.number, rolled, self._places.rolled(rolled.folder))
        # Whoever has exchanged them may have died before this: what is published next must not be
        # durable before.
        self._tree.sync(paths.parent(self._places.path) or "/")

    def _settle(self, number: int, rolled: Rolled, place: str) -> None:
        empty = 0
        for _ in range(_ATTEMPTS):
            names = [entry.name for entry in self._tree.list(place)]
            if not names:
                empty += 1
                gone = self._tree.kind(place) is None or self._is_past(number)
                if gone or empty == _EMPTY_LOOKS:
                    return
                continue
            # Another driver may take it at any moment: then once more.
            with suppress(RecordNotFound, RecordExists):
                if VOID not in names:
                    self._take(rolled, place, names[0])
                self._tree.sync(place)
                return
        raise StorageFailed(
            where=place,
            reason="it changes its name all the time",
            remedy="Look who works there; the next start goes on.",
        )

    def _take(self, rolled: Rolled, place: str, name: str) -> None:
        mine = paths.join(place, self._token)
        if name != self._token:
            self._tree.rename(paths.join(place, name), mine)
        if self._can_be_ready(rolled, mine):
            self._exchange(mine)
        if self._is_twin(rolled, mine):
            self._tree.rename(mine, paths.join(place, VOID))
        else:
            self._tree.sync(place)
            self._tree.sync(paths.parent(self._places.path) or "/")
            self.failure = None  # it was done, whatever was told
            self._bring_over(mine)

    def _is_twin(self, rolled: Rolled, mine: str) -> bool:
        """RecordNotFound if another driver has taken it."""
        found = self._tree.kind(paths.join(mine, rolled.files[0].name)) is not None
        # Asked last: what was taken once never has this name again.
        if self._tree.kind(mine) is None:
            raise RecordNotFound(name=self._token, where=paths.parent(mine))
        return found

    def _exchange(self, mine: str) -> None:
        try:
            self._tree.exchange(mine, self._places.path)
        except RecordNotFound:
            raise
        except KitError as error:
            # A right that was taken meanwhile is no reason to stop: readers have all rows. Whether
            # it was done, the folders tell.
            self.failure = error

    def _can_be_ready(self, rolled: Rolled, mine: str) -> bool:
        try:
            return self._is_ready(rolled, mine)
        except (RecordNotFound, RecordExists):
            raise
        except KitError as error:
            # What cannot be looked at is not exchanged: a start that waited for it would wait for
            # ever. (After a failed sync the next step says so.)
            self.failure = error
            return False

    def _is_ready(self, rolled: Rolled, mine: str) -> bool:
        if not self._fits(rolled, mine):
            return False
        if rolled.folder in self.own:
            return True
        return all(
            self._tree.fingerprint(paths.join(mine, file.name)) == file.fingerprint
            for file in rolled.files
        )

    def _fits(self, rolled: Rolled, mine: str) -> bool:
        """Do readers have exactly the files whose rows are in the twin?"""
        twin = {name for name, _ in walk(self._tree, mine)}
        joined = {file.name for file in rolled.files}
        there = {name for name, _ in walk(self._tree, self._places.path)}
        return joined <= twin and there == (twin - joined) | set(rolled.replaced)
