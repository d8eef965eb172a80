"""What a thread says to Spark's JVM is not logged while it carries secrets."""

from __future__ import annotations

import logging
import threading

import pytest

from windowlog.access.unlogged import unlogged

LOGGER = logging.getLogger("py4j.clientserver")


def test_calls_of_this_thread_are_left_out_and_those_of_others_are_not(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """As long as it lasts, whatever happens meanwhile."""
    caplog.set_level(logging.DEBUG, "py4j")
    other = threading.Thread(target=LOGGER.debug, args=("another's",))

    def say() -> None:
        with unlogged():
            LOGGER.debug("mine")
            other.start()
            other.join()
            raise KeyError

    with pytest.raises(KeyError):
        say()
    LOGGER.debug("later")
    assert [record.message for record in caplog.records] == ["another's", "later"]


def test_one_within_another_ends_for_itself(caplog: pytest.LogCaptureFixture) -> None:
    """The outer one goes on."""
    caplog.set_level(logging.DEBUG, "py4j")
    with unlogged():
        with unlogged():
            LOGGER.debug("inner")
        LOGGER.debug("outer")
    assert not caplog.records
    assert not LOGGER.filters
