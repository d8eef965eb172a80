"""The word count as a program, in the tests' own process."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import samples.wordcount.__main__ as program

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@pytest.fixture
def one_session(spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> None:
    """The program works on the tests' own session: starting Java each time would take the time."""

    class Shared:
        def __getattr__(self, name: str) -> Any:
            return getattr(spark, name)

        def stop(self) -> None:
            pass

    monkeypatch.setattr(program, "local_session", lambda name: Shared())
