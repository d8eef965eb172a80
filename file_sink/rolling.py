"""When files are rolled up: by a person's command, or in a run, once there are many small ones.

In a run the slow part is done by a thread beside it. What is left for the run itself, once all that
is held is published: to add what was published since, the manifest, and the switch.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import TYPE_CHECKING
from uuid import uuid4

from file_sink import paths
from file_sink.errors import NotRolledUp, RollUpRefused
from file_sink.rollup import Built, Look, RollUp
from file_sink.sweeping import Sweeping
from file_sink.switching import Switching
from windowlog.errors import KitError, RecordExists, RecordNotFound
from windowlog.naming import staged_name
from windowlog.warned import warn

if TYPE_CHECKING:
    from file_sink.layout import Places
    from file_sink.manifests import Manifest, Rolled
    from file_sink.settings import Settings
    from file_sink.tree import ExchangingTree
    from windowlog.contracts import SinkContext

_AGAIN = "Say it again."


class Stopped(Exception):
    """The run is over; what was begun is debris."""


class Rolling:
    """Roll-ups of one run of one sink. `is_past` as in Switching."""

    def __init__(
        self,
        tree: ExchangingTree,
        places: Places,
        settings: Settings,
        who: SinkContext,
        is_past: Callable[[int], bool],
    ) -> None:
        self._tree = tree
        self._places = places
        self._every = settings.rollup
        self._run_id = who.run_id
        # For what the thread does: its failures end no window, not even a failed sync.
        self._apart = tree.apart()
        self._rollup = RollUp(self._apart, places, settings, who.sink, who.run_id)
        self._sweeping = Sweeping(tree, places, settings.layout)
        self._sweeping_apart = Sweeping(self._apart, places, settings.layout)
        self._switching = Switching(tree, places, self._sweeping.bring_over, is_past)
        # Windows published since the last look. What a run before has left counts as well: the
        # first look is at once.
        self.since = settings.rollup or 0
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None
        self._built: Built | None = None
        self._own = ""
        self._failure: Exception | None = None
        self._sink = who.sink
        self._told = False

    def look(self, up_to: int) -> Look:
        """What there is to join, up to this window. RollUpRefused."""
        return self._rollup.look(up_to, self._check)

    def begin(self, look: Look, up_to: int, unsettled: Iterable[Manifest] = ()) -> Built:
        """Sweep, but for what an unsettled manifest names, and build the twin; in this thread.
        RollUpRefused where the file system cannot."""
        self._own = ""
        sweeping = self._sweeping_apart
        sweeping.sweep(sorted(set(sweeping.there()) - _named(unsettled)))
        if sweeping.rest_s():
            raise self.refused("readers may still be listing the folder before", _AGAIN)
        self._own = self._rollup.name(up_to)
        try:
            self._probe(self._apart, up_to)
            return self._rollup.build(look, self._own, self._check)
        except (RecordNotFound, RecordExists) as changed:
            raise self.refused("files came or went meanwhile", _AGAIN) from changed

    def rest_s(self) -> float:
        """How long a roll-up has to wait for readers that may still list the folder before."""
        return self._sweeping_apart.rest_s()

    def rest(self) -> None:
        """Wait for them."""
        while rest_s := self.rest_s():
            time.sleep(rest_s)

    def complete(self, built: Built) -> Rolled | None:
        """As RollUp does: only while everything that is held is published."""
        try:
            rolled = self._rollup.complete(built)
        except (RecordNotFound, RecordExists):
            return None
        if rolled is not None:
            self._switching.own.add(rolled.folder)
        return rolled

    def take_built(self) -> Rolled | None:
        """What the thread has built, complete; None if there is nothing yet."""
        if self._thread is None or self._thread.is_alive():
            return None
        self._thread = None
        built, self._built = self._built, None
        failure, self._failure = self._failure, None
        rolled = None
        try:
            if built is not None:
                failure = failure or built.failure
                rolled = self.complete(built)
        except KitError as error:
            # It hinders no window: the twin is debris. (After a failed sync the next step says so.)
            failure = error
        if failure is not None:
            self.tell(failure)
        return rolled

    def tell(self, failure: Exception) -> None:
        """Why files are not joined, once in a run: for ever, perhaps."""
        if self._told or isinstance(failure.__cause__, RecordNotFound | RecordExists):
            return  # the latter pass
        self._told = True
        reason = str(failure).partition("\n")[0] or "no reason given"
        text = (
            f"files of sink {self._sink} are not rolled up; no window and no row is missing, and it"
            f" is tried again later. {type(failure).__name__}: {reason}"
        )
        warn(NotRolledUp(text))

    def settle(self, manifest: Manifest) -> None:
        """Switch, or make sure that nobody ever does."""
        self._switching.settle(manifest)

    def go_on(self, up_to: int) -> None:
        """In a run, where all windows up to `up_to` are published: begin a roll-up beside it, when
        it is time."""
        if self._every is None or self._thread is not None or self.since < self._every:
            return
        self.since = 0
        self._thread = threading.Thread(
            target=self._work, args=(up_to,), name="roll-up", daemon=True
        )
        self._thread.start()

    def _work(self, up_to: int) -> None:
        try:
            if self.rest_s():
                return  # asked first: a look reads the footer of every small file
            look = self.look(up_to)
            if look.windows >= (self._every or 0) and look.joins:
                self._built = self.begin(look, up_to)
        except Stopped:
            return
        except Exception as error:  # noqa: BLE001 (of pyarrow, or no memory)
            # It hinders no window: what was begun is debris, and it is tried again after as many
            # windows.
            self._failure = error

    def _check(self) -> None:
        if self._stop.is_set():
            raise Stopped

    def probe(self, up_to: int) -> None:
        """RollUpRefused where the published folder cannot be exchanged."""
        self._probe(self._tree, up_to)

    def _probe(self, tree: ExchangingTree, up_to: int) -> None:
        scratch = self._places.staged(staged_name(up_to + 1, self._run_id, uuid4().hex))
        tree.make(scratch, durable=False)
        try:
            reason = tree.cannot_exchange(self._places.path, scratch)
        finally:
            tree.remove(scratch)
        if reason is not None:
            raise self.refused(
                f"its folder cannot be exchanged with another one in one step ({reason})",
                "Name a folder on ext4, XFS or Btrfs of Linux, in a folder in which this user may"
                " write; or do without roll-ups.",
            )

    def refused(self, reason: str, remedy: str) -> RollUpRefused:
        """The error for a roll-up that cannot be."""
        return self._rollup.refused(reason, remedy)

    def tell_unswitched(self) -> None:
        """Why the switch just settled did not come to be, if it was a fault."""
        if self._switching.failure is not None:
            self.tell(self._switching.failure)

    def unswitched(self) -> RollUpRefused:
        """The error for a roll-up that was begun, and that readers do not have."""
        failure = self._switching.failure
        if failure is None:
            return self.refused("files came or went meanwhile", _AGAIN)
        reason = str(failure).partition("\n")[0]
        return self.refused(
            f"its folder could not be exchanged ({reason})", f"Put that in order. {_AGAIN}"
        )

    def is_switched(self, rolled: Rolled) -> bool:
        """Do readers have the twin?"""
        return self._tree.kind(paths.join(self._places.path, rolled.files[0].name)) is not None

    def there(self) -> list[str]:
        """The roll-ups of which something is there."""
        return self._sweeping.there()

    def sweep(self, names: Iterable[str], unsettled: Iterable[Manifest] = ()) -> None:
        """Remove these, but for what an unsettled manifest names."""
        self._sweeping.sweep(sorted(set(names) - _named(unsettled) - {self._own}))

    def close(self) -> None:
        """Abandon what is unfinished."""
        self._stop.set()
        if self._thread is not None:
            self._thread.join()
            self._thread = None
        if self._own and self._own not in self._switching.own:
            unfinished, self._own = self._own, ""
            with suppress(KitError):
                self.sweep([unfinished])
        self._built = None
        self._apart.close()


def _named(manifests: Iterable[Manifest]) -> set[str]:
    return {manifest.rolled.folder for manifest in manifests if manifest.rolled is not None}
