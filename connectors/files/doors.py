"""How bytes of a file are reached where they are read: of a disk, and of HDFS. Runs in the driver
and in executors, which may lack this package: this module and `hdfs_in_tasks` are sent to them by
value, so they use nothing else of ours.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import Any

from windowlog.access.hdfs_in_tasks import task_client

# Over a network a round trip costs more than a page: small reads are made of these.
BLOCK_BYTES = 64 * 2**10
# Who asks for a block of lines will ask for the next one.
AHEAD_BYTES = 4 * 2**20
_MUCH_BYTES = 2**20
# Planning looks at a file's first bytes, its end, and the place where reading goes on.
_KEPT = 4


class Blocks:
    """`read(length, offset)` in the first `size` bytes of a file over a network. The last few
    pieces are kept: a file is looked at in several places near each other. `fetch(offset, length)`
    gives what there is; it is never asked for what lies behind `size`."""

    def __init__(self, fetch: Callable[[int, int], bytes], size: int) -> None:
        self._fetch = fetch
        self._size = size
        self._kept: list[tuple[int, bytes]] = []

    def read(self, length: int, offset: int) -> bytes:
        """Fewer bytes than asked only at the end."""
        end = min(offset + length, self._size)
        if offset >= end:
            return b""
        for low, data in self._kept:
            if low <= offset and end <= low + len(data):
                return data[offset - low : end - low]
        low = offset - offset % BLOCK_BYTES
        high = end + -end % BLOCK_BYTES if length < _MUCH_BYTES else max(end, offset + AHEAD_BYTES)
        data = self._fetch(low, min(high, self._size) - low)
        self._kept = [*self._kept[1 - _KEPT :], (low, data)]
        return data[offset - low : end - low]


@contextmanager
def local_file(address: str, end: int) -> Iterator[Callable[[int, int], bytes]]:
    """In a task: a file under its absolute path."""
    descriptor = os.open(address, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    try:
        yield partial(os.pread, descriptor)
    finally:
        os.close(descriptor)


@contextmanager
def hdfs_file(
    login: Mapping[str, Any], address: str, end: int
) -> Iterator[Callable[[int, int], bytes]]:
    """In a task: the first `end` bytes of a file of HDFS. `login` is that of `task_client`."""
    with task_client(login) as client:

        def fetch(offset: int, length: int) -> bytes:
            with client.read(address, offset=offset, length=length) as answer:
                data: bytes = answer.read()
            return data

        yield Blocks(fetch, end).read
