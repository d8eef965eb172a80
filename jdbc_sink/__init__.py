"""jdbc_sink: rows and ledger row in one SQL transaction."""

from jdbc_sink.modes import accumulate, append
from jdbc_sink.sink import JdbcSink

__all__ = ["JdbcSink", "accumulate", "append"]
