"""The project's own files, read once: what the rules of CONTRIBUTING.md are measured on."""

from __future__ import annotations

import ast
import functools
import subprocess
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
PRODUCT = ("windowlog", "connectors", "jdbc_sink", "file_sink", "windowed")
ROOMS = (*PRODUCT, "samples", "benchmarks", "tests")

Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class Source:
    """One Python file. `path` is relative to the project."""

    path: Path
    text: str
    tree: ast.Module

    @property
    def room(self) -> str:
        """The top-level folder it lies in."""
        return self.path.parts[0]

    @property
    def functions(self) -> list[Function]:
        """All of them, methods and inner ones too."""
        return [node for node in ast.walk(self.tree) if isinstance(node, Function)]

    @property
    def public(self) -> list[Function | ast.ClassDef]:
        """The functions and classes that a module offers to others."""
        found = [node for node in self.tree.body if isinstance(node, Function | ast.ClassDef)]
        return [node for node in found if not node.name.startswith("_")]


@functools.cache
def sources() -> tuple[Source, ...]:
    """All Python files that are in the project, or about to be."""
    return tuple(_read(path) for path in files() if path.suffix == ".py" and path.parts[0] in ROOMS)


def product() -> list[Source]:
    """The files that are installed."""
    return [source for source in sources() if source.room in PRODUCT]


@functools.cache
def files() -> tuple[Path, ...]:
    """All files of the project, relative to it: what git knows, and new ones it does not ignore."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if listed.returncode == 0:
        names = {Path(name) for name in listed.stdout.split("\0") if name}
    else:  # an unpacked archive
        names = {path.relative_to(ROOT) for path in ROOT.rglob("*")}
        names = {name for name in names if not any(_made(part) for part in name.parts)}
    return tuple(sorted(name for name in names if (ROOT / name).is_file()))


def _made(part: str) -> bool:
    """Whether a folder of this name holds what was made here."""
    return part in (".venv", ".git", ".run", "build", "dist", "__pycache__") or "cache" in part


def _read(path: Path) -> Source:
    text = (ROOT / path).read_text()
    return Source(path, text, ast.parse(text))


def docstring_lines(node: ast.AST) -> int:
    """How many lines its docstring takes."""
    body = node.body if isinstance(node, ast.Module | ast.ClassDef | Function) else []
    if body and isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant):
        constant = body[0].value
        if isinstance(constant.value, str):
            return (constant.end_lineno or constant.lineno) - constant.lineno + 1
    return 0


def none_of(found: list[str]) -> None:
    """Fail with one line for each place that breaks a rule."""
    assert not found, "\n" + "\n".join(found)
