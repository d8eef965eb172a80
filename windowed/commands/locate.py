"""From MODULE:NAME, FILE.py:NAME or MODULE:NAME(arguments) to the pipeline. Nothing on the command
line is evaluated: arguments are literals."""

from __future__ import annotations

import ast
import importlib
import importlib.util
import shlex
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

from windowed.errors import NotLocated
from windowed.locator import LOCATED
from windowed.pipeline import Pipeline
from windowed.run_checks import only_looked_at
from windowlog.access.engines import redacted
from windowlog.errors import KitError


def locate(locator: str) -> Pipeline:
    """The pipeline that `locator` names. NotLocated says why there is none; what the kit itself
    says about a wrong argument passes through.

    The current folder can be imported from, and so can the folder of FILE.py, as if it was run."""
    place, colon, words = locator.partition(":")
    if not colon or not place or not words:
        raise _problem(locator, "a module and a name with a colon between them are wanted")
    name, positional, named = _parse(locator, words)
    with only_looked_at():
        module = _load(locator, place)
        if not hasattr(module, name):
            raise _problem(locator, f"{place} has no {name}")
        value = getattr(module, name)
        if positional is not None:
            value = _call(locator, name, value, positional, named)
    if not isinstance(value, Pipeline):
        if callable(value) and positional is None:
            call = shlex.quote(f"{place}:{name}()")
            reason = f"{name} is a function, and is not called: write {call}"
            raise _problem(locator, f"{reason}, with literal arguments if it needs any")
        raise _problem(locator, f"{name} is of type {type(value).__name__}")
    return value


def _parse(locator: str, words: str) -> tuple[str, list[Any] | None, dict[str, Any]]:
    """Name, positional arguments (None: it is not called), keyword arguments."""
    try:
        tree = ast.parse(words, mode="eval").body
        if isinstance(tree, ast.Name):
            return tree.id, None, {}
        if isinstance(tree, ast.Call) and isinstance(tree.func, ast.Name):
            named = {str(k.arg): ast.literal_eval(k.value) for k in tree.keywords if k.arg}
            if len(named) == len(tree.keywords):
                return tree.func.id, [ast.literal_eval(a) for a in tree.args], named
    except (SyntaxError, ValueError, TypeError, MemoryError, RecursionError):
        pass  # said below, in the words of a command line
    raise _problem(locator, f"{words!r} is neither a name nor a call with literal arguments")


def _load(locator: str, place: str) -> ModuleType:
    folder = str(Path.cwd())
    if folder not in sys.path:
        sys.path.insert(0, folder)
    try:
        return _from_file(place) if place.endswith(".py") else importlib.import_module(place)
    except KitError:
        raise
    except (Exception, SystemExit) as error:  # a module may do anything while it is imported
        reason = f"{place} cannot be imported ({type(error).__name__}: {error})"
        if isinstance(error, SystemExit):
            reason += '; what only a run is to do belongs under `if __name__ == "__main__":`'
        raise _problem(locator, reason) from error


def _from_file(place: str) -> ModuleType:
    path = Path(place).resolve()
    # A name of its own: a file called json.py must not become the module json.
    name = f"{LOCATED}{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None or not path.is_file():
        raise FileNotFoundError(f"there is no file {path}")
    sys.path.append(str(path.parent))
    module = importlib.util.module_from_spec(spec)
    # Dataclasses and pickles look their module up by name.
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def _call(
    locator: str, name: str, value: Any, positional: list[Any], named: dict[str, Any]
) -> object:
    if not callable(value):
        raise _problem(locator, f"{name} is of type {type(value).__name__} and cannot be called")
    try:
        return value(*positional, **named)
    except KitError:
        raise
    except Exception as error:  # a factory may raise anything
        raise _problem(locator, f"{name} raised {type(error).__name__}: {error}") from error


def _problem(locator: str, reason: str) -> NotLocated:
    return NotLocated(locator=redacted(locator), reason=redacted(reason))
