"""ORC files joined, stripe by stripe."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, BinaryIO

from file_sink.joining import Inspected, LeftAlone

if TYPE_CHECKING:
    import pyarrow

    from file_sink.joining import Opens


class OrcJoiner:
    """Obeys `Joiner`."""

    def __init__(self, opens: Opens) -> None:
        self._opens = opens

    def inspect(self, path: str) -> Inspected:
        """By its footer. LeftAlone for moments: Spark writes them in its own time zone, pyarrow in
        UTC, and readers shift them by what the file says."""
        import pyarrow.orc
        import pyarrow.types

        with self._opens(path) as stream:
            file = pyarrow.orc.ORCFile(stream)
            if any(map(_has_moment, (field.type for field in file.schema))):
                raise LeftAlone("they have columns of moments, which depend on a time zone in ORC")
            return Inspected((str(file.schema), str(file.compression)), int(file.nrows))

    def join(self, paths: Sequence[str], stream: BinaryIO, check: Callable[[], None]) -> None:
        """Stripe by stripe."""
        import pyarrow
        import pyarrow.orc

        with self._opens(paths[0]) as first:
            codec = str(pyarrow.orc.ORCFile(first).compression).lower()
        with pyarrow.orc.ORCWriter(stream, compression=codec) as writer:
            for path in paths:
                with self._opens(path) as source:
                    file: Any = pyarrow.orc.ORCFile(source)
                    for stripe in range(file.nstripes):
                        check()
                        writer.write(pyarrow.Table.from_batches([file.read_stripe(stripe)]))


def _has_moment(kind: pyarrow.DataType) -> bool:
    import pyarrow.types as types

    inner = [kind.field(at).type for at in range(kind.num_fields)]
    return types.is_timestamp(kind) or any(map(_has_moment, inner))
