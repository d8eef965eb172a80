"""Paths with slashes, absolute or relative, none at the end. Pure functions."""

from __future__ import annotations

from collections.abc import Iterable


def join(*parts: str) -> str:
    """A path of its parts; empty ones are left out."""
    return "/".join(part for part in parts if part)


def inside(path: str, folder: str) -> bool:
    """Is `path` the folder, or in it?"""
    return path == folder or path.startswith(f"{folder}/")


def parent(path: str) -> str:
    """The folder that a path is in; "" for a bare name."""
    return path.rpartition("/")[0]


def folders(paths: Iterable[str]) -> list[str]:
    """The folders that relative paths are in, all of them, inner ones first; "" is among them."""
    found = {""}
    for path in paths:
        while path := parent(path):
            found.add(path)
    return sorted(found, reverse=True)
