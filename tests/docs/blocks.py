"""A document's Python blocks as one module, so that what it shows is what runs."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from types import ModuleType

DOCS = Path(__file__).parents[2] / "docs"
_BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def module_of(document: str) -> ModuleType:
    """The module that the blocks of `docs/DOCUMENT` make together. Errors name the document's own
    lines."""
    path = DOCS / document
    text = path.read_text()
    code, end = "", 0
    for block in _BLOCK.finditer(text):
        code += "\n" * text.count("\n", end, block.start(1)) + block[1]
        end = block.end(1)
    module = ModuleType(f"docs_{path.stem}")
    module.__file__ = str(path)
    # Classes look their module up by name.
    sys.modules[module.__name__] = module
    exec(compile(code, str(path), "exec"), module.__dict__)
    return module
