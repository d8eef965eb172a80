"""Two machines and one mirror: every interleaving, and what each safeguard is for."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace

import pytest

from tests.windowlog.mirror_search import Search, Setting
from windowlog.errors import RecordExists
from windowlog.storage import MirroredStorage
from windowlog.storage.level import put

ONE, TWO, ONE_TWICE, TWO_TWICE = ("one", 1), ("two", 1), ("one", 2), ("two", 2)
SETTINGS = [
    Setting((ONE, TWO), windows=2),
    Setting((ONE_TWICE, TWO)),
    Setting((ONE_TWICE, TWO), may_lose="one"),
    Setting((ONE, ONE), weather=True, begun=True, windows=2),
    Setting((ONE_TWICE, TWO), required=False, may_lose="one", begun=True, windows=2),
    Setting((ONE_TWICE,), required=False, weather=True, begun=True, windows=2, due=True),
    Setting((ONE, ONE), required=False, weather=True, begun=True, windows=2),
    Setting((ONE, TWO), required=False, adopts=(1,), weather=True, begun=True, windows=2),
]
LARGE = [
    Setting((ONE, ONE), required=False),
    Setting((ONE_TWICE, TWO), required=False, adopts=(1,), weather=True, begun=True, windows=2),
    Setting((ONE, ONE)),
    Setting((ONE_TWICE, TWO), windows=2),
    Setting((ONE_TWICE, TWO_TWICE)),
    Setting((ONE_TWICE, TWO), weather=True),
    Setting((ONE_TWICE, TWO), required=False, weather=True),
]


def _name(setting: Setting) -> str:
    return f"{setting}".partition("(")[2]


@pytest.mark.parametrize(
    "setting",
    [*SETTINGS, *(pytest.param(setting, marks=pytest.mark.soak) for setting in LARGE)],
    ids=_name,
)
def test_no_window_counts_twice_and_none_is_lost(setting: Setting) -> None:
    """No two drivers count different windows n; what counts is on both sides, or said to be
    alone."""
    found = Search(setting).explore()
    assert found.problem is None, "\n".join([found.problem or "", *found.steps])
    assert found.states > 1000, "the search saw almost nothing"


class LocalDecides(MirroredStorage):
    """The naive order: the local side first, and believed; the mirror gets a copy."""

    def create(self, name: str, data: bytes) -> None:
        """Local, then a copy."""
        self.pair.begin()
        self.local.create(name, data)
        with suppress(RecordExists):
            self.mirror.create(name, data)

    def list(self) -> list[str]:
        """What is here."""
        return self.local.list()

    def read(self, name: str) -> bytes:
        """What is here."""
        return self.local.read(name)

    def sync(self, name: str | None = None) -> None:
        """Nothing comes from elsewhere."""


def test_a_local_side_that_decides_gives_two_machines_a_window_1() -> None:
    """Both count it, each its own."""
    found = Search(Setting((ONE, TWO), kind=LocalDecides)).explore()
    assert found.problem == "two windows 1 count"


class BelievesItsTail(LocalDecides):
    """Both sides in the right order of belief for a creation, and yet the local side is read."""

    def create(self, name: str, data: bytes) -> None:
        """Local, and then the mirror, which decides."""
        self.pair.begin()
        self.local.create(name, data)
        self.mirror.create(name, data)


def test_a_tail_that_is_believed_is_a_second_history() -> None:
    """A driver died between the two; its next run believes what the mirror never had."""
    found = Search(Setting((ONE_TWICE, TWO), kind=BelievesItsTail)).explore()
    assert found.problem in (
        "two windows 1 count",
        "window 1 counts on one, and the mirror lacks it",
    )


class MirrorFirst(MirroredStorage):
    """The order of a required mirror, where it may be away."""

    def create(self, name: str, data: bytes) -> None:
        """The mirror, unless it is away; then local."""
        self.pair.begin()
        with self.pair.outages():
            if self.pair.reachable():
                self.mirror.create(name, data)
        with self.pair.explaining():
            put(self.local, name, data)
        self.pair.check()


@pytest.mark.parametrize("drivers", [(ONE_TWICE,), (ONE, ONE)])
def test_a_mirror_that_goes_first_gives_one_folder_two_windows(
    drivers: tuple[tuple[str, int], ...],
) -> None:
    """A driver dies between the two and the mirror goes away, or one driver of the machine sees it
    and another one does not: a window counts alone, and the mirror has another of its number."""
    setting = Setting(drivers, required=False, weather=True, begun=True, windows=2)
    found = Search(replace(setting, kind=MirrorFirst)).explore()
    assert found.problem == "window 2 counts on one alone, and the mirror has another"


class NeverLevel(MirroredStorage):
    """A folder that joins gets nothing of what is there already."""

    def begin(self) -> None:
        """The pairing, and no more."""
        self.pair.level_all = lambda: None  # type: ignore[method-assign]
        self.pair.begin()

    def sync(self, name: str | None = None) -> None:
        """Nothing is brought."""


def test_a_folder_that_is_not_filled_loses_windows_with_the_mirror() -> None:
    """The next machine counts what only the mirror has."""
    found = Search(Setting((ONE, TWO), kind=NeverLevel)).explore()
    assert found.problem is not None
    assert found.problem.endswith("and its folder lacks it")
