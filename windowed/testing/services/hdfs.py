"""HdfsService: a real HDFS on this machine, one name node and one data node."""

from __future__ import annotations

import http
import json
import os
import socket
import ssl
import subprocess
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from windowed.testing.services.daemon import Daemon, free_port
from windowed.testing.services.errors import ServiceFailed
from windowed.testing.services.hdfs_settings import settings, write
from windowed.testing.services.java import fetch_jars, find_java
from windowed.testing.services.local import LocalService

_SERVICE = "HDFS"
_MODULES = (
    ("org.apache.hadoop", "hadoop-client-minicluster", "3.5.0"),
    # Without it the daemons log nothing.
    ("org.slf4j", "slf4j-reload4j", "1.7.36"),
)
_CLASSES = "org.apache.hadoop.hdfs"
# Small and quick to start: nothing here runs long enough for a better compiler.
_JAVA_OPTIONS = ("-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xshare:auto")
# What a name node with Kerberos says of itself: it is there. Who writes waits for a data node.
_NOTHING_SHOWN: dict[str, object] = {}
# A busy machine may be slow; one that has ended is known at once.
_ANSWER_S_MAX = 10.0
_ADMIN_S_MAX = 60.0


class HdfsService(LocalService):
    """A real HDFS: `with HdfsService() as hdfs: WindowLog(f"{hdfs.webhdfs_url}/state/x")`.

    `folder` keeps its data, settings and the daemons' logs; none: a temporary one, removed at the
    end. `more` are Hadoop settings beside its own, `java_options` are for the daemons. With
    `dfs.http.policy=HTTPS_ONLY` in `more` the daemons' certificate is for localhost, and `ca_file`
    names who has signed it. The first start ever fetches Hadoop's jars. `namenode` and `datanode`
    can each be stopped, killed, paused and started again; their data stays, and so do the URLs.
    Raises ServiceUnavailable where Java or the jars cannot be had, ServiceFailed when a daemon does
    not come up.
    """

    def __init__(
        self,
        folder: str | Path | None = None,
        *,
        more: Mapping[str, str] | None = None,
        java_options: Sequence[str] = (),
        ca_file: str | Path | None = None,
        stays: bool = False,
    ) -> None:
        super().__init__("hdfs", folder)
        self._more = dict(more or {})
        self._java_options = tuple(java_options)
        self._https = self._more.get("dfs.http.policy") == "HTTPS_ONLY"
        self._ca_file = ca_file
        self._rpc_port, self._http_port = free_port(), free_port()
        self.namenode = self._daemon("namenode", "NameNode", self._name_node_answers, stays)
        self.datanode = self._daemon("datanode", "DataNode", self._data_node_is_known, stays)
        self._daemons = self.datanode, self.namenode

    @property
    def webhdfs_url(self) -> str:
        """Where WebHDFS is, without a path: webhdfs://127.0.0.1:PORT, swebhdfs://localhost:PORT."""
        if self._https:
            return f"swebhdfs://localhost:{self._http_port}"
        return f"webhdfs://127.0.0.1:{self._http_port}"

    @property
    def hdfs_url(self) -> str:
        """Where Spark finds it, without a path: hdfs://127.0.0.1:PORT."""
        return f"hdfs://127.0.0.1:{self._rpc_port}"

    def addresses(self) -> dict[str, str]:
        """What `make services` tells the tests."""
        return {"WEBHDFS_URL": self.webhdfs_url, "HDFS_URL": self.hdfs_url}

    def start(self) -> None:
        """Format the name node on first use, start both daemons and wait until files can be
        written."""
        values = settings(self.folder, self._rpc_port, self._http_port) | self._more
        write(self.folder / "settings", values)
        self._let_run()
        if not (self.folder / "namenode" / "current").is_dir():
            self._java("server.namenode.NameNode", "-format", "-nonInteractive")
        try:
            self.namenode.start(wait=False)
            self.datanode.start(wait=False)
            self.namenode.wait()
            self.datanode.wait()
        except BaseException:
            self.stop()
            raise

    def admin(self, *arguments: str) -> str:
        """What `hdfs dfsadmin ARGUMENTS` says: "-safemode", "enter"; "-setQuota", "1", "/state"."""
        return self._java("tools.DFSAdmin", *arguments)

    def safe_mode(self, on: bool) -> None:
        """Let the name node refuse changes, or take them again."""
        self.admin("-safemode", "enter" if on else "leave")

    def metrics(self, daemon: str, bean: str) -> dict[str, object]:
        """What the daemon ("NameNode", "DataNode") tells of itself under the beginning of a name,
        as in metrics("NameNode", "FSNamesystem"). Empty if it does not answer."""
        port = self._http_port if daemon == "NameNode" else self._data_node_port()
        found = self._beans(port, f"Hadoop:service={daemon},name={bean}*")
        return found[0] if found else {}

    def _data_node_port(self) -> int:
        live = json.loads(str(self.metrics("NameNode", "NameNodeInfo").get("LiveNodes", "{}")))
        addresses = [
            str(node["infoSecureAddr" if self._https else "infoAddr"]) for node in live.values()
        ]
        return int(addresses[0].rpartition(":")[2]) if addresses else 0

    def _name_node_answers(self) -> bool:
        # The page is there before the name node answers calls.
        page = self._beans(self._http_port, "Hadoop:service=NameNode,name=FSNamesystemState")
        return bool(page) and _listens(self._rpc_port)

    def _data_node_is_known(self) -> bool:
        states = self._beans(self._http_port, "Hadoop:service=NameNode,name=FSNamesystemState")
        if states == [_NOTHING_SHOWN]:
            return True
        if not states or states[0].get("FSState") != "Operational":
            return False
        # One that was known before a restart counts as live until it is missed.
        return states[0].get("NumLiveDataNodes") == 1 and self._data_node_port_answers()

    def _data_node_port_answers(self) -> bool:
        return bool(
            self._beans(self._data_node_port(), "Hadoop:service=DataNode,name=DataNodeInfo")
        )

    def _daemon(self, name: str, main: str, ready: Callable[[], bool], stays: bool) -> Daemon:
        command = f"server.{name}.{main}"
        return Daemon(name, self.folder, lambda: self._command(command), ready, stays)

    def _command(self, main: str) -> list[str]:
        places = [str(self.folder / "settings")]
        places += [f"{fetch_jars(_SERVICE, *module)}/*" for module in _MODULES]
        path = os.pathsep.join(places)
        options = (*_JAVA_OPTIONS, *self._java_options)
        return [find_java(_SERVICE), *options, "-cp", path, f"{_CLASSES}.{main}"]

    def _java(self, main: str, *arguments: str) -> str:
        log = self.folder / "commands.log"
        command = [*self._command(main), *arguments]
        done = subprocess.run(
            command, capture_output=True, text=True, check=False, timeout=_ADMIN_S_MAX
        )
        log.write_text(done.stdout + done.stderr)
        if done.returncode:
            reason = f"could not do {' '.join(arguments)}"
            said = " | ".join((done.stdout + done.stderr).strip().splitlines()[-5:])
            raise ServiceFailed(daemon=main.rpartition(".")[2], reason=reason, log=log, lines=said)
        return done.stdout

    def _beans(self, port: int, query: str) -> list[dict[str, object]]:
        """What a daemon's own page says, or nothing where none answers."""
        context = ssl.create_default_context(cafile=self._ca_file) if self._https else None
        base = f"https://localhost:{port}" if self._https else f"http://127.0.0.1:{port}"
        url = f"{base}/jmx?qry={query}"
        try:
            with urllib.request.urlopen(url, timeout=_ANSWER_S_MAX, context=context) as answer:
                beans: list[dict[str, object]] = json.load(answer)["beans"]
        except urllib.error.HTTPError as refusal:
            return [_NOTHING_SHOWN] if refusal.code == http.HTTPStatus.UNAUTHORIZED else []
        except (OSError, ValueError):
            return []
        return beans


def _listens(port: int) -> bool:
    with suppress(OSError), socket.create_connection(("127.0.0.1", port), _ANSWER_S_MAX):
        return True
    return False
