"""What is recorded beside plans: skips and adoptions. Numbered from 1, created exclusively, never
changed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from windowlog import codec, naming
from windowlog.contracts import Storage
from windowlog.errors import LogUnusable, RecordTorn
from windowlog.values import Json, Skip
from windowlog.wiring import Adoption, InputIdentity


class Notes:
    """The skips and adoptions of a log. Plan n never changes: what people decide about it stands
    beside it."""

    def __init__(self, storage: Storage) -> None:
        self._skips = storage.within(naming.SKIPS)
        self._adoptions = storage.within(naming.ADOPTIONS)

    def skip(self, skip: Skip) -> Skip:
        """Record a permission. The same part is recorded once only: the one that is there is
        returned."""
        present = self.skips(skip.window_id)
        for other in present:
            if (other.input, other.part) == (skip.input, skip.part):
                return other
        recorded = replace(skip, number=_next(present))
        body: dict[str, Json] = {
            "input": skip.input,
            "part": skip.part,
            "amount": skip.amount,
            "reason": skip.reason,
        }
        _create(self._skips, "skip", skip.window_id, recorded.number, body)
        return recorded

    def skips(self, window_id: int) -> tuple[Skip, ...]:
        """The permissions beside plan `window_id`, in the order they were given."""
        return tuple(
            Skip(window_id, b["input"], b["part"], b["amount"], b["reason"], number)
            for number, b in _read(self._skips, "skip", window_id)
        )

    def adopt(self, adoption: Adoption) -> Adoption:
        """Record a decision about an input beside plan `adoption.window_id`."""
        recorded = replace(adoption, number=_next(self.adoptions(adoption.window_id)))
        identity = adoption.identity
        body: dict[str, Json] = {
            "input": adoption.input,
            "identity": None
            if identity is None
            else {"kind": identity.kind, "place": identity.place},
            "end": adoption.end,
            "reason": adoption.reason,
        }
        _create(self._adoptions, "adoption", adoption.window_id, recorded.number, body)
        return recorded

    def adoptions(self, window_id: int) -> tuple[Adoption, ...]:
        """The decisions beside plan `window_id`, in order; for one input the last one counts."""
        return tuple(
            _adoption(window_id, number, body)
            for number, body in _read(self._adoptions, "adoption", window_id)
        )

    def adoptions_from(self, floor: int) -> tuple[Adoption, ...]:
        """The decisions beside plan `floor` and all later ones, in order."""
        self._adoptions.sync()
        noted = [w for w in naming.attempts(self._adoptions.list()) if w >= floor]
        return tuple(adoption for window_id in noted for adoption in self.adoptions(window_id))

    def purge(self, floor: int) -> None:
        """Let go of what stands beside plans below `floor`."""
        for storage in (self._skips, self._adoptions):
            for window_id, numbers in naming.attempts(storage.list()).items():
                for number in numbers if window_id < floor else ():
                    storage.delete(naming.numbered(window_id, number), durable=False)


def _adoption(window_id: int, number: int, body: Any) -> Adoption:
    told = body["identity"]
    identity = None if told is None else InputIdentity(told["kind"], told["place"])
    return Adoption(window_id, body["input"], identity, body["end"], body["reason"], number)


def _next(present: Iterable[Skip | Adoption]) -> int:
    return 1 + max((note.number for note in present), default=0)


def _create(storage: Storage, kind: str, window_id: int, number: int, body: Json) -> None:
    storage.create(naming.numbered(window_id, number), codec.encode(kind, window_id, body))


def _read(storage: Storage, kind: str, window_id: int) -> Iterator[tuple[int, Any]]:
    storage.sync()
    for number in naming.attempts(storage.list()).get(window_id, []):
        name = naming.numbered(window_id, number)
        data = storage.read(name)
        try:
            body = codec.decode(data, kind=kind, record_id=window_id, name=name)
        except RecordTorn as torn:
            # Not torn for who reads the plan: that is intact, and would be planned again.
            remedy = f"Restore that {kind} from a backup, or move it away and decide again."
            raise LogUnusable(where=storage.describe(), reason=torn, remedy=remedy) from torn
        yield number, body
