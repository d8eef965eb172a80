"""Operations on a spool's files that fail."""

from __future__ import annotations

import builtins
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self

import pytest

from jdbc_sink.spool import stores


class Faults:
    """Every operation on the spool's files fails in turn, `half` of a write being done."""

    def __init__(self, at: int) -> None:
        self.left = at
        self.hit = ""

    def __call__(self, what: str) -> None:
        """One more operation."""
        self.left -= 1
        if self.left == 0:
            self.hit = what
            raise OSError(f"injected: {what}")

    def open(self, *words: Any, **more: Any) -> Any:
        """A file whose operations may fail."""
        self("open")
        return Failing(builtins.open(*words, **more), self)


class Failing:
    """An open file."""

    def __init__(self, file: Any, faults: Faults) -> None:
        self._file, self._faults = file, faults

    def write(self, data: Any) -> Any:
        """Half of it, where it fails."""
        try:
            self._faults("write")
        except OSError:
            self._file.write(data[: len(data) // 2])
            raise
        return self._file.write(data)

    def close(self) -> None:
        """Closed in any case."""
        self._file.close()
        self._faults("close")

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


@contextmanager
def failing(faults: Faults, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Between the spool and the disk."""

    def passed(what: str, original: Any) -> Any:
        def action(*words: Any, **more: Any) -> Any:
            faults(what)
            return original(*words, **more)

        return action

    with monkeypatch.context() as patched:
        patched.setattr(stores, "open", faults.open, raising=False)
        patched.setattr(os, "replace", passed("replace", os.replace))
        patched.setattr(Path, "mkdir", passed("mkdir", Path.mkdir))
        patched.setattr(Path, "read_text", passed("read", Path.read_text))
        yield
