"""FarStorage: a storage that remembers which error was its own, so that an outage of the mirror is
never taken for a fault of this machine's disk."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from windowlog.contracts import Storage
from windowlog.errors import KitError, PreviousFailure, StorageFailed, StorageUnsuitable

_Result = TypeVar("_Result")


class FarStorage:
    """Any storage; obeys `Storage` as that does. `outage(error)` says whether an error is an outage
    of it: it does not answer, is full, does not let us in, or failed before."""

    def __init__(self, inner: Storage, errors: list[Exception] | None = None) -> None:
        self._inner = inner
        # Shared by all sub-folders; the last one only.
        self._errors: list[Exception] = [] if errors is None else errors

    def outage(self, error: Exception) -> bool:
        """Is it the last one of this storage, and not what a verb may say?"""
        return error in self._errors

    @property
    def folder(self) -> str:
        """The storage's inside, if that has one."""
        return str(self._inner.folder)  # type: ignore[attr-defined]

    def read(self, name: str) -> bytes:
        """As the storage inside."""
        return self._call(lambda: self._inner.read(name))

    def create(self, name: str, data: bytes) -> None:
        """As the storage inside."""
        self._call(lambda: self._inner.create(name, data))

    def list(self) -> list[str]:
        """As the storage inside."""
        return self._call(self._inner.list)

    def rename(self, source: str, target: str) -> None:
        """As the storage inside."""
        self._call(lambda: self._inner.rename(source, target))

    def delete(self, name: str, *, durable: bool = True) -> None:
        """As the storage inside."""
        self._call(lambda: self._inner.delete(name, durable=durable))

    def sync(self, name: str | None = None) -> None:
        """As the storage inside."""
        self._call(lambda: self._inner.sync(name))

    def within(self, folder: str) -> FarStorage:
        """The sub-folder, with the same memory."""
        return FarStorage(self._inner.within(folder), self._errors)

    def describe(self) -> str:
        """As the storage inside."""
        return self._inner.describe()

    def close(self) -> None:
        """As the storage inside; what went wrong before is forgotten."""
        self._errors.clear()
        self._inner.close()

    def _call(self, verb: Callable[[], _Result]) -> _Result:
        try:
            return verb()
        except Exception as error:
            if _is_outage(error):
                self._errors[:] = [error]
            raise


def _is_outage(error: Exception) -> bool:
    if isinstance(error, KitError):
        return isinstance(error, StorageFailed | StorageUnsuitable | PreviousFailure)
    return isinstance(error, OSError)
