"""Real text for the sample: the `.py` files of this machine's Python standard library, about 30 MB.

`python -m samples.wordcount.stdlib` copies them (without site-packages) and prints the folder; the
second time they are there already."""

from __future__ import annotations

import shutil
import sys
import sysconfig
from pathlib import Path

from samples.wordcount.words import HOME

_LEFT_OUT = {"site-packages", "dist-packages", "__pycache__"}


def copy_standard_library(target: Path = HOME / "standard-library") -> Path:
    """Copy them to `target`, whole or not at all.

    A name that begins with `_`, as `__init__.py` does, gets an `x` before it: a file input leaves
    such names alone, and here every file is to be counted.
    """
    if target.exists():
        return target
    unfinished = target.with_name(f".{target.name}.unfinished")
    shutil.rmtree(unfinished, ignore_errors=True)
    library = Path(sysconfig.get_path("stdlib"))
    for source in sorted(library.rglob("*.py")):
        names = source.relative_to(library).parts
        if source.is_file() and not _LEFT_OUT.intersection(names):
            copy = unfinished.joinpath(*(f"x{n}" if n.startswith("_") else n for n in names))
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, copy)
    return unfinished.rename(target)


if __name__ == "__main__":
    sys.stdout.write(f"{copy_standard_library()}\n")
