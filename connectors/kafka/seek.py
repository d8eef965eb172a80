"""Where `reset --to` leads, in these words: "beginning", "end", TOPIC@beginning, TOPIC@end,
TOPIC@gone, TOPIC:PARTITION@OFFSET, TOPIC:PARTITION@beginning and TOPIC:PARTITION@end; of those that
name a topic also several at once, with commas between. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import NoReturn

from connectors.kafka.look import Look, PartitionLook
from connectors.kafka.planning import beginning, joined
from connectors.kafka.position import Position, TopicPosition, from_json, to_json
from windowlog.errors import BadArgument
from windowlog.values import Seek

_PLACE = re.compile(r"(?:(?P<topic>[\w.-]+)(?::(?P<number>\d+))?@)?(?P<word>\w+)", re.ASCII)


def sought(to: str, position: Position, look: Look) -> Seek:
    """The position that `to` names, and its cost. BadArgument if there is none."""
    places = [place.strip() for place in to.split(",")]
    if len(places) == 1:
        return _sought(to, position, look)
    _check_apart(to, places, look)
    costs: list[tuple[int | None, int | None]] = []
    for place in places:
        seek = _sought(place, position, look)
        position = from_json(seek.end)
        costs.append((seek.again, seek.passed_over))
    again, passed_over = (_sum(one) for one in zip(*costs, strict=True))
    return Seek(to_json(position), again, passed_over)


def _check_apart(to: str, places: Sequence[str], look: Look) -> None:
    """Each place once: of two for one partition, nobody knows which is meant."""
    found = [_PLACE.fullmatch(place) for place in places]
    named = [(one["topic"], one["number"]) for one in found if one is not None]
    whole = [topic for topic, number in named if number is None]
    topics = [topic for topic, _ in named]
    twice = len(set(named)) < len(named) or any(topics.count(topic) > 1 for topic in whole)
    if None in found or None in topics or twice:
        _nowhere(to, look)


def _sum(counts: Iterable[int | None]) -> int | None:
    """None where one is not known."""
    known = list(counts)
    return None if None in known else sum(one for one in known if one is not None)


def _sought(to: str, position: Position, look: Look) -> Seek:
    match = _PLACE.fullmatch(to)
    if match is None:
        _nowhere(to, look)
    topic, number, word = match["topic"], match["number"], match["word"]
    if word == "gone" and number is None and topic in position.topics.keys() - look.topics.keys():
        left = {name: at for name, at in position.topics.items() if name != topic}
        return Seek(to_json(Position(position.cluster, left)), 0, None)
    same = position.cluster == look.cluster
    old = joined(position, look) if same else Position(look.cluster, {})
    chosen = [topic] if topic is not None else list(look.topics)
    topics = dict(old.topics)
    for name in chosen:
        if name not in look.topics:
            _nowhere(to, look)
        topics[name] = _moved(to, name, number, word, topics.get(name), look)
    new = Position(look.cluster, topics)
    again, passed_over = _costs(position, new, look, chosen)
    return Seek(to_json(new), again, passed_over)


def _moved(
    to: str, name: str, number: str | None, word: str, old: TopicPosition | None, look: Look
) -> TopicPosition:
    """One topic's position, moved in all partitions or in one."""
    topic = look.topics[name]
    partitions = topic.partitions
    if number is None:
        if word not in ("beginning", "end"):
            _nowhere(to, look)
        return TopicPosition(topic.id, tuple(_at(word, partition) for partition in partitions))
    if int(number) >= len(partitions):
        _nowhere(to, look)
    now = partitions[int(number)]
    if word not in ("beginning", "end") and not (
        word.isdecimal() and now.earliest <= int(word) <= now.latest
    ):
        _nowhere(to, look)
    known = old if old is not None and old.id == topic.id else beginning(topic)
    offsets = list(known.offsets)
    offsets[int(number)] = int(word) if word.isdecimal() else _at(word, now)
    return TopicPosition(topic.id, tuple(offsets))


def _at(word: str, partition: PartitionLook) -> int:
    return partition.earliest if word == "beginning" else partition.stable


def _costs(
    old: Position, new: Position, look: Look, names: Iterable[str]
) -> tuple[int | None, int | None]:
    """How many records are read again, and how many are never read: at most, as offsets count them;
    None where a topic was another one."""
    again = passed_over = 0
    for name in names:
        before = old.topics.get(name)
        if before is not None and before.id != new.topics[name].id:
            return 0, None
        known = before.offsets if before is not None else ()
        for number, at in enumerate(new.topics[name].offsets):
            earliest = look.topics[name].partitions[number].earliest
            stood = known[number] if number < len(known) else earliest
            again += max(0, stood - at)
            passed_over += max(0, at - stood)
    return again, passed_over


def _nowhere(to: str, look: Look) -> NoReturn:
    there: Mapping[str, str] = {
        f"{name}:{number}": f"{partition.earliest} to {partition.latest}"
        for name, number, partition in look.partitions()
    }
    known = ", ".join(f"{place} has {offsets}" for place, offsets in there.items())
    allowed = (
        "beginning, end, TOPIC@beginning, TOPIC@end, TOPIC:PARTITION@OFFSET, or TOPIC@gone for a"
        " topic that was deleted; several with commas, each partition once;"
        f" {known or 'there is no topic'}"
    )
    raise BadArgument(argument="to", value=to, allowed=allowed)
