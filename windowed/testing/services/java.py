"""The Java that services run on, and their jars, fetched once into a cache."""

from __future__ import annotations

import functools
import importlib.util
import os
import re
import shutil
import subprocess
import tempfile
import zipfile
from collections.abc import Sequence
from pathlib import Path

from windowed.testing.services.errors import ServiceUnavailable

JAVA_VERSION_MIN = 17
# A first fetch is some 100 MB; a registry that says nothing for so long will not answer at all.
FETCH_S_MAX = 900.0
_CACHE = "WINDOWED_SERVICES_CACHE"
_SETTINGS = "WINDOWED_SERVICES_IVY_SETTINGS"


def cache_folder() -> Path:
    """Where jars are kept: $WINDOWED_SERVICES_CACHE, else below the user's cache folder
    ($XDG_CACHE_HOME, else ~/.cache)."""
    chosen = os.environ.get(_CACHE)
    if chosen:
        return Path(chosen).expanduser().absolute()
    home = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(home).expanduser().absolute() / "windowed-connectors" / "services"


@functools.cache
def find_java(service: str) -> str:
    """The path of a Java 17 or newer: JAVA_HOME's, else the one on the path. ServiceUnavailable if
    there is none."""
    home = os.environ.get("JAVA_HOME")
    java = shutil.which(str(Path(home, "bin", "java")) if home else "java")
    if java is None:
        where = f"JAVA_HOME={home} has none" if home else "there is no java on the path"
        raise _no_java(service, where)
    answer = subprocess.run([java, "-version"], capture_output=True, text=True, check=False)
    # Before Java 9 versions began with "1.".
    version = re.search(r'version "(?:1\.)?(\d+)', answer.stderr)
    if version is None or int(version[1]) < JAVA_VERSION_MIN:
        lines = answer.stderr.splitlines() or ["it says nothing"]
        raise _no_java(service, f"{java} is: {lines[0]}")
    return java


def _no_java(service: str, found: str) -> ServiceUnavailable:
    return ServiceUnavailable(
        service=service,
        reason=f"it needs Java {JAVA_VERSION_MIN} or newer; {found}",
        remedy="Install one, or let JAVA_HOME name it.",
    )


def fetch_jars(service: str, organisation: str, module: str, version: str) -> Path:
    """The folder with a module's jars and those that it needs, fetched on first use.

    They come through Apache Ivy, whose jar pyspark carries, from Maven Central, or from where the
    Ivy settings file that $WINDOWED_SERVICES_IVY_SETTINGS names says. ServiceUnavailable if they
    cannot be had."""
    folder = cache_folder() / f"{module}-{version}-stored"
    if folder.is_dir():
        return folder
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        fetched = Path(tempfile.mkdtemp(prefix=f".{module}-", dir=folder.parent))
    except OSError as error:
        raise _no_jars(service, f"{folder.parent} cannot be written ({error.strerror})") from error
    try:
        coordinates = (organisation, module, version)
        _run_ivy(service, [find_java(service), "-jar", _ivy(service)], coordinates, fetched)
        _store(fetched / "jars")
        _publish(fetched / "jars", folder)
    finally:
        shutil.rmtree(fetched, ignore_errors=True)
    return folder


def _ivy(service: str) -> str:
    found = importlib.util.find_spec("pyspark")
    places = found.submodule_search_locations if found is not None else None
    jars = [jar for place in places or () for jar in Path(place, "jars").glob("ivy-*.jar")]
    if not jars:
        raise _no_jars(service, "pyspark, whose ivy-*.jar fetches them, is not installed here")
    return str(max(jars))


def _run_ivy(
    service: str, ivy: Sequence[str], coordinates: tuple[str, str, str], folder: Path
) -> None:
    command = [*ivy, "-cache", str(folder / "ivy"), "-confs", "default"]
    if os.environ.get(_SETTINGS):
        command += ["-settings", os.environ[_SETTINGS]]
    command += ["-dependency", *coordinates]
    command += ["-retrieve", str(folder / "jars" / "[artifact]-[revision](-[classifier]).[ext]")]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, check=False, timeout=FETCH_S_MAX
        )
    except subprocess.TimeoutExpired:
        raise _no_jars(service, f"they did not come within {FETCH_S_MAX:.0f} s") from None
    if done.returncode or not any((folder / "jars").glob("*.jar")):
        said = (done.stdout + done.stderr).strip().splitlines() or ["it says nothing"]
        raise _no_jars(service, f"Ivy could not fetch them: {' | '.join(said[-5:])}")


def _store(folder: Path) -> None:
    """Keep the jars without compression: Hadoop reads them from end to end several times at each
    start, which takes half as long then (11 s instead of 19 on two busy cores)."""
    for jar in folder.glob("*.jar"):
        stored = jar.with_suffix(".stored")
        with zipfile.ZipFile(jar) as source, zipfile.ZipFile(stored, "w") as target:
            # A name that stands there twice counts once, as it does for Java.
            for name in dict.fromkeys(source.namelist()):
                target.writestr(name, source.read(name))
        stored.replace(jar)


def _publish(fetched: Path, folder: Path) -> None:
    try:
        fetched.rename(folder)
    except OSError:
        # Another process was faster; its jars are the same.
        if not folder.is_dir():
            raise


def _no_jars(service: str, reason: str) -> ServiceUnavailable:
    return ServiceUnavailable(
        service=service,
        reason=f"its jars cannot be had: {reason}",
        remedy=(
            f"They are fetched once, with a network; ${_CACHE} names a folder that has them, and "
            f"${_SETTINGS} an Ivy settings file for another registry."
        ),
    )
