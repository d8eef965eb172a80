"""What a Pipeline may be made of. Each check names argument, value and what is allowed."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from itertools import combinations
from typing import Any

from windowed.asides import frame_names, rejects_of, sets_aside
from windowlog.contracts import Input, Sink
from windowlog.errors import BadArgument
from windowlog.state_store import STATE, StateStore

# Long enough for any name a person reads; short enough for a ledger's key on every database (MySQL:
# 767 bytes).
NAME_LENGTH_MAX = 200
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
RESERVED = ("window", STATE)


def check_name(name: Any) -> None:
    """A pipeline's name: text that is a ledger's key and part of messages."""
    if not isinstance(name, str) or not name.strip() or len(name) > NAME_LENGTH_MAX:
        allowed = f"text of 1 to {NAME_LENGTH_MAX} characters"
        raise BadArgument(argument="name", value=name, allowed=allowed)
    if name != name.strip() or not name.isprintable():
        allowed = "printable text without spaces around it"
        raise BadArgument(argument="name", value=name, allowed=allowed)


def check_keep(keep: Any) -> None:
    """A number of windows."""
    if isinstance(keep, bool) or not isinstance(keep, int) or keep < 0:
        raise BadArgument(argument="keep", value=keep, allowed="a number of windows from 0")


def check_state(state: Any, every: Any) -> None:
    """Where the state is kept, and a number of windows."""
    if state is not None and (isinstance(state, type) or not isinstance(state, StateStore)):
        allowed = "something like file_sink.FileState(…), or None"
        raise BadArgument(argument="the type of state", value=type(state).__name__, allowed=allowed)
    if every is None:
        return
    if state is None:
        allowed = "leave it out: there is no state= to make checkpoints of"
        raise BadArgument(argument="checkpoint_every", value=every, allowed=allowed)
    if isinstance(every, bool) or not isinstance(every, int) or every < 1:
        allowed = "a number of windows from 1"
        raise BadArgument(argument="checkpoint_every", value=every, allowed=allowed)


def check_inputs(inputs: Any) -> None:
    """At least one input; names are keyword arguments of the transform, and folders of the log."""
    _check_named("inputs", inputs, Input, "connectors.FileInput(…)")
    for name in inputs:
        if name in RESERVED:
            allowed = f"another name: a transform's argument {name!r} means something else"
            raise BadArgument(argument="inputs", value=name, allowed=allowed)
        if sets_aside(inputs[name]) and rejects_of(name) in inputs:
            allowed = f"another name: what input {name!r} sets aside is called so"
            raise BadArgument(argument="inputs", value=rejects_of(name), allowed=allowed)
    for name, other in combinations(inputs, 2):
        clashes = getattr(inputs[other], "clashes", None)
        if clashes is not None and (allowed := clashes(inputs[name])) is not None:
            raise BadArgument(argument="inputs", value=other, allowed=allowed)


def check_sinks(sinks: Any) -> None:
    """At least one sink."""
    _check_named("sinks", sinks, Sink, "jdbc_sink.JdbcSink(…) or file_sink.FileSink(…)")


def _check_named(argument: str, members: Any, contract: type, example: str) -> None:
    if not isinstance(members, Mapping) or not members:
        allowed = f"a dict with at least one entry, name -> {example}"
        raise BadArgument(argument=argument, value=members, allowed=allowed)
    folded: dict[str, str] = {}
    seen: dict[int, str] = {}
    for name, member in members.items():
        if not isinstance(name, str) or not _NAME.fullmatch(name) or len(name) > NAME_LENGTH_MAX:
            allowed = "names of ASCII letters, digits and _, not beginning with a digit"
            raise BadArgument(argument=argument, value=name, allowed=allowed)
        # A class has the methods too, and is not made yet.
        if isinstance(member, type) or not isinstance(member, contract):
            allowed = f"something like {example}"
            what, kind = f"the type of {argument}[{name!r}]", type(member).__name__
            raise BadArgument(argument=what, value=kind, allowed=allowed)
        if name.lower() in folded:
            # They would share a folder on a file system, and a key in a database, that ignores
            # case.
            allowed = f"names that differ in more than case from {folded[name.lower()]!r}"
            raise BadArgument(argument=argument, value=name, allowed=allowed)
        if id(member) in seen:
            allowed = f"an object of its own: {seen[id(member)]!r} uses the same one"
            raise BadArgument(argument=argument, value=name, allowed=allowed)
        folded[name.lower()] = name
        seen[id(member)] = name


def check_transform(
    transform: Any, inputs: Mapping[str, Input], *, state: bool = False
) -> tuple[str, ...]:
    """A function of the inputs, and of what they set aside, by keyword; what else it wants of
    `window` and `state`. With state it must want that, else it may not."""
    if not callable(transform):
        allowed = f"a function of {', '.join(inputs)}"
        raise BadArgument(argument="transform", value=transform, allowed=allowed)
    signature = _signature(transform)
    wants = tuple(n for n in RESERVED if signature is not None and n in signature.parameters)
    if state and STATE not in wants:
        value = getattr(transform, "__name__", "transform")
        allowed = "with state= it must have an argument named state"
        raise BadArgument(argument="transform", value=value, allowed=allowed)
    if STATE in wants and not state:
        value = getattr(transform, "__name__", "transform")
        allowed = "its argument state needs a Pipeline(…, state=file_sink.FileState(…))"
        raise BadArgument(argument="transform", value=value, allowed=allowed)
    if signature is None:
        return ()
    arguments = dict.fromkeys([*frame_names(inputs), *wants])
    try:
        signature.bind(**arguments)
    except TypeError as error:
        value = f"{getattr(transform, '__name__', 'transform')}{signature}"
        allowed = f"it must take {_named(inputs)} as keyword arguments ({error}){_aside(inputs)}"
        raise BadArgument(argument="transform", value=value, allowed=allowed) from error
    return wants


def _named(inputs: Mapping[str, Input]) -> str:
    names = frame_names(inputs)
    return f"the input{'s' if len(names) > 1 else ''} {', '.join(names)}"


def _aside(inputs: Mapping[str, Input]) -> str:
    """Why there are frames that nobody has named; they may not be lost by a slip."""
    names = [rejects_of(name) for name, source in inputs.items() if sets_aside(source)]
    said = f"; {', '.join(names)}: what is set aside, for a sink, or on purpose for none"
    return said if names else ""


def _signature(transform: Callable[..., object]) -> inspect.Signature | None:
    try:
        return inspect.signature(transform)
    except (TypeError, ValueError):
        return None  # some built-in callables do not say; the first window will
