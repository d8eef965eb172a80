"""To say from which window on a sink belongs to this log. One compare-and-set of its memory: a
driver that moves the sink meanwhile makes it fail, or is fenced by it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from windowed.commands.opened import LOG_ROWS
from windowed.commands.proposal import Proposal, impossible, windows_text
from windowed.refusals import go_on
from windowed.told import free_from, place_of
from windowlog.wiring import Held

if TYPE_CHECKING:
    from windowed.commands.opened import Opened
    from windowed.facts import SinkFacts
    from windowlog.window import Window

# The rows that are answered by saying from where on.
SINK_ROWS = "TUVSWD"


def adopt_sink(look: Opened, name: str, where: str, words: list[str]) -> Proposal:
    """Sink `name` holds everything before window `where` (now, oldest or a number), and goes on
    with it."""
    sink = next(sink for sink in look.facts.sinks if sink.name == name)
    first = _first_window(look, where, words)
    after = _held_before(look, sink, first)
    if sink.held is not None and replace(sink.held, run_id=look.run_id) == after:
        return Proposal([f"sink {name} goes on with window {first} already"], None)
    _check_asked(look, name, words)
    _check_free(look, name, first, words)
    for window_id in range(first, look.facts.log.newest + 1):
        _check_inputs(look, look.window(window_id), words)
    lines = [f"sink {name}: {position_text(sink.held)} becomes {position_text(after)}"]
    lines += _consequences(look, sink, first)
    return Proposal(lines, lambda: look.parts.sinks[name].adopt(sink.held, after))


def _check_asked(look: Opened, name: str, words: list[str]) -> None:
    standing = look.standing()
    if not LOG_ROWS.isdisjoint(standing):
        remedy = "Restore it, or begin a new one with `adopt --log`."
        raise impossible(words, "the log is not whole, or not this sink's", remedy)
    if not any(name in standing.get(row, ()) for row in SINK_ROWS):
        reason = f"a start does not refuse sink {name}, and moving it would lose or double records"
        raise impossible(words, reason)


def _check_free(look: Opened, name: str, first: int, words: list[str]) -> None:
    """What readers have already is not written again."""
    free, newest = free_from(look.parts, name), look.facts.log.newest
    if first >= free:
        return
    target = place_of(look.parts, name).target
    remedy = "Name another place for the sink, or move away what is there."
    if free <= newest + 1:
        on = go_on(look.parts, look.facts, name, free)
        remedy = f"Let the sink go on after them (`{on}`), or move away what is to come again."
    raise impossible(words, f"windows up to {free - 1} are in {target}", remedy)


def _first_window(look: Opened, where: str, words: list[str]) -> int:
    oldest, after = look.facts.oldest_begin, look.facts.log.newest + 1
    named = {"now": after, "oldest": oldest}
    first = named.get(where, int(where) if where.isdecimal() else -1)
    if not oldest <= first <= after:
        allowed = f"now, oldest, or a window from {oldest} to {after}"
        if look.facts.log.oldest <= first < oldest:
            allowed += ": before those the state is not known any more"
        raise impossible(words, f"a sink cannot go on with window {where!r}", f"Say {allowed}.")
    return first


def _held_before(look: Opened, sink: SinkFacts, first: int) -> Held:
    """The memory of a sink whose next window is `first`. Without positions while its target is yet
    to be made: a target that has them and is gone is refused."""
    header, before = look.facts.header, first - 1
    window = look.window(before) if before >= look.facts.log.oldest else None
    known = window if window is not None and sink.target.exists else None
    return Held(
        log_id=header.log_id,
        window_id=before,
        digest=digest_of(look, before),
        run_id=look.run_id,
        identity=sink.identity,
        positions=known.positions if known else {},
        skips=len(known.skips) if known else 0,
    )


def digest_of(look: Opened, window_id: int) -> str:
    """The digest of a window that is kept, or is the one before the oldest."""
    if window_id < look.facts.header.first:
        return look.facts.header.digest
    if window_id >= look.facts.log.oldest:
        return look.window(window_id).digest
    return look.window(window_id + 1).previous


def position_text(held: Held | None) -> str:
    """Where a sink stands, in words."""
    if held is None:
        return "nothing remembered"
    return f"window {held.window_id} ({held.identity.target}, {held.identity.mode})"


def _consequences(look: Opened, sink: SinkFacts, first: int) -> Iterator[str]:
    log, held = look.facts.log, sink.held
    if held is not None and first > held.window_id + 1:
        yield f"never written to it: {windows_text(held.window_id + 1, first - 1)}"
    if first <= log.newest:
        again = ": what it has of them already will be there twice"
        twice = again if _may_have(sink, first) else ""
        yield f"the next run writes {windows_text(first, log.newest)} to it{twice}"
    if not sink.target.exists and first > look.facts.header.first:
        yield f"its target is not there: what was in the windows before {first} is not in it"


def _may_have(sink: SinkFacts, first: int) -> bool:
    """May the target have rows of window `first` and later? Not if its ledger row ends before."""
    held = sink.held
    behind = held is not None and held.window_id < first and held.identity == sink.identity
    return sink.target.exists and not behind


def _check_inputs(look: Opened, window: Window, words: list[str]) -> None:
    gone = sorted(n for n, p in window.plans.items() if p.parts and n not in look.parts.inputs)
    if gone:
        reason = f"window {window.id} has rows of input {', '.join(gone)}, which is gone"
        raise impossible(words, reason, "Put it back until the sink has caught up.")
