"""python -m windowed.testing.services start|stop [NAME…] [--folder .services]

`start` leaves the services running and prints their addresses, which stand in FOLDER/env, too."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from windowed.testing.services.standing import SERVICES, start, stop
from windowlog.errors import KitError


def main(arguments: list[str] | None = None) -> int:
    """Start or stop services that stay. 0: done; 1: an error, said on standard error."""
    parser = argparse.ArgumentParser(prog="python -m windowed.testing.services")
    parser.add_argument("verb", choices=["start", "stop"])
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(SERVICES))
    parser.add_argument("--folder", type=Path, default=Path(".services"))
    given = parser.parse_args(arguments)
    for name in given.names:
        if name not in SERVICES:
            parser.error(f"there is no service {name!r}; there are: {', '.join(SERVICES)}")
    folder = given.folder.absolute()
    try:
        if given.verb == "stop":
            stopped = stop(folder, given.names)
            sys.stdout.write(f"stopped: {', '.join(stopped) or 'nothing ran'}\n")
        else:
            for name, value in sorted(start(folder, given.names).items()):
                sys.stdout.write(f"{name}={value}\n")
    except KitError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
