"""A pipeline whose log has a mirror, from files to DuckDB, and its world."""

from __future__ import annotations

import shutil
from pathlib import Path

import duckdb

from connectors import FileInput
from jdbc_sink import JdbcSink, accumulate
from tests.windowed.worlds import command, count_words
from windowed import Pipeline, Summary
from windowlog.log import WindowLog


def made(root: str, required: bool, mirror: str | None = "far", state: str = "near") -> Pipeline:
    """Lines, a window each, → words → DuckDB; the log in `near`, its mirror in `far`."""
    words = f"{root!r}, {required!r}, {mirror!r}, {state!r}"
    sides = {"mirror": Path(root, mirror), "mirror_required": required} if mirror else {}
    return Pipeline(
        "words",
        inputs={"lines": FileInput(Path(root, "in"), max_bytes_per_window=1, quiet_s=0)},
        transform=count_words,
        sinks={
            "counts": JdbcSink(
                f"duckdb:///{root}/counts.duckdb",
                table="word_counts",
                mode=accumulate(key=["word"], add=["count"]),
            )
        },
        log=WindowLog(Path(root, state), **sides),  # type: ignore[arg-type]
        locator=f"tests.windowed.mirror_job:made({words})",
    )


class Job:
    """The pipeline at `root`, and its world."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.required = True
        self.mirror: str | None = "far"
        (root / "in").mkdir()

    def write(self, *lines: str) -> None:
        """More lines, at the end of the file."""
        with open(self.root / "in" / "a.txt", "a") as stream:
            stream.writelines(f"{line}\n" for line in lines)

    def pipeline(self) -> Pipeline:
        """As a driver that starts now would make it."""
        return made(str(self.root), self.required, self.mirror)

    def run(self, *lines: str) -> Summary:
        """Until these lines are held."""
        self.write(*lines)
        return self.pipeline().run(None, progress=False)

    def command(self, verb: str, *words: str) -> int:
        """On this pipeline."""
        return command(verb, self.pipeline().parts.locator, *words)

    def counts(self) -> dict[str, int]:
        """What the database says."""
        with duckdb.connect(str(self.root / "counts.duckdb")) as connection:
            return dict(connection.execute("SELECT word, count FROM word_counts").fetchall())

    def lose(self, side: str) -> None:
        """The folder is gone; what held it may come back."""
        shutil.move(self.root / side, self.root / f"lost {side}")

    def away(self) -> None:
        """The mirror does not answer: a file stands where its folder was."""
        self.lose("far")
        (self.root / "far").write_text("")

    def back(self) -> None:
        """It answers again."""
        (self.root / "far").unlink()
        shutil.move(self.root / "lost far", self.root / "far")


def windows_in(folder: Path) -> list[str]:
    """The plans there."""
    return sorted(path.name for path in (folder / "windows").iterdir())
