"""One benchmark as a command: its option, a folder to write in, the table and the JSON file."""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from rich.console import Console

from benchmarks import machine
from benchmarks.result import Result, save
from benchmarks.table import show

# Beside the project and not in the temp folder, which on many machines is no disk: a sync that
# costs nothing would flatter the log.
SCRATCH = Path(".run/benchmarks")
WIDTH_MIN = 100

_Sizes = TypeVar("_Sizes")


def alone(measure: Callable[[_Sizes, Path], Result], *, full: _Sizes, quick: _Sizes) -> None:
    """Parse the command line, measure in a folder that goes away afterwards, show and save."""
    parser = argparse.ArgumentParser(description="Measure, show a table, write a JSON file.")
    parser.add_argument("--quick", action="store_true", help="smaller sizes; figures scatter more")
    is_quick: bool = parser.parse_args().quick
    name = Path(sys.argv[0]).stem
    how_long = "seconds" if is_quick else "some minutes"
    print(f"{name}: measuring takes {how_long} …", file=sys.stderr, flush=True)
    SCRATCH.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=SCRATCH) as scratch:
        folder = Path(scratch).absolute()
        seen = machine.look(folder)
        result = measure(quick if is_quick else full, folder)
    console = Console(highlight=False)
    # A table that is cut at 80 columns in a CI's log helps nobody.
    console.width = max(console.width, WIDTH_MIN)
    show(result, seen, console)
    path = save(result, seen, quick=is_quick)
    console.print(f"  also in {os.path.relpath(path)}", style="dim")
