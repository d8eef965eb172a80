"""`show`: where log, inputs and sinks stand, and what a start would do. Changes nothing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any
from uuid import uuid4

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from windowed import opening
from windowed.commands.opened import Opened, exclusive_parts
from windowed.commands.picture import GOES_ON, picture, unopened
from windowed.wording import counted, sized
from windowlog.errors import KitError
from windowlog.moment import parse_time

if TYPE_CHECKING:
    from windowed.parts import Parts

POSITION_LENGTH_MAX = 60
RUN_LENGTH = 8
# Not 1: the command itself has not failed.
REFUSED = 3


def show(
    pipeline: Annotated[str, typer.Argument(metavar="MODULE:PIPELINE")],
    windows: Annotated[int, typer.Option(help="How many of the newest windows.", min=0)] = 10,
    as_json: Annotated[bool, typer.Option("--json", help="The same as JSON.")] = False,
) -> None:
    """Show where log, inputs and sinks stand, and what a start would do. Changes nothing, but that
    the sides of a log with a mirror are brought level, as by a start (docs/mirror.md). Exit
    status 3 when a start would be refused.
    """
    with exclusive_parts(pipeline) as parts:
        seen = _seen(parts, windows)
    if as_json:
        typer.echo(json.dumps(seen, indent=2))
    else:
        _print(seen)
    if seen["start"]["answer"] not in GOES_ON:
        raise typer.Exit(REFUSED)


def _seen(parts: Parts, windows: int) -> dict[str, Any]:
    """The picture; of a log that no start believes, only why. What goes by is raised."""
    run_id = str(uuid4())
    try:
        facts = opening.open_and_gather(parts, run_id)
    except KitError as error:
        if error.passing:
            raise
        error.call_pipeline(parts.locator, parts.locator_note)
        return unopened(parts, error)
    return picture(Opened(parts, facts, run_id), windows)


def _print(seen: dict[str, Any]) -> None:
    # As wide as the terminal or $COLUMNS, else 80.
    console = Console()
    # Not wrapped: there are commands in it, to be copied.
    answer = Text(f"Pipeline {seen['pipeline']}: a start {_answer(seen['start'])}")
    console.print(answer, soft_wrap=True)
    if "id" not in seen["log"]:
        return
    if seen["log"]["id"] is None:
        none = f"There is no log in {seen['folder']} yet. Commands look from {Path.cwd()}."
        console.print(Text(none), soft_wrap=True)
    for table in (
        _log(seen),
        _inputs(seen),
        _sinks(seen),
        _places(seen),
        _state(seen),
        _windows(seen),
    ):
        if table.row_count:
            console.print(table)


def _answer(start: dict[str, Any]) -> str:
    text = str(start["text"])
    return f"is refused ({start['answer']}).\n{text}" if start["answer"] not in GOES_ON else text


def _table(title: str, *columns: str, rows: list[list[object]], seldom: str = "") -> Table:
    """`seldom`: a column that is left out where it says nothing."""
    said = [n for n, name in enumerate(columns) if name != seldom or any(row[n] for row in rows)]
    table = Table(title=title, title_justify="left", show_header=any(columns))
    for number in said:
        table.add_column(columns[number], overflow="fold")
    for row in rows:
        # Text, not markup: a path may hold brackets.
        cells = ("-" if row[number] in (None, "") else str(row[number]) for number in said)
        table.add_row(*map(Text, cells))
    return table


def _log(seen: dict[str, Any]) -> Table:
    log = seen["log"]
    names = {"mark": "low-water mark"}
    rows: list[list[object]] = [[names.get(name, name), log[name]] for name in list(log)[:-2]]
    rows += [["torn", log["torn"]]] if log["torn"] else []
    rows += [["damaged", ", ".join(map(str, log["damaged"]))]] if log["damaged"] else []
    return _table("log", "", "", rows=rows)


def _inputs(seen: dict[str, Any]) -> Table:
    rows: list[list[object]] = []
    for source in seen["inputs"]:
        position = source["standing"] or json.dumps(source["position"])
        if source["standing"] is None and len(position) > POSITION_LENGTH_MAX:
            position = position[: POSITION_LENGTH_MAX - 1] + "…"
        rows.append([source["name"], source["kind"], source["place"], position, source["memory"]])
    columns = ("name", "kind", "place", "position", "remembers to")
    return _table("inputs", *columns, rows=rows)


def _sinks(seen: dict[str, Any]) -> Table:
    rows: list[list[object]] = []
    for sink in seen["sinks"]:
        target = sink["target"] if sink["exists"] else f"{sink['target']} (not there)"
        other = sink["log"] if sink["log"] != seen["log"]["id"] else None
        run = sink["run"] and sink["run"][:RUN_LENGTH]
        rows.append([sink["name"], sink["window"], target, sink["mode"], run, other])
    columns = ("name", "holds", "target", "mode", "run", "of log")
    return _table("sinks", *columns, rows=rows, seldom="of log")


def _places(seen: dict[str, Any]) -> Table:
    rows: list[list[object]] = [[s["name"], s["where"], s["memory"]] for s in seen["sinks"]]
    return _table("where the sinks are", "name", "target", "remembers in", rows=rows)


def _state(seen: dict[str, Any]) -> Table:
    state = seen.get("state", {"where": "", "checkpoints": []})
    rows: list[list[object]] = [
        [each["window"], each["rows"], "yes" if each["usable"] else each["problem"] or "no"]
        for each in state["checkpoints"]
    ]
    if "state" in seen and not rows:
        rows = [["none yet", None, None]]
    title = f"checkpoints of the state in {state['where']}"
    return _table(title, "of window", "rows", "a start could use it", rows=rows)


def _windows(seen: dict[str, Any]) -> Table:
    rows: list[list[object]] = []
    for window in seen["windows"]:
        if "damaged" in window:
            rows.append([window["id"], "damaged", "", "", "", ""])
            continue
        for name, plan in window["plans"].items():
            skips = ", ".join(window["skips"])
            moment = f"{parse_time(window['planned_at']):%Y-%m-%d %H:%M:%S} UTC"
            rows.append([window["id"], moment, name, plan["parts"], _size(plan), skips])
    columns = ("window", "planned at", "input", "parts", "size", "skips")
    return _table("newest windows", *columns, rows=rows, seldom="skips")


def _size(plan: dict[str, Any]) -> str:
    records, size = plan["records"], plan["bytes"]
    sizes = [] if records is None else [counted(records, "record")]
    return ", ".join(sizes if size is None else [*sizes, sized(size)])
