"""HdfsService: a real HDFS on this machine, one name node and one data node."""

from __future__ import annotations

import json
import os
import secrets
import shutil
import subprocess
import tempfile
import urllib.request
from collections.abc import Callable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Self

from windowed.testing.services.daemon import Daemon, free_port
from windowed.testing.services.errors import ServiceFailed
from windowed.testing.services.hdfs_settings import settings, write
from windowed.testing.services.java import fetch_jars, find_java

_SERVICE = "HDFS"
_MODULES = (
    ("org.apache.hadoop", "hadoop-client-minicluster", "3.5.0"),
    # Without it the daemons log nothing.
    ("org.slf4j", "slf4j-reload4j", "1.7.36"),
)
_CLASSES = "org.apache.hadoop.hdfs"
# Small and quick to start: nothing here runs long enough for a better compiler.
_JAVA_OPTIONS = ("-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xshare:auto")
_ANSWER_S_MAX = 2.0
_ADMIN_S_MAX = 60.0


class HdfsService:
    """A real HDFS: `with HdfsService() as hdfs: WindowLog(f"{hdfs.webhdfs_url}/state/x")`.

    `folder` keeps its data, settings and the daemons' logs; none: a temporary one, removed at the
    end. `more` are Hadoop settings beside its own. The first start ever fetches Hadoop's jars.
    `namenode` and `datanode` can each be stopped, killed, paused and started again; their data
    stays, and so do the URLs. Raises ServiceUnavailable where Java or the jars cannot be had,
    ServiceFailed when a daemon does not come up.
    """

    def __init__(
        self,
        folder: str | Path | None = None,
        *,
        more: Mapping[str, str] | None = None,
        stays: bool = False,
    ) -> None:
        self._temporary = folder is None
        place = folder or Path(tempfile.gettempdir(), f"windowed-hdfs-{secrets.token_hex(4)}")
        self.folder = Path(place).absolute()
        self._more = dict(more or {})
        self._rpc_port, self._http_port = free_port(), free_port()
        self.namenode = self._daemon("namenode", "NameNode", self._name_node_answers, stays)
        self.datanode = self._daemon("datanode", "DataNode", self._data_node_is_known, stays)

    @property
    def webhdfs_url(self) -> str:
        """Where WebHDFS is, without a path: webhdfs://127.0.0.1:PORT."""
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
        (self.folder / "running").touch()
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

    def stop(self) -> None:
        """End both daemons; may be called again. A temporary folder is removed."""
        (self.folder / "running").unlink(missing_ok=True)
        self.datanode.kill()
        self.namenode.kill()
        if self._temporary:
            shutil.rmtree(self.folder, ignore_errors=True)

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()

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
        found = _beans(port, f"Hadoop:service={daemon},name={bean}*")
        return found[0] if found else {}

    def _data_node_port(self) -> int:
        live = json.loads(str(self.metrics("NameNode", "NameNodeInfo").get("LiveNodes", "{}")))
        addresses = [str(node["infoAddr"]) for node in live.values()]
        return int(addresses[0].rpartition(":")[2]) if addresses else 0

    def _name_node_answers(self) -> bool:
        return bool(_beans(self._http_port, "Hadoop:service=NameNode,name=FSNamesystemState"))

    def _data_node_is_known(self) -> bool:
        states = _beans(self._http_port, "Hadoop:service=NameNode,name=FSNamesystemState")
        if not states or states[0].get("FSState") != "Operational":
            return False
        # One that was known before a restart counts as live until it is missed.
        return states[0].get("NumLiveDataNodes") == 1 and self._data_node_port_answers()

    def _data_node_port_answers(self) -> bool:
        return bool(_beans(self._data_node_port(), "Hadoop:service=DataNode,name=DataNodeInfo"))

    def _daemon(self, name: str, main: str, ready: Callable[[], bool], stays: bool) -> Daemon:
        command = f"server.{name}.{main}"
        return Daemon(name, self.folder, lambda: self._command(command), ready, stays)

    def _command(self, main: str) -> list[str]:
        places = [str(self.folder / "settings")]
        places += [f"{fetch_jars(_SERVICE, *module)}/*" for module in _MODULES]
        path = os.pathsep.join(places)
        return [find_java(_SERVICE), *_JAVA_OPTIONS, "-cp", path, f"{_CLASSES}.{main}"]

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


def _beans(port: int, query: str) -> list[dict[str, object]]:
    """What a daemon's own page says, or nothing where none answers."""
    url = f"http://127.0.0.1:{port}/jmx?qry={query}"
    try:
        with urllib.request.urlopen(url, timeout=_ANSWER_S_MAX) as answer:
            beans: list[dict[str, object]] = json.load(answer)["beans"]
    except (OSError, ValueError):
        return []
    return beans
