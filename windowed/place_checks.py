"""No two members of a pipeline write, or read and write, in one place. Each check names argument,
value and what is allowed."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from windowlog import naming
from windowlog.access.overlap import holds, overlap
from windowlog.contracts import Input, Sink
from windowlog.errors import BadArgument

if TYPE_CHECKING:
    from windowlog.log import WindowLog
    from windowlog.state_store import StateStore


def check_places(
    inputs: Mapping[str, Input],
    log: WindowLog,
    sinks: Mapping[str, Sink],
    state: StateStore | None = None,
) -> None:
    """No input reads what this pipeline writes: each window would give the next one something to
    read, for ever. And no sink's readers find the log or an input in its folder."""
    for argument, folder in _log_folders(log):
        plan = os.path.join(folder, naming.WINDOWS, naming.numbered(1))
        _refuse_read(argument, folder, [plan], inputs)
        for name, sink in sinks.items():
            _refuse_shared(argument, folder, name, _folders(sink))
    for name, sink in sinks.items():
        files: Sequence[str] = getattr(sink, "files", list)()
        folders = _folders(sink)
        _refuse_read(f"sinks[{name!r}]", folders[0] if folders else ", ".join(files), files, inputs)
        for input_name, source in inputs.items():
            _refuse_above(f"sinks[{name!r}]", folders, input_name, _folders(source))
    if state is not None:
        _check_state(state.folders(), inputs, log, sinks)


def _check_state(
    folders: Sequence[str],
    inputs: Mapping[str, Input],
    log: WindowLog,
    sinks: Mapping[str, Sink],
) -> None:
    others = [(f"the {argument}", [folder]) for argument, folder in _log_folders(log)]
    others += [(f"sink {name!r}", list(_folders(sink))) for name, sink in sinks.items()]
    others += [(f"input {name!r}", list(_folders(one))) for name, one in inputs.items()]
    for folder in folders:
        for who, theirs in others:
            for one in theirs:
                if overlap(folder, one):
                    allowed = (
                        f"a folder that shares nothing with {who}, which has {one}: beside it,"
                        " neither in it nor above it"
                    )
                    raise BadArgument(argument="state", value=folder, allowed=allowed)


def _log_folders(log: WindowLog) -> Iterator[tuple[str, str]]:
    mirror = getattr(log.storage, "mirror", None)
    for argument, storage in (("log", log.storage), ("mirror", mirror)):
        folder = getattr(storage, "folder", None)
        if folder is not None:
            yield argument, folder


def _folders(member: object) -> Sequence[str]:
    folders: Sequence[str] = getattr(member, "folders", list)()
    return folders


def _refuse_read(
    argument: str, value: str, files: Sequence[str], inputs: Mapping[str, Input]
) -> None:
    for name, source in inputs.items():
        reads = getattr(source, "reads", None)
        if reads is not None and any(map(reads, files)):
            where = "".join(f" ({folder})" for folder in _folders(source))
            allowed = (
                f"a place that input {name!r} does not read, or the pipeline would feed itself:"
                f" outside of its folder{where}, or below a name that begins with _ or ."
            )
            raise BadArgument(argument=argument, value=value, allowed=allowed)


def _refuse_shared(argument: str, folder: str, name: str, folders: Sequence[str]) -> None:
    for theirs in folders:
        if overlap(folder, theirs):
            allowed = (
                f"a folder that shares nothing with sink {name!r}, which has {theirs}: beside it,"
                " neither in it nor above it; readers and roll-ups would take its files for rows"
            )
            raise BadArgument(argument=argument, value=folder, allowed=allowed)


def _refuse_above(argument: str, folders: Sequence[str], name: str, theirs: Sequence[str]) -> None:
    for folder in folders:
        for read in theirs:
            if holds(folder, read):
                allowed = (
                    f"a folder in which input {name!r} does not read, which has {read}: whoever"
                    " reads what the sink publishes would find the input's files too"
                )
                raise BadArgument(argument=argument, value=folder, allowed=allowed)
