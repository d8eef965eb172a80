"""A quick folder: nothing here cuts the machine's power, and a disk that is waited for at each sync
takes most of the time."""

from tests.windowlog.storage.conftest import quick_folder

__all__ = ["quick_folder"]
