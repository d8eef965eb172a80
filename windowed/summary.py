"""What a run did."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from windowed.stopping import where_stopped
from windowed.wording import counted, lasted


@dataclass(frozen=True, slots=True)
class Summary:
    """What a run did. `window_ids` are those it held in every sink, replayed ones too; `records`
    and `bytes` are sums over the plans that say them; `seconds` by step of the loop, `elapsed_s` of
    all until the last of them was held. `stopped`: it was told to stop before it had come to its
    end; `unheld`: the window that it was in then, if that is logged and not held: the next run
    replays it. `set_aside`: records that inputs have set aside, NAME_rejects. `mirror_away`: the
    log's mirror was away at the end, and may lack windows that the local folder has."""

    pipeline: str
    window_ids: range
    windows_run: int
    windows_replayed: int
    records: int
    bytes: int
    seconds: Mapping[str, float] = field(default_factory=dict)
    stopped: bool = False
    elapsed_s: float = 0.0
    set_aside: int = 0
    unheld: int | None = None
    mirror_away: bool = False

    def __str__(self) -> str:
        stopped = f"; it was stopped{where_stopped(self.unheld)}" if self.stopped else ""
        stopped += "; the log's mirror is away, and may lack windows" if self.mirror_away else ""
        if not self.windows_run:
            nothing = "nothing new" if self.unheld is None else "nothing held"
            return f"{self.pipeline}: {nothing}{stopped}"
        first, last = self.window_ids[0], self.window_ids[-1]
        which = f"window {first}" if first == last else f"windows {first} to {last}"
        again = f", {self.windows_replayed} of them replayed" if self.windows_replayed else ""
        again = ", replayed" if self.windows_replayed == self.windows_run else again
        aside = f", {counted(self.set_aside, 'record')} set aside" if self.set_aside else ""
        return f"{self.pipeline}: {which}{again} in {lasted(self.elapsed_s)}{aside}{stopped}"
