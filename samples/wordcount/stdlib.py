"""Real text for the sample: the `.py` files of this machine's Python standard library, about 30 MB.

`python -m samples.wordcount.stdlib` copies them (without site-packages) and prints the folder; the
second time they are there already."""

from __future__ import annotations

import shutil
import sys
import sysconfig
from pathlib import Path

from samples.wordcount.words import HOME

LEFT_OUT = shutil.ignore_patterns("site-packages", "dist-packages", "__pycache__")


def copy_standard_library(target: Path) -> Path:
    """Copy them to `target`, whole or not at all."""
    if target.exists():
        return target
    unfinished = target.with_name(f".{target.name}.unfinished")
    shutil.rmtree(unfinished, ignore_errors=True)
    for source in sorted(Path(sysconfig.get_path("stdlib")).iterdir()):
        if source.suffix == ".py":
            unfinished.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, unfinished / source.name)
        elif source.is_dir() and source.name not in LEFT_OUT(str(source.parent), [source.name]):
            shutil.copytree(source, unfinished / source.name, ignore=_only_python)
    return unfinished.rename(target)


def _only_python(folder: str, names: list[str]) -> set[str]:
    here = Path(folder)
    files = {name for name in names if (here / name).is_file() and not name.endswith(".py")}
    return files | LEFT_OUT(folder, names)


if __name__ == "__main__":
    sys.stdout.write(f"{copy_standard_library(HOME / 'standard-library')}\n")
