"""What roll-ups leave beside the published folder goes; foreign files in it do not."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from typing import TYPE_CHECKING

from file_sink import paths
from file_sink.published_names import published_file
from file_sink.switching import TWIN, VOID
from file_sink.tree import walk
from windowlog.errors import KitError, RecordExists, RecordNotFound

if TYPE_CHECKING:
    from file_sink.layout import Places
    from file_sink.tree import ExchangingTree

# How long a reader may take to list the published folder. It lists by names, one folder after the
# other, and passes over those that have gone (DuckDB 1.5, pyarrow 26): were the folder that it is
# in emptied under it, or exchanged a second time, it would miss rows, and not know. DuckDB lists
# 100,000 folders in 3 s.
LISTING_S = 60.0
_DEBRIS = ".debris"


class Sweeping:
    """Sweeps for one run of one sink, in the thread whose tree this is."""

    def __init__(self, tree: ExchangingTree, places: Places, layout: str) -> None:
        self._tree = tree
        self._places = places
        self._layout = layout

    def there(self) -> list[str]:
        """The roll-ups that anybody has begun, or finished."""
        return [entry.name for entry in self._tree.list(self._places.rolled())]

    def sweep(self, names: Iterable[str]) -> None:
        """Remove these, but for what readers may still be listing. By a rename first: who still
        builds one, or is about to switch, finds nothing under its name any more, and what is
        removed is never seen by a reader."""
        places = [self._set_aside(name) for name in names]
        debris = [place for place in places if not self._rest_s(place)]
        if not debris or not self._is_durable():
            return
        for place in debris:
            inner = [paths.join(place, entry.name) for entry in self._tree.list(place)]
            if all(map(self.bring_over, inner)):
                self._tree.remove(place)

    def rest_s(self) -> float:
        """How long readers may still be listing the folder before; 0 if nobody can be."""
        return max((self._rest_s(self._places.rolled(name)) for name in self.there()), default=0.0)

    def _rest_s(self, place: str) -> float:
        shown = any(entry.name not in (TWIN, VOID) for entry in self._tree.list(place))
        age_s = self._tree.age_s(place)
        # What comes from a time far ahead, tells of a clock that was moved.
        if not shown or age_s is None or not -LISTING_S < age_s < LISTING_S:
            return 0.0
        return LISTING_S - max(age_s, 0.0)

    def _set_aside(self, name: str) -> str:
        place = self._places.rolled(name)
        if name.endswith(_DEBRIS):
            return place
        with suppress(RecordNotFound, RecordExists):
            self._tree.rename(place, f"{place}{_DEBRIS}")
        return f"{place}{_DEBRIS}"

    def _is_durable(self) -> bool:
        """Who switched one of them may have died before that was durable: a power cut would then
        bring back the folder that is removed here, and nothing in it. What cannot be synced, stays
        for a later sweep."""
        try:
            self._tree.sync(paths.parent(self._places.path) or "/")
            self._tree.sync(self._places.rolled())
        except KitError:
            return False
        return True

    def bring_over(self, folder: str) -> bool:
        """Foreign files that came in the very moment of the switch, from a folder that readers no
        longer see into the one that they do. False if one had to stay: its name is taken, or it
        cannot be moved."""
        try:
            return self._bring_over(folder)
        except KitError:
            return False

    def _bring_over(self, folder: str) -> bool:
        foreign = [
            path
            for path, _ in walk(self._tree, folder)
            if published_file(self._layout, path) is None
        ]
        if not foreign or self._tree.kind(self._places.path) != "folder":
            return not foreign
        moved, stayed = [], False
        for path in foreign:
            target = paths.join(self._places.path, path)
            try:
                self._tree.make(paths.parent(target), durable=False)
                self._tree.rename(paths.join(folder, path), target)
                moved.append(path)
            except RecordExists:
                stayed = True
            except RecordNotFound:
                continue  # another driver has moved it
        for below in paths.folders(moved):
            self._tree.sync(paths.join(self._places.path, below))
        return not stayed
