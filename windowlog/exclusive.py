"""Creating a record that only one driver may own, when the answer of the storage can get lost."""

from __future__ import annotations

from windowlog.contracts import Storage
from windowlog.errors import RecordExists, RecordNotFound


def create_exclusively(storage: Storage, name: str, data: bytes) -> bool:
    """True when `name` is there with these very bytes, which name the run; False if it is
    another's.

    The name may be taken by ourselves: by a creation whose reply was lost, and which was tried
    again."""
    try:
        storage.create(name, data)
    except RecordExists:
        try:
            if storage.read(name) != data:
                return False
            storage.sync(name)  # the reply that was lost may have been an error
        except RecordNotFound:
            return False  # its owner has purged it meanwhile
    return True
