"""Input, Sink and Storage: the contracts that every other room obeys.

`windowed.testing` ships one test class for each; an implementation is right when it passes. A frame
is a Spark DataFrame, or a pyarrow.Table where a pipeline runs without Spark (`pipeline.run(None)`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, TypeAlias, runtime_checkable

from windowlog.values import Bounds, Json, Plan, Seek, Skip
from windowlog.window import Window
from windowlog.wiring import Held, InputIdentity, SinkIdentity, TargetState

if TYPE_CHECKING:
    import pyarrow
    from pyspark.sql import DataFrame, SparkSession

Frame: TypeAlias = "DataFrame | pyarrow.Table"
# What a sink is given for one window: a frame, or, where the sink has `tables`, one for each.
Output: TypeAlias = "Frame | Mapping[str, Frame]"
Schema: TypeAlias = "pyarrow.Schema | Mapping[str, pyarrow.Schema]"


@runtime_checkable
class Storage(Protocol):
    """A folder of durable records. Every verb but `list` and `read` is durable when it returns.

    Names are single path components. A verb that raises may have taken effect or not; a verb that
    returns has. Errors of the outside (OSError …) pass through; they never mean "not there".

    A storage of files also has `folder`, its absolute path or URL: no input may read it.
    """

    def read(self, name: str) -> bytes:
        """All bytes of a record. RecordNotFound if there is none."""

    def create(self, name: str, data: bytes) -> None:
        """Create a record, whole or not at all. RecordExists if the name is taken: exactly one
        creator wins."""

    def list(self) -> list[str]:
        """Names of the records here, sorted; without sub-folders and unfinished creations. Empty if
        none."""

    def rename(self, source: str, target: str) -> None:
        """Move a record to a free name. RecordExists if taken, RecordNotFound if the source is not
        there."""

    def delete(self, name: str, *, durable: bool = True) -> None:
        """Remove a record; nothing happens if it is not there. Not durable: it may come back after
        a power cut."""

    def sync(self, name: str | None = None) -> None:
        """Make durable what another process may have left half way: record `name`, or the folder's
        listing."""

    def within(self, folder: str) -> Storage:
        """The storage of a sub-folder. Creates nothing: a folder comes into being with its first
        record."""

    def describe(self) -> str:
        """Where this is, for messages; without secrets."""

    def close(self) -> None:
        """Release connections and locks. May be called again. What is called next is a new start
        (I7)."""


class Memory(Protocol):
    """An input's own durable records, in the log's storage: versions by window, the highest
    wins."""

    def newest(self) -> tuple[int, bytes] | None:
        """(window id, data) of the highest version, or None."""

    def save(self, window_id: int, data: bytes) -> None:
        """Save the version of `window_id`. A version that exists already is left as it is. Older
        ones may go."""


@dataclass(frozen=True)
class InputContext:
    """What an input is given when it is opened.

    `plans_after(w)` iterates (window id, plan) of all logged windows > w, oldest first, each
    followed by any reset recorded beside it: an *empty* plan with the window's own id whose `end`
    is the new position (a Seek's `end`). Resets beside w itself come first. Applying a reset twice
    changes nothing.
    """

    spark: SparkSession | None
    name: str
    memory: Memory
    plans_after: Callable[[int], Iterator[tuple[int, Plan]]]


@dataclass(frozen=True, slots=True)
class SinkContext:
    """What a sink is given when it is opened."""

    pipeline: str
    sink: str
    log_id: str
    run_id: str


@runtime_checkable
class Input(Protocol):
    """A source that can replay. Called from one thread. Order: open, then the others, then close.

    `remembers` is True for an input whose position is more than its plan's `end`: it keeps the rest
    in its memory.

    Such an input may have one method more, `recognised() -> tuple[int, int]`: how many of the
    things that it remembers (files) are at its place, each by its own identity, and how many it
    remembers. `adopt --from same` asks it, open, before an input keeps its position in another
    place. An input of files may have `reads(path: str) -> bool`, asked before `open`: is a file at
    this absolute path, or URL, one of its own? A pipeline whose log or sink writes such a file
    would feed itself. One whose parts can be skipped in pieces has `piece(plan: Plan, name: str) ->
    str | None`: how much of a plan a skip of that name gives up, in words, be it a part's or a
    piece's; None if it names nothing. `read` and `verify` then know such names in skips.
    One that can set records aside, of which it makes no rows, has `sets_aside`, a bool that never
    changes, and `read_aside(plan: Plan, skips: Sequence[Skip]) -> tuple[Frame, Frame]`, called in
    place of `read` where that is True: the rows of `read`, and the records set aside, each with the
    same columns for every plan. A transform gets the second one as NAME_rejects. Both may be used
    until the next reading, `committed` or `close`; later, too, if they can be read again. It may
    have `set_aside_count() -> int`, asked after `verify`: how many records are in it. One whose
    rows are read when they are used may have `explain(error: Exception) -> Exception | None`: what
    an error that came up then means in this input's words, or None where it is about others.
    `standing(position: Json) -> str`, which any input may have, tells a person a position in few
    words, and `clashes(other: object) -> str | None` what must be different if another input is to
    be beside it in one pipeline. Both may be called before `open`.
    """

    remembers: bool

    def identity(self) -> InputIdentity:
        """What it reads. May be called before `open`, and must not need the source to be
        reachable."""

    def open(self, context: InputContext) -> None:
        """Once a run, after recovery has been decided. May read memory and plans; must create
        nothing.

        An instance may be opened again after `close`."""

    def bounds(self) -> Bounds:
        """What exists now. Reads only metadata."""

    def waiting(self, bounds: Bounds) -> list[str]:
        """Names of what lies inside `bounds` and cannot be planned yet (a file not yet quiet).
        Empty if none."""

    def plan(self, after: Json, bounds: Bounds) -> Plan:
        """What comes next after position `after` (None: the start) and inside `bounds`, within this
        input's limits.

        Must not change anything: a plan that is never logged is planned again. Called only when
        every window before it was told by `committed`. Nothing new: an empty plan that repeats the
        position."""

    def read(self, plan: Plan, skips: Sequence[Skip]) -> Frame:
        """Exactly the plan's rows, without its skipped parts. Lazy is fine; the same columns for
        every plan, empty ones too. May be called again for the same plan."""

    def verify(self, plan: Plan, skips: Sequence[Skip]) -> None:
        """After the rows were used: raise SourceChanged unless what was planned is still what is
        there."""

    def committed(self, windows: Sequence[tuple[int, Plan]]) -> None:
        """These windows are held by every sink. In order, each at least once. The input takes the
        plans as its position, and folds into its memory every so many windows."""

    def folded(self) -> int | None:
        """The newest window whose plan this input no longer needs; None if it needs all (nothing
        folded yet).

        An input that does not remember answers with the newest window it was told."""

    def seek(self, to: str, after: Json) -> Seek:
        """Where `reset --to` leads: "beginning", "end", or a position in this input's own words.
        Changes nothing. BadArgument if it cannot be."""

    def close(self) -> None:
        """Fold and release. Legal after a failed or missing `open`; never hides an earlier
        error."""


@runtime_checkable
class Sink(Protocol):
    """A place that remembers its window. Called from one thread. Order for one window: prepare
    (when the schema is new or changed), stage, hold; or abandon. `committed` comes once all sinks
    hold it.

    A sink may have one method more, `idle()`: called before each wait of a run, so that it lets go
    of what others need meanwhile (a database file). The next call finds it as usable as before.
    A sink that writes files may have `files() -> Sequence[str]`: absolute paths, or URLs, of some
    of each kind, as `Input.reads` may be asked for them; and
    `folders() -> Sequence[str]`, those that are its own alone: paths, or URLs as a log's.
    One that can join what it has published into fewer files may have `roll_up() ->
    tuple[Sequence[str], Callable[[], None] | None]`: what that would do, in words, and what does
    it, or None. Called open, for a command.
    `place() -> sink_place.SinkPlace`, which any sink may have, tells a person where target and
    memory are. May be called before `open`.
    A sink that never writes a window for which readers have one already may have `free_from() ->
    int`: the first window that `adopt` may let it go on with, as its target stands. Called open,
    for a refusal's choices and for a command.
    A sink that fills several tables at once has `tables`, their names: `prepare` and `stage` then
    get a dict with a schema or frame for each of them.
    """

    def identity(self) -> SinkIdentity:
        """Target and mode. May be called before `open`."""

    def open(self, context: SinkContext) -> None:
        """Once a run, first of all. Connects; creates nothing that a reader could see, no ledger
        either."""

    def held(self) -> Held | None:
        """The sink's memory for (pipeline, sink), or None. Waits for a predecessor's commit still
        in flight."""

    def target(self) -> TargetState:
        """What stands at the target now, for messages and refusals."""

    def adopt(self, before: Held | None, after: Held) -> None:
        """Move the memory from `before` (None: there is none yet) to `after`, without rows: one
        compare-and-set.

        Called before the first window, and by `adopt`. Creates the ledger. Fenced unless the memory
        is `before`."""

    def prepare(self, schema: Schema) -> None:
        """Create or check the target for rows of this schema. Idempotent, outside any window's
        transaction. Everything wrong is named in one error, and nothing is changed then."""

    def stage(self, window: Window, frame: Output) -> None:
        """All of Spark's work and everything slow. Nothing becomes visible; may be abandoned or
        lost."""

    def hold(self, window: Window) -> None:
        """Short: make window n and its staged rows durable in one step, only if the memory is at
        n-1 with this log's id and digest and this sink's identity. NotHeld: surely not;
        CommitUnknown: not known; Fenced: another driver did."""

    def abandon(self, window: Window) -> None:
        """Throw away what was staged. Legal at any time, also if nothing was."""

    def committed(self, window_id: int) -> None:
        """Every sink holds `window_id` and all before it. At least once; may cover several
        windows."""

    def close(self) -> None:
        """Release every connection and lock. Legal after a failed or missing `open`; never hides an
        earlier error."""
