"""How the small HDFS is set up: its settings as Hadoop's XML files. Pure but for `write`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from xml.sax.saxutils import escape

_LOGGING = """log4j.rootLogger=WARN,console
log4j.appender.console=org.apache.log4j.ConsoleAppender
log4j.appender.console.target=System.err
log4j.appender.console.layout=org.apache.log4j.PatternLayout
log4j.appender.console.layout.ConversionPattern=%d{ISO8601} %p %c{2}: %m%n
"""


def settings(folder: Path, rpc_port: int, http_port: int) -> dict[str, str]:
    """One name node and one data node on 127.0.0.1, quick to start and to notice an end."""
    anywhere = "127.0.0.1:0"
    return {
        "fs.defaultFS": f"hdfs://127.0.0.1:{rpc_port}",
        "hadoop.tmp.dir": f"{folder}/tmp",
        # Asking the system for each user's groups starts a process; here nobody is in any.
        "hadoop.security.group.mapping": "org.apache.hadoop.security.NullGroupsMapping",
        "dfs.namenode.name.dir": f"{folder}/namenode",
        "dfs.namenode.rpc-address": f"127.0.0.1:{rpc_port}",
        # One of the two is used: dfs.http.policy says which.
        "dfs.namenode.http-address": f"127.0.0.1:{http_port}",
        "dfs.namenode.https-address": f"127.0.0.1:{http_port}",
        "dfs.datanode.data.dir": f"{folder}/datanode",
        "dfs.datanode.address": anywhere,
        "dfs.datanode.http.address": anywhere,
        "dfs.datanode.https.address": anywhere,
        "dfs.datanode.ipc.address": anywhere,
        # Else a data node names itself as the machine does, which need not lead here.
        "dfs.datanode.hostname": "localhost",
        "dfs.namenode.datanode.registration.ip-hostname-check": "false",
        "dfs.replication": "1",
        # What a record rests on: its blocks are on the disk when its file is closed.
        "dfs.datanode.synconclose": "true",
        # Hadoop waits 400 ms before it asks again whether a file's last block has arrived.
        "dfs.client.block.write.locateFollowingBlock.initial.delay.ms": "10",
        # A data node is dead after 2 rechecks and 10 heartbeats.
        "dfs.heartbeat.interval": "1",
        "dfs.namenode.heartbeat.recheck-interval": "500",
        "dfs.namenode.safemode.extension": "0",
        "dfs.blockreport.initialDelay": "0",
        "dfs.datanode.scan.period.hours": "-1",
        "dfs.namenode.fs-limits.min-block-size": "1024",
        "dfs.namenode.handler.count": "8",
        "ipc.client.connect.retry.interval": "200",
        "ipc.client.connect.max.retries": "600",
    }


def write(folder: Path, values: Mapping[str, str]) -> None:
    """The files that Hadoop reads, in `folder`, which comes first on the class path."""
    folder.mkdir(parents=True, exist_ok=True)
    properties = "".join(
        f"  <property><name>{escape(name)}</name><value>{escape(value)}</value></property>\n"
        for name, value in values.items()
    )
    text = f'<?xml version="1.0"?>\n<configuration>\n{properties}</configuration>\n'
    # Each daemon reads both; what a setting is for stands in its name.
    (folder / "core-site.xml").write_text(text)
    (folder / "hdfs-site.xml").write_text(text)
    (folder / "log4j.properties").write_text(_LOGGING)
