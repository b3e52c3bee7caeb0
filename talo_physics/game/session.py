"""A game being played: the state, the way back, the die, the computer players and the record on disk."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Self

from talo_physics.errors import FileError, TaloError
from talo_physics.game.computer import COMPUTERS, Climber, Computer, start_fields, throw_for
from talo_physics.game.die import Die
from talo_physics.game.keeping import Keeper
from talo_physics.game.playing import FOR_PEOPLE, IN_A_GAME, Played, counts, play
from talo_physics.game.record import Entry, Record, parse_record
from talo_physics.game.replay import replay
from talo_physics.game.state import State
from talo_physics.game.turn import Turn
from talo_physics.game.unfolding import can_build
from talo_physics.geometry.board import load_board
from talo_physics.judgement import examiner_for
from talo_physics.rules.ruling import Physics
from talo_physics.rules.situation import Situation
from talo_physics.rules.take import Take, combinations
from talo_physics.tower.pawn import Pawn, Surface
from talo_physics.tower.proposal import PawnMove
from talo_physics.tower.tower import Tower

GO = "go "
"""`go @3,4,1` is short for the own pawn's move there."""


class Session:
    """One game in progress. Every turn that counts is kept before the next one begins."""

    def __init__(self, record: Record, beside: Path | None = None, keeper: Keeper | None = None) -> None:
        self.record, self.keeper = record, keeper
        self.state = record.start(beside)
        self.physics: Physics = examiner_for(self.state.setting.profile)
        self._past: list[State] = []
        for colour, kind in record.computers:
            if kind not in COMPUTERS:
                raise TaloError(f"computers: {colour} {kind}: one of {', '.join(COMPUTERS)} was expected")
        self._throws: dict[int, tuple[int, ...]] = {}

    @classmethod
    def begin(cls, record: Record, path: Path | None) -> Self:
        """A new game, kept in a new file.

        Raises:
            TaloError: the file exists, or cannot be written; the game cannot begin like this.
        """
        beside = path.parent if path else None
        _reads_back(record)
        record.start(beside)  # nothing is written of a game that cannot begin
        return cls(record, beside, Keeper(path, record) if path else None)

    @classmethod
    def resume(cls, path: Path) -> Self:
        """The game of a record, as far as it was played; a torn last line is repaired.

        Raises:
            TaloError: it is being played elsewhere, cannot be read, or is wrong somewhere.
        """
        keeper = Keeper(path)
        try:
            session = cls(keeper.record, path.parent, keeper)
            session._catch_up()
        except BaseException:
            keeper.close()
            raise
        return session

    def _catch_up(self) -> None:
        """Play what is recorded; only once all of it is right is a file that breaks off made whole."""
        assert self.keeper is not None
        read, last = self.keeper.read, None
        for last in replay(self.record, None, self.physics, self.state, read.cut):
            if last.wrong:
                raise TaloError(f"{self.record.source}:{last.entry.line}: turn {last.entry.number}: {last.wrong}")
            if not last.played.refused:
                self._past.append(self.state)
                self.state = last.played.after
        if last and read.cut:
            ruled = replace(last.entry, ruling=last.played.words)
            self.record = replace(self.record, entries=(*self.record.entries[:-1], ruled))
        if not read.whole:
            self.keeper.repair(self.record)

    @property
    def torn(self) -> str:
        """The line that was left out because it broke off."""
        return self.keeper.read.torn if self.keeper else ""

    def close(self) -> None:
        """Let go of the file."""
        if self.keeper:
            self.keeper.close()

    # ---- the turn to come

    @property
    def die(self) -> Die:
        """The die of the record's seed. A record without one gets one, and keeps it, when it is first thrown here.

        So nobody can know what it will show, and a game that is taken up again still throws the same.
        """
        if self.record.seed is None:
            seeded = replace(self.record, seed=new_seed())
            if self.keeper:
                self.keeper.repair(seeded)
            self.record = seeded
        return Die(self.record.seed or 0)

    @property
    def computer(self) -> Computer | None:
        """The computer player whose turn it is; None if it is a person's."""
        kind = dict(self.record.computers).get(self.state.to_move)
        return COMPUTERS[kind](self.die.seed, kind) if kind else None

    @property
    def throws(self) -> tuple[int, ...]:
        """What the die shows in this turn."""
        if self.state.number not in self._throws:
            self._throws[self.state.number] = throw_for(self.state, self.die, self.physics)
        return self._throws[self.state.number]

    def throw_counts(self) -> bool:
        """Whether the last throw ends the throwing."""
        return counts(self.state, self.throws[-1], self.physics)

    def own_throw(self, throws: Sequence[int]) -> None:
        """What a real die showed in this turn."""
        self._throws[self.state.number] = tuple(throws)

    def can_build(self) -> bool:
        """Whether anything can be built with the last throw."""
        return can_build(self.state, self.throws[-1], self.physics)

    @property
    def takes(self) -> list[Take]:
        """What may be taken for the throw; nothing in a lost turn."""
        if not self.can_build():
            return []
        return combinations(self.throws[-1], self.state.stock)

    def turn_of(self, text: str) -> Turn:
        """The turn that a player writes as its steps alone, `;` between them.

        Raises:
            TextFormError: a step that is none.
        """
        throws = ", ".join(str(throw) for throw in self.throws)
        turn = Turn.parse(f"{self.state.to_move} {throws}: {'; '.join(self._written_out(text))}")
        return replace(turn, taken=self._meant(turn.taken))

    def _meant(self, built: Take) -> Take:
        """What the player must have taken: what is built, or a take with that in it where not all is."""
        takes = self.takes
        if any(Counter(take) == Counter(built) for take in takes):
            return built
        return next((take for take in takes if not Counter(built) - Counter(take)), built)

    def _written_out(self, text: str) -> Iterator[str]:
        """The steps, each `go` as the pawn's move that it is short for."""
        pawn = self.state.pawn
        for part in (part.strip() for part in text.split(";")):
            move = _go(part, pawn) if part.startswith(GO) else part
            if "->" in move:
                pawn = PawnMove.parse(move).end
            yield move

    def hint(self) -> Turn:
        """A turn that a climber would make."""
        return Climber(self.die.seed, "hint").turn(self.state, self.throws, self.physics)

    def judge(self, turn: Turn) -> Played:
        """What the referee would say, without playing it."""
        return play(self.state, turn, self.physics, FOR_PEOPLE)

    # ---- playing

    def play(self, turn: Turn) -> Played:
        """Play a turn; one that is refused changes nothing."""
        played = play(self.state, turn, self.physics, IN_A_GAME if self.computer else FOR_PEOPLE)
        if played.refused:
            return played
        comment = "marginal" if played.ruling.finding.marginal else ""
        self._keep(Entry(self.state.number, turn, played.words, comment))
        self._past.append(self.state)
        self.state = played.after
        return played

    def _keep(self, entry: Entry) -> None:
        if self.keeper:
            self.keeper.add(entry)
        self.record = self.record.plus(entry)

    def undo(self) -> int:
        """Take back the last turn, and those of computer players since the last turn of a person; says how many."""
        people = set(self.state.setting.players) - set(dict(self.record.computers))
        own = [place for place, state in enumerate(self._past) if not people or state.to_move in people]
        if not own:
            return 0
        count = len(self._past) - own[-1]
        kept = _without_turns(self.record.entries, count)
        if self.keeper:
            self.keeper.keep_first(len(kept))
        self.record = replace(self.record, entries=kept)
        self.state, self._past = self._past[own[-1]], self._past[: own[-1]]
        return count


def _reads_back(record: Record) -> None:
    """Nothing is begun that could not be taken up again.

    Raises:
        TaloError: the header would not read back as it is.
    """
    try:
        text = str(record)
        text.encode()
        same = parse_record(text).record == record
    except UnicodeEncodeError:
        raise TaloError("title and aim must be plain text") from None
    except FileError as error:
        raise TaloError("; ".join(f"{fault.field}: {fault.message}" for fault in error.faults)) from None
    if not same:
        raise TaloError("title and aim must be a line of plain text, without blanks at its ends")


def _go(text: str, pawn: Pawn | None) -> str:
    end = Surface.parse(text.removeprefix(GO))
    if pawn is None:
        raise TaloError("the Fantasy variant has no pawns")
    return str(PawnMove(pawn, Pawn(pawn.colour, end.x, end.y, end.z)))


def _without_turns(entries: tuple[Entry, ...], count: int) -> tuple[Entry, ...]:
    """The lines before the last `count` turns that counted."""
    kept = list(entries)
    while count and kept:
        count -= not kept.pop().ruling.startswith("illegal")
    return tuple(kept)


def new_seed() -> int:
    """A seed that nobody can guess, short enough to be read out."""
    return random.SystemRandom().randrange(10**6)


def new_record(
    seats: Sequence[str],
    starts: Sequence[Pawn] = (),
    seed: int = 0,
    beside: Path | None = None,
    **header: object,
) -> Record:
    """The record of a game about to begin; pawns without a start field get a random one that the rules allow."""
    record = Record(players=tuple(seats), seed=seed, **header)  # type: ignore[arg-type]
    if record.variant == "fantasy":
        return record
    for pawn in starts:
        if pawn.colour not in seats:
            raise TaloError(f"{pawn}: {pawn.colour} does not play")
        if [other.colour for other in starts].count(pawn.colour) > 1:
            raise TaloError(f"{pawn}: {pawn.colour} starts from one field")
    board, rng = load_board(record.board, beside), random.Random(f"start/{seed}")
    placed: list[Pawn] = []
    for colour in seats:
        given = next((pawn for pawn in starts if pawn.colour == colour), None)
        situation = Situation(Tower(pawns=(*placed, *starts)), (), board, record.edition)  # type: ignore[arg-type]
        free = start_fields(situation, colour) if given is None else [given]
        if not free:
            raise TaloError(f"{record.board}: no free field for {colour} to start from")
        placed.append(given or rng.choice(free))
    return replace(record, players=tuple(str(pawn) for pawn in placed))


def steps_of(turn: Turn) -> str:
    """The steps of a turn as a player would write them."""
    return "; ".join(str(step) for step in turn.steps)
