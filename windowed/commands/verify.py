"""`verify`: is everything there, whole, and does it belong together? Changes nothing."""

from __future__ import annotations

from typing import Annotated

import typer

from windowed.commands.checking import inspect
from windowed.commands.opened import opened
from windowed.wording import counted


def verify(
    pipeline: Annotated[str, typer.Argument(metavar="MODULE:PIPELINE")],
) -> None:
    """Check every kept record, the chain of digests, notes, memories, and the ledgers against the
    log. Changes nothing, but that the sides of a log with a mirror are brought level first, as by a
    start (docs/mirror.md): what one side only lacked is no finding. Exit status 1 with findings.

    Run it while no driver runs: what one changes meanwhile may look wrong.
    """
    with opened(pipeline) as look:
        report = inspect(look)
    counts = ", ".join(f"{kind} {count}" for kind, count in report.checked.items() if count)
    typer.echo(f"Checked: {counts or 'nothing, there is no log yet'}.")
    if not report.findings:
        typer.echo("All is whole and belongs together.")
        return
    for finding in report.findings:
        typer.echo(f"  * {finding}", err=True)
    typer.echo(f"{counted(len(report.findings), 'finding')}. Nothing was changed.", err=True)
    raise typer.Exit(1)
