"""A pipeline with its log and sinks open, as it stands: what every command looks at first."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from windowed import opening
from windowed.closing import close_quietly
from windowed.commands.locate import locate
from windowed.errors import ChoiceRefused
from windowed.locator import folder_note
from windowed.read_only import ReadOnlyMemory
from windowed.recovery import TABLE
from windowlog.contracts import InputContext

if TYPE_CHECKING:
    from windowed.facts import Facts
    from windowed.parts import Parts
    from windowlog.contracts import Input
    from windowlog.window import Window


# While one of these stands, the log cannot be believed, and no window of it can be named.
LOG_ROWS = frozenset("ABC")


@dataclass(frozen=True)
class Opened:
    """An open pipeline, and the facts of a start."""

    parts: Parts
    facts: Facts
    run_id: str

    def standing(self) -> dict[str, tuple[str, ...]]:
        """Each row that refuses -> whom it concerns; a start tells only the first one."""
        rows = ((row, row.question(self.facts)) for row in TABLE if row.refusal is not None)
        return {row.letter: concerned for row, concerned in rows if concerned}

    def window(self, window_id: int) -> Window:
        """A kept window, with the skips beside it."""
        return self.parts.log.read(window_id)


@contextmanager
def exclusive_parts(locator: str) -> Iterator[Parts]:
    """The parts of the pipeline, called by `locator` in what is printed; closed at the end."""
    parts = replace(locate(locator).parts, locator=locator, locator_note=folder_note())
    with parts.exclusively():
        try:
            yield parts
        except ChoiceRefused as error:
            # Run in another folder, a command may have found another world.
            known = {name: error.values[name] for name in ("command", "reason", "remedy")}
            raise ChoiceRefused(choices=(), looked=_looked(parts), **known) from None
        finally:
            close_quietly(parts)


def _looked(parts: Parts) -> str:
    sinks = [repr(s) for s in parts.sinks.values() if type(s).__repr__ is not object.__repr__]
    return f"Looked at were {', '.join([f'the log {parts.log.describe()}', *sinks])}."


@contextmanager
def opened(locator: str) -> Iterator[Opened]:
    """Open log and sinks and gather the facts. Creates nothing; closes all at the end."""
    with exclusive_parts(locator) as parts:
        run_id = str(uuid4())
        yield Opened(parts, opening.open_and_gather(parts, run_id), run_id)


def open_input(look: Opened, name: str) -> Input:
    """Input `name`, open for a look: it saves nothing. Closed with the pipeline."""
    source = look.parts.inputs[name]
    memory = ReadOnlyMemory(look.parts.log.memory(name))
    plans_after = partial(look.parts.log.plans_after, name)
    source.open(InputContext(NO_SESSION, name, memory, plans_after))
    return source


class _NoSession:
    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"a command has no Spark session, so no {name}")


# Inputs need a session to read rows, and a command reads none.
NO_SESSION: Any = _NoSession()
