"""A quick folder without fsync, for tests that play thousands of crashes of their own."""

from tests.windowlog.storage.conftest import no_fsync, quick_folder

__all__ = ["no_fsync", "quick_folder"]
