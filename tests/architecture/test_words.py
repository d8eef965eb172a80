"""The words of the glossary, and what no file of the project may contain."""

from __future__ import annotations

import ast
import re

from tests.architecture.source import ROOT, files, none_of, product

# Other people's names for their own things.
FOREIGN_WORDS = re.compile(
    r"(?i:foreachbatch|record_?batch|(?:to|from|iter)_batches|batchid|next_batch|is_control_batch)"
)
TEXT_FILES = (".py", ".md", ".cfg", ".toml", ".sql", ".properties", ".sh", "")

# A person's folders, a private network, or an address that only one machine knows.
OF_ONE_MACHINE = re.compile(
    r"(?<![\w.}])/(?:root|work|mnt)/|(?<![\w.}])/(?:home|Users)/(?!user\b|me\b)\w"
    r"|(?<![\d.])(?:10\.\d{1,3}|192\.168|172\.(?:1[6-9]|2\d|3[01]))\.\d{1,3}\.\d{1,3}\b"
    r"|(?:index-url|find-links|trusted-host)"
)
SECRETS = re.compile(
    r"-----BEGIN [A-Z ]*PRIVATE KEY|\bAKIA[0-9A-Z]{16}\b|\bgh[pousr]_\w{30,}\b"
    r"|(?i:(?:password|passwd|secret|token)\s*=\s*[\"'][^\"'{}<>*]{6,}[\"'])"
)
HERE = ("tests", "architecture", "test_words.py")


def _lines() -> list[tuple[str, str]]:
    return [
        (f"{path}:{number}", line)
        for path in files()
        if path.suffix in TEXT_FILES and path.parts != HERE and path.name != "LICENSE"
        for number, line in enumerate((ROOT / path).read_text(errors="replace").splitlines(), 1)
    ]


def test_a_window_is_never_a_batch() -> None:
    """One thing, one word: in names, docstrings and messages of what is installed."""
    none_of(
        [
            f"{source.path}:{number}: {line.strip()}"
            for source in product()
            for number, line in enumerate(source.text.splitlines(), 1)
            if "batch" in FOREIGN_WORDS.sub("", line).lower()
        ]
    )


def test_units_come_last_and_are_written_out() -> None:
    """`timeout_s`, not `timeout` or `timeout_seconds`: an argument of time says its unit."""
    times = re.compile(
        r"(timeout|interval|delay|pause|wait|age|quiet|release)(_seconds|_secs|_sec)?"
    )
    none_of(
        [
            f"{source.path}:{argument.lineno} {argument.arg}"
            for source in product()
            for node in source.functions
            for argument in [*node.args.args, *node.args.kwonlyargs]
            if times.fullmatch(argument.arg) and _is_number(argument.annotation)
        ]
    )


def _is_number(annotation: ast.expr | None) -> bool:
    return annotation is not None and bool(re.search(r"\b(int|float)\b", ast.unparse(annotation)))


def test_nothing_is_of_one_machine() -> None:
    """A fresh clone anywhere has all it needs."""
    lines = _lines()
    assert len(lines) > 1000
    none_of([f"{place}: {line.strip()}" for place, line in lines if OF_ONE_MACHINE.search(line)])


def test_nothing_is_secret() -> None:
    """Neither keys nor passwords, not even in tests."""
    none_of([place for place, line in _lines() if SECRETS.search(line)])


def test_the_expressions_find_what_they_are_for() -> None:
    """And let ordinary text go."""
    for text in ("/root/x", "at /work/y", "/home/anna/z", "http://10.1.2.3:80", "192.168.0.7"):
        assert OF_ONE_MACHINE.search(text), text
    for text in ("/home/user/in", "a/work/b", "1.10.2.3.4", "127.0.0.1", "state/root/"):
        assert not OF_ONE_MACHINE.search(text), text
    assert SECRETS.search("pass" + "word = 'hunter22'")
    assert not SECRETS.search("password = '***'")
    assert not SECRETS.search("token = 'a'")
    assert FOREIGN_WORDS.sub("", "a RecordBatch of foreachBatch") == "a  of "
