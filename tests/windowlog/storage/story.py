"""A story: steps on a storage, and what each promises; for tests that stop it at every point."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from windowlog.contracts import Storage
from windowlog.errors import RecordExists, RecordNotFound


@dataclass(frozen=True)
class Step:
    """One call on record `name` in `folder`; `more` is a creation's data or a rename's target."""

    verb: str
    folder: str
    name: str = ""
    more: bytes | str = b""

    def do(self, root: Storage) -> None:
        """Do it, as a first try."""
        place = root.within(self.folder)
        match self.verb, self.more:
            case "create", bytes(data):
                place.create(self.name, data)
            case "rename", str(target):
                place.rename(self.name, target)
            case "delete", _:
                place.delete(self.name)
            case "let go", _:
                place.delete(self.name, durable=False)
            case _:
                place.sync()

    def redo(self, root: Storage) -> None:
        """Do it where it may have been done before, as somebody who restarts."""
        place = root.within(self.folder)
        try:
            self.do(root)
        except RecordExists:
            assert place.read(self.name) == self.more
            place.sync(self.name)
        except RecordNotFound:
            assert isinstance(self.more, str)
            place.sync(self.more)


STORY = (
    Step("create", "windows", "1", b"the first plan"),
    Step("create", "windows", "2", b"the second plan"),
    Step("create", "marks", "2", b""),
    Step("rename", "windows", "1", "moved"),
    Step("delete", "windows", "2"),
    Step("create", "windows", "2", b"another second plan"),
    Step("let go", "windows", "moved"),
    Step("sync", "windows"),
    Step("create", "windows", "3", b"the third plan"),
)
"""Every verb that changes something, in folders that do not exist, a name used twice among them."""


@dataclass
class Promises:
    """What the steps so far promise: for each record the states it may be in."""

    states: dict[tuple[str, str], set[bytes | None]] = field(default_factory=dict)
    moving: tuple[str, str, str] | None = None

    def begin(self, step: Step) -> None:
        """From now on the step may have taken effect."""
        for key, after in self._effects(step).items():
            self.states.setdefault(key, {None}).add(after)
        if step.verb == "rename":
            self.moving = step.folder, step.name, str(step.more)

    def returned(self, step: Step, root: Storage) -> None:
        """It has taken effect, and lastingly, unless it was only let go."""
        if step.verb == "sync":
            # What shows now, shows for good.
            found = _records(root.within(step.folder))
            for folder, name in self.states:
                if folder == step.folder:
                    self.states[folder, name] = {found.get(name)}
        elif step.verb != "let go":
            self.states |= {key: {after} for key, after in self._effects(step).items()}
        if step.verb == "rename":
            self.moving = None

    def check(self, root: Storage) -> None:
        """Nothing half, nothing lost, nothing back, nothing else."""
        folders = {folder for folder, _ in self.states} | {step.folder for step in STORY}
        for folder in folders:
            found = _records(root.within(folder))
            known = {name: states for (of, name), states in self.states.items() if of == folder}
            assert found.keys() <= known.keys(), (folder, found)
            for name, states in known.items():
                assert found.get(name) in states, (folder, name, found.get(name), states)
            if self.moving is not None and self.moving[0] == folder:
                assert self.moving[1] in found or self.moving[2] in found, (folder, self.moving)

    def _effects(self, step: Step) -> dict[tuple[str, str], bytes | None]:
        key = step.folder, step.name
        match step.verb, step.more:
            case "create", bytes(data):
                return {key: data}
            case "rename", str(target):
                data = b"the first plan"
                return {key: None, (step.folder, target): data}
            case "delete" | "let go", _:
                return {key: None}
            case _:
                return {}


def _records(place: Storage) -> dict[str, bytes]:
    return {name: place.read(name) for name in place.list()}


def tell(root: Storage, promises: Promises, returned: Callable[[], None] = lambda: None) -> None:
    """All steps in order, for the first time."""
    for step in STORY:
        promises.begin(step)
        step.do(root)
        promises.returned(step, root)
        returned()


def go_on(root: Storage, promises: Promises, start: int) -> None:
    """The steps from `start` on, after a restart: the first one may have been done, or half."""
    for number, step in enumerate(STORY[start:]):
        promises.begin(step)
        step.redo(root) if number == 0 else step.do(root)
        promises.returned(step, root)
