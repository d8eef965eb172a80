"""What commands say: what would be done or was, and why something cannot be."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

import typer

from windowed.errors import ChoiceRefused


def propose(lines: Sequence[str], words: Sequence[str], *, applied: bool) -> None:
    """Say what was done, or what would be done and the command that does it."""
    typer.echo("Done:" if applied else "This would be done (nothing is changed yet):")
    for line in lines:
        typer.echo(f"  * {line}")
    if not applied:
        typer.echo(f"To do it:\n  {shlex.join(['python', '-m', 'windowed', *words, '--apply'])}")


def impossible(words: Sequence[str], reason: str, remedy: str = "") -> ChoiceRefused:
    """The error for a choice that would lose or double records, or makes no sense."""
    return ChoiceRefused(command=shlex.join(words), reason=reason, remedy=remedy)


def words_of(verb: str, locator: str, *rest: str, **options: object) -> list[str]:
    """A command's words, for messages: options without a value are left out."""
    words = [verb, locator, *rest]
    for name, value in options.items():
        flag = f"--{name.strip('_').replace('_', '-')}"
        if value is True:
            words.append(flag)
        elif isinstance(value, list | tuple):
            words += [word for item in value for word in (flag, str(item))]
        elif value not in (None, False):
            words += [flag, str(value)]
    return words
