"""The command line: which commands there are, and how an error looks to a person."""

from __future__ import annotations

from collections.abc import Sequence

import typer

from windowed.commands.adopt import adopt
from windowed.commands.reset import reset
from windowed.commands.rollup import rollup
from windowed.commands.show import show
from windowed.commands.skip import skip
from windowed.commands.verify import verify
from windowlog.access.engines import redacted
from windowlog.errors import KitError

app = typer.Typer(no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False)
app.command()(show)
app.command()(verify)
app.command()(adopt)
app.command()(skip)
app.command()(reset)
app.command()(rollup)


@app.callback()
def about() -> None:
    """Look at a pipeline, and decide what a refused start asks.

    MODULE:PIPELINE is a module and a variable in it, FILE.py:VARIABLE, or a function that makes the
    pipeline, with literal arguments: "jobs.counts:build('in', keep=10)".
    """


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command: the exit status. 0: done or shown; 1: an error or a finding, said on
    standard error; 2: the command line is not understood; 3: `show` says that a start would be
    refused."""
    try:
        app(args=arguments, prog_name="python -m windowed")
    except SystemExit as ended:
        return ended.code if isinstance(ended.code, int) else 0
    except KitError as error:
        typer.echo(str(error), err=True)
    except Exception as error:  # noqa: BLE001 (databases and disks raise their own)
        typer.echo(f"{type(error).__name__}: {redacted(error)}", err=True)
    return 1
