"""Which published files a roll-up joins, and into which. Pure functions, no I/O.

Windows that follow each other and are small are joined, newest first, until a file is large enough.
A file that was joined before is joined again only with as many bytes as it has itself: so each row
is written again only as often as the whole doubles.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from file_sink import paths
from file_sink.layout import WINDOWS
from file_sink.published_names import PublishedFile, joined_name, published_file

# A manifest names them, some 60 bytes each, and readers wait for no more than so many links.
REPLACED_MAX = 10_000


@dataclass(frozen=True, slots=True)
class Unit:
    """What is joined whole or not at all: the files of one window, or of windows joined before,
    in one place (layout `files`: in one folder)."""

    first: int
    last: int
    files: tuple[PublishedFile, ...]

    @property
    def bytes(self) -> int:
        """Of all its files."""
        return sum(file.bytes for file in self.files)


@dataclass(frozen=True, slots=True)
class Join:
    """These files become the file `target`; paths below the published folder."""

    target: str
    sources: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Limits:
    """Files of so many bytes are large enough; none gets more rows than `rows`."""

    bytes: int
    rows: int | None = None


def sorted_out(
    layout: str, found: Iterable[tuple[str, int]]
) -> tuple[list[PublishedFile], list[str]]:
    """The files of a published folder that are ours, and the paths of those that are not."""
    ours, foreign = [], []
    for path, size in found:
        file = published_file(layout, path, size)
        if file is None:
            foreign.append(path)
        else:
            ours.append(file)
    return ours, foreign


def groups(
    layout: str,
    files: Sequence[PublishedFile],
    limits: Limits,
    key: Callable[[Unit], object | None],
) -> tuple[list[list[Unit]], bool]:
    """Units to be joined with each other, oldest first; and are there more than are joined at once?
    `key` tells what kind a unit's files are: only equal ones are joined, and none for which it
    is None."""
    places: dict[str, list[PublishedFile]] = {}
    for file in files:
        place = "" if layout == WINDOWS else paths.parent(file.path)
        places.setdefault(place, []).append(file)
    found = [run for place in sorted(places) for run in _runs(_units(places[place]), limits, key)]
    chosen: list[list[Unit]] = []
    count = 0
    for group in sorted(found, key=lambda group: group[0].first):
        count += sum(len(unit.files) for unit in group)
        if count > REPLACED_MAX:
            return chosen, True
        chosen.append(group)
    return chosen, False


def _units(files: Iterable[PublishedFile]) -> list[Unit]:
    def windows(file: PublishedFile) -> tuple[int, int]:
        return file.last, file.first

    ordered = sorted(files, key=lambda file: (*windows(file), file.path))
    return [Unit(key[1], key[0], tuple(some)) for key, some in groupby(ordered, windows)]


def _runs(
    units: list[Unit], limits: Limits, key: Callable[[Unit], object | None]
) -> Iterator[list[Unit]]:
    """From the newest unit back; a new run begins where the next one does not go with it."""
    run: list[Unit] = []
    size, kind = 0, None
    for unit in reversed(units):
        own = key(unit) if unit.bytes < limits.bytes else None
        fresh = unit.first == unit.last or unit.bytes <= size
        few = sum(len(each.files) for each in (*run, unit)) <= REPLACED_MAX
        if own is None or own != kind or size + unit.bytes > limits.bytes or not fresh or not few:
            if len(run) > 1:
                yield run[::-1]
            run, size = [], 0
        if own is not None:
            run.append(unit)
            size += unit.bytes
        kind = own
    if len(run) > 1:
        yield run[::-1]


def joins(
    layout: str,
    group: Sequence[Unit],
    rows: Mapping[str, int],
    limits: Limits,
    there: Iterable[PublishedFile],
) -> list[Join]:
    """The files that a group becomes; none if they would be no fewer. `there` are all published
    files: none of their names is given again."""
    first, last = min(unit.first for unit in group), group[-1].last
    numbers: Counter[str] = Counter()
    for file in there:
        if (file.first, file.last) == (first, last):
            above = paths.parent(file.path)
            numbers[above] = max(numbers[above], file.number + 1)
    root = group[-1].files[0].path.partition("/")[0] if layout == WINDOWS else ""
    inner: dict[str, list[PublishedFile]] = {}
    for unit in group:
        for file in unit.files:
            below = paths.parent(file.path)
            if layout == WINDOWS:
                below = paths.join(root, below.partition("/")[2])
            inner.setdefault(below, []).append(file)
    made = []
    for below in sorted(inner):
        for number, some in enumerate(_pieces(inner[below], rows, limits), numbers[below]):
            name = joined_name(first, last, number, some[0].ending)
            made.append(Join(paths.join(below, name), tuple(file.path for file in some)))
    return made if len(made) < sum(len(unit.files) for unit in group) else []


def _pieces(
    files: Sequence[PublishedFile], rows: Mapping[str, int], limits: Limits
) -> Iterator[list[PublishedFile]]:
    """Files in order, cut where one more would make too many rows."""
    some: list[PublishedFile] = []
    count = 0
    for file in files:
        if some and limits.rows is not None and count + rows[file.path] > limits.rows:
            yield some
            some, count = [], 0
        some.append(file)
        count += rows[file.path]
    yield some
