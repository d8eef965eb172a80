"""After a kill, before the restart: the sink holds exactly the plans first … H, and what is visible
of them is whole. Uses nothing of the kit.

Plans are read as a person would: the record's first line is dropped, the rest is JSON. Words are
counted with a regular expression over bytes. The database is asked in a process of its own: a
killed driver's lock must be gone by itself.
"""

from __future__ import annotations

import json
import os
import re
import shutil
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from tests.kill.world import World

WORD = re.compile(rb"[A-Za-z0-9_]+")


class Violation(AssertionError):
    """A promise is broken."""


@dataclass
class Checker:
    """Remembers what was checked, so that each plan is counted once."""

    world: World
    held: int = 0
    windows: dict[int, Counter[str]] = field(default_factory=dict)
    read: dict[int, int] = field(default_factory=dict)
    complete: bool = True

    def check(self) -> tuple[int, int]:
        """(H, L): what the sink holds, what the log has. Raises Violation."""
        newest = self._archive()
        held, shown, found = self._ask()
        if not self.held <= held <= newest <= held + 1:
            raise Violation(f"held {self.held} before, {held} now, log at {newest}")
        for window_id in range(self.held + 1, held + 1):
            self._count(window_id)
        self.held = held
        expected = self.world.variant.expected(self.windows)
        least = {window_id: self.windows[window_id] for window_id in range(1, shown + 1)}
        self.complete = found == expected
        if not self.complete and not self._between(found, least, expected):
            rows = [row for row in found | expected if found[row] != expected[row]]
            wrong = {row: (found[row], expected[row]) for row in rows}
            raise Violation(f"window {held}: row -> how often in (sink, plans): {wrong}")
        return held, newest

    def _between(
        self, found: Counter[Any], least: dict[int, Counter[str]], expected: Counter[Any]
    ) -> bool:
        """What is held and not told yet may be visible or not; a part of it only where the variant
        says so."""
        visible = self.world.variant.expected(least)
        return found == visible or (self.world.variant.partly and visible <= found <= expected)

    def finished(self) -> None:
        """After a run that drained: every byte was read, once, and everything is visible."""
        if not self.complete:
            raise Violation(f"window {self.held} is held, and a run to the end left it unpublished")
        for inode, data in self.world.written.items():
            if self.read.get(inode, 0) != len(data):
                raise Violation(f"inode {inode}: read up to {self.read.get(inode)} of {len(data)}")

    def _archive(self) -> int:
        """Copy plans that the child did not live to archive; a plan that changed is a violation."""
        for record in sorted(self.world.plans.glob("[0-9]*.json")):
            kept = self.world.archive / record.name
            if kept.exists() and kept.read_bytes() != record.read_bytes():
                raise Violation(f"plan {record.name} changed")
            shutil.copyfile(record, kept)
        names = [record.name for record in self.world.archive.glob("*.json")]
        return max((int(name.split(".")[0]) for name in names), default=0)

    def _count(self, window_id: int) -> None:
        attempts = sorted(self.world.archive.glob(f"{window_id:012d}*.json"))
        if len(attempts) != 1:
            raise Violation(f"window {window_id} has {len(attempts)} plans")
        counts = self.windows[window_id] = Counter()
        body = json.loads(attempts[0].read_bytes().split(b"\n", 1)[1])
        for part in body["plans"]["lines"]["parts"]:
            inode, start, end = int(part["file"].split("-")[1]), part["start"], part["end"]
            before = self.read.get(inode, 0)
            if start != before or not start < end <= len(self.world.written[inode]):
                raise Violation(f"window {window_id}: [{start}, {end}) after {before}")
            self.read[inode] = end
            for word in WORD.findall(bytes(self.world.written[inode][start:end])):
                counts[word.decode().lower()] += 1

    def _ask(self) -> tuple[int, int, Counter[tuple[Any, ...]]]:
        held, shown, rows = in_child(lambda: self.world.variant.ask(self.world.root))
        return held, shown, Counter(map(tuple, rows))


def in_child(question: Any) -> Any:
    """Ask in a forked process, which may hold files and threads that this one must not have."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        status = 1
        try:
            with os.fdopen(writer, "w") as stream:
                json.dump(question(), stream)
            status = 0
        finally:
            os._exit(status)
    os.close(writer)
    with os.fdopen(reader) as stream:
        text = stream.read()
    _, status = os.waitpid(child, 0)
    if status != 0:
        raise Violation(f"the sink could not be asked after the kill (status {status})")
    return json.loads(text)
