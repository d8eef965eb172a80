"""A rename on HDFS whose answers may be lost."""

from __future__ import annotations

from windowlog.access.webhdfs import WebHdfs
from windowlog.access.webhdfs_answers import Refusal, Unanswered

TAKEN = "FileAlreadyExistsException"


def move_surely(web: WebHdfs, path: str, new_path: str, number: int) -> Refusal | None:
    """Rename file or folder `number`, over nothing. None once it is done, else why it is refused:
    kind TAKEN where something stands at `new_path`. Unanswered, Unavailable.

    The number, which it keeps under every name, tells whether a rename whose answer was lost has
    come to pass."""
    for _ in web.attempts():
        refused: Refusal | None = None
        try:
            web.move(path, new_path)
            return None
        except Unanswered as failure:
            last = failure
        except Refusal as refusal:
            refused = refusal
        # Also after a refusal: an answer may have been lost before.
        there = web.status(new_path)
        if there is not None and there["fileId"] == number and path != new_path:
            return None
        if there is not None and refused is None:
            # Of a file and a folder HDFS says so in words that may as well mean a fault.
            refused = Refusal(TAKEN, f"{new_path} is there")
        if refused is not None:
            return refused
    raise last
