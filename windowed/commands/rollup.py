"""`rollup`: to join the files of many small windows that a sink has published into few large
ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from windowed.commands.adopt_sink import SINK_ROWS
from windowed.commands.opened import LOG_ROWS, Opened, opened
from windowed.commands.proposal import Proposal, carry_out, impossible, words_of
from windowed.recovery import TABLE
from windowed.refusals import command

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any


def rollup(
    pipeline: Annotated[str, typer.Argument(metavar="MODULE:PIPELINE")],
    sink: Annotated[
        str, typer.Option(metavar="SINK", help="This sink only; else all that write files.")
    ] = "",
    apply: Annotated[bool, typer.Option("--apply", help="Do it.")] = False,
) -> None:
    """Join the files of small windows, all published, into few large ones. Readers see the same
    rows before and after, once; a driver may run meanwhile. In layout `windows` a joined folder has
    the number of its newest window, so `window_id` is no longer each row's own.
    """
    words = words_of("rollup", pipeline, sink=sink)
    with opened(pipeline) as look:
        carry_out(_proposal(look, sink, words), words, apply=apply)


def _proposal(look: Opened, sink: str, words: list[str]) -> Proposal:
    standing = look.standing()
    if not LOG_ROWS.isdisjoint(standing):
        raise impossible(words, "the log is not whole, or not this pipeline's", "See `show`.")
    refused = {name for row in SINK_ROWS for name in standing.get(row, ())}
    lines: list[str] = []
    deeds: list[Callable[[], None]] = []
    for name, roll_up in _able(look, sink, words).items():
        if name in refused:
            row = next(row for row in SINK_ROWS if name in standing.get(row, ()))
            kind = next(known.refusal for known in TABLE if known.letter == row)
            why = f" ({kind.__name__})" if kind is not None else ""
            remedy = f"`{command(look.parts, 'show')}` says what can be done."
            raise impossible(words, f"a start would refuse sink {name}{why}", remedy)
        said, deed = roll_up()
        lines += [f"sink {name}: {line}" for line in said]
        deeds += [deed] if deed is not None else []
    return Proposal(lines, (lambda: _do(deeds)) if deeds else None, slow=True)


def _named(names: Sequence[str]) -> str:
    if len(names) == 1:
        return f"sink {names[0]} writes"
    return f"sinks {', '.join(names)} write"


def _able(look: Opened, sink: str, words: list[str]) -> dict[str, Callable[[], Any]]:
    sinks = look.parts.sinks
    if sink and sink not in sinks:
        raise impossible(
            words, f"there is no sink {sink}", f"There are {', '.join(sorted(sinks))}."
        )
    named = [sink] if sink else sorted(sinks)
    able = {name: getattr(sinks[name], "roll_up", None) for name in named}
    found = {name: roll_up for name, roll_up in able.items() if roll_up is not None}
    if not found:
        raise impossible(words, f"{_named(named)} no files that could be joined")
    return found


def _do(deeds: Sequence[Callable[[], None]]) -> None:
    for deed in deeds:
        deed()
