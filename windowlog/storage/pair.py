"""Pair: the two sides of one log as a driver finds and changes them, for all its folders at once.

    start    look at both sides and judge; nothing is changed
    begin    the first change: a pairing, if there is none or another is wanted; both sides level
    check    after each creation: is our pairing still the newest one?

docs/mirror.md has the cases, windowlog/judging.py the judgement.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace

from windowlog import naming
from windowlog.contracts import Storage
from windowlog.errors import StorageFailed
from windowlog.exclusive import create_exclusively
from windowlog.judging import Meaning, judge, mismatch, older_copy, taken_over
from windowlog.own_id import own_id
from windowlog.pairing import Pairing, Side, folder_id, look, newest_pairing
from windowlog.storage.absence import Absence
from windowlog.storage.far import FarStorage
from windowlog.storage.level import FIXED, Differs, Folders, Lacks, put

# Of several drivers that make the first pairing at once, one does; the others look again.
RACES_MAX = 5


class Pair:
    """What the storages of all folders of one mirrored log share. Use from one thread. Made by
    MirroredStorage."""

    def __init__(
        self, local: Storage, mirror: FarStorage, required: bool, clock_s: Callable[[], float]
    ) -> None:
        self._local = local
        self._mirror = mirror
        self._required = required
        self._clock_s = clock_s
        self._folders = Folders(local, mirror)
        self._forget()

    def _forget(self) -> None:
        self._absence = Absence(self._local.describe(), self._mirror.describe(), self._clock_s)
        self._sides: tuple[Side, Side] | None = None
        self._meaning = Meaning.NEW
        # The one that says who decides, and the one that is to be the newest on the mirror: while a
        # new one is made these are two.
        self._pairing: Pairing | None = None
        self._newest: Pairing | None = None
        self._begun = False

    def know(self, path: str, local: Storage, mirror: Storage) -> None:
        """`path` is a folder of this log. Touches nothing."""
        self._folders.know(path, local, mirror)

    @property
    def away(self) -> str | None:
        """Why the mirror is not asked; None while it is."""
        return self._absence.why

    @property
    def mirror_decides(self) -> bool:
        """Which side is believed, and goes first."""
        self.start()
        if self._meaning is Meaning.KEPT and self._pairing is not None:
            return self._pairing.required
        return self._meaning is Meaning.JOIN or (self._meaning is Meaning.NEW and self._required)

    @property
    def kept(self) -> bool:
        """Are these two sides a pair already?"""
        self.start()
        return self._meaning is Meaning.KEPT

    def standing(self) -> str:
        """How the two sides are to each other, in words."""
        if not self.kept:
            return self._meaning.said()
        return f"away ({self.away})" if self.away is not None else "level"

    def start(self) -> None:
        """Look at both sides, unless that is done. MirrorMismatch, MirrorNotAdopted, or the
        mirror's error when it is away and may not be."""
        if self._sides is not None:
            return
        local = look(self._local)
        began_s = self._clock_s()
        try:
            mirror = look(self._mirror)
        except Exception as error:
            if not self._mirror.outage(error) or not self._may_go_alone(local):
                raise
            unseen = Side(self._mirror.describe(), local.pairing, number=local.number)
            self._judged(Meaning.KEPT, local, unseen)
            self._absence.begin(error, began_s)
            return
        self._judged(judge(local, mirror), local, mirror)
        try:
            if self.kept:
                # Marks are read without a sync, and what they let go of must have been offered
                # before.
                self.level(*FIXED)
        except BaseException:
            self._sides = None
            raise

    def _judged(self, meaning: Meaning, local: Side, mirror: Side) -> None:
        self._sides, self._meaning = (local, mirror), meaning
        self._pairing = self._newest = mirror.pairing

    def _may_go_alone(self, local: Side) -> bool:
        pairing = local.pairing
        if self._required or pairing is None or pairing.required:
            return False
        return pairing.folder == local.folder

    def begin(self) -> None:
        """Make the pairing that is wanted, unless that is done, and bring both sides level. Fenced
        when others are faster again and again."""
        self.start()
        for _ in range(RACES_MAX):
            if self._begun or self.away is not None or self._settled():
                self._begun = True
                return
            self._sides = None
            self.start()
            if self.kept:
                # What was read before was read of one side, by another judgement.
                self.level_all()
        raise taken_over(*self._seen(), "it pairs this log's folder and mirror")

    def _settled(self) -> bool:
        made = self._pairing
        if made is not None and made.required == self._required:
            # A folder that joins, or a driver that died before it had copied the mirror's record.
            if self._seen()[0].pairing != made:
                folder_id(self._local)
                self.level_all()
                self._keep(made)
            return True
        if self._meaning in (Meaning.FILL, Meaning.KEPT):
            self.level_all()
        return self._pair(made.pair if made is not None else str(uuid.uuid4()))

    def _pair(self, pair: str) -> bool:
        """Make the next pairing, under our folder's id. False if another driver was faster."""
        local, mirror = self._seen()
        made = Pairing(
            number=1 + max(local.number, mirror.number),
            pair=pair,
            folder=own_id(self._local, self._mirror, local),
            required=self._required,
            local=local.where,
            mirror=mirror.where,
        )
        name, data = made.record()
        if not create_exclusively(self._mirror.within(naming.PAIRINGS), name, data):
            return False
        self._newest = made
        if self._meaning is not Meaning.NEW:
            # What others created until then is there by now; what comes later finds our pairing.
            self.level_all()
        self._keep(made)
        return True

    def _keep(self, made: Pairing) -> None:
        """Copy the pairing, once all else is here: a folder that has it may go alone."""
        name, data = made.record()
        with self.explaining():
            put(self._local.within(naming.PAIRINGS), name, data)
        local, mirror = self._seen()
        self._sides = replace(local, pairing=made, number=made.number), mirror
        self._pairing, self._newest, self._meaning = made, made, Meaning.KEPT

    def take_over(self) -> None:
        """`adopt --folder`: this folder is the log's from now on, and goes on from the mirror."""
        self._judged(Meaning.JOIN, *self.sides())
        self._adopt()

    def refill(self) -> None:
        """`adopt --mirror`: the mirror gets what this folder has."""
        self._judged(Meaning.FILL, *self.sides())
        self.level_all()
        self._adopt()

    def _adopt(self) -> None:
        made = self._pairing
        if not self._pair(made.pair if made is not None else str(uuid.uuid4())):
            raise taken_over(*self._seen(), "it has made a pairing meanwhile")
        self._begun = True

    def sides(self) -> tuple[Side, Side]:
        """What local side and mirror say, read now and not judged."""
        return look(self._local), look(self._mirror)

    def level_all(self) -> None:
        """Bring every known folder level, as `level`."""
        self.level(*self._folders.known())

    def level(self, *paths: str) -> None:
        """Bring these folders level, by the word of the side that decides."""
        with self.explaining(), self.outages():
            if self.away is None:
                decides = self.mirror_decides
                self._folders.level(paths, mirror_decides=decides, check=self._compare)

    def check(self, *, elsewhere: bool = False) -> None:
        """Fenced if there is a newer pairing than ours (`elsewhere`: one of another folder);
        MirrorMismatch if ours is gone, or another log's is in its place."""
        with self.outages():
            if self.away is None:
                self._compare(elsewhere=elsewhere)

    def _compare(self, *, elsewhere: bool = False) -> None:
        """The pairing itself, not its number: those of two logs may have the same."""
        ours, theirs = self._newest, newest_pairing(self._mirror.within(naming.PAIRINGS))
        if ours == theirs:
            return
        if (
            elsewhere
            and ours
            and theirs
            and (ours.pair, ours.folder) == (theirs.pair, theirs.folder)
        ):
            return
        if theirs is not None and (ours is None or _follows(ours, theirs)):
            known = ours.number if ours is not None else 0
            evidence = f"pairing {theirs.number} of folder and mirror was made after ours, {known}"
            raise taken_over(*self._seen(), evidence)
        local, mirror = self.sides()
        judge(local, mirror)
        raise older_copy(local, mirror)

    def reachable(self) -> bool:
        """Is the mirror to be asked? One that was away, and is due, is looked at, and brought
        level."""
        if self._absence.due():
            with self.outages():
                self._mirror.close()
                self._compare()
                self._absence.why = None
                self.level_all()
            if self.away is None:
                self._absence.end()
        return self.away is None

    @contextmanager
    def outages(self) -> Iterator[None]:
        """What the mirror's own errors end, where it is not required: from then on it is away."""
        began_s = self._clock_s()
        try:
            yield
        except Exception as error:
            if not self._may_be_away() or not self._mirror.outage(error):
                raise
            self._absence.begin(error, began_s)

    def _may_be_away(self) -> bool:
        made = self._pairing
        if made is None or made.required or self._required or not self.kept:
            return False
        return self._seen()[0].pairing == made  # else it was not filled to the end

    def away_error(self) -> StorageFailed:
        """For what cannot be done while the mirror is away."""
        return self._absence.error()

    @contextmanager
    def explaining(self) -> Iterator[None]:
        """Records that differ or are lacking, as errors that a person can act on."""
        try:
            yield
        except Differs as found:
            self.check()  # where somebody has taken over, that is why
            reason = f"record {found.name} in {found.where} is another than on the other side"
            remedy = "Find out which one is the log's; move the other one, or its folder, away."
            raise mismatch(*self._seen(), reason, remedy) from None
        except Lacks:
            raise older_copy(*self._seen()) from None

    def close(self) -> None:
        """Let go of both sides. What is called next is a new start."""
        self._forget()
        try:
            self._local.close()
        finally:
            self._mirror.close()

    def _seen(self) -> tuple[Side, Side]:
        assert self._sides is not None, "start() comes first"
        return self._sides


def _follows(ours: Pairing, theirs: Pairing) -> bool:
    """Is it a later one of the same log, or the end of it?"""
    return theirs.number > ours.number and theirs.pair in (ours.pair, "")
