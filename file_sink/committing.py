"""What is held becomes visible, in the order of moves; and files are joined once all of it is."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

from file_sink.manifests import Manifest, Staged
from windowlog.errors import Fenced

if TYPE_CHECKING:
    from file_sink.manifests import Manifests, Rolled
    from file_sink.publishing import Publishing
    from file_sink.rolling import Rolling
    from file_sink.rollup import Look
    from file_sink.staging import Staging

Moves: TypeAlias = "Callable[[], tuple[Manifest, list[Manifest]] | None]"
Proposed: TypeAlias = tuple[list[str], Callable[[], None] | None]

# A driver that is at work holds and publishes all the time; in between there is a moment for a
# roll-up.
_ATTEMPTS = 100
_PAUSE_S = 0.05


class Committing:
    """For one run of one sink. `moves` reads the manifests; `rolling` is None where folders cannot
    be exchanged."""

    def __init__(
        self,
        sink: str,
        manifests: Manifests,
        moves: Moves,
        publishing: Publishing,
        staging: Staging,
        rolling: Rolling | None,
    ) -> None:
        self._sink = sink
        self._manifests = manifests
        self._moves = moves
        self._publishing = publishing
        self._staging = staging
        self._rolling = rolling
        self._swept = False

    def committed(self, window_id: int) -> None:
        """Publish every move up to this window; then join files, if a roll-up is ready."""
        newest = self._publish(window_id)
        if self._rolling is None:
            return
        if newest is None:
            return
        rolled = self._rolling.take_built()
        if rolled is not None:
            self._roll(newest, rolled)
            self._rolling.tell_unswitched()
        # Only where everything is settled: it sweeps.
        self._rolling.go_on(window_id)

    def _publish(self, window_id: int) -> Manifest | None:
        """The newest manifest, if everything that is held is published now, durably."""
        debris = [] if self._swept or self._rolling is None else self._rolling.there()
        moves = self._moves()
        if moves is None:
            return None
        newest, unpublished = moves
        # At a start, what a dead driver did not come to remove goes as well.
        published = 0 if self._swept else self._manifests.mark()
        waiting: list[Manifest] = []
        for manifest in unpublished:
            # A roll-up waits for nothing but what was held before it.
            if waiting or (manifest.rolled is None and manifest.held.window_id > window_id):
                waiting.append(manifest)
                continue
            self._show(manifest)
            published = manifest.number
        if published:
            self._manifests.published(published)
        self._swept = True
        # What can never be held any more, but for what is held and not yet published.
        kept = {move.staged.folder for move in waiting}
        self._staging.sweep(newest.held.window_id + 1, kept)
        if self._rolling is not None:
            self._rolling.sweep(debris, unpublished)
        return None if waiting else newest

    def _show(self, manifest: Manifest) -> None:
        if manifest.rolled is None:
            self._publishing.publish(manifest)
            if self._rolling is not None and manifest.staged.folder:
                self._rolling.since += 1
            return
        assert self._rolling is not None, "it was rolled up here"
        self._rolling.settle(manifest)

    def _roll(self, newest: Manifest, rolled: Rolled) -> bool:
        """Let a twin be the next move, and switch. False if another driver was faster."""
        moved = replace(newest, number=0, sink=self._sink, staged=Staged(), rolled=rolled)
        try:
            self._manifests.move(newest, moved)
        except Fenced:
            return False
        self._publish(newest.held.window_id)
        return True

    def _unpublished(self) -> list[Manifest]:
        moves = self._moves()
        return moves[1] if moves is not None else []

    def propose(self) -> Proposed:
        """What a roll-up would do, in words, and what does it; None if there is nothing to join.
        RollUpRefused."""
        moves = self._moves()
        if moves is None or self._sink not in moves[0].memories:
            return ["nothing is published yet"], None
        assert self._rolling is not None, "the sink has refused"
        newest, unpublished = moves
        held = [move.held.window_id - 1 for move in unpublished if move.rolled is None]
        up_to = min([newest.held.window_id, *held])
        look = self._rolling.look(up_to)
        if not look.joins:
            return ["there are no small files to be joined", *look.left_lines()], None
        lines = look.lines()
        if rest_s := self._rolling.rest_s():
            lines.append(
                "the last roll-up was just now, and readers may still be listing the folder before:"
                f" this one begins in {math.ceil(rest_s)} s"
            )
        return lines, partial(self._roll_up, self._rolling, look, up_to)

    def _roll_up(self, rolling: Rolling, look: Look, up_to: int) -> None:
        if any(move.rolled is not None for move in self._unpublished()):
            # What a dead driver has begun is settled before anything is swept.
            self._publish(0)
            look = rolling.look(up_to)
            if not look.joins:
                return
        rolling.rest()
        built = rolling.begin(look, up_to, self._unpublished())
        if built.failure is not None:
            rolling.tell(built.failure)
        for _ in range(_ATTEMPTS):
            # Windows are for drivers to publish, which know whether every sink holds them.
            newest = self._publish(0)
            if newest is None:
                time.sleep(_PAUSE_S)
                continue
            rolled = rolling.complete(built)
            if rolled is None or (self._roll(newest, rolled) and not rolling.is_switched(rolled)):
                raise rolling.unswitched()
            if rolling.is_switched(rolled):
                return
        raise rolling.refused(
            "windows are held that are not published",
            "Start the pipeline, which publishes them; and say it again.",
        )
