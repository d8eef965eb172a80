"""Every fault on either side, as an error and as a crash, before and after it took effect; and
power cuts on both."""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Callable, Iterator

import pytest

from tests.windowlog.drafts import PIPELINE, draft
from tests.windowlog.mirrored import everything
from windowed.testing.faulty import Fault, every_fault
from windowed.testing.forgetful import ForgetfulStorage
from windowlog.contracts import Storage
from windowlog.log import WindowLog
from windowlog.storage import MemoryStorage, MirroredStorage
from windowlog.window import Window

CHOICES = pytest.mark.parametrize("required", [True, False], ids=["required", "not required"])
Counted = dict[int, Window]


@pytest.fixture(autouse=True)
def unsaid() -> Iterator[None]:
    """An outage is said by a warning, which is not the point here."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def _work(near: Storage, far: Storage, required: bool, counted: Counted, last: int) -> None:
    """A start, windows up to `last`, what an input remembers, and a purge."""
    storage = MirroredStorage(near, far, required=required, clock_s=lambda: 0.0)
    log = WindowLog(storage)
    log.open(PIPELINE, "run-a")
    log.scan()
    storage.begin()
    log.memory("lines").newest()
    log.create()
    for window_id in range(log.newest + 1, last + 1):
        window = log.append(draft(window_id))
        counted[window_id] = window
        log.memory("lines").save(window_id, b"read up to %d" % window_id)
        log.purge(window_id - 1)


def _check(near: Storage, far: Storage, required: bool, counted: Counted) -> None:
    """What counted is there; a run goes on; then both sides have the same."""
    newest = max(counted, default=0)
    storage = MirroredStorage(near, far, required=required)
    log = WindowLog(storage)
    log.open(PIPELINE, "run-b")
    state = log.scan()
    assert state.damaged == ()
    assert state.newest >= newest
    for window_id in range(max(state.oldest, 1), newest + 1):
        assert log.read(window_id).digest == counted[window_id].digest
    _work(near, far, required, counted, max(state.newest, newest) + 1)
    _work(near, far, required, counted, 0)
    ours, theirs = everything(near), everything(far)
    assert {n: ours.get(n) for n in theirs.keys() & ours.keys()} == {
        n: theirs[n] for n in theirs.keys() & ours.keys()
    }
    assert _kept(ours) == _kept(theirs)


def _kept(side: dict[str, bytes]) -> dict[str, bytes]:
    """Without debris: plans below the mark, marks and memories but the newest."""
    newest = {
        folder: max((n for n in side if n.startswith(folder)), default="")
        for folder in ("marks", "inputs/lines")
    }
    mark = newest["marks"].partition("/")[2]
    return {
        name: data
        for name, data in side.items()
        if name.startswith("headers")
        or name in newest.values()
        or (name.startswith("windows") and name.partition("/")[2] >= mark)
    }


@CHOICES
def test_every_fault_on_either_side(required: bool) -> None:
    """Operation by operation, over both sides together."""
    struck: list[str] = []
    for fault in every_fault():
        near, far = MemoryStorage().within("near"), MemoryStorage().within("far")
        counted: Counted = {}
        with fault.suffered():
            _work(fault.over(near), fault.over(far), required, counted, 3)
        _check(near, far, required, counted)
        struck += [fault.struck] if fault.struck else []
    assert any("create 000000000001.json in memory:/near/pairings" in each for each in struck)
    assert any("create 000000000003.json in memory:/far/windows" in each for each in struck)
    assert any("delete" in each and "memory:/near/windows" in each for each in struck)


def _near(near: ForgetfulStorage, far: ForgetfulStorage) -> None:
    near.power_loss()


def _far(near: ForgetfulStorage, far: ForgetfulStorage) -> None:
    far.power_loss()


def _both(near: ForgetfulStorage, far: ForgetfulStorage) -> None:
    near.power_loss()
    far.power_loss()


@CHOICES
@pytest.mark.parametrize("cut", [_near, _far, _both], ids=["local", "mirror", "both"])
def test_every_power_cut_on_either_side(
    required: bool, cut: Callable[[ForgetfulStorage, ForgetfulStorage], None]
) -> None:
    """A driver dies at each operation, also half way, and what was not durable is lost with it."""
    for number in itertools.count(1):
        near, far = ForgetfulStorage(), ForgetfulStorage()
        counted: Counted = {}
        fault = Fault(number, "midway", crash=True)
        left, right = fault.over(near.within("near")), fault.over(far.within("far"))
        left._half, right._half = near.halfway.within("near"), far.halfway.within("far")
        with fault.suffered():
            _work(left, right, required, counted, 3)
        cut(near, far)
        _check(near.within("near"), far.within("far"), required, counted)
        if fault.struck is None:
            break
    assert number > 50, "there were almost no operations"
