"""`python -m windowed COMMAND MODULE:PIPELINE`."""

import sys

from windowed.commands.app import main

if __name__ == "__main__":
    sys.exit(main())
