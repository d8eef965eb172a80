"""`show`: where log, inputs and sinks stand, and what a start would do. Changes nothing."""

from __future__ import annotations

import json
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from windowed.commands.opened import opened
from windowed.commands.picture import picture
from windowed.wording import counted, sized
from windowlog.moment import parse_time

# Wide enough for a table in a file or a pipe, where there is no terminal to ask.
COLUMNS = 140
POSITION_LENGTH_MAX = 60
RUN_LENGTH = 8
# Not 1: the command itself has not failed.
REFUSED = 3


def show(
    pipeline: Annotated[str, typer.Argument(metavar="MODULE:PIPELINE")],
    windows: Annotated[int, typer.Option(help="How many of the newest windows.", min=0)] = 10,
    as_json: Annotated[bool, typer.Option("--json", help="The same as JSON.")] = False,
) -> None:
    """Show where log, inputs and sinks stand, and what a start would do. Changes nothing. Exit
    status 3 when a start would be refused.
    """
    with opened(pipeline) as look:
        seen = picture(look, windows)
    if as_json:
        typer.echo(json.dumps(seen, indent=2))
    else:
        _print(seen)
    if seen["start"]["choices"]:
        raise typer.Exit(REFUSED)


def _print(seen: dict[str, Any]) -> None:
    console = Console(soft_wrap=False)
    if not console.is_terminal:
        console = Console(width=COLUMNS)
    console.print(Text(f"Pipeline {seen['pipeline']}: a start {_answer(seen['start'])}"))
    for table in (_log(seen), _inputs(seen), _sinks(seen), _windows(seen)):
        if table.row_count:
            console.print(table)


def _answer(start: dict[str, Any]) -> str:
    text = str(start["text"])
    return f"is refused ({start['answer']}).\n{text}" if start["choices"] else text


def _table(title: str, *columns: str) -> Table:
    table = Table(title=title, title_justify="left")
    for column in columns:
        table.add_column(column, overflow="fold")
    return table


def _row(table: Table, *values: object) -> None:
    # Text, not markup: a path may hold brackets.
    table.add_row(*(Text("-" if value in (None, "") else str(value)) for value in values))


def _log(seen: dict[str, Any]) -> Table:
    log = seen["log"]
    table = _table("log", "where", "id", "first", "mark", "oldest", "newest", "torn", "damaged")
    damaged = ", ".join(map(str, log["damaged"]))
    _row(table, *(log[key] for key in list(log)[:-1]), damaged)
    return table


def _inputs(seen: dict[str, Any]) -> Table:
    table = _table("inputs", "name", "kind", "place", "position", "memory")
    for source in seen["inputs"]:
        position = json.dumps(source["position"])
        if len(position) > POSITION_LENGTH_MAX:
            position = position[: POSITION_LENGTH_MAX - 1] + "…"
        _row(table, source["name"], source["kind"], source["place"], position, source["memory"])
    return table


def _sinks(seen: dict[str, Any]) -> Table:
    table = _table("sinks", "name", "holds", "target", "mode", "log", "run")
    for sink in seen["sinks"]:
        target = sink["target"] if sink["exists"] else f"{sink['target']} (not there)"
        log = "this one" if sink["log"] and sink["log"] == seen["log"]["id"] else sink["log"]
        run = sink["run"] and sink["run"][:RUN_LENGTH]
        _row(table, sink["name"], sink["window"], target, sink["mode"], log, run)
    return table


def _windows(seen: dict[str, Any]) -> Table:
    table = _table("newest windows", "window", "planned at", "input", "parts", "size", "skips")
    for window in seen["windows"]:
        if "damaged" in window:
            _row(table, window["id"], "damaged", "", "", "", "")
            continue
        for name, plan in window["plans"].items():
            skips = ", ".join(window["skips"])
            moment = f"{parse_time(window['planned_at']):%Y-%m-%d %H:%M:%S} UTC"
            _row(table, window["id"], moment, name, plan["parts"], _size(plan), skips)
    return table


def _size(plan: dict[str, Any]) -> str:
    records, size = plan["records"], plan["bytes"]
    sizes = [] if records is None else [counted(records, "record")]
    return ", ".join(sizes if size is None else [*sizes, sized(size)])
