"""KafkaService: a real Kafka on this machine, one process that is broker and controller."""

from __future__ import annotations

import base64
import os
import secrets
import subprocess
from collections.abc import Mapping
from pathlib import Path

from windowed.testing.services.daemon import Daemon, free_port
from windowed.testing.services.errors import ServiceFailed
from windowed.testing.services.java import fetch_jars, find_java
from windowed.testing.services.kafka_settings import PLAIN, STARTED, settings, write
from windowed.testing.services.local import LocalService

_SERVICE = "Kafka"
_MODULES = (
    ("org.apache.kafka", "kafka_2.13", "4.1.1"),
    # Without it the broker logs nothing.
    ("org.slf4j", "slf4j-reload4j", "1.7.36"),
)
# Small and quick to start: nothing here runs long enough for a better compiler.
_JAVA_OPTIONS = ("-Xmx512m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xshare:auto")
_FORMAT_S_MAX = 60.0


class KafkaService(LocalService):
    """A real Kafka: `with KafkaService() as kafka: KafkaInput(kafka.bootstrap, topics=["x"])`.

    `folder` keeps its data, settings and log; none: a temporary one, removed at the end. `more` are
    settings of the broker beside its own. `listeners` come beside the one without security: name ->
    protocol, as in {"SECRET": "SASL_SSL"}, each at `address(name)`. The first start ever fetches
    Kafka's jars. `broker` can be stopped, killed, paused and started again; its data and addresses
    stay. Topics are never created by asking for them. Raises ServiceUnavailable where Java or the
    jars cannot be had, ServiceFailed when the broker does not come up.
    """

    def __init__(
        self,
        folder: str | Path | None = None,
        *,
        more: Mapping[str, str] | None = None,
        listeners: Mapping[str, str] | None = None,
        stays: bool = False,
    ) -> None:
        super().__init__("kafka", folder)
        self._more = dict(more or {})
        self._protocols = {PLAIN: "PLAINTEXT", **(listeners or {})}
        self._ports = {name: free_port() for name in self._protocols}
        self._controller_port = free_port()
        self._log_seen = 0
        self.broker = Daemon("broker", self.folder, self._begin, self._has_started, stays)
        self._daemons = (self.broker,)

    @property
    def bootstrap(self) -> str:
        """Where it is reached without security: 127.0.0.1:PORT."""
        return self.address(PLAIN)

    def address(self, listener: str) -> str:
        """Where a listener is: 127.0.0.1:PORT."""
        return f"127.0.0.1:{self._ports[listener]}"

    def addresses(self) -> dict[str, str]:
        """What `make services` tells the tests."""
        return {"KAFKA_BOOTSTRAP": self.bootstrap}

    def start(self) -> None:
        """Format its folder on first use, start it and wait until clients may come."""
        values = settings(self.folder, self._ports, self._protocols, self._controller_port)
        write(self._settings, values | self._more)
        self._let_run()
        if not (self.folder / "data" / "meta.properties").exists():
            self._format()
        try:
            self.broker.start()
        except BaseException:
            self.stop()
            raise

    def restart(self, *, kill: bool = False) -> None:
        """End the broker, by SIGTERM or by SIGKILL, and start it again on the same data."""
        if kill:
            self.broker.kill()
        else:
            self.broker.stop()
        self.broker.start()

    @property
    def _settings(self) -> Path:
        return self.folder / "settings"

    def _begin(self) -> list[str]:
        """The broker's command, asked for at each start: what the log says later is of this one."""
        log = self.broker.log
        self._log_seen = log.stat().st_size if log.exists() else 0
        return [*self._java("kafka.Kafka"), str(self._settings / "server.properties")]

    def _has_started(self) -> bool:
        if not self.broker.log.exists():
            return False
        with self.broker.log.open("rb") as log:
            log.seek(self._log_seen)
            return STARTED.encode() in log.read()

    def _format(self) -> None:
        # A cluster's id is a UUID of 16 bytes in the letters of URLs.
        cluster = base64.urlsafe_b64encode(b"\x01" + secrets.token_bytes(15)).decode().rstrip("=")
        command = [*self._java("kafka.tools.StorageTool"), "format", "--cluster-id", cluster]
        command += ["--config", str(self._settings / "server.properties")]
        done = subprocess.run(
            command, capture_output=True, text=True, check=False, timeout=_FORMAT_S_MAX
        )
        log = self.folder / "format.log"
        log.write_text(done.stdout + done.stderr)
        if done.returncode:
            lines = (done.stdout + done.stderr).strip().splitlines()
            said = " | ".join([line for line in lines if not line.startswith("\tat ")][-5:])
            raise ServiceFailed(
                daemon="broker", reason="could not format its folder", log=log, lines=said
            )

    def _java(self, main: str) -> list[str]:
        places = [str(self._settings), *(f"{fetch_jars(_SERVICE, *m)}/*" for m in _MODULES)]
        return [find_java(_SERVICE), *_JAVA_OPTIONS, "-cp", os.pathsep.join(places), main]
