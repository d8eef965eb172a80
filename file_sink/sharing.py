"""Two sinks of one run never write into one folder: found before anything is written.

A sink that is renamed takes its folder along, so what a folder remembers cannot tell this mistake
from a decision; that both sinks are open in one run can."""

from __future__ import annotations

import threading
from weakref import WeakKeyDictionary

from file_sink.errors import FolderTaken
from file_sink.layout import Places
from windowlog.contracts import SinkContext

# Sink -> where it writes, and for whom. One process runs a run.
_open: WeakKeyDictionary[object, tuple[Places, SinkContext]] = WeakKeyDictionary()
_lock = threading.Lock()


def opened(sink: object, places: Places, context: SinkContext) -> None:
    """Remember that a sink is open."""
    with _lock:
        _open[sink] = places, context


def closed(sink: object) -> None:
    """Forget it."""
    with _lock:
        _open.pop(sink, None)


def check(sink: object) -> None:
    """FolderTaken if another sink of the same run is open on the same folder, or one inside it."""
    with _lock:
        places, context = _open[sink]
        others = [(p, c) for each, (p, c) in _open.items() if each is not sink]
    for other, theirs in others:
        ours = (context.log_id, context.run_id)
        if (theirs.log_id, theirs.run_id) != ours or theirs.sink == context.sink:
            continue
        if places.overlaps(other):
            where = "the same folder" if other == places else other.path
            raise FolderTaken(
                sink=context.sink,
                path=places.path,
                reason=f"sink {theirs.sink} of this pipeline writes to {where}",
                remedy="Give each sink a folder of its own, none inside another.",
            )
