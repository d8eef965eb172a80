"""Create a record in each folder named, as a user for whom permissions count."""

from __future__ import annotations

import os
import sys

from windowlog.errors import KitError
from windowlog.storage import LocalStorage

NOBODY = 65534


def main(folders: list[str]) -> None:
    """One line for each folder."""
    if os.geteuid() == 0:
        # The superuser may do everything: permissions show nothing.
        os.setgid(NOBODY)
        os.setuid(NOBODY)
    for folder in folders:
        try:
            LocalStorage(folder).create("record", b"data")
        except KitError as error:
            sys.stdout.write(f"{type(error).__name__}: {error}\n")
        else:
            sys.stdout.write("created\n")


if __name__ == "__main__":
    main(sys.argv[1:])
