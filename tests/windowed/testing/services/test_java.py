"""Java and jars: where they come from, and what is said where they cannot be had."""

from __future__ import annotations

import stat
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from windowed.testing.services import ServiceUnavailable, java


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty cache; nothing is remembered of Java, now and by those who come after."""
    monkeypatch.setenv("WINDOWED_SERVICES_CACHE", str(tmp_path / "cache"))
    java.find_java.cache_clear()
    yield tmp_path / "cache"
    java.find_java.cache_clear()


def program(path: Path, text: str) -> Path:
    """An executable script."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


def test_the_cache_is_below_the_user_s_unless_it_is_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """$WINDOWED_SERVICES_CACHE, then $XDG_CACHE_HOME, then ~/.cache."""
    assert java.cache_folder() == tmp_path / "cache"
    monkeypatch.delenv("WINDOWED_SERVICES_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert java.cache_folder() == tmp_path / "xdg" / "windowed-connectors" / "services"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert java.cache_folder() == tmp_path / ".cache" / "windowed-connectors" / "services"


def test_a_machine_without_java_is_told_so(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """On the path, where JAVA_HOME says, and where it is too old."""
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("JAVA_HOME", raising=False)
    with pytest.raises(ServiceUnavailable, match=r"HDFS cannot be.*no java on the path"):
        java.find_java("HDFS")
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "jdk"))
    with pytest.raises(ServiceUnavailable, match=r"JAVA_HOME=\S+jdk has none"):
        java.find_java("HDFS")
    program(tmp_path / "jdk" / "bin" / "java", """echo 'openjdk version "11.0.2"' >&2""")
    with pytest.raises(ServiceUnavailable, match=r'needs Java 17 or newer; .* version "11'):
        java.find_java("HDFS")


def test_jars_that_cannot_be_had_are_said_with_ivy_s_words(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, cache: Path
) -> None:
    """And what to do; nothing of them stays in the cache."""
    version = """[ "$1" = -version ] && { echo 'openjdk version "17.0.1"' >&2; exit; }"""
    program(tmp_path / "jdk" / "bin" / "java", f"{version}\necho unresolved dependency; exit 1")
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "jdk"))
    with pytest.raises(ServiceUnavailable, match=r"unresolved dependency.*\$WINDOWED_SERVICES_IVY"):
        java.fetch_jars("HDFS", "org.example", "thing", "1.0")
    assert list(cache.iterdir()) == []


def test_jars_are_fetched_once_and_kept_without_compression(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """With the settings that the environment names; a second call starts nothing."""
    fetched = tmp_path / "fetched.jar"
    with zipfile.ZipFile(fetched, "w", zipfile.ZIP_DEFLATED) as jar:
        jar.writestr("a/Thing.class", bytes(1000))
    version = """[ "$1" = -version ] && { echo 'openjdk version "17.0.1"' >&2; exit; }"""
    script = f"""{version}
echo "$@" >> {tmp_path}/calls
while [ "$1" != -retrieve ]; do shift; done
mkdir -p "$(dirname "$2")"; cp {fetched} "$(dirname "$2")/thing-1.0.jar" """
    program(tmp_path / "jdk" / "bin" / "java", script)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "jdk"))
    monkeypatch.setenv("WINDOWED_SERVICES_IVY_SETTINGS", "/our/settings.xml")
    for _ in range(2):
        folder = java.fetch_jars("HDFS", "org.example", "thing", "1.0")
    (call,) = (tmp_path / "calls").read_text().splitlines()
    assert "-settings /our/settings.xml -dependency org.example thing 1.0" in call
    with zipfile.ZipFile(folder / "thing-1.0.jar") as jar:
        (entry,) = jar.infolist()
        assert (entry.filename, entry.compress_type) == ("a/Thing.class", zipfile.ZIP_STORED)
        assert jar.read(entry) == bytes(1000)


def test_a_cache_that_cannot_be_written_is_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A file stands in its place."""
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("WINDOWED_SERVICES_CACHE", str(tmp_path / "file"))
    with pytest.raises(ServiceUnavailable, match=r"file cannot be written \("):
        java.fetch_jars("HDFS", "org.example", "thing", "1.0")
