"""The errors of the Kafka input: one class for each thing that a person can do something about.

KitError
├── ClientMissing      KF1  the Python package kafka-python is not installed
├── BrokerUnavailable  KF2  no broker has answered for so long as is waited
├── AccessDenied       KF3  wrong credentials, or no right to read
├── TopicMissing       KF4  a topic is not there, or no longer
├── TopicRecreated     KF5  another topic has the name of the one that was read
├── OffsetsLost        KF6  records are gone before they were planned
├── OffsetsTruncated   KF7  a partition ends before the place where reading goes on
├── ClusterChanged     KF8  another cluster answers at the same address
├── ReadStalled        KF9  a read has come no further for so long as is waited
├── GroupTaken         KF10 the consumer group is in use, so its offsets cannot be committed
├── BrokerNotTrusted   KF11 who answers does not prove to be the broker
├── BadRecord          KF12 a record whose key or value is not what was said it is
├── TooManySetAside    KF13 more such records in one window than may be set aside
├── HeaderUnreadable   KF14 a header whose name kafka-python cannot read
├── RecordsDamaged     KF15 records that do not match their checksum
└── CodecMissing       KF16 the package is not installed that unpacks what a producer has compressed

TransactionOpen is a warning: a window ends before a transaction that has been open for long. So is
NothingMatches: no topic is like the pattern, so there is nothing to begin with.
"""

from __future__ import annotations

from windowlog.errors import KitError


class ClientMissing(KitError):
    """Input {input} reads Kafka, and the Python package kafka-python is not installed here. Install
    it: pip install 'windowed-connectors[kafka]'. Nothing was changed."""

    code = "KF1"


class BrokerUnavailable(KitError):
    """Input {input}: {what} did not succeed at {servers} ({tried}): {reason}. See whether the
    brokers run, and whether this is their address. Nothing was lost: a window that was logged is
    replayed whole by the next run."""

    code = "KF2"
    passing = True


class AccessDenied(KitError):
    """Input {input}: {servers} refuses {what}: {reason}. Nothing was changed. Correct the log-in in
    client=, or let somebody grant this user READ and DESCRIBE on the topics, and READ on the
    group."""

    code = "KF3"


class TopicMissing(KitError):
    """Input {input}: there is no topic {topic} at {servers}{known}. Topics are never created by
    reading them. Nothing was changed."""

    code = "KF4"


class TopicRecreated(KitError):
    """Input {input}: topic {topic} is not the one that was read: it has id {found} instead of
    {wanted}. It was deleted and created again; what was not read of the old one is lost: {lost}.
    The new one has {partitions}. Nothing was changed."""

    code = "KF5"


class OffsetsLost(KitError):
    """Input {input}: topic {topic}, partition {partition}: wanted is offset {wanted}, and the
    earliest left is {earliest} (latest {latest}): {lost} were removed before they were read.{more}
    Nothing was changed."""

    code = "KF6"


class OffsetsTruncated(KitError):
    """Input {input}: topic {topic}, partition {partition}: wanted is offset {wanted}, and the
    partition ends at {latest} (earliest {earliest}): {lost} are gone from its end, and others may
    get their offsets.{more} Nothing was changed."""

    code = "KF7"


class ClusterChanged(KitError):
    """Input {input}: {servers} is cluster {found}, and what was read is of cluster {wanted}. The
    offsets of one mean nothing in the other. Nothing was changed."""

    code = "KF8"


class ReadStalled(KitError):
    """Input {input}: topic {topic}, partition {partition}: reading stands at offset {position} of
    {end} and has come no further for {timeout_s} s. No row was written; the next run replays the
    window whole."""

    code = "KF9"
    passing = True


class GroupTaken(KitError):
    """Input {input}: the offsets of group {group} cannot be committed: {reason}. The window is
    held, and no record is lost or read again: recovery never reads group offsets. Give the input a
    group_id that nobody else uses."""

    code = "KF10"


class BrokerNotTrusted(KitError):
    """Input {input}: {server} does not prove that it is a broker of ours: {reason}. {remedy}. No
    name, no password and no question was sent to it. Nothing was changed."""

    code = "KF11"


class BadRecord(KitError):
    """Input {input}: topic {topic}, partition {partition}, offset {offset}: {reason}. Window
    {window_id} was not written, and the next run stops here, too."""

    code = "KF12"


class TooManySetAside(KitError):
    """Input {input}: {count} records of window {window_id} cannot be decoded, and no more than
    {max_rejects} of one window may be set aside. The first: {first}. The window was not written,
    and the next run stops here, too."""

    code = "KF13"


class HeaderUnreadable(KitError):
    """Input {input}: topic {topic}, partition {partition}: kafka-python cannot read on at offset
    {position} (planned are those below {end}): the record there, or one that its producer has sent
    together with it, has a header whose name is not UTF-8. Window {window_id} was not written, and
    the next run stops here, too."""

    code = "KF14"


class RecordsDamaged(KitError):
    """Input {input}: topic {topic}, partition {partition}: the records from offset {position} on
    (planned are those below {end}) do not match their checksum, or are not as Kafka's protocol has
    them: they are damaged on the broker's disk, or were on their way. Window {window_id} was not
    written. The next run reads them again, and stops here, too, if it is the disk."""

    code = "KF15"


class CodecMissing(KitError):
    """Input {input}: records are compressed with {codec}, and the Python package that unpacks it is
    not installed where they are read. Install it there: pip install 'windowed-connectors[kafka]'
    brings all of them, and so does kafka-python[lz4,snappy,zstd] where tasks run. Window
    {window_id} was not written; the next run replays it whole."""

    code = "KF16"


class TransactionOpen(UserWarning):
    """A window ends before a transaction that has been open for long."""


class NothingMatches(UserWarning):
    """No topic matches an input's pattern, and it has read none yet."""
