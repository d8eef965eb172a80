"""Which paths a pattern takes."""

from __future__ import annotations

import fnmatch
import itertools
import warnings
from pathlib import Path

import pytest

from connectors.files.errors import NothingMatches
from connectors.files.pattern import compile_pattern
from tests.connectors.files.world import World
from windowlog.errors import BadArgument

# Pattern -> paths that it takes, and paths that it leaves.
TABLE = [
    ("*", "a a.txt x/a x/y/a.txt", ""),
    ("*.log", "a.log x/a.log .log", "a.txt a.log.1 x.log/a alog"),
    ("a?.log", "ab.log x/a1.log", "a.log abc.log a/.log"),
    ("[ab].txt", "a.txt b.txt", "c.txt ab.txt"),
    ("[a-c]", "a b c", "d -"),
    ("[!a-c]", "d - x/d", "a b c"),
    ("[]a]", "] a", "b []a]"),
    ("[!]a]", "b", "] a"),
    ("[a^]", "a ^", "b"),
    ("[^a]", "^ a", "b"),
    ("[a\\d]", "a d \\", "1"),
    ("[a&&b|~]", "a b & | ~", "c"),
    ("{a,b}.txt", "a.txt b.txt", "c.txt {a,b}.txt"),
    ("{a,b{1,2}}", "a b1 b2", "b b3 a1"),
    ("a,b", "a,b", "a b"),
    ("a.b+c(d)$", "a.b+c(d)$", "aXb+c(d)$ a.bbc(d)$"),
    ("x/*", "x/a x/b.txt", "a x/y/a y/x/a"),
    ("x/**", "x/a x/y/a", "a y/x/a"),
    ("**/a", "a x/a x/y/a", "b xa x/b"),
    ("x/**/a", "x/a x/y/a x/y/z/a", "a x/b y/x/a"),
    ("x/[!a]", "x/b", "x/a x//"),
    ("x/?", "x/a", "x/ab x//"),
    ("**", "a x/a", ""),
]


@pytest.mark.parametrize(("pattern", "taken", "left"), TABLE, ids=[row[0] for row in TABLE])
def test_a_pattern_takes_the_paths_written_by_hand(pattern: str, taken: str, left: str) -> None:
    """Without a slash the name counts, with one the whole path; never a part of it."""
    compiled = compile_pattern(pattern)
    for path in taken.split():
        assert compiled.fullmatch(path), path
    for path in left.split():
        assert not compiled.fullmatch(path), path


def test_names_are_matched_as_a_shell_does() -> None:
    """Compared with Python's own translation, for all short patterns of the words that both
    have."""
    names = ["".join(name) for n in (1, 2, 3) for name in itertools.product("ab.", repeat=n)]
    for length in (1, 2, 3):
        for words in itertools.product(["a", ".", "*", "?", "[ab]", "[!a]"], repeat=length):
            pattern = "".join(words)
            if "**" in pattern:
                continue  # spans folders here
            ours = [name for name in names if compile_pattern(pattern).fullmatch(name)]
            assert ours == fnmatch.filter(names, pattern), pattern


def test_a_name_may_have_a_line_end() -> None:
    """In it and at its end."""
    assert compile_pattern("*.txt").fullmatch("a\nb.txt")
    assert not compile_pattern("*.txt").fullmatch("a.txt\n")


@pytest.mark.parametrize(
    "pattern", ["", "/a", "[a", "[", "[!", "[]", "{a", "a}", "{a,{b}", "[z-a]"]
)
def test_what_is_no_pattern_is_refused(pattern: str) -> None:
    """With the pattern in the message."""
    with pytest.raises(BadArgument) as caught:
        compile_pattern(pattern)
    assert f"pattern={pattern!r}" in str(caught.value)


def test_a_pattern_that_no_file_matches_is_told_once_in_a_run(tmp_path: Path) -> None:
    """A slip in it looks like a folder where nothing is new. Without a pattern there is no slip,
    and once something was read there is none either."""
    world = World(tmp_path / "in", pattern="*.txt")
    world.write("a.log", "one\n")
    with pytest.warns(NothingMatches, match=r"in matches pattern='\*\.txt' yet"):
        assert world.values() == []
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert world.values() == []
    world.write("a.txt", "two\n")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert world.values() == ["two"]
        (tmp_path / "in/a.txt").unlink()
        world.restart()
        assert world.values() == []
        assert World(tmp_path / "other").values() == []
