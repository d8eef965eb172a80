"""SecuredHdfs: a real HDFS that takes Kerberos tickets and its own tokens alone, over https."""

from __future__ import annotations

import functools
import http
import json
import os
import ssl
import subprocess
import tempfile
import time
import urllib.error
import urllib.request
from base64 import urlsafe_b64encode
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote, urlencode

from tests.secured.authority import Certified, certified
from tests.secured.kdc import REALM, Kdc
from windowed.testing.services import HdfsService
from windowed.testing.services.daemon import READY_S_MAX
from windowed.testing.services.hdfs_settings import write
from windowed.testing.services.java import fetch_jars, find_java

# Whose tokens and tickets tests use; those who may do anything.
USER = "etl"
_SERVERS = ("hdfs/localhost", "HTTP/localhost")
_MODULE = ("org.apache.hadoop", "hadoop-client-minicluster", "3.5.0")
_TOKENS = "org.apache.hadoop.security.token.DtUtilShell"
_JAVA_OPTIONS = ("-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xshare:auto")


def secured_settings(keytab: Path) -> dict[str, str]:
    """What a cluster with Kerberos is set to."""
    name, web = (f"{principal}@{REALM}" for principal in _SERVERS)
    return {
        "hadoop.security.authentication": "kerberos",
        "dfs.namenode.kerberos.principal": name,
        "dfs.namenode.keytab.file": str(keytab),
        "dfs.datanode.kerberos.principal": name,
        "dfs.datanode.keytab.file": str(keytab),
        # Else whoever gives a name is let in over HTTP.
        "hadoop.http.authentication.type": "kerberos",
        "hadoop.http.authentication.kerberos.principal": web,
        "hadoop.http.authentication.kerberos.keytab": str(keytab),
        "dfs.web.authentication.kerberos.principal": web,
        "dfs.web.authentication.kerberos.keytab": str(keytab),
        "dfs.block.access.token.enable": "true",
        # A data node without a port of the system's proves itself so.
        "dfs.data.transfer.protection": "authentication",
        "dfs.http.policy": "HTTPS_ONLY",
        "hadoop.user.group.static.mapping.overrides": f"{USER}=supergroup",
    }


@dataclass(frozen=True)
class SecuredHdfs:
    """`service` is the HDFS, `kdc` its key server, `certified` who vouches for its certificate."""

    service: HdfsService
    kdc: Kdc
    certified: Certified

    @property
    def url(self) -> str:
        """Where WebHDFS is: swebhdfs://localhost:PORT."""
        return self.service.webhdfs_url

    @property
    def ca_file(self) -> str:
        """The authority's certificate."""
        return str(self.certified.ca_file)

    @functools.cached_property
    def token(self) -> str:
        """A delegation token of USER for all tests: not to be ended."""
        return self.new_token()

    def new_token(self) -> str:
        """Another one, as Hadoop's own tool gets it."""
        name_node = self.service.hdfs_url.replace("127.0.0.1", "localhost")
        with tempfile.TemporaryDirectory() as place:
            file = Path(place, "tokens")
            self._dtutil("get", name_node, "-renewer", USER, "-format", "java", str(file))
            found = file.read_bytes()
        # One token, behind its service's name; no other secrets.
        assert (found[:6], found[-1]) == (b"HDTS\0\1", 0)
        return urlsafe_b64encode(found[7 + found[6] : -1]).decode().rstrip("=")

    def cancel(self, token: str) -> None:
        """End a token, as its owner may who has it."""
        self.ask("/", "PUT", "CANCELDELEGATIONTOKEN", token=token)

    def ask(
        self, path: str, method: str, verb: str, data: bytes | None = None, **options: str
    ) -> bytes:
        """WebHDFS's answer, without the code under test. `data` goes to the data node."""
        query = urlencode({"op": verb, "delegation": self.token, **options})
        address = f"{self.url.replace('swebhdfs', 'https')}/webhdfs/v1{quote(path)}?{query}"
        context = ssl.create_default_context(cafile=self.ca_file)
        try:
            request = urllib.request.Request(address, method=method)
            with urllib.request.urlopen(request, context=context) as answer:
                found: bytes = answer.read()
                return found
        except urllib.error.HTTPError as redirect:
            if redirect.code != http.HTTPStatus.TEMPORARY_REDIRECT:
                raise
            location = redirect.headers["location"]
        request = urllib.request.Request(location, data=data, method=method)
        urllib.request.urlopen(request, context=context).close()
        return b""

    def wait_for_data_node(self) -> None:
        """The name node, which shows nothing to whoever has no ticket, is up before it."""
        limit = time.monotonic() + READY_S_MAX
        while True:
            try:
                return self.write("/first", "")
            except urllib.error.HTTPError:
                assert time.monotonic() < limit, "no data node comes up"
                time.sleep(0.2)

    def write(self, path: str, data: str) -> None:
        """A new file."""
        self.ask(path, "PUT", "CREATE", data.encode(), overwrite="true")

    def lines(self, folder: str) -> list[str]:
        """All lines of the files that a reader sees below a folder, in order of their paths."""
        found = json.loads(self.ask(folder, "GET", "LISTSTATUS"))["FileStatuses"]["FileStatus"]
        lines: list[str] = []
        for each in sorted(found, key=lambda each: str(each["pathSuffix"])):
            path = f"{folder}/{each['pathSuffix']}"
            if each["type"] == "DIRECTORY":
                lines += self.lines(path)
            elif each["pathSuffix"][0] not in "._":
                lines += self.ask(path, "GET", "OPEN").decode().splitlines()
        return lines

    def _dtutil(self, *arguments: str) -> None:
        path = f"{self.service.folder / 'settings'}{os.pathsep}{fetch_jars('HDFS', *_MODULE)}/*"
        options = [*_JAVA_OPTIONS, java_option(self.kdc), "-cp", path, _TOKENS]
        login = ["-keytab", str(self.kdc.keytab), "-principal", f"{USER}@{REALM}"]
        command = [find_java("HDFS"), *options, *login, *arguments]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr


def java_option(kdc: Kdc) -> str:
    """Where Java learns of the key server."""
    return f"-Djava.security.krb5.conf={kdc.settings}"


@contextmanager
def secured_hdfs(folder: Path, more: Mapping[str, str]) -> Iterator[SecuredHdfs]:
    """Start a key server, a name node and a data node; `more` are settings of the latter."""
    made = certified(folder / "certificates")
    with Kdc(folder / "kdc", (*_SERVERS, USER)) as kdc:
        service = HdfsService(
            folder / "hdfs",
            more={**secured_settings(kdc.keytab), **more},
            java_options=[java_option(kdc)],
            ca_file=made.ca_file,
        )
        settings = service.folder / "settings"
        write(settings, made.server_settings())
        (settings / "hdfs-site.xml").rename(settings / "ssl-server.xml")
        with service:
            secured = SecuredHdfs(service, kdc, made)
            secured.wait_for_data_node()
            yield secured
