"""What the commands call a pipeline: MODULE:NAME or FILE.py:NAME. Found by looking, for messages
that can be copied."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from windowed.pipeline import Pipeline

UNKNOWN = "MODULE:PIPELINE"


class Locator:
    """`str(locator)` looks when it is asked: a pipeline gets its variable only after it was
    made."""

    def __init__(self, pipeline: Pipeline, given: str | None) -> None:
        self._pipeline = pipeline
        self._given = given

    def __str__(self) -> str:
        if self._given is not None:
            return self._given
        for module in list(sys.modules.values()):
            for name, value in list(getattr(module, "__dict__", {}).items()):
                if value is self._pipeline and name.isidentifier():
                    return f"{_module_name(module)}:{name}"
        return UNKNOWN


def _module_name(module: object) -> str:
    name = str(getattr(module, "__name__", "__main__"))
    if name != "__main__":
        return name
    spec = getattr(module, "__spec__", None)
    if spec is not None:
        return str(spec.name).removesuffix(".__main__")
    path = getattr(module, "__file__", None)
    return str(Path(path).resolve()) if path else "MODULE"
