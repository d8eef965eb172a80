"""Is what was planned still what is there? Asked when a plan is read, and again after its rows were
used.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import NoReturn

from connectors.files.folder import Gone, OpenFile
from connectors.files.lines import tail_digest
from connectors.files.locate import Locator
from connectors.files.parts import FileRange
from windowlog.errors import SourceChanged, pipeline_command

_NO_FILE = "no such file (deleted or replaced?)"


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
        try:
            with self._locator.open(piece.path, piece.file, head) as file:
                yield self._checked(piece, file)
        except Gone:
            self._refuse(piece, _NO_FILE)

    def _checked(self, piece: FileRange, file: OpenFile | None) -> OpenFile:
        if file is None:
            self._refuse(piece, _NO_FILE)
        if file.status.size < piece.end:
            self._refuse(piece, f"a file of {file.status.size} bytes (truncated?)")
        for place, digest in ((piece.start, piece.before_start), (piece.end, piece.before_end)):
            if tail_digest(file.read, place) != digest:
                self._refuse(piece, f"other bytes before byte {place} (rewritten?)")
        return file

    def _refuse(self, piece: FileRange, found: str) -> NoReturn:
        words = self._window, self._name, "--part", piece.id, "--reason", "WHY"
        raise SourceChanged(
            input=self._name,
            part=f"part {piece.id}",
            window_id=self._window,
            expected=f"bytes {piece.start} to {piece.end} of {piece.path!r}, file {piece.file}",
            found=found,
            remedy="",
            choices=[
                ("put the file back (itself, not a copy)", ""),
                (f"give up these {piece.length:,} bytes", pipeline_command("skip", *words)),
            ],
        )
