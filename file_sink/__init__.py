"""Files that any reader may read at any time: whole windows, once, and nothing else."""

from file_sink.sink import FileSink
from file_sink.state import FileState

__all__ = ["FileSink", "FileState"]
