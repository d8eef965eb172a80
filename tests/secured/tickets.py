"""Kerberos tickets of a test, taken with the key server's keytab as `kinit -kt` takes them."""

from __future__ import annotations

import os
import struct
import time
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from tests.machine import absent
from tests.secured.kdc import REALM
from tests.secured.world import USER, SecuredHdfs


class Tickets:
    """What this process has: nothing at first. `cache` is the file with its tickets."""

    def __init__(self, secured: SecuredHdfs, cache: Path, patch: pytest.MonkeyPatch) -> None:
        self.cache = cache
        self._keytab = secured.kdc.keytab
        self._patch = patch
        patch.setenv("KRB5_CONFIG", str(secured.kdc.settings))
        patch.setenv("KRB5CCNAME", f"FILE:{cache}")
        patch.delenv("KRB5_CLIENT_KTNAME", raising=False)

    def log_in(self) -> None:
        """Take a ticket of USER."""
        krb5: Any = pytest.importorskip("krb5")
        context = krb5.init_context()
        principal = krb5.parse_name_flags(context, f"{USER}@{REALM}".encode())
        options = krb5.get_init_creds_opt_alloc(context)
        keytab = krb5.kt_resolve(context, f"FILE:{self._keytab}".encode())
        ticket = krb5.get_init_creds_keytab(context, principal, options, keytab=keytab)
        cache = krb5.cc_resolve(context, os.environ["KRB5CCNAME"].encode())
        krb5.cc_initialize(context, cache, principal)
        krb5.cc_store_cred(context, cache, ticket)
        self._end = int(ticket.times.endtime)

    def end(self) -> None:
        """Let all that this process has be over: their times, as its Kerberos library sees them.
        A key server gives none for less than an hour."""
        past = struct.pack(">I", int(time.time()) - 60)
        data = self.cache.read_bytes()
        assert struct.pack(">I", self._end) in data
        self.cache.write_bytes(data.replace(struct.pack(">I", self._end), past))

    def use_keytab(self) -> None:
        """The Kerberos library takes tickets by itself, whenever it needs some."""
        self._patch.setenv("KRB5_CLIENT_KTNAME", f"FILE:{self._keytab}")


def need_kerberos() -> None:
    """Skip the running test without the extra `kerberos`."""
    if find_spec("requests_kerberos") is None:
        absent("the extra kerberos (pip install 'windowed-connectors[kerberos]', with libkrb5-dev)")
