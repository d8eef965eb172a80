"""Tasks of Spark that read a secured HDFS with the driver's token."""

from __future__ import annotations

import io
from contextlib import redirect_stdout
from typing import TYPE_CHECKING, Any

import pytest

from connectors import FileInput
from tests.secured.job import LINES, shown_by
from tests.secured.world import SecuredHdfs
from windowed import Pipeline
from windowed.testing import ListSink
from windowlog import WindowLog
from windowlog.access.hdfs_path import name_nodes
from windowlog.storage import HdfsStorage

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@pytest.mark.spark
def test_tasks_read_with_a_token_until_it_ends(
    spark: SparkSession, secured: SecuredHdfs, folder: str, capfd: pytest.CaptureFixture[str]
) -> None:
    """Over https, believing `ca_file`. Spark's plan and its error show no token."""
    token, sink, plans = secured.new_token(), ListSink(), io.StringIO()
    login: dict[str, Any] = {"token": token, "ca_file": secured.ca_file}
    secured.write(f"{folder}/in/a.txt", "".join(f"{line}\n" for line in LINES))

    def transform(lines: Any, window: Any) -> Any:
        with redirect_stdout(plans):
            lines.explain(True)
        if window.id > 1:
            secured.cancel(token)
        return lines.select("value")

    def pipeline() -> Pipeline:
        source = FileInput(
            f"hdfs://cluster{folder}/in",
            storage=name_nodes(secured.url, login),
            quiet_s=0,
            reader="executors",
        )
        log = HdfsStorage(
            f"{secured.url}{folder}/state", token=secured.token, ca_file=secured.ca_file
        )
        return Pipeline(
            "secured",
            inputs={"lines": source},
            transform=transform,
            sinks={"out": sink},
            log=WindowLog(log),
        )

    pipeline().run(spark, progress=False)
    assert [row["value"] for row in sink.rows] == LINES
    secured.write(f"{folder}/in/b.txt", "one more\n")
    shown = shown_by(lambda: pipeline().run(spark, progress=False), Exception)
    assert "windowed_lines_hdfs" in plans.getvalue()
    assert "InvalidToken" in shown
    assert "a fresh delegation token" in shown
    assert token not in shown + plans.getvalue() + "".join(capfd.readouterr())
