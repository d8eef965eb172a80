"""The text that `make wordcount` counts."""

from __future__ import annotations

import sysconfig
from pathlib import Path

import pytest

from samples.wordcount import stdlib
from samples.wordcount.demo import count_files
from tests.samples.counting import words_in_files

LEFT_OUT = ("site-packages", "dist-packages", "__pycache__")


def _library() -> list[Path]:
    root = Path(sysconfig.get_path("stdlib"))
    found = (path for path in root.rglob("*.py") if path.is_file())
    return [path for path in found if not set(LEFT_OUT) & set(path.relative_to(root).parts)]


def test_every_file_of_the_standard_library_is_there_to_be_read(tmp_path: Path) -> None:
    """Also `__init__.py`, under a name that a file input does not leave alone."""
    target = stdlib.copy_standard_library(tmp_path / "deep" / "library")
    copies = list(target.rglob("*.py"))
    assert sorted(p.stat().st_size for p in copies) == sorted(p.stat().st_size for p in _library())
    names = {name for copy in copies for name in copy.relative_to(target).parts}
    assert not [name for name in names if name[0] in "._"]
    assert sum(copy.stat().st_size for copy in copies) > 10_000_000


def test_the_copy_is_made_once_and_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What an interrupted copy left is thrown away; what is there is not touched."""
    library = tmp_path / "lib"
    library.mkdir()
    (library / "a.py").write_text("import this\n")
    monkeypatch.setattr(sysconfig, "get_path", lambda name: str(library))
    target = tmp_path / "copy"
    (tmp_path / ".copy.unfinished").mkdir()
    (tmp_path / ".copy.unfinished" / "half.py").write_text("imp")
    stdlib.copy_standard_library(target)
    (library / "b.py").write_text("import that\n")
    stdlib.copy_standard_library(target)
    assert [path.name for path in target.rglob("*")] == ["a.py"]
    assert not (tmp_path / ".copy.unfinished").exists()


def test_the_demo_counts_as_by_hand(tmp_path: Path) -> None:
    """Its independent count is checked by another one."""
    (tmp_path / "a.py").write_bytes(b"def f(a_1): return 'caf\xc3\xa9 \xe2\x84\xaa \xff X'\n")
    (tmp_path / "_hidden.py").write_text("never\n")
    (tmp_path / "a.txt").write_text("neither\n")
    counts = count_files(tmp_path)
    assert counts == words_in_files(tmp_path, "a.py")
    assert counts["caf"] == counts["x"] == 1
