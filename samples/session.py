"""A small, quiet Spark session for one machine."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from windowlog import KitError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

JAVA_VERSION_MIN = 17
_LOGGING = Path(__file__).with_name("log4j2.properties")


def local_session(name: str) -> SparkSession:
    """All cores of this machine, no web page, errors only. Needs Java 17 or newer."""
    from pyspark.sql import SparkSession

    # Else Spark starts its Python workers with whatever `python3` is first on the path.
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    cores = os.cpu_count() or 1
    builder: SparkSession.Builder = SparkSession.builder
    builder = (
        builder.appName(name)
        .master("local[*]")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.driver.extraJavaOptions", f"-Dlog4j2.configurationFile={_LOGGING}")
        .config("spark.sql.shuffle.partitions", str(cores))
        .config("spark.sql.session.timeZone", "UTC")
    )
    with _deaf_to_sigterm():
        return builder.getOrCreate()


@contextmanager
def _deaf_to_sigterm() -> Iterator[None]:
    """A JVM that is started in here ignores SIGTERM, as one of pyspark's does Ctrl-C: sent to the
    whole process group, it lets the window in flight finish. The JVM ends with its driver."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


class JavaMissing(KitError):
    """Spark needs Java {wanted} or newer; {found}. Install it (`apt-get install
    openjdk-17-jre-headless`, `brew install openjdk@17`), let JAVA_HOME name it, or use make, which
    looks for it. Nothing was changed."""

    code = "SA1"


def need_java() -> None:
    """JavaMissing unless there is a Java for Spark: else it fails in words that do not say so."""
    home = os.environ.get("JAVA_HOME")
    java = shutil.which(str(Path(home, "bin", "java")) if home else "java")
    if java is None:
        where = f"JAVA_HOME={home} has none" if home else "there is no java on the path"
        raise JavaMissing(wanted=JAVA_VERSION_MIN, found=where)
    answer = subprocess.run([java, "-version"], capture_output=True, text=True, check=False)
    # Before Java 9 versions began with "1.".
    version = re.search(r'version "(?:1\.)?(\d+)', answer.stderr)
    if version is None or int(version[1]) < JAVA_VERSION_MIN:
        lines = answer.stderr.splitlines() or ["it says nothing"]
        raise JavaMissing(wanted=JAVA_VERSION_MIN, found=f"{java} is: {lines[0]}")
