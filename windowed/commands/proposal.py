"""What a command would do: a short list for a person, and the deed. A dry run until --apply."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import typer

from windowed.errors import ChoiceRefused


@dataclass(frozen=True)
class Proposal:
    """`lines` say what `apply` does. Without `apply` it is done already: there is nothing to do.
    `before` is what to think of first: said while nothing is changed yet. `slow`: what is done is
    said before it is, as it may take its time, or wait."""

    lines: Sequence[str]
    apply: Callable[[], None] | None
    before: Sequence[str] = ()
    slow: bool = False


def carry_out(proposal: Proposal, words: Sequence[str], *, apply: bool) -> None:
    """Do it and say so, or say what would be done and the command that does it."""
    if proposal.apply is None:
        _say("There is nothing to do:", proposal.lines)
    elif apply and proposal.slow:
        _say("This is being done:", proposal.lines)
        sys.stdout.flush()
        proposal.apply()
        typer.echo("Done.")
    elif apply:
        proposal.apply()
        _say("Done:", proposal.lines)
    else:
        _say("This would be done (nothing is changed yet):", [*proposal.lines, *proposal.before])
        typer.echo(f"To do it:\n  {shlex.join(['python', '-m', 'windowed', *words, '--apply'])}")


def _say(title: str, lines: Sequence[str]) -> None:
    typer.echo(title)
    for line in lines:
        typer.echo(f"  * {line}")


def impossible(words: Sequence[str], reason: str, remedy: str = "") -> ChoiceRefused:
    """The error for a choice that would lose or double records, or that makes no sense."""
    return ChoiceRefused(command=shlex.join(words), reason=reason, remedy=remedy, looked="")


def words_of(verb: str, locator: str, *names: str, **options: object) -> list[str]:
    """A command's words: options without a value are left out, a list's are repeated."""
    words = [verb, locator, *names]
    for name, value in options.items():
        flag = f"--{name.strip('_').replace('_', '-')}"
        if value is True:
            words.append(flag)
        elif isinstance(value, list | tuple):
            words += [word for item in value for word in (flag, str(item))]
        elif value:
            words += [flag, str(value)]
    return words


def windows_text(first: int, last: int) -> str:
    """`window 7` or `windows 7 to 9`."""
    return f"window {first}" if first == last else f"windows {first} to {last}"
