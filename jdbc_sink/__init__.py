"""jdbc_sink: rows and ledger row in one SQL transaction."""

from jdbc_sink.modes import accumulate, append, replace_window, upsert
from jdbc_sink.own import call, sql
from jdbc_sink.sink import JdbcSink

__all__ = ["JdbcSink", "accumulate", "append", "call", "replace_window", "sql", "upsert"]
