"""The world around a pipeline under fire: a folder of growing text files, and a copy of every byte
ever written to it."""

from __future__ import annotations

import random
from pathlib import Path

from tests.kill.files_variant import FilesVariant
from tests.kill.variants import Variant

WORDS = ["the", "The", "a_b", "x1", "caf\u00e9", "don't", "\u212aelvin", "_", "2001", "END", "word"]
BYTES_PER_WINDOW = 2_000


class World:
    """`root` holds in/ (the input), state/ (the log), counts.db or out/, and archive/ (each plan
    ever logged).

    `written` is an independent copy: inode -> its bytes. No file is deleted, so an inode is one
    file for ever.
    """

    def __init__(
        self, root: Path, rng: random.Random, variant: Variant | FilesVariant | None = None
    ) -> None:
        self.root = root
        self.variant: Variant | FilesVariant = variant or Variant()
        self.rng = rng
        self.written: dict[int, bytearray] = {}
        for folder in (self.input, self.archive):
            folder.mkdir(parents=True)
        self.variant.save(root)

    @property
    def input(self) -> Path:
        """The folder that is read."""
        return self.root / "in"

    @property
    def archive(self) -> Path:
        """Each plan's record, kept when the log purges it."""
        return self.root / "archive"

    @property
    def plans(self) -> Path:
        """The log's own records."""
        return self.root / "state" / "windows"

    def produce(self, lines: int) -> None:
        """Append lines to some files; now and then rotate one, or leave a line without its end."""
        for name in self.rng.sample(["a.txt", "sub/b.txt", "c d.txt"], k=2):
            path = self.input / name
            path.parent.mkdir(exist_ok=True)
            if path.exists() and self.rng.random() < 0.15:
                path.rename(path.with_name(f"{path.name}.{self.rng.randrange(10**9)}.txt"))
            self._append(path, self._text(lines))

    def _text(self, lines: int) -> bytes:
        made = [" ".join(self.rng.choices(WORDS, k=self.rng.randrange(12))) for _ in range(lines)]
        if self.rng.random() < 0.1:
            # Longer than a window.
            made.append(" ".join(self.rng.choices(WORDS, k=BYTES_PER_WINDOW // 3)))
        end = "" if self.rng.random() < 0.2 else "\n"
        return (self.rng.choice(["\n", "\r\n"]).join(made) + end).encode()

    def _append(self, path: Path, data: bytes) -> None:
        with path.open("ab") as stream:
            stream.write(data)
        self.written.setdefault(path.stat().st_ino, bytearray()).extend(data)
