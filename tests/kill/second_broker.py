"""A second broker beside a KafkaService's own, on this machine: what it leads has no leader when it
is killed, until the first one takes over."""

from __future__ import annotations

from windowed.testing.services import KafkaService
from windowed.testing.services.daemon import free_port
from windowed.testing.services.kafka_settings import PLAIN


def second_broker(first: KafkaService) -> KafkaService:
    """It begins after the first one, and ends before it. It is no controller."""
    settings = _properties((first.folder / "settings" / "server.properties").read_text())
    of_the_disk = _properties((first.folder / "data" / "meta.properties").read_text())
    folder = first.folder / "second"
    (folder / "data").mkdir(parents=True)
    (folder / "data" / "meta.properties").write_text(
        f"version=1\ncluster.id={of_the_disk['cluster.id']}\nnode.id=2\n"
    )
    here = f"{PLAIN}://127.0.0.1:{free_port()}"
    own = {
        "process.roles": "broker",
        "node.id": "2",
        "listeners": here,
        "advertised.listeners": here,
        "log.dirs": f"{folder}/data",
    }
    return KafkaService(folder, more=settings | own)


def _properties(text: str) -> dict[str, str]:
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    return dict(line.split("=", 1) for line in lines)
