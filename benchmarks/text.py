"""Real text of a wanted size: the Python standard library's own .py files, repeated in an order
that a seed decides. Kept in the temp folder, so that the next benchmark finds it."""

from __future__ import annotations

import os
import platform
import random
import shutil
import sysconfig
import tempfile
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

SEED = 1
_LEFT_OUT = {"site-packages", "dist-packages", "__pycache__"}


def text(size: int, file_bytes: int) -> Path:
    """A folder of at least `size` bytes of text, in files of about `file_bytes`. Do not change
    it."""
    name = f"text-{size}-{file_bytes}-{SEED}-python-{platform.python_version()}"
    target = Path(tempfile.gettempdir(), "windowed-benchmarks", name)
    if target.exists():
        return target
    unfinished = target.with_name(f".{name}.unfinished-{os.getpid()}")
    shutil.rmtree(unfinished, ignore_errors=True)
    unfinished.mkdir(parents=True)
    written, number = 0, 0
    pieces = _pieces()
    while written < size:
        path = unfinished / f"{number:05d}.txt"
        written += _write(path, pieces, min(file_bytes, size - written))
        number += 1
    return unfinished.rename(target)


def _write(path: Path, pieces: Iterator[bytes], wanted: int) -> int:
    written = 0
    with path.open("wb") as stream:
        while written < wanted:
            piece = next(pieces)
            stream.write(piece)
            written += len(piece)
    return written


def _pieces() -> Iterator[bytes]:
    """The files' contents without end, each time in another order; each ends with a line's end."""
    choose = random.Random(SEED)
    contents = [path.read_bytes() for path in _sources()]
    while True:
        choose.shuffle(contents)
        yield from (c if c.endswith(b"\n") else c + b"\n" for c in contents)


def _sources() -> list[Path]:
    found = []
    for folder, folders, files in os.walk(sysconfig.get_path("stdlib")):
        folders[:] = sorted(set(folders) - _LEFT_OUT)
        found += [Path(folder, name) for name in sorted(files) if name.endswith(".py")]
    return found


def lines() -> Iterator[bytes]:
    """Real lines without end, each with its own."""
    for piece in _pieces():
        yield from BytesIO(piece)
