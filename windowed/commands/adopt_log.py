"""To begin a new log behind what the sinks hold, when the old one is lost.

    1  with state, its checkpoint is saved as that of the new log's empty window H+1
    2  every sink's memory moves to that window, by one compare-and-set
    3  every sink's memory is read again
    4  the new log's header is created, with first window H+2

In this order: a driver of the old log that still runs is fenced by its next hold, before the new
log exists. Interrupted between them, a start is refused as before, and the same command run again
finishes: it begins yet another log behind what the sinks hold then. H is past every number that a
sink or the folder has ever seen, so none is used twice.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING
from uuid import uuid4

from windowed import opening
from windowed.commands.adopt_state import hand_on, handed_on
from windowed.commands.opened import LOG_ROWS, NO_SESSION, Opened
from windowed.commands.proposal import Proposal, impossible
from windowed.facts import furthest, untold
from windowed.read_only import ReadOnlyMemory
from windowed.refusals import command
from windowed.wording import counted
from windowlog import naming
from windowlog.contracts import InputContext, SinkContext
from windowlog.errors import Fenced, LogUnusable
from windowlog.state_store import STATE
from windowlog.wiring import Held

if TYPE_CHECKING:
    from windowed.parts import Parts
    from windowlog.state_store import Checkpoint
    from windowlog.values import Json, Seek


@dataclass(frozen=True)
class NewLog:
    """What a new log is made of. `positions` are where the sinks stand, `starts` where inputs
    begin."""

    parts: Parts
    run_id: str
    held: Mapping[str, Held | None]
    window_id: int
    positions: Mapping[str, Json]
    starts: Mapping[str, Json]
    costs: tuple[str, ...] = ()
    checkpoint: Checkpoint | None = None

    def begin(self) -> None:
        """Do it. Fenced when another driver moved a sink meanwhile."""
        log, sinks = self.parts.log, self.parts.sinks
        # A state that is handed on is not empty: the header says so, and a start looks for it.
        kept: dict[str, Json] = {STATE: "kept"} if self.checkpoint is not None else {}
        starts = {**self.starts, **kept}
        header = log.renew(self.parts.pipeline, self.run_id, self.window_id + 1, starts)
        # Before a sink moves: interrupted after that, it is looked for where the sinks are.
        hand_on(self.parts, self.checkpoint, header)
        for name, held in self.held.items():
            # A target that is yet to be made has no rows to be missed: without positions.
            stands = (held is not None and held.positions) or sinks[name].target().exists
            after = Held(
                log_id=header.log_id,
                window_id=self.window_id,
                digest=header.digest,
                run_id=self.run_id,
                identity=held.identity if held is not None else sinks[name].identity(),
                positions=self.positions if stands else {},
            )
            sinks[name].adopt(held, after)
        for name, sink in sinks.items():
            found = sink.held()
            if found is None or found.digest != header.digest:
                evidence = f"it has moved sink {name}; if a start is still refused, adopt again"
                raise Fenced(pipeline=self.parts.pipeline, evidence=evidence)
        log.create()


def adopt_log(
    parts: Parts,
    starts: Mapping[str, str],
    losing: list[str],
    words: list[str],
    *,
    empty_state: bool,
) -> Proposal:
    """A new log for the sinks of `parts`. `starts`: input -> where it begins; `losing`: sinks that
    may lack rows which others have."""
    run_id = str(uuid4())
    _check_lost(parts, run_id, words)
    for name, sink in parts.sinks.items():
        sink.open(SinkContext(parts.pipeline, name, "", run_id))
    held = {name: sink.held() for name, sink in parts.sinks.items()}
    positions = _positions(held, losing, words)
    checkpoint = None if empty_state else handed_on(parts, held, run_id, words)
    window_id = _highest(parts, held) + 1
    seeks = _seeks(parts, positions, starts, words)
    new = NewLog(
        parts=parts,
        run_id=run_id,
        held=held,
        window_id=window_id,
        positions=positions,
        starts=_starts(parts, held, seeks, words),
        costs=tuple(line for name, seek in seeks.items() for line in _costs(parts, name, seek)),
        checkpoint=checkpoint,
    )
    return Proposal(_lines(new, starts, losing), new.begin)


def _check_lost(parts: Parts, run_id: str, words: list[str]) -> None:
    try:
        look = Opened(parts, opening.open_and_gather(parts, run_id), run_id)
    except LogUnusable:
        return
    if not {*LOG_ROWS, "Z"}.isdisjoint(look.standing()):
        return
    if not look.facts.header.exists and all(sink.held is None for sink in look.facts.sinks):
        raise impossible(words, "there is no log yet, and no sink holds a window", "Run once.")
    raise impossible(words, "the log is whole, and the sinks' own: nothing is lost")


def _positions(
    held: Mapping[str, Held | None], losing: list[str], words: list[str]
) -> Mapping[str, Json]:
    """The inputs' positions after the newest window that a sink holds. Every other sink must have
    the same, or be named."""
    unknown = set(losing) - held.keys()
    if unknown:
        raise impossible(words, f"there is no sink {', '.join(sorted(unknown))}")
    positions, elsewhere = furthest(held)
    unnamed = [name for name in elsewhere if name not in losing]
    if unnamed:
        options = " ".join(f"--accept-loss {name}" for name in unnamed)
        reason = f"sink {', '.join(unnamed)} does not hold the same as the others, and never will"
        raise impossible(words, reason, f"If that is acceptable, add {options}.")
    return positions


def _highest(parts: Parts, held: Mapping[str, Held | None]) -> int:
    """The highest number that a sink or the folder has ever seen."""
    storage = parts.log.storage
    folders = [storage.within(naming.WINDOWS), storage.within(naming.MARKS)]
    folders += [storage.within(naming.INPUTS).within(name) for name in parts.inputs]
    seen = [number for folder in folders for number in naming.attempts(folder.list())]
    seen += [first - 1 for first in naming.attempts(storage.within(naming.HEADERS).list())]
    return max([0, *seen, *(memory.window_id for memory in held.values() if memory is not None)])


def _starts(
    parts: Parts, held: Mapping[str, Held | None], sought: Mapping[str, Seek], words: list[str]
) -> dict[str, Json]:
    starts: dict[str, Json] = {}
    positions, _ = furthest(held)
    known = positions or any(untold(held[n], s.target().exists) for n, s in parts.sinks.items())
    for name, source in parts.inputs.items():
        if name in sought:
            starts[name] = sought[name].end
        elif name in positions and not source.remembers:
            starts[name] = positions[name]
        elif known:
            reason = f"the sinks do not tell where input {name} stands"
            remedy = f"Add --from {name}=beginning, --from {name}=end or --from {name}=POSITION."
            raise impossible(words, reason, remedy)
    return starts


def _seeks(
    parts: Parts, positions: Mapping[str, Json], wanted: Mapping[str, str], words: list[str]
) -> dict[str, Seek]:
    """Where inputs are told to begin, and what that costs."""
    unknown = wanted.keys() - parts.inputs.keys()
    if unknown:
        raise impossible(words, f"there is no input {', '.join(sorted(unknown))}")
    seeks: dict[str, Seek] = {}
    for name, source in parts.inputs.items():
        if name in wanted:
            memory = ReadOnlyMemory(parts.log.memory(name))
            source.open(InputContext(NO_SESSION, name, memory, lambda window_id: iter(())))
            seeks[name] = source.seek(wanted[name], positions.get(name))
    return seeks


def _costs(parts: Parts, name: str, seek: Seek) -> list[str]:
    """What lies before where the input begins. The log that knew which of it was read is lost."""
    if seek.passed_over == 0:
        return []
    count = "what is there" if seek.passed_over is None else counted(seek.passed_over, "record")
    said = "passed over, not known to what is left of the log: read before, or never"
    lines = [f"input {name}: {count} {said}"]
    if parts.inputs[name].remembers:
        again = command(parts, "reset", name, "--to", "PATH@beginning")
        lines.append(f"if a file among it was never read, say afterwards, for each: {again}")
    return lines


def _lines(new: NewLog, wanted: Mapping[str, str], losing: list[str]) -> list[str]:
    parts = new.parts
    lines = [f"a new log begins at window {new.window_id + 1}, in {parts.log.describe()}"]
    for name, held in new.held.items():
        before = "nothing remembered" if held is None else f"window {held.window_id}"
        lines.append(f"sink {name}: {before} becomes window {new.window_id}, of the new log")
        if name in losing:
            lines.append(f"sink {name} never gets what it lacks now and other sinks hold")
    for name in parts.inputs:
        place = f"at its {wanted[name]}" if name in wanted else "where the sinks stand"
        lines.append(f"input {name} goes on {place}")
    if parts.store is not None:
        kept = "empty"
        if new.checkpoint is not None:
            kept = f"what it was after window {new.checkpoint.window_id}, handed on"
            if any(place == "beginning" for place in wanted.values()):
                kept += "; what is read again comes to it once more (--empty-state: it begins anew)"
        lines.append(f"the state after window {new.window_id} is {kept}")
    lines += new.costs
    gone = sorted(new.positions.keys() - parts.inputs.keys())
    return lines + [f"input {name}, which the sinks know, is left out" for name in gone]
