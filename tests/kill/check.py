"""After a kill, before the restart: the sink holds exactly the plans first … H, and what is visible
of them is whole. Uses nothing of the kit.

Plans are read as a person would: the record's first line is dropped, the rest is JSON. What they
cover comes from the source's own copy, or by a client of its own. The database is asked in a
process of its own: a killed driver's lock must be gone by itself.
"""

from __future__ import annotations

import json
import os
import shutil
import traceback
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.kill.moments import BETWEEN_PLAN_AND_HOLD
from tests.kill.source import Violation
from tests.kill.world import World


@dataclass
class Checker:
    """Remembers what was checked, so that each plan is counted once."""

    world: World
    held: int = 0
    windows: dict[int, Counter[str]] = field(default_factory=dict)
    read: dict[str, int] = field(default_factory=dict)
    complete: bool = True

    def check(self) -> tuple[int, int]:
        """(H, L): what the sink holds, what the log has. Raises Violation."""
        self.world.variant.fetch(self.world.root)
        newest = self._archive()
        held, shown, found = self._ask()
        if not self.held <= held <= newest <= held + 1:
            raise Violation(f"held {self.held} before, {held} now, log at {newest}")
        if newest:
            self.world.source.logged()
        ends = self.world.source.ends() if held > self.held else {}
        for window_id in range(self.held + 1, held + 1):
            self._count(window_id, ends)
        self.held = held
        expected = self.world.variant.expected(self.windows)
        least = {window_id: self.windows[window_id] for window_id in range(1, shown + 1)}
        self.complete = found == expected
        if not self.complete and not self._between(found, least, expected):
            rows = [row for row in found | expected if found[row] != expected[row]]
            wrong = {row: (found[row], expected[row]) for row in rows}
            raise Violation(f"window {held}: row -> how often in (sink, plans): {wrong}")
        self.world.variant.inspect(self.world.root, held)
        self.world.source.inspect(self.read)
        return held, newest

    def check_killed_at(self, moment: str) -> tuple[int, int]:
        """`check`, after a kill at a named moment: a plan is logged before it is read. Without it
        the same rows may be read once more in another window, and no count would tell."""
        held, newest = self.check()
        if moment in BETWEEN_PLAN_AND_HOLD and newest == held:
            raise Violation(f"killed at '{moment}' of window {held + 1}, and the log has {newest}")
        return held, newest

    def _between(
        self, found: Counter[Any], least: dict[int, Counter[str]], expected: Counter[Any]
    ) -> bool:
        """What is held and not told yet may be visible or not; a part of it only where the variant
        says so."""
        visible = self.world.variant.expected(least)
        return found == visible or (self.world.variant.partly and visible <= found <= expected)

    def finished(self) -> None:
        """After a run that drained: everything was read, once, and everything is visible."""
        if not self.complete:
            raise Violation(f"window {self.held} is held, and a run to the end left it unpublished")
        for place, end in self.world.source.least().items():
            if self._read(place) < end:
                raise Violation(f"{place}: read up to {self._read(place)} of {end}")
        self.world.variant.finished(self.world.root)

    def forget(self, left: Path) -> None:
        """A side of the log is lost: plans that are not in the folder that is left never count.
        What the sink holds must be there."""
        newest = max((_number(record) for record in left.glob("[0-9]*.json")), default=0)
        if newest < self.held:
            raise Violation(
                f"the sink holds window {self.held}, and the side that is left ends at {newest}"
            )
        for record in self.world.archive.glob("[0-9]*.json"):
            if _number(record) > newest:
                record.unlink()

    def _archive(self) -> int:
        """Copy plans that the child did not live to archive; a plan that changed is a violation."""
        for folder in self.world.variant.plan_folders(self.world.root):
            for record in sorted(folder.glob("[0-9]*.json")):
                kept = self.world.archive / record.name
                if kept.exists() and kept.read_bytes() != record.read_bytes():
                    raise Violation(f"plan {record.name} changed")
                shutil.copyfile(record, kept)
        return max((_number(record) for record in self.world.archive.glob("*.json")), default=0)

    def _count(self, window_id: int, ends: Mapping[str, int]) -> None:
        attempts = sorted(self.world.archive.glob(f"{window_id:012d}*.json"))
        if len(attempts) != 1:
            raise Violation(f"window {window_id} has {len(attempts)} plans")
        counts = self.windows[window_id] = Counter()
        body = json.loads(attempts[0].read_bytes().split(b"\n", 1)[1])
        for part in body["plans"]["lines"]["parts"]:
            piece = self.world.source.piece(part)
            before, end = self._read(piece.place), ends.get(piece.place, 0)
            if piece.start != before or not piece.start < piece.end <= end:
                told = f"[{piece.start}, {piece.end}) of {end} after {before}"
                raise Violation(f"window {window_id}: {piece.place}: {told}")
            self.read[piece.place] = piece.end
            counts.update(self.world.source.words(piece))

    def _read(self, place: str) -> int:
        """Up to where."""
        return self.read.get(place, self.world.source.start(place))

    def _ask(self) -> tuple[int, int, Counter[tuple[Any, ...]]]:
        held, shown, rows = in_child(lambda: self.world.variant.ask(self.world.root))
        return held, shown, Counter(map(tuple, rows))


def _number(record: Path) -> int:
    return int(record.name.split(".")[0])


def in_child(question: Any) -> Any:
    """Ask in a forked process, which may hold files and threads that this one must not have."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        status = 1
        try:
            with os.fdopen(writer, "w") as stream:
                try:
                    json.dump(question(), stream)
                    status = 0
                except BaseException:  # noqa: BLE001 (a forked child must never return)
                    stream.write(traceback.format_exc())
        finally:
            os._exit(status)
    os.close(writer)
    with os.fdopen(reader) as stream:
        text = stream.read()
    _, status = os.waitpid(child, 0)
    if status != 0:
        raise Violation(f"the sink could not be asked after the kill (status {status}): {text}")
    return json.loads(text)
