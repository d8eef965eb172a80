"""The errors of the JDBC sink.

KitError
├── DatabaseLocked (OSError)     JS1  another process holds the database file
├── DatabaseUnusable             JS2  it cannot be opened, or is not one
├── TargetUnsuitable             JS3  the target cannot take these rows
├── BadValue                     JS4  a value that the target would refuse or change
├── TransactionOpen              JS5  your own connection is inside a transaction
├── DatabaseFailed               JS6  the database answered with an error
├── LedgerUnsuitable             JS7  a table of the ledger's name that is no ledger
├── AmbiguousKey                 JS8  a window does not say what becomes of a key
├── TransactionEnded             JS9  your own work ended the transaction, or tried to
├── TooManyRejects               JS10 more rows of a window were refused than is allowed
├── DeadLettersUnsuitable        JS11 a table of the dead letters' name that cannot take them
└── SpoolFailed                  JS12 a window's rows did not arrive in the spool
"""

from __future__ import annotations

from windowlog.errors import KitError


class DatabaseLocked(KitError, OSError):
    """{database} is held by {holder} and did not become free within {waited_s} s. Nothing was
    written. Let that process close its connection, open it read-only after this run, or raise
    lock_wait_s."""

    code = "JS1"
    passing = True


class DatabaseUnusable(KitError):
    """{database} cannot be used: {reason}. Nothing was written. {remedy}"""

    code = "JS2"


class TargetUnsuitable(KitError):
    """Table {table} cannot take the rows of sink {sink}: {findings}. Nothing was changed. Alter the
    table, or select and cast the columns in the transform."""

    code = "JS3"


class BadValue(KitError):
    """Sink {sink}: column {column} holds {value} in window {window_id}: {reason}. The window was
    not written. Correct it in the transform; the window is then replayed."""

    code = "JS4"


class TransactionOpen(KitError):
    """The connection given to sink {sink} is inside a transaction of yours. Nothing was written.
    Commit it or roll it back before the pipeline runs: rows and ledger must be one transaction of
    their own."""

    code = "JS5"


class DatabaseFailed(KitError):
    """{database} answered with an error: {reason}. What was in flight was rolled back. Start again
    when the database is well; nothing is written twice."""

    code = "JS6"
    passing = True


class LedgerUnsuitable(KitError):
    """{table} cannot be the ledger of sink {sink}: {finding}. Nothing was changed. Give the sink
    another ledger_table, or move that table away if it is of no use."""

    code = "JS7"


class AmbiguousKey(KitError):
    """Sink {sink}: window {window_id} has several different rows for the key {key}, and none of
    them is the newest. The window was not written. Give the mode an order_by column that tells them
    apart, or combine them in the transform; the window is then replayed."""

    code = "JS8"


class TransactionEnded(KitError):
    """Sink {sink}: in window {window_id} {what} {outcome}"""

    code = "JS9"


class TooManyRejects(KitError):
    """Sink {sink}: more than {max_rejects} rows of window {window_id} were refused. The first, for
    table {table}: {reason}: {row}. The window was not written. Correct the rows in the transform,
    or raise max_rejects; the window is then replayed."""

    code = "JS10"


class DeadLettersUnsuitable(KitError):
    """{table} cannot take the dead letters of sink {sink}: {finding}. Nothing was changed. Give the
    sink another dead_letters table, or move that one away if it is of no use."""

    code = "JS11"


class SpoolFailed(KitError):
    """Sink {sink}: the rows of window {window_id} did not arrive in the spool {place}: {reason}.
    Nothing was written. Driver and executors must see that folder under the same path, and have
    room in it: give a folder that they share as spool=, or load="driver". The window is then
    replayed."""

    code = "JS12"
    passing = True
