"""HdfsService: a real HDFS for tests. That its daemons end and come back, others show."""

from __future__ import annotations

import urllib.request
from pathlib import Path

import pytest

from windowed.testing.services import HdfsService, ServiceFailed
from windowed.testing.services.hdfs_settings import settings, write


def test_it_tells_where_it_is(hdfs: HdfsService) -> None:
    """In the words of `make services`; Hadoop's own page answers there."""
    addresses = hdfs.addresses()
    assert addresses == {"WEBHDFS_URL": hdfs.webhdfs_url, "HDFS_URL": hdfs.hdfs_url}
    page = f"{hdfs.webhdfs_url.replace('webhdfs', 'http')}/jmx?qry=java.lang:type=Runtime"
    with urllib.request.urlopen(page) as answer:
        assert b"server.namenode.NameNode" in answer.read()
    assert hdfs.metrics("NameNode", "FSNamesystemState")["NumLiveDataNodes"] == 1
    assert hdfs.metrics("DataNode", "DataNodeInfo")["NamenodeAddresses"]


def test_a_command_that_fails_says_what_it_said(hdfs: HdfsService) -> None:
    """With Hadoop's own words."""
    with pytest.raises(ServiceFailed, match="could not do -setQuota nonsense /"):
        hdfs.admin("-setQuota", "nonsense", "/")


def test_logs_are_kept(hdfs: HdfsService) -> None:
    """Of each daemon, in its folder."""
    assert "namenode" in (hdfs.folder / "namenode.log").read_text().lower()
    assert (hdfs.folder / "datanode.log").exists()


def test_making_one_touches_nothing() -> None:
    """Its temporary folder comes with the start."""
    assert not HdfsService().folder.exists()


def test_settings_are_written_as_hadoop_reads_them(tmp_path: Path) -> None:
    """What XML would take for its own is written so that it does not."""
    values = settings(tmp_path, 1, 2) | {"a": "<&>"}
    write(tmp_path / "settings", values)
    text = (tmp_path / "settings" / "hdfs-site.xml").read_text()
    assert "<name>dfs.datanode.synconclose</name><value>true</value>" in text
    assert "<name>a</name><value>&lt;&amp;&gt;</value>" in text
