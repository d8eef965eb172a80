"""Python data sources of ours, made known to a Spark session."""

from __future__ import annotations

from typing import Any
from weakref import WeakKeyDictionary

from windowlog.access.unlogged import unlogged

# What Spark says of a name that is taken.
_TAKEN = "DATA_SOURCE_ALREADY_EXISTS"
# Session -> names of sources -> the names that it knows them by.
_registered: WeakKeyDictionary[Any, dict[str, str]] = WeakKeyDictionary()


def make_known(spark: Any, source: Any) -> str:
    """Let a session know a data source, once. The name to load it by: `source.format_name`, which
    its `name()` gives, or another one.

    A session that came from another one's `newSession` refuses the names that the other one knows,
    and finds nothing under them (Spark 4.2)."""
    known = _registered.setdefault(spark, {})
    kind, number = source, 1
    while source.format_name not in known:
        try:
            # How its tasks log in goes with its code.
            with unlogged():
                spark.dataSource.register(kind)
            known[source.format_name] = kind.format_name
        except Exception as error:
            if _TAKEN not in str(error):
                raise
            number += 1
            members = {"format_name": f"{source.format_name}_{number}"}
            kind = type(source.__name__, (source,), members)
    return known[source.format_name]
