"""`python -m samples.passthrough.driver INPUT OUTPUT STATE`: copy everything that is there, on
Spark, or with `--plain` without it."""

from __future__ import annotations

import sys

from samples.passthrough.copying import build
from samples.session import local_session, need_java
from windowed import drained
from windowlog import KitError


def main(words: list[str]) -> int:
    """0 when everything is copied, 1 with a message when it is not."""
    plain = "--plain" in words
    source, target, state = (word for word in words if word != "--plain")
    try:
        if plain:
            build(source, target, state).run(None, until=drained(), progress=False)
            return 0
        need_java()
        spark = local_session("passthrough")
        try:
            build(source, target, state).run(spark, until=drained(), progress=False)
        finally:
            spark.stop()
    except (KitError, OSError) as refused:
        print(refused, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
