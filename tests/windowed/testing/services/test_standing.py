"""`python -m windowed.testing.services`: services that stay, and the file that tells where."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.windowed.testing.services.test_daemon import made
from windowed.testing.services import ServiceFailed, standing
from windowed.testing.services.__main__ import main
from windowed.testing.services.daemon import kept


class Sleeper:
    """A service of one daemon, quick to start."""

    def __init__(self, folder: Path, address: str) -> None:
        self.folder = folder
        self.address = address

    def start(self) -> None:
        """As every service does."""
        (self.folder / "running").touch()
        made(self.folder, stays=True).start()

    def addresses(self) -> dict[str, str]:
        """One."""
        return {self.address: str(self.folder)}


class Broken(Sleeper):
    """A service that does not come up."""

    def start(self) -> None:
        """It fails."""
        raise ServiceFailed(daemon="broken", reason="has ended", log="broken.log", lines="none")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Where they stand; two small services are known."""
    known = {name: lambda at, n=name: Sleeper(at, f"{n.upper()}_URL") for name in ("one", "two")}
    monkeypatch.setattr(standing, "SERVICES", known)
    monkeypatch.setattr("windowed.testing.services.__main__.SERVICES", known)
    yield tmp_path / "services"
    standing.stop(tmp_path / "services")


def test_all_are_started_once_and_stay_until_they_are_stopped(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Their addresses are printed, and stand in a file while any of them runs."""
    arguments = ["--folder", str(folder)]
    written = f"ONE_URL={folder / 'one'}\nTWO_URL={folder / 'two'}\n"
    assert main(["start", *arguments]) == 0
    before = (folder / "one" / "there").read_text()
    assert main(["start", *arguments]) == 0
    assert capsys.readouterr().out == 2 * written
    assert (folder / "env").read_text() == written
    assert (folder / "one" / "there").read_text() == before
    assert main(["stop", "one", *arguments]) == 0
    assert (kept(folder / "one"), kept(folder / "two")) == ([], ["sleeper"])
    assert main(["stop", *arguments]) == 0
    assert main(["stop", *arguments]) == 0
    told = "stopped: one\nstopped: two\nstopped: nothing ran\n"
    assert capsys.readouterr().out == told
    assert not (folder / "env").exists()


def test_an_address_goes_with_its_service(folder: Path) -> None:
    """One that was stopped is not told any more, and told again when it is back."""
    standing.start(folder)
    standing.stop(folder, ["one"])
    assert (folder / "env").read_text() == f"TWO_URL={folder / 'two'}\n"
    assert standing.start(folder, ["one"]).keys() == {"ONE_URL", "TWO_URL"}


def test_one_that_has_died_is_started_anew(folder: Path) -> None:
    """Whatever the file says."""
    standing.start(folder)
    (folder / "one" / "running").unlink()
    while kept(folder / "one"):
        pass
    standing.start(folder)
    assert kept(folder / "one") == ["sleeper"]


def test_a_failure_is_said_and_what_runs_is_told(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The first service runs, the second does not come up."""
    monkeypatch.setitem(standing.SERVICES, "two", lambda at: Broken(at, "TWO_URL"))
    assert main(["start", "--folder", str(folder)]) == 1
    assert "The broken has ended" in capsys.readouterr().err
    assert (folder / "env").read_text() == f"ONE_URL={folder / 'one'}\n"


def test_an_unknown_service_is_refused_with_those_that_there_are(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Before anything starts."""
    with pytest.raises(SystemExit, match="2"):
        main(["start", "three", "--folder", str(folder)])
    assert "there is no service 'three'; there are: one, two" in capsys.readouterr().err
    assert not folder.exists()
