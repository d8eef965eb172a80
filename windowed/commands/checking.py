"""What `verify` looks at: every kept record, the chain of digests, notes, memories, and the ledgers
against the log. Reads only."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from windowed.commands.checking_sides import differences
from windowed.commands.skip import amount_named
from windowed.recovery import TABLE
from windowlog import codec, memory, naming
from windowlog.errors import KitError

if TYPE_CHECKING:
    from windowed.commands.opened import Opened
    from windowed.facts import SinkFacts
    from windowlog.contracts import Storage
    from windowlog.window import Window


PLURALS = {
    "header": "headers",
    "mark": "marks",
    "skip": "skips",
    "adoption": "adoptions",
    memory.KIND: "memories",
}


@dataclass
class Report:
    """`findings` say what is wrong; `checked` counts what was looked at, by kind."""

    findings: list[str] = field(default_factory=list)
    checked: Counter[str] = field(default_factory=Counter)
    windows: dict[int, Window] = field(default_factory=dict)

    def check(self, kind: str, what: str, check: Callable[[], object]) -> None:
        """Count one thing, and note what its check raises."""
        self.checked[PLURALS[kind]] += 1
        try:
            check()
        except KitError as error:
            self.findings.append(f"{what}: {error}")


def inspect(look: Opened) -> Report:
    """Look at everything."""
    report = Report()
    for row in TABLE:
        concerned = look.standing().get(row.letter)
        if concerned and row.refusal is not None:
            names = ", ".join(concerned)
            report.findings.append(f"a start is refused: {row.refusal.__name__} ({names})")
    _windows(look, report)
    _header_and_marks(look, report)
    _notes(look, report)
    _memories(look, report)
    report.findings += differences(look)
    for one in look.facts.state.checkpoints if look.facts.state is not None else ():
        report.checked["checkpoints"] += 1
        if one.problem:
            report.findings.append(f"the checkpoint of window {one.window_id} {one.problem}")
    for sink in look.facts.sinks:
        report.checked["sinks' memories"] += sink.held is not None
        report.findings += _ledger(look, report, sink)
    return report


def _windows(look: Opened, report: Report) -> None:
    log = look.facts.log
    for window_id in range(log.oldest, log.newest + 1):
        report.checked["windows"] += 1
        try:
            report.windows[window_id] = look.window(window_id)
        except KitError as error:
            report.findings.append(f"window {window_id}: {error}")
    _chain(look, report)


def _chain(look: Opened, report: Report) -> None:
    for window_id, window in report.windows.items():
        before = report.windows.get(window_id - 1)
        previous = before.digest if before is not None else None
        if window_id == look.facts.header.first:
            previous = look.facts.header.digest
        if previous is not None and window.previous != previous:
            report.findings.append(f"window {window_id} does not follow the one before it")
        if before is not None and window.planned_at < before.planned_at:
            report.findings.append(f"window {window_id} was planned before window {before.id}")


def _header_and_marks(look: Opened, report: Report) -> None:
    storage = look.parts.log.storage
    # The newest header is the log's own, and read already; older ones are debris of earlier logs.
    report.checked[PLURALS["header"]] += look.facts.header.exists
    _decode_all(storage.within(naming.MARKS), "mark", report, floor=0)


def _decode_all(storage: Storage, kind: str, report: Report, *, floor: int) -> None:
    for number, attempts in naming.attempts(storage.list()).items():
        for attempt in attempts if number >= floor else ():
            name = naming.numbered(number, attempt)
            report.check(kind, f"{kind} {name}", partial(_unframe, storage, name, kind, number))


def _unframe(storage: Storage, name: str, kind: str, number: int) -> None:
    codec.unframe(storage.read(name), kind=kind, record_id=number, name=name)


def _notes(look: Opened, report: Report) -> None:
    storage, mark = look.parts.log.storage, look.facts.log.mark
    for folder, kind in ((naming.SKIPS, "skip"), (naming.ADOPTIONS, "adoption")):
        within = storage.within(folder)
        _decode_all(within, kind, report, floor=mark)
        for number, attempts in naming.attempts(within.list()).items():
            if number >= mark and attempts != list(range(1, len(attempts) + 1)):
                report.findings.append(f"{kind}s beside window {number} are not all there")
    for window in report.windows.values():
        for skip in window.skips:
            plan = window.plans.get(skip.input)
            # An input that is no longer the pipeline's may have known names for pieces of parts.
            if plan is not None and skip.input not in look.parts.inputs:
                continue
            if plan is None or amount_named(look, plan, skip.input, skip.part) is None:
                lost = f"skip {skip.number} of window {window.id}"
                report.findings.append(f"{lost} names no part of its plan: {skip.part}")


def _memories(look: Opened, report: Report) -> None:
    log, storage = look.facts.log, look.parts.log.storage.within(naming.INPUTS)
    for name in sorted(look.parts.inputs.keys() | look.facts.recorded_inputs().keys()):
        versions = storage.within(name)
        _decode_all(versions, memory.KIND, report, floor=0)
        for version in naming.attempts(versions.list()):
            if version > log.newest:
                ahead = f"input {name} remembers window {version}"
                report.findings.append(f"{ahead}, and the log ends at {log.newest}")


def _ledger(look: Opened, report: Report, sink: SinkFacts) -> Iterator[str]:
    held = sink.held
    if held is None or held.log_id != look.facts.header.log_id:
        return  # a refusal says so, or there is nothing to compare
    window = report.windows.get(held.window_id)
    if window is None:
        return
    if held.digest != window.digest:
        yield f"sink {sink.name} holds another window {window.id} than the log has"
    if held.positions and dict(held.positions) != window.positions:
        yield f"sink {sink.name} names other positions for window {window.id} than the log"
    if held.skips > len(window.skips):
        yield (
            f"sink {sink.name} held window {window.id} with {held.skips} skips, and the log has"
            f" {len(window.skips)}"
        )
