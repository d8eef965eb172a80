"""Creating records beside other drivers: what only one may own, and what all would write."""

from __future__ import annotations

from contextlib import suppress

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


def create_once(storage: Storage, name: str, data: bytes) -> bool:
    """True when `name` was created; False when it is there already, whoever wrote it: every driver
    would write the same."""
    try:
        storage.create(name, data)
    except RecordExists:
        # Another driver's may not be durable yet; if it is gone by now, a higher one is.
        with suppress(RecordNotFound):
            storage.sync(name)
        return False
    return True
