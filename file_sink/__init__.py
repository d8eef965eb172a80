"""Files that any reader may read at any time: whole windows, once, and nothing else."""

from file_sink.sink import FileSink

__all__ = ["FileSink"]
