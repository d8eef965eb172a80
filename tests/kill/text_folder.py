"""A folder of growing text files, and a copy of every byte ever written to it."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.kill.source import Piece, count_words, new_line

BYTES_PER_WINDOW = 2_000


class TextFolder:
    """`written` is an independent copy: inode -> its bytes. No file is deleted, so an inode is one
    file for ever."""

    moments: tuple[str, ...] = ()
    spark_moments: tuple[str, ...] = ()
    never: tuple[str, ...] = ()
    delay_max_s: float = 0.0

    def __init__(self) -> None:
        self.written: dict[int, bytearray] = {}

    def save(self, root: Path) -> None:
        """Make the folder that is read."""
        self.folder = root / "in"
        self.folder.mkdir(parents=True)

    def produce(self, rng: random.Random, lines: int) -> None:
        """Append lines to some files; now and then rotate one, or leave a line without its end."""
        for name in rng.sample(["a.txt", "sub/b.txt", "c d.txt"], k=2):
            path = self.folder / name
            path.parent.mkdir(exist_ok=True)
            if path.exists() and rng.random() < 0.15:
                path.rename(path.with_name(f"{path.name}.{rng.randrange(10**9)}.txt"))
            self._append(path, _text(rng, lines))

    def _append(self, path: Path, data: bytes) -> None:
        with path.open("ab") as stream:
            stream.write(data)
        self.written.setdefault(path.stat().st_ino, bytearray()).extend(data)

    def logged(self) -> None:
        """Each file is read from its beginning, whenever that is."""

    def piece(self, part: Mapping[str, Any]) -> Piece:
        """Bytes of a file."""
        return Piece(part["file"].split("-")[1], part["start"], part["end"])

    def words(self, piece: Piece) -> Counter[str]:
        """Of the copy."""
        return count_words(bytes(self.written[int(piece.place)][piece.start : piece.end]))

    def start(self, place: str) -> int:
        """Its first byte."""
        return 0

    def ends(self) -> Mapping[str, int]:
        """All that was written."""
        return {str(inode): len(data) for inode, data in self.written.items()}

    def least(self) -> Mapping[str, int]:
        """Every byte."""
        return self.ends()

    def inspect(self, read: Mapping[str, int]) -> None:
        """The input's memory is looked at by the next driver."""


def _text(rng: random.Random, lines: int) -> bytes:
    made = [new_line(rng, rng.randrange(12)) for _ in range(lines)]
    if rng.random() < 0.1:
        # Longer than a window.
        made.append(new_line(rng, BYTES_PER_WINDOW // 3))
    end = "" if rng.random() < 0.2 else "\n"
    return (rng.choice(["\n", "\r\n"]).join(made) + end).encode()
