"""Kdc: a real Kerberos server on this machine, Apache Kerby as Hadoop's MiniKdc starts it."""

from __future__ import annotations

from pathlib import Path

from windowed.testing.services.daemon import Daemon
from windowed.testing.services.java import fetch_jars, find_java
from windowed.testing.services.local import LocalService

REALM = "EXAMPLE.COM"
_SERVICE = "Kerberos"
_MODULE = ("org.apache.hadoop", "hadoop-minikdc", "3.5.0")
_JAVA_OPTIONS = ("-Xmx128m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1")


class Kdc(LocalService):
    """It knows `principals`, of REALM; their keys are in the file `keytab`, and `settings` is what
    KRB5_CONFIG and Java's java.security.krb5.conf are to name."""

    def __init__(self, folder: Path, principals: tuple[str, ...]) -> None:
        super().__init__("kdc", folder)
        self.keytab = folder / "keytab"
        self.settings = folder / "krb5.conf"
        self._principals = principals
        self._daemon = Daemon("kdc", folder, self._command, self._is_ready)
        self._daemons = (self._daemon,)

    def start(self) -> None:
        """It is up once it says how to end it."""
        self._let_run()
        (self.folder / "properties").write_text("transport=TCP\n")
        self._daemon.start()

    def _is_ready(self) -> bool:
        # It says so last.
        return "kill <PID>" in self._daemon.log.read_text(errors="replace")

    def _command(self) -> list[str]:
        path = f"{fetch_jars(_SERVICE, *_MODULE)}/*"
        places = [str(self.folder), str(self.folder / "properties"), str(self.keytab)]
        main = "org.apache.hadoop.minikdc.MiniKdc"
        return [find_java(_SERVICE), *_JAVA_OPTIONS, "-cp", path, main, *places, *self._principals]
