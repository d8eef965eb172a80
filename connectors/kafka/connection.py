"""Connections to brokers, with kafka-python, imported late: made when they are needed, made anew
after a failure, and waited for no longer than `stall_timeout_s`.
"""

from __future__ import annotations

import ssl
import time
import warnings
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any, TypeVar

from connectors.kafka import options, security
from connectors.kafka.errors import (
    AccessDenied,
    BrokerNotTrusted,
    BrokerUnavailable,
    ClientMissing,
)
from connectors.kafka.knock import knock
from connectors.kafka.login import Unfit, ready
from connectors.kafka.packets import unopened
from connectors.kafka.settings import Settings
from connectors.kafka.trust import Distrusted
from connectors.kafka.waiting import Outage, Waiting
from windowlog.errors import BadArgument, KitError

if TYPE_CHECKING:
    from kafka import KafkaAdminClient, KafkaConsumer

_T = TypeVar("_T")
_PAUSE_S, _PAUSE_S_MAX = 0.1, 1.0
# What `call` is told that reads records; all else are questions.
A_READ = "a read"


class Connection:
    """The clients of one open input. `name` is the input's."""

    def __init__(self, settings: Settings, name: str) -> None:
        self.settings = settings
        self.name = name
        self._admin: KafkaAdminClient | None = None
        self._consumer: KafkaConsumer | None = None
        whom = f"Kafka at {settings.where}"
        self._outage = Outage(f"input {name}", whom, settings.stall_timeout_s)
        self._let_in = False
        # Who has let us in last, and brokers that were not reached where they want to be.
        self._door: str | None = None
        self._unreached: list[str] = []

    @property
    def admin(self) -> KafkaAdminClient:
        """The client for questions and for commits. For use inside `call`."""
        if self._admin is None:
            from kafka import KafkaAdminClient

            self._admin = self._made(KafkaAdminClient, options.common(self.settings))
        return self._admin

    @property
    def consumer(self) -> KafkaConsumer:
        """A client that reads committed records, from where it is told and from nowhere else. For
        use inside `call`."""
        if self._consumer is None:
            from kafka import KafkaConsumer

            self._consumer = self._made(KafkaConsumer, options.for_consumers(self.settings))
            unopened(self._consumer)
        return self._consumer

    def _made(self, kind: Any, given: Mapping[str, Any]) -> Any:
        """A client, of a server that has let us in: of several, kafka-python takes any, and waits
        for one that hangs for as long as it may wait at all."""
        self._check_client()
        prepared = ready(given)
        if not self._let_in:
            timeout_s = prepared["request_timeout_ms"] / 1000
            shows_one = security.shows_certificate(self.settings.client)
            servers = sorted(self.settings.servers, key=lambda server: server != self._door)
            self._door, self._unreached = knock(servers, prepared, timeout_s, shows_one=shows_one)
            self._let_in = True
        if self._door is not None:
            prepared["bootstrap_servers"] = [self._door]
        return _begun(kind, prepared)

    def _check_client(self) -> None:
        from kafka import KafkaConsumer

        client, known = self.settings.client, KafkaConsumer.DEFAULT_CONFIG
        unknown = client.keys() - known.keys() | client.keys() & {"kafka_client"}
        if unknown:
            allowed = "options that kafka-python's KafkaConsumer knows"
            raise BadArgument(argument="client", value=sorted(unknown), allowed=allowed)
        # As in {"check_crcs": "false"}, which kafka-python takes for true.
        numbers = {name for name in client if isinstance(known[name], int | float)}
        wrong = [name for name in numbers if not isinstance(client[name], int | float)]
        if wrong:
            allowed = "numbers, True or False for these, and no text"
            raise BadArgument(argument="client", value=sorted(wrong), allowed=allowed)

    def call(self, what: str, work: Callable[[], _T]) -> _T:
        """What `work` gives, tried again on new connections while brokers are away, begun anew only
        within `stall_timeout_s`: a read that fails after longer has had its one try. AccessDenied,
        BrokerNotTrusted, BrokerUnavailable, ClientMissing; BadArgument for files that do not serve;
        other errors than those of connections pass through."""
        self._need_package()
        with Waiting(self._outage, slow=what == A_READ) as waiting:
            return self._tried(what, work, waiting)

    def _tried(self, what: str, work: Callable[[], _T], waiting: Waiting) -> _T:
        started_s = time.monotonic()
        limit_s = started_s + self.settings.stall_timeout_s
        pause_s = _PAUSE_S
        tries = 0
        while True:
            tries += 1
            try:
                return work()
            except KitError:
                raise
            except Exception as error:  # noqa: BLE001 (judged, and raised as what it is)
                self.drop()
                now_s = time.monotonic()
                if now_s + pause_s > limit_s or not _passes(error):
                    tried = _how_often(error, tries, now_s - started_s)
                    raise self._judged(what, error, tried) from None
                waiting.failed(error)
            time.sleep(pause_s)
            pause_s = min(2 * pause_s, _PAUSE_S_MAX)

    def _judged(self, what: str, error: Exception, tried: str) -> Exception:
        """What an error is for a person; itself if it is none of a connection's."""
        from kafka import errors

        said = f"{type(error).__name__}: {error}"
        servers = self.settings.where
        if isinstance(error, Unfit):
            option, reason = error.args
            return BadArgument(argument="client", value=option, allowed=f"OpenSSL says: {reason}")
        if isinstance(error, Distrusted):
            return self._distrusted(what, error)
        denied = (
            errors.AuthorizationError,
            errors.SaslAuthenticationFailedError,
            errors.UnsupportedSaslMechanismError,
        )
        if isinstance(error, denied):
            return AccessDenied(input=self.name, servers=servers, what=what, reason=said)
        if isinstance(error, errors.KafkaConfigurationError):
            allowed = f"kafka-python says: {error}"
            return BadArgument(
                argument="client", value=sorted(self.settings.client), allowed=allowed
            )
        if not isinstance(error, errors.KafkaError | OSError) or isinstance(error, KitError):
            return error
        if isinstance(error, ssl.SSLError | ConnectionResetError | errors.KafkaProtocolError):
            spoken = security.protocol(self.settings.client)
            said += f" (does this listener speak {spoken}? See security_protocol in client=)"
        if self._unreached:
            said += (
                f" (the brokers want to be reached at {', '.join(self._unreached)}: is that right"
                " from here? See advertised.listeners in their settings)"
            )
        return BrokerUnavailable(
            input=self.name, what=what, servers=servers, tried=tried, reason=said
        )

    def _distrusted(self, what: str, error: Distrusted) -> KitError:
        if error.refused:
            said = f"{error.reason}. {error.remedy}"
            return AccessDenied(input=self.name, servers=error.server, what=what, reason=said)
        return BrokerNotTrusted(
            input=self.name, server=error.server, reason=error.reason, remedy=error.remedy
        )

    def drop(self) -> None:
        """Let go of the connections; what is asked next makes new ones."""
        for client in (self._consumer, self._admin):
            if client is not None:
                with suppress(Exception):
                    client.close()
        self._consumer = self._admin = None
        self._let_in = False

    def _need_package(self) -> None:
        try:
            with warnings.catch_warnings():
                # kafka-python reads its own files in an old way.
                warnings.simplefilter("ignore", DeprecationWarning)
                import kafka  # noqa: F401
        except ImportError as error:
            raise ClientMissing(input=self.name) from error


def _passes(error: Exception) -> bool:
    """Whether another try may do better: kafka-python says it of its own errors."""
    return bool(getattr(error, "retriable", isinstance(error, OSError)))


def _how_often(error: Exception, tries: int, seconds: float) -> str:
    """How often, and how long, as it was."""
    if not _passes(error):
        return "not worth another try"
    times = "once, which took" if tries == 1 else f"{tries} times in"
    return f"tried {times} {seconds:.1f} s"


def _begun(kind: Any, given: Mapping[str, Any]) -> Any:
    """A client, with those of the options that its version and its kind know. One that cannot be
    made leaves no thread behind."""
    from kafka.net.compat import KafkaNetClient

    begun: list[KafkaNetClient] = []

    def begin(**values: Any) -> KafkaNetClient:
        begun.append(KafkaNetClient(**values))
        return begun[-1]

    try:
        known = {name: value for name, value in given.items() if name in kind.DEFAULT_CONFIG}
        return kind(**known, kafka_client=begin)
    except BaseException:
        for client in begun:
            with suppress(Exception):
                client.close()
        raise
