"""Every way into the brokers, with every reader: the rows are those that come without security."""

from __future__ import annotations

import secrets
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from connectors import KafkaInput
from connectors.kafka.spark_source import check_fits, fits
from tests.authority import Authority
from tests.connectors.kafka.reading import Row, expected, ordered, running
from tests.connectors.kafka.test_planning import settings_of
from tests.connectors.kafka.test_readers import plan_of
from tests.connectors.kafka.world import Broker, numbered
from tests.listeners import Listeners
from windowed.testing.services import KafkaService
from windowlog.errors import BadArgument

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

WAYS = [
    ("SECRET", "PLAIN"),
    ("SECRET", "SCRAM-SHA-256"),
    ("SECRET", "SCRAM-SHA-512"),
    ("TLS", ""),
    ("MUTUAL", ""),
    ("BOTH", "SCRAM-SHA-512"),
]


@pytest.fixture(scope="module")
def topic(broker: Broker) -> str:
    """One for all tests here: two partitions, 20 records."""
    name = broker.create(2)
    broker.send(name, *numbered(10))
    broker.send(name, *numbered(10, start=10), partition=1)
    return name


@pytest.fixture(scope="module")
def rows(broker: Broker, topic: str) -> list[Row]:
    """All of its rows, from another consumer and without security."""
    return expected(broker, topic, 0, 10) + expected(broker, topic, 0, 10, partition=1)


Reads = Callable[..., list[Row]]


@pytest.fixture
def read(broker: Broker, kafka: KafkaService, topic: str) -> Reads:
    """All rows of the topic, through a listener, as a client."""

    def rows_of(listener: str, client: dict[str, Any], **how: Any) -> list[Row]:
        place: dict[str, Any] = {"bootstrap_servers": kafka.address(listener), "client": client}
        with running(broker, topic, **place, **how) as run:
            return ordered(run.rows(run.log(run.plan())))

    return rows_of


@pytest.mark.parametrize(("listener", "mechanism"), WAYS)
def test_every_way_in_gives_the_same_rows(
    broker: Broker,
    kafka: KafkaService,
    listeners: Listeners,
    topic: str,
    rows: list[Row],
    how: dict[str, Any],
    listener: str,
    mechanism: str,
) -> None:
    """Planned and read; the lag is told and the position committed over it too."""
    client = listeners.client(listener, mechanism)
    group = f"g-{secrets.token_hex(4)}"
    place: dict[str, Any] = {
        "bootstrap_servers": kafka.address(listener),
        "client": client,
        "group_id": group,
    }
    with running(broker, topic, **place, **how) as run:
        assert isinstance(run.input, KafkaInput)
        assert run.input.lag() == {f"{topic}:0": 10, f"{topic}:1": 10}
        window = run.log(run.plan())
        assert ordered(run.rows(window)) == rows
        run.hold(window)
    committed = broker.admin.list_group_offsets([group])[group]
    assert sorted(at.offset for at in committed.values()) == [10, 10]


def test_a_key_may_be_encrypted(
    listeners: Listeners, read: Reads, rows: list[Row], how: dict[str, Any]
) -> None:
    """And be in the file of the certificate, with other words around them."""
    password = secrets.token_urlsafe()
    person = listeners.person
    key = person.encrypted_key(password, "-v1", "PBE-SHA1-3DES")
    both = key.with_suffix(".both")
    both.write_text(f"Clé\n{key.read_text()}\nand\n{person.certificate.read_text()}\n", "utf-8")
    client = listeners.client("MUTUAL")
    client |= {"ssl_certfile": both, "ssl_keyfile": None, "ssl_password": password}
    assert read("MUTUAL", client, **how) == rows


def test_a_name_need_not_be_the_certificates_where_that_is_said(
    listeners: Listeners, read: Reads, rows: list[Row], how: dict[str, Any]
) -> None:
    """`ssl_check_hostname`."""
    client = listeners.client("ELSEWHERE") | {"ssl_check_hostname": False}
    assert read("ELSEWHERE", client, **how) == rows


@pytest.mark.spark
@pytest.mark.parametrize("reader", ["executors", "spark"])
def test_tasks_need_no_files(
    broker: Broker,
    kafka: KafkaService,
    listeners: Listeners,
    topic: str,
    rows: list[Row],
    spark: SparkSession,
    tmp_path: Path,
    reader: str,
) -> None:
    """They are read in the driver, when the window is."""
    client = listeners.client("MUTUAL")
    for name in ("ssl_cafile", "ssl_certfile", "ssl_keyfile"):
        client[name] = shutil.copy(client[name], tmp_path / name)
    place: dict[str, Any] = {"bootstrap_servers": kafka.address("MUTUAL"), "client": client}
    with running(broker, topic, **place, reader=reader, spark=spark) as run:
        frame = run.input.read(run.plan(), ())
        for file in tmp_path.iterdir():
            file.unlink()
        assert len(frame.collect()) == len(rows)


@pytest.mark.spark
@pytest.mark.parametrize("form", ["EC PRIVATE KEY", "ENCRYPTED PRIVATE KEY by PBES2"])
def test_a_key_that_java_does_not_read_is_said(
    broker: Broker,
    kafka: KafkaService,
    listeners: Listeners,
    topic: str,
    rows: list[Row],
    spark: SparkSession,
    monkeypatch: pytest.MonkeyPatch,
    form: str,
) -> None:
    """With the command that helps; a reader that is chosen is another one."""
    client = listeners.client("MUTUAL")
    if form.startswith("ENCRYPTED"):
        client["ssl_password"] = secrets.token_urlsafe()
        client["ssl_keyfile"] = listeners.person.encrypted_key(client["ssl_password"])
    else:
        client["ssl_keyfile"] = listeners.person.key_in_old_form()
    place: dict[str, Any] = {"bootstrap_servers": kafka.address("MUTUAL"), "client": client}
    with running(broker, topic, **place, reader="spark", spark=spark) as run:
        plan = run.plan()
        with pytest.raises(BadArgument, match=f"{form}.*openssl pkcs8"):
            run.input.read(plan, ())
    monkeypatch.setattr("connectors.kafka.reading.DRIVER_RECORDS_MAX", 3)
    with running(broker, topic, **place, spark=spark) as run:
        frame = run.input.read(run.plan(), ())
        assert "windowed_kafka" in plan_of(frame)
        assert len(frame.collect()) == len(rows)


@pytest.mark.spark
def test_on_spark_connect_options_are_no_place_for_secrets(
    broker: Broker, listeners: Listeners, spark: SparkSession
) -> None:
    """Its server writes them into the event log. The session here is a classic one that says that
    it is not."""

    class Remote:
        read = spark.read

    Remote.__module__ = "pyspark.sql.connect.session"
    session: Any = Remote()
    for listener, fine in (("SECRET", False), ("MUTUAL", False), ("BOTH", False), ("TLS", True)):
        settings = settings_of(client=listeners.client(listener))
        assert fits(session, settings) is fine
        assert fits(spark, settings)
        if not fine:
            with pytest.raises(BadArgument, match="Spark Connect"):
                check_fits(session, settings)


def test_ciphers_and_revocations_have_an_effect(
    listeners: Listeners, read: Reads, rows: list[Row]
) -> None:
    """kafka-python has these options, and does nothing with one and fails with the other."""
    client = listeners.client("TLS")
    client |= {"ssl_ciphers": "HIGH", "ssl_crlfile": listeners.authority.revocations()}
    assert read("TLS", client) == rows
    for name, wrong in (
        ("ssl_ciphers", "NONE-OF-THESE"),
        ("ssl_crlfile", str(listeners.authority.file)),
    ):
        with pytest.raises(BadArgument, match=name):
            read("TLS", client | {name: wrong})


def test_another_certificate_in_the_same_files_is_taken(
    broker: Broker, kafka: KafkaService, listeners: Listeners, topic: str, tmp_path: Path
) -> None:
    """When the next connection is made: files are not remembered."""
    stranger = Authority(tmp_path / "other").issue()
    client = listeners.client("MUTUAL")
    for name, file in (("ssl_certfile", stranger.certificate), ("ssl_keyfile", stranger.key)):
        client[name] = shutil.copy(file, tmp_path / name)
    place: dict[str, Any] = {"bootstrap_servers": kafka.address("MUTUAL"), "client": client}
    with running(broker, topic, **place) as run:
        with pytest.raises(Exception, match="does not take the certificate"):
            run.plan()
        shutil.copy(listeners.person.certificate, tmp_path / "ssl_certfile")
        shutil.copy(listeners.person.key, tmp_path / "ssl_keyfile")
        assert len(run.plan().parts) == 2
