"""The driver that the Spark gear kills, or that kills itself at a named moment. Says "held" on
standard output after its first window."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from tests.kill.moments import Trap
from tests.kill.pipeline import build, variant_of
from tests.kill.topic import reader_of
from tests.kill.traps import install_all
from windowed import Listener
from windowed.testing.services.spark_kafka import jars_of_spark_kafka

if TYPE_CHECKING:
    from windowlog.window import Window


class _Archive(Listener):
    def __init__(self, root: Path) -> None:
        self._root = root
        self._told = False

    def planned(self, window: Window, *, replay: bool) -> None:
        name = f"{window.id:012d}.json"
        record = variant_of(self._root).plan(self._root, name)
        (self._root / "archive" / name).write_bytes(record)

    def held(self, window: Window, sink: str) -> None:
        if not self._told:
            self._told = True
            print("held", flush=True)


def main() -> None:
    """Run the pipeline of the world in the folder given as the first argument; the others, if there
    are any, are a moment, how many times it comes before the kill, and who is killed then."""
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    root = Path(sys.argv[1])
    if len(sys.argv) > 2:
        trap = Trap(sys.argv[2], int(sys.argv[3]), group=sys.argv[4] == "group")
        install_all(trap, root / "archive", variant_of(root).side)
    jars = jars_of_spark_kafka() if reader_of(root) == "spark" else ""
    spark = (
        SparkSession.builder.master("local[2]")
        .config("spark.jars", jars)
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.sql.shuffle.partitions", "2")
        .config("spark.driver.memory", "1g")
        .getOrCreate()
    )
    spark.sparkContext.setLogLevel("OFF")
    build(root).run(spark, progress=False, listeners=[_Archive(root)])
    spark.stop()


if __name__ == "__main__":
    main()
