"""How the small Kafka is set up: its settings as Java properties. Pure but for `write`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

# What the broker says once clients may come.
STARTED = "Kafka Server started"

# The listener that is always there, without security; other ones come beside it.
PLAIN = "PLAIN"
_CONTROLLER = "CONTROLLER"

_LOGGING = """log4j.rootLogger=WARN,console
log4j.logger.kafka.server.KafkaRaftServer=INFO
log4j.appender.console=org.apache.log4j.ConsoleAppender
log4j.appender.console.target=System.err
log4j.appender.console.layout=org.apache.log4j.PatternLayout
log4j.appender.console.layout.ConversionPattern=%d{ISO8601} %p %c{2}: %m%n
"""


def settings(
    folder: Path, ports: Mapping[str, int], protocols: Mapping[str, str], controller_port: int
) -> dict[str, str]:
    """One process that is broker and controller, on 127.0.0.1. `ports` and `protocols` by the
    listener's name."""
    here = {name: f"{name}://127.0.0.1:{port}" for name, port in ports.items()}
    controller = f"127.0.0.1:{controller_port}"
    spoken = {**protocols, _CONTROLLER: "PLAINTEXT"}
    return {
        "process.roles": "broker,controller",
        "node.id": "1",
        "controller.quorum.voters": f"1@{controller}",
        "controller.listener.names": _CONTROLLER,
        "inter.broker.listener.name": PLAIN,
        "listeners": ",".join([*here.values(), f"{_CONTROLLER}://{controller}"]),
        "advertised.listeners": ",".join(here.values()),
        "listener.security.protocol.map": ",".join(f"{n}:{p}" for n, p in spoken.items()),
        "log.dirs": f"{folder}/data",
        "auto.create.topics.enable": "false",
        "offsets.topic.replication.factor": "1",
        "offsets.topic.num.partitions": "1",
        "transaction.state.log.replication.factor": "1",
        "transaction.state.log.min.isr": "1",
        "transaction.state.log.num.partitions": "1",
        "share.coordinator.state.topic.replication.factor": "1",
        "share.coordinator.state.topic.min.isr": "1",
        "group.initial.rebalance.delay.ms": "0",
        # A transaction that nobody ends is aborted when it is due, not up to 10 s later.
        "transaction.abort.timed.out.transaction.cleanup.interval.ms": "500",
        # Retention and compaction are looked at at once, not after half a minute.
        "log.initial.task.delay.ms": "500",
        "log.retention.check.interval.ms": "500",
        "log.cleaner.backoff.ms": "200",
        "log.cleaner.dedupe.buffer.size": str(4 * 2**20),
        # A broker that comes back is let in when the controller has given up the one before it.
        "broker.session.timeout.ms": "1000",
        "broker.heartbeat.interval.ms": "200",
        # One that is told to end has nobody to hand its partitions to.
        "controlled.shutdown.enable": "false",
    }


def write(folder: Path, values: Mapping[str, str]) -> None:
    """The files that the broker reads, in `folder`, which comes first on the class path."""
    folder.mkdir(parents=True, exist_ok=True)
    lines = "".join(f"{name}={_escaped(value)}\n" for name, value in values.items())
    (folder / "server.properties").write_text(lines)
    (folder / "log4j.properties").write_text(_LOGGING)


def _escaped(value: str) -> str:
    """Java's properties take a backslash for the beginning of an escape."""
    return value.replace("\\", "\\\\").replace("\n", "\\n")
