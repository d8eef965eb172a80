"""ForgetfulStorage: what was not made durable is lost in a power cut, as on a real disk.

Each record has a history: the states it had since it was last durable. A verb that returns leaves
one state, its own; `delete(durable=False)` and an interrupted verb add one; `sync` keeps only the
last. A power cut chooses one of the states: any of them may be what the disk had.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from windowlog.errors import RecordExists, RecordNotFound
from windowlog.storage.names import check_name

History: TypeAlias = Sequence[bytes | None]
"""The states a record may come back in, oldest first; None: it is not there."""

_States: TypeAlias = "list[bytes | None]"


def oldest(path: str, history: History) -> bytes | None:
    """What a power cut leaves at worst: everything not durable is lost."""
    return history[0]


class ForgetfulStorage:
    """Records in memory that can lose their power. Obeys `Storage` as strictly as its words allow.

    Stricter than a file system: a verb makes nothing durable but its own record; only `sync()`
    makes durable what others left in this folder. `halfway` is the same place, seen by a driver
    that dies in the middle of each verb.
    """

    def __init__(self) -> None:
        self._folder = "forgetful:"
        self._halfway = False
        self._tree: dict[str, dict[str, _States]] = {}

    def read(self, name: str) -> bytes:
        """All bytes of a record, durable or not. RecordNotFound if there is none."""
        return self._existing(name)

    def create(self, name: str, data: bytes) -> None:
        """Create a record. RecordExists if the name is taken."""
        self._free(name)
        self._become(name, bytes(data))

    def list(self) -> list[str]:
        """Names of the records here, sorted; durable or not."""
        return sorted(name for name, history in self._records().items() if history[-1] is not None)

    def rename(self, source: str, target: str) -> None:
        """Move a record to a free name. Halfway both names are there."""
        data = self._existing(source)
        self._free(target)
        self._become(target, data)
        if not self._halfway:
            self._become(source, None)

    def delete(self, name: str, *, durable: bool = True) -> None:
        """Remove a record. Not durable, or halfway: it may come back."""
        check_name(name)
        if name in self._records():
            self._become(name, None, durable=durable)

    def sync(self, name: str | None = None) -> None:
        """Forget how it was before: of record `name`, or of all records here. Halfway: nothing."""
        if name is not None:
            self._existing(name)
        for each, history in self._records().items():
            if name in (None, each) and not self._halfway:
                del history[:-1]

    def within(self, folder: str) -> ForgetfulStorage:
        """The storage of a sub-folder, on the same disk."""
        check_name(folder, "folder")
        return self._other(f"{self._folder}/{folder}", halfway=self._halfway)

    def describe(self) -> str:
        """`forgetful:` and the sub-folder."""
        return self._folder

    def close(self) -> None:
        """Makes nothing durable."""

    @property
    def halfway(self) -> ForgetfulStorage:
        """The same records; here each verb stops where its effect shows and is not yet durable."""
        return self._other(self._folder, halfway=True)

    def undecided(self) -> dict[str, History]:
        """Path -> history of the records whose fate a power cut would decide, in all folders."""
        return {
            f"{folder}/{name}": tuple(history)
            for folder, records in self._tree.items()
            for name, history in records.items()
            if len(history) > 1
        }

    def power_loss(self, choose: Callable[[str, History], bytes | None] = oldest) -> None:
        """Cut the power, in all folders: `choose(path, history)` says what of each record stays.

        At random: `power_loss(lambda path, history: random_source.choice(history))`.
        """
        for folder, records in self._tree.items():
            for name, history in records.items():
                history[:] = [choose(f"{folder}/{name}", tuple(history))]

    def _other(self, folder: str, *, halfway: bool) -> ForgetfulStorage:
        other = ForgetfulStorage()
        other._folder, other._halfway, other._tree = folder, halfway, self._tree
        return other

    def _records(self) -> dict[str, _States]:
        return self._tree.setdefault(self._folder, {})

    def _existing(self, name: str) -> bytes:
        check_name(name)
        data = self._records().get(name, [None])[-1]
        if data is None:
            raise RecordNotFound(name=name, where=self._folder)
        return data

    def _free(self, name: str) -> None:
        check_name(name)
        if self._records().get(name, [None])[-1] is not None:
            raise RecordExists(name=name, where=self._folder)

    def _become(self, name: str, data: bytes | None, *, durable: bool = True) -> None:
        history = self._records().setdefault(name, [None])
        if data != history[-1]:
            history.append(data)
        if durable and not self._halfway:
            del history[:-1]
