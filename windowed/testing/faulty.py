"""FaultyStorage: a storage in which one operation goes wrong; `every_fault` lets each in turn.

    for fault in every_fault():
        place = MemoryStorage()
        with fault.suffered():
            work(fault.over(place))
        work(place)         # a new start
        check(place)

The first pass fails the first operation, the next one the second …, until a pass needs no fault.
Each is tried as an error and as a crash, before and after the operation took effect (a lost reply),
and midway if asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Literal, TypeAlias, TypeVar

from windowed.testing.crash import Crash
from windowlog.contracts import Storage
from windowlog.errors import KitError, StorageFailed

Moment: TypeAlias = Literal["before", "midway", "after"]
_Result = TypeVar("_Result")

# More operations than any test wants: work that never comes to rest is a mistake in the test.
OPERATIONS_MAX = 100_000


@dataclass
class Fault:
    """The fault of operation `number`, counted from 1 over all verbs and sub-folders it is over.

    `moment`: before the operation takes effect, after it, or midway: visible and not yet durable,
    on a storage that knows this state (ForgetfulStorage; elsewhere it is after). `crash`: the
    driver dies, and its storage does nothing more; else StorageFailed, once. `struck` says what it
    hit.
    """

    number: int
    moment: Moment = "before"
    crash: bool = False
    struck: str | None = None
    _count: int = field(default=0, repr=False)
    _used: bool = field(default=False, repr=False)

    def over(self, storage: Storage) -> FaultyStorage:
        """The storage with this fault in it. Over several storages operations count together."""
        self._used = True
        return FaultyStorage(storage, self)

    @contextmanager
    def suffered(self) -> Iterator[None]:
        """Let pass what the fault brings about: a crash, or an error of the kit after it struck."""
        try:
            yield
        except (Crash, KitError):
            if self.struck is None:
                raise

    def meet(self, name: str, whole: Callable[[], _Result], half: Callable[[], object]) -> _Result:
        """Do `whole` under this fault; `half` in its place where it strikes midway."""
        if self.crash and self.struck is not None:
            raise Crash(f"dead since {self.struck}")
        self._count += 1
        if self._count != self.number:
            return whole()
        if self.moment == "midway":
            half()
        elif self.moment == "after":
            whole()
        self.struck = f"{self.moment} operation {self.number}, {name}"
        if self.crash:
            raise Crash(self.struck)
        remedy = "It was put there by a test."
        raise StorageFailed(where=name, reason=f"a fault {self.struck}", remedy=remedy)


def every_fault(*moments: Moment) -> Iterator[Fault]:
    """Faults of operation 1, 2, 3 …, as errors and as crashes, until one strikes nothing.

    Each is to be used `over` a storage. `moments` are "before" and "after" unless given.
    """
    for crash in (False, True):
        for moment in moments or ("before", "after"):
            for number in range(1, OPERATIONS_MAX):
                fault = Fault(number, moment, crash)
                yield fault
                assert fault._used, "use fault.over(storage): without it nothing is tested"
                if fault.struck is None:
                    break


class FaultyStorage:
    """Any storage, with a fault in it. Obeys `Storage` but for the fault.

    Counted are read, create, list, rename, delete and sync, in sub-folders too.
    """

    def __init__(self, inner: Storage, fault: Fault) -> None:
        self._inner = inner
        self._half: Storage = getattr(inner, "halfway", inner)
        self._fault = fault

    def read(self, name: str) -> bytes:
        """As the storage inside, or the fault."""
        return self._meet(f"read {name}", lambda storage: storage.read(name))

    def create(self, name: str, data: bytes) -> None:
        """As the storage inside, or the fault."""
        self._meet(f"create {name}", lambda storage: storage.create(name, data))

    def list(self) -> list[str]:
        """As the storage inside, or the fault."""
        return self._meet("list", lambda storage: storage.list())

    def rename(self, source: str, target: str) -> None:
        """As the storage inside, or the fault."""
        self._meet(f"rename {source} {target}", lambda storage: storage.rename(source, target))

    def delete(self, name: str, *, durable: bool = True) -> None:
        """As the storage inside, or the fault."""
        self._meet(f"delete {name}", lambda storage: storage.delete(name, durable=durable))

    def sync(self, name: str | None = None) -> None:
        """As the storage inside, or the fault."""
        self._meet(f"sync {name or ''}".strip(), lambda storage: storage.sync(name))

    def within(self, folder: str) -> FaultyStorage:
        """The sub-folder, under the same fault."""
        return FaultyStorage(self._inner.within(folder), self._fault)

    def describe(self) -> str:
        """As the storage inside."""
        return self._inner.describe()

    def close(self) -> None:
        """As the storage inside: a release is no operation."""
        self._inner.close()

    def _meet(self, what: str, verb: Callable[[Storage], _Result]) -> _Result:
        name = f"{what} in {self._inner.describe()}"
        return self._fault.meet(name, lambda: verb(self._inner), lambda: verb(self._half))
