"""A sink under a new name goes on where the old one stands."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from windowed.commands.adopt_sink import digest_of, position_text
from windowed.commands.opened import LOG_ROWS
from windowed.commands.proposal import Proposal, impossible
from windowed.facts import retired
from windowlog.contracts import SinkContext
from windowlog.errors import RecordNotFound

if TYPE_CHECKING:
    from windowed.commands.opened import Opened
    from windowlog.wiring import Held


def rename_sink(look: Opened, name: str, old: str, words: list[str]) -> Proposal:
    """Sink `name` goes on where `old` stands. The old memory is moved out of the way first: a
    driver that still runs under the old name is fenced, and cannot write to the same target."""
    sink = next(sink for sink in look.facts.sinks if sink.name == name)
    if old in look.parts.sinks:
        raise impossible(words, f"sink {old} is still in the pipeline: both would write")
    found = _held_as(look, name, old) if old in sink.target.other_sinks else None
    if found is None:
        raise impossible(words, f"no sink {old} of this log has filled {sink.identity.target}")
    digest = _digest_of(look, found, words)
    moved = replace(found, digest=retired(digest, name))
    if found.digest not in (digest, moved.digest):
        raise impossible(words, f"sink {old} was renamed to another one")
    after = replace(found, digest=digest, run_id=look.run_id)
    if sink.held is not None and replace(sink.held, run_id=look.run_id) == after:
        return Proposal([f"sink {name} stands where {old} stood already"], None)
    _check_asked(look, name, old, sink.held, words)

    def apply() -> None:
        """The old row first: a driver that still uses it is fenced from then on."""
        _open_as(look, name, old)
        look.parts.sinks[name].adopt(found, moved)
        _open_as(look, name, name)
        look.parts.sinks[name].adopt(sink.held, after)

    return Proposal([f"sink {name} goes on where {old} stands: {position_text(after)}"], apply)


def _check_asked(look: Opened, name: str, old: str, held: Held | None, words: list[str]) -> None:
    """The sink is new, or was itself renamed to `old` before: its row is then a retired one."""
    rows = {row: names for row, names in look.standing().items() if row in LOG_ROWS}
    sink = next(sink for sink in look.facts.sinks if sink.name == name)
    if look.facts.overtaken(sink) and not rows:
        return  # its row was left behind so long ago that the log does not know its window
    back = held is not None and held.digest == retired(_digest_of(look, held, words), old)
    if rows not in ({}, {"C": (name,)} if back else {}):
        raise impossible(words, "the log is not whole, or not this sink's", "See `show`.")
    if held is not None and not back:
        raise impossible(words, f"sink {name} has a position of its own")


def _digest_of(look: Opened, held: Held, words: list[str]) -> str:
    try:
        return digest_of(look, held.window_id)
    except RecordNotFound:
        reason = f"the log does not keep window {held.window_id}"
        raise impossible(words, reason, "Say from where on with --from.") from None


def _held_as(look: Opened, name: str, old: str) -> Held | None:
    _open_as(look, name, old)
    try:
        return look.parts.sinks[name].held()
    finally:
        _open_as(look, name, name)


def _open_as(look: Opened, name: str, known_as: str) -> None:
    log_id = look.facts.header.log_id
    context = SinkContext(look.parts.pipeline, known_as, log_id, look.run_id)
    look.parts.sinks[name].open(context)
