"""One file of an HDFS as a stream: read at any place, or written as a whole when it is closed."""

from __future__ import annotations

import io
from collections.abc import Callable
from types import TracebackType

# One piece asks a name node and a data node: small enough for a footer, and few for a long file.
PIECE_BYTES = 2**18


class Reading(io.RawIOBase):
    """Bytes of a file of `size` bytes; `read(offset, length)` asks for some of them."""

    def __init__(self, size: int, read: Callable[[int, int], bytes]) -> None:
        self._size = size
        self._read = read
        self._at = 0

    def readable(self) -> bool:
        """Yes."""
        return True

    def seekable(self) -> bool:
        """Yes."""
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """As for any file."""
        start = {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self._size}[whence]
        self._at = max(0, start + offset)
        return self._at

    def tell(self) -> int:
        """As for any file."""
        return self._at

    # The parameter's name and type are those of RawIOBase.
    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        """As many bytes as fit, fewer at the file's end only."""
        length = min(len(buffer), self._size - self._at)
        if length <= 0:
            return 0
        data = self._read(self._at, length)
        buffer[: len(data)] = data
        self._at += len(data)
        return len(data)


class Writing(io.BytesIO):
    """Bytes that `write_all(data)` makes a file of, once, when the stream is closed; none where an
    exception leaves the `with`."""

    def __init__(self, write_all: Callable[[bytes], None]) -> None:
        super().__init__()
        self._write_all: Callable[[bytes], None] | None = write_all

    def close(self) -> None:
        """Write the file."""
        write_all, self._write_all = self._write_all, None
        data = b"" if self.closed else self.getvalue()
        super().close()
        if write_all is not None:
            write_all(data)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if kind is not None:
            self._write_all = None
        self.close()

    def __del__(self) -> None:
        # Who forgot it never said that it was whole.
        self._write_all = None
