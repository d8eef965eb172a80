"""Is what was planned still what is there? Asked when a plan is read, and again after its rows were
used.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NoReturn

from connectors.files.lines import tail_digest
from connectors.files.locate import Locator, OpenFile
from connectors.files.parts import FileRange
from windowlog.errors import PIPELINE, SourceChanged


class Checker:
    """Opens planned ranges. `window` names the window in messages; it is only known to those who
    have the log.
    """

    def __init__(self, name: str, window: str, locator: Locator) -> None:
        self._name = name
        self._window = window
        self._locator = locator

    @contextmanager
    def open(self, piece: FileRange) -> Iterator[OpenFile]:
        """The range's file, under whatever path it has now. SourceChanged unless its bytes are
        those planned: the same file, at least as long, with equal digests before the range's start
        and end."""
        # With a birth time, other first bytes are a change of this file, and not another file.
        head = piece.head if piece.file.born_ns == 0 else None
        with self._locator.open(piece.path, piece.file, head) as file:
            if file is None:
                self._refuse(piece, "no such file (deleted or replaced?)")
            if file.status.size < piece.end:
                self._refuse(piece, f"a file of {file.status.size} bytes (truncated?)")
            for place, digest in ((piece.start, piece.before_start), (piece.end, piece.before_end)):
                found = tail_digest(file.descriptor, place)
                if found != digest:
                    self._refuse(piece, f"other bytes before byte {place} (rewritten?)")
            yield file

    def _refuse(self, piece: FileRange, found: str) -> NoReturn:
        part = shlex.quote(piece.id)
        words = f"skip {PIPELINE} {self._window} {self._name} --part {part} --reason WHY"
        raise SourceChanged(
            input=self._name,
            part=f"part {piece.id}",
            window_id=self._window,
            expected=f"bytes {piece.start} to {piece.end} of {piece.path!r}, file {piece.file}",
            found=found,
            remedy="",
            choices=[
                ("put the file back (itself, not a copy)", ""),
                (f"give up these {piece.length:,} bytes", f"python -m windowed {words}"),
            ],
        )
