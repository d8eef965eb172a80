"""Errors: the class docstring is the message, a code leads to its page, and all of them pickle."""

from __future__ import annotations

import pickle
import subprocess
import sys

import pytest

from windowlog import errors
from windowlog.errors import (
    BadArgument,
    Fenced,
    KitError,
    RecordExists,
    RecordNotFound,
    StorageFailed,
)


def test_a_message_says_its_values_and_its_code() -> None:
    """The docstring filled in, in one line."""
    error = RecordNotFound(name="42.json", where="/state/windows")
    assert str(error) == "There is no 42.json in /state/windows. [WL2]"
    assert error.values == {"name": "42.json", "where": "/state/windows"}


def test_errors_are_also_what_python_calls_them() -> None:
    """So that code which knows nothing of the kit can catch them."""
    assert issubclass(BadArgument, ValueError)
    assert issubclass(RecordNotFound, LookupError)
    assert issubclass(RecordExists, FileExistsError)
    assert issubclass(StorageFailed, OSError)


@pytest.mark.parametrize(
    "error",
    [
        BadArgument(argument="keep", value=-1, allowed="a number from 0"),
        Fenced(pipeline="counts", evidence="window 3 is taken"),
        StorageFailed(where="/state", reason="disk full", remedy="Make room."),
    ],
)
def test_an_error_survives_pickling(error: KitError) -> None:
    """They cross the border between driver and executors."""
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), str(again), again.values) == (type(error), str(error), error.values)


def test_codes_are_never_used_twice() -> None:
    """A code is one page."""
    kinds = [k for k in vars(errors).values() if isinstance(k, type) and issubclass(k, KitError)]
    codes = [kind.code for kind in kinds]
    assert len(set(codes)) == len(kinds) == 19


def test_without_docstrings_an_error_still_says_its_values() -> None:
    """`python -OO` throws them away."""
    program = (
        "from windowlog.errors import RecordNotFound\n"
        "import sys\n"
        "sys.stdout.write(str(RecordNotFound(name='a', where='b')))"
    )
    done = subprocess.run(
        [sys.executable, "-OO", "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout == "name: a. where: b. [WL2]"
