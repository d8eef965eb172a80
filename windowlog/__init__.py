"""windowlog: which window covers what. Knows bytes, names and numbers; nothing of Spark."""

from windowlog.errors import KitError
from windowlog.log import WindowLog

__all__ = ["KitError", "WindowLog"]
