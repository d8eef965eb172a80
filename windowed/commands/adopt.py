"""`adopt`: to say on purpose that a sink, an input or a log belongs to this pipeline."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import typer

from windowed.commands.adopt_input import adopt_input, remove_input
from windowed.commands.adopt_log import adopt_log
from windowed.commands.adopt_side import adopt_folder, adopt_mirror
from windowed.commands.adopt_sink import adopt_sink
from windowed.commands.adopt_state import adopt_empty_state
from windowed.commands.opened import Opened, exclusive_parts, opened
from windowed.commands.proposal import Proposal, carry_out, impossible, words_of
from windowed.commands.rename_sink import rename_sink

_WHERE = (
    "A sink: now, oldest, or the first window it is to hold. An input: same, beginning, end or a"
    " position. With --log: INPUT=beginning, INPUT=end or INPUT=position, for each."
)

_AcceptLoss = Annotated[
    list[str] | None, typer.Option(help="With --log: a sink that may lack rows.")
]
_EmptyState = Annotated[
    bool, typer.Option("--empty-state", help="The state begins anew, without a row.")
]
_Folder = Annotated[bool, typer.Option("--folder", help="Go on from the mirror in this folder.")]
_Mirror = Annotated[bool, typer.Option("--mirror", help="What mirror= says is the log's mirror.")]


def adopt(
    pipeline: Annotated[str, typer.Argument(metavar="MODULE:PIPELINE")],
    name: Annotated[str | None, typer.Argument(metavar="SINK|INPUT")] = None,
    where: Annotated[list[str] | None, typer.Option("--from", help=_WHERE)] = None,
    renamed_from: Annotated[str | None, typer.Option(help="The sink's name before.")] = None,
    gone: Annotated[bool, typer.Option("--gone", help="The input is there no more.")] = False,
    log: Annotated[bool, typer.Option("--log", help="Begin a new log behind the sinks.")] = False,
    accept_loss: _AcceptLoss = None,
    empty_state: _EmptyState = False,
    folder: _Folder = False,
    mirror: _Mirror = False,
    apply: Annotated[bool, typer.Option("--apply", help="Do it.")] = False,
) -> None:
    """Say that a sink, an input or a log belongs to this pipeline from a stated window on.

    A sink is moved by one compare-and-set, an input by a window that is created exclusively: of
    two drivers one is fenced. Interrupted, the same command run again finishes.
    """
    words = words_of(
        "adopt",
        pipeline,
        *([name] if name else []),
        log=log,
        from_=where,
        renamed_from=renamed_from,
        gone=gone,
        accept_loss=accept_loss,
        empty_state=empty_state,
        folder=folder,
        mirror=mirror,
    )
    if folder or mirror:
        _adopt_side(pipeline, words, folder=folder, alone=len(words) == 3, apply=apply)
        return
    if log:
        _adopt_log(pipeline, where or [], accept_loss or [], words, apply=apply)
        return
    choices = [choice for choice in (*(where or []), renamed_from, gone) if choice]
    _check_words(words, choices, named=name is not None and not accept_loss)
    with opened(pipeline) as look:
        proposal = _proposal(look, name, where, renamed_from, words)
        carry_out(proposal, words, apply=apply)


def _check_words(words: list[str], choices: Sequence[str | bool], *, named: bool) -> None:
    if "--empty-state" in words:
        if len(words) != 3:
            raise impossible(words, "--empty-state stands alone, or with --log")
        return
    if not named:
        raise impossible(words, "a sink or an input is wanted, or --log for the whole log")
    if len(choices) != 1:
        raise impossible(words, "exactly one of --from, --renamed-from and --gone is wanted")


def _adopt_log(
    locator: str, where: list[str], losing: list[str], words: list[str], *, apply: bool
) -> None:
    if words[2] != "--log" or {"--renamed-from", "--gone"}.intersection(words):
        raise impossible(words, "--log is for the whole log: no sink or input, and only --from")
    pairs = [text.partition("=") for text in where]
    if not all(name and equals and place for name, equals, place in pairs):
        raise impossible(words, "with --log, --from is INPUT=beginning, =end or =POSITION")
    starts = {name: place for name, _, place in pairs}
    with exclusive_parts(locator) as parts:
        empty = "--empty-state" in words
        proposal = adopt_log(parts, starts, losing, words, empty_state=empty)
        carry_out(proposal, words, apply=apply)


def _adopt_side(locator: str, words: list[str], *, folder: bool, alone: bool, apply: bool) -> None:
    if not alone:
        raise impossible(words, "--folder and --mirror stand alone")
    with exclusive_parts(locator) as parts:
        proposal = adopt_folder(parts, words) if folder else adopt_mirror(parts, words)
        carry_out(proposal, words, apply=apply)


def _proposal(
    look: Opened, name: str | None, where: list[str] | None, old: str | None, words: list[str]
) -> Proposal:
    if name is None:
        return adopt_empty_state(look, words)
    # A name may be a sink's and an input's.
    an_input = name in look.parts.inputs and (where or [""])[0] in ("same", "beginning", "end")
    if name in look.parts.sinks and (where or old) and not an_input:
        if old:
            return rename_sink(look, name, old, words)
        return adopt_sink(look, name, (where or [""])[0], words)
    if where and name in look.parts.inputs:
        return adopt_input(look, name, where[0], words)
    if not where and not old:
        return remove_input(look, name, words)
    known = ", ".join([*look.parts.sinks, *look.parts.inputs])
    raise impossible(words, f"that cannot be said of {name}", f"There are {known}.")
