"""A quick folder: a SIGKILL takes nothing from the page cache, so that memory serves as well as a
disk."""

from tests.windowlog.storage.conftest import quick_folder

__all__ = ["quick_folder"]
