"""docs/testing_your_pipeline.md: its tests are tests."""

from __future__ import annotations

import pytest

from tests.docs.blocks import module_of

_page = module_of("testing_your_pipeline.md")

test_words_of_all_windows_add_up = pytest.mark.spark(_page.test_words_of_all_windows_add_up)
test_a_second_run = _page.test_a_second_run_goes_on_where_the_first_one_died
test_whatever_instruction = _page.test_whatever_instruction_the_driver_dies_at
test_each_word_is_seen_once = _page.test_each_word_is_seen_once_wherever_the_driver_dies
test_what_comes_later = _page.test_what_comes_later_is_stamped_later


def test_no_test_of_the_page_is_left_out() -> None:
    """Each function of the page that is called a test is one here."""
    written = {value for name, value in vars(_page).items() if name.startswith("test_")}
    assert written == {value for name, value in globals().items() if name.startswith("test_")} - {
        test_no_test_of_the_page_is_left_out
    }
