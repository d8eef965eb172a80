"""RowsInput: rows that a test writes down, window by window, with crashes among them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

import pyarrow

from windowed.testing.crash import Crash
from windowlog.errors import BadArgument
from windowlog.values import Bounds, Json, Part, Plan, Seek, Skip
from windowlog.wiring import InputIdentity

if TYPE_CHECKING:
    from windowlog.contracts import Frame, InputContext


class _CrashType:
    def __repr__(self) -> str:
        return "CRASH"


CRASH: Final = _CrashType()
"""Among a RowsInput's windows: the driver dies before the next one is planned, once."""

_TYPES: dict[str, pyarrow.DataType] = {
    "binary": pyarrow.binary(),
    "boolean": pyarrow.bool_(),
    "date": pyarrow.date32(),
    "double": pyarrow.float64(),
    "float": pyarrow.float32(),
    "int": pyarrow.int32(),
    "bigint": pyarrow.int64(),
    "long": pyarrow.int64(),
    "string": pyarrow.string(),
    "timestamp": pyarrow.timestamp("us", tz="UTC"),
}


class RowsInput:
    """An input of rows in memory. Guarantee: replays exactly, as long as the object lives.

    `windows` holds for each window a list of rows (tuples in the schema's order, or dicts), or
    CRASH. `schema` is a pyarrow.Schema or text like "word string, count bigint". More windows may
    be appended to `windows` between runs.
    """

    remembers = False

    def __init__(self, windows: list[Any], *, schema: pyarrow.Schema | str) -> None:
        self.windows = windows
        self.schema = schema if isinstance(schema, pyarrow.Schema) else parse_schema(schema)
        self._context: InputContext | None = None
        self._told: int | None = None

    def identity(self) -> InputIdentity:
        """The columns: rows in memory have no other place."""
        return InputIdentity("rows", ", ".join(self.schema.names))

    def open(self, context: InputContext) -> None:
        """Remember the session."""
        self._context = context
        self._told = None

    def bounds(self) -> Bounds:
        """How many windows are written down."""
        return Bounds(len(self.windows))

    def waiting(self, bounds: Bounds) -> list[str]:
        """Nothing ever waits."""
        return []

    def plan(self, after: Json, bounds: Bounds) -> Plan:
        """The next window's rows. Raises Crash where CRASH is written, and takes it away: a driver
        dies once."""
        at = after if isinstance(after, int) else 0
        assert isinstance(bounds.detail, int), "bounds come from bounds()"
        if at >= bounds.detail or at >= len(self.windows):
            return Plan((), at, records=0)
        if self.windows[at] is CRASH:
            del self.windows[at]
            raise Crash(f"CRASH was written before window {at + 1}")
        return Plan((Part(f"rows[{at}]", {"at": at}),), at + 1, records=len(self.windows[at]))

    def read(self, plan: Plan, skips: Sequence[Skip]) -> Frame:
        """The rows, as a DataFrame if there is a session."""
        name = self._context.name if self._context is not None else None
        skipped = {skip.part for skip in skips if skip.input == name}
        rows: list[Any] = []
        for part in plan.parts:
            at = part.detail["at"]
            assert isinstance(at, int), "plans come from plan()"
            rows += [] if part.id in skipped else self.windows[at]
        table = self._table(rows)
        spark = self._context.spark if self._context is not None else None
        return table if spark is None else spark.createDataFrame(table)

    def _table(self, rows: Sequence[Any]) -> pyarrow.Table:
        names = self.schema.names
        columns: dict[str, list[Any]] = {name: [] for name in names}
        for row in rows:
            values = self._named(row)
            for name in names:
                columns[name].append(values[name])
        arrays = [self._column(name, columns[name]) for name in names]
        return pyarrow.table(arrays, schema=self.schema)

    def _named(self, row: Any) -> Mapping[str, Any]:
        names = self.schema.names
        if isinstance(row, Mapping) and set(names) <= set(row):
            return row
        if isinstance(row, tuple | list) and len(row) == len(names):
            return dict(zip(names, row, strict=True))
        allowed = (
            f"a list of windows, each a list of rows, each ({', '.join(names)}) or a dict of these"
        )
        raise BadArgument(argument="windows", value=row, allowed=allowed)

    def _column(self, name: str, values: list[Any]) -> pyarrow.Array:
        kind = self.schema.field(name).type
        try:
            return pyarrow.array(values, kind)
        except (pyarrow.ArrowException, OverflowError) as error:
            allowed = f"{kind} in column {name} ({error})"
            raise BadArgument(argument="windows", value=values, allowed=allowed) from error

    def verify(self, plan: Plan, skips: Sequence[Skip]) -> None:
        """Rows in memory do not change."""

    def committed(self, windows: Sequence[tuple[int, Plan]]) -> None:
        """Remember the newest."""
        for window_id, _ in windows:
            self._told = max(window_id, self._told or 0)

    def folded(self) -> int | None:
        """The newest window it was told."""
        return self._told

    def seek(self, to: str, after: Json) -> Seek:
        """ "beginning", "end", or the number of windows to pass over."""
        ends = {"beginning": 0, "end": len(self.windows)}
        if to not in ends and not to.isdecimal():
            allowed = '"beginning", "end" or a number of windows'
            raise BadArgument(argument="to", value=to, allowed=allowed)
        at, end = after if isinstance(after, int) else 0, ends.get(to, 0)
        if to.isdecimal():
            end = min(int(to), len(self.windows))
        between = [w for w in self.windows[min(at, end) : max(at, end)] if w is not CRASH]
        records = sum(len(window) for window in between)
        return Seek(end, again=records if end < at else 0, passed_over=records if end > at else 0)

    def close(self) -> None:
        """Nothing to release."""
        self._context = None


def parse_schema(text: str) -> pyarrow.Schema:
    """ "word string, count bigint" as an Arrow schema. BadArgument for a type that is not one of
    the simple ones."""
    fields = []
    for column in text.split(","):
        words = column.split()
        if len(words) != 2 or words[1].lower() not in _TYPES:
            names = ", ".join(sorted(_TYPES))
            allowed = f"NAME TYPE, …, with types of {names}; a pyarrow.Schema for all others"
            raise BadArgument(argument="schema", value=text, allowed=allowed)
        fields.append(pyarrow.field(words[0], _TYPES[words[1].lower()]))
    return pyarrow.schema(fields)
