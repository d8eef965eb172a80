"""windowed: the loop. It knows the other rooms only by windowlog.contracts."""

from windowed.errors import Refused
from windowed.listener import Listener
from windowed.pipeline import Pipeline
from windowed.run import Run
from windowed.state import State
from windowed.summary import Summary
from windowed.trigger import drained, every, forever, windows

__all__ = [
    "Listener",
    "Pipeline",
    "Refused",
    "Run",
    "State",
    "Summary",
    "drained",
    "every",
    "forever",
    "windows",
]
