"""What the commands call a pipeline: MODULE:NAME or FILE.py:NAME. Found by looking, for messages
that can be copied."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from windowlog.errors import PIPELINE

if TYPE_CHECKING:
    from windowed.pipeline import Pipeline

# What the commands put before a file's name, when they import it as a module of its own.
LOCATED = "located_"

_NO_VARIABLE = (
    f"{PIPELINE}: this pipeline is no variable of a module. Write there what makes it, such as"
    " \"jobs.counts:build('in')\", or say it once for all commands:"
    " Pipeline(..., locator=\"jobs.counts:build('in')\")."
)
_NO_FILE = (
    f"{PIPELINE}: this program is in no file, where a command could find its pipeline. Put it in"
    " one, and run that."
)


class Locator:
    """`str(locator)` looks when it is asked: a pipeline gets its variable only after it was
    made."""

    def __init__(self, pipeline: Pipeline, given: str | None) -> None:
        self._pipeline = pipeline
        self._given = given

    def look(self) -> tuple[str, str]:
        """What names the pipeline, and what a person has to know about that, if anything."""
        if self._given is not None:
            return self._given, folder_note()
        without_file = False
        for module in list(sys.modules.values()):
            for name, value in list(getattr(module, "__dict__", {}).items()):
                if value is self._pipeline and name.isidentifier():
                    place = _place(module)
                    if place is not None:
                        return f"{place}:{name}", folder_note()
                    without_file = True
        return PIPELINE, _NO_FILE if without_file else _NO_VARIABLE

    def __str__(self) -> str:
        return self.look()[0]


def folder_note() -> str:
    """Where the commands are to be run: a pipeline's places may be relative."""
    return f"Run them in {Path.cwd()}, as this was: relative places are meant from there."


def _place(module: object) -> str | None:
    """The module's name, or its file, by which a command can import it."""
    name = str(getattr(module, "__name__", "__main__"))
    if name != "__main__" and not name.startswith(LOCATED):
        return name
    spec = getattr(module, "__spec__", None)
    if name == "__main__" and spec is not None:
        return str(spec.name).removesuffix(".__main__")
    path = Path(str(getattr(module, "__file__", None) or "<none>"))
    return str(path.resolve()) if path.is_file() else None
