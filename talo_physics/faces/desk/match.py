"""A desk at which a game is played: throw, take steps in hand, play them as a turn."""

from __future__ import annotations

from concurrent.futures import Future
from dataclasses import replace

from talo_physics.errors import TaloError
from talo_physics.faces.desk.desk import Answer, Desk
from talo_physics.faces.desk.files import Folder
from talo_physics.faces.desk.table import Table
from talo_physics.faces.desk.words import Line, played_lines
from talo_physics.faces.show import rebuilt_question, thrown
from talo_physics.game.playing import Played
from talo_physics.game.record import Record
from talo_physics.game.session import Session, steps_of
from talo_physics.game.turn import AIM_REACHED, REBUILT, Turn
from talo_physics.rules.take import HIGHEST_THROW, MOST_THROWS, Take
from talo_physics.scenario.model import Scenario

WORDS = (*REBUILT, AIM_REACHED)
"""What players may say at the end of a turn."""


class Match(Desk):
    """The desk of `talo play --browser`. The session keeps every turn on disk before the next one begins."""

    def __init__(self, session: Session, folder: Folder = Folder(), own_die: bool = False) -> None:
        self.session, self.own_die = session, own_die
        self.takes: list[Take] | None = None
        """What may be taken in this turn; None until the die is thrown."""
        self.word = ""
        self._own_throws: list[int] = []
        self._fell: Turn | None = None
        """A turn that brought something down and waits for the players' word."""
        super().__init__(self._fresh_table(), folder)

    def _fresh_table(self) -> Table:
        record = self.session.record
        return Table.of_game(self.session.state, record.title or record.source or "a game")

    @property
    def grows(self) -> bool:
        """It is a game."""
        return True

    @property
    def record(self) -> Record:
        """The record of the game."""
        return self.session.record

    @property
    def turn(self) -> str:
        """Whose turn it is, in words."""
        state = self.session.state
        if state.result:
            return f"the game is over: {state.result} ({', '.join(state.result.rules)})"
        if self.takes is not None:
            return f"turn {state.number}: {state.to_move} throws {thrown(self.session.throws, self.takes)}"
        kind = dict(self.record.computers).get(state.to_move)
        return f"turn {state.number}: {state.to_move}'s turn" + (f" (computer, {kind})" if kind else "")

    # ---- the die

    def throw(self) -> None:
        """Throw the die of this turn."""
        self.work("throwing", self._throw)

    def _throw(self) -> None:
        self._persons_turn()
        if self.own_die:
            raise TaloError("this game has a die of its own: enter what it shows")
        if self.takes is not None:
            raise TaloError(f"the die lies there: {thrown(self.session.throws, self.takes)}")
        self._take_throws()

    def enter_throw(self, throw: int) -> None:
        """What a real die shows."""
        self.work("looking at the die", lambda: self._enter_throw(throw))

    def _enter_throw(self, throw: int) -> None:
        self._persons_turn()
        if not self.own_die or self.takes is not None:
            raise TaloError("nothing is to be thrown now")
        if throw not in range(1, HIGHEST_THROW + 1):
            raise TaloError(f"the die shows 1 to {HIGHEST_THROW}")
        self._own_throws.append(throw)
        self.session.own_throw(self._own_throws)
        if len(self._own_throws) < MOST_THROWS and not self.session.can_build():
            self.note = f"nothing can be built with {throw}; throw again"
            return
        self._take_throws()

    def _take_throws(self) -> None:
        throws, takes = self.session.throws, self.session.takes
        with self._lock:
            self.takes, self.note = takes, ""
        if not takes:
            self._play(Turn(self.session.state.to_move, throws))

    def _persons_turn(self) -> None:
        state = self.session.state
        if state.result:
            raise TaloError(f"the game is over: {state.result}")
        if self.session.computer:
            raise TaloError(f"{state.to_move} is played by the computer")

    # ---- turns

    def lay(self, table: Table, remember: bool = True) -> None:
        """Put another table here; not while a turn is being played on this one."""
        self._check_free()
        note = self.note  # a hint is followed step by step
        super().lay(table, remember)
        self.note = note

    def _check_free(self) -> None:
        """See that nothing has to come to its end first.

        Raises:
            TaloError: a turn is being played, or the players' word is waited for.
        """
        if self.doing:
            raise TaloError(f"one moment: {self.doing}")
        if self.question:
            raise TaloError(f"first your word: {self.question}")

    def say(self, word: str) -> None:
        """What the players say at the end of the turn; empty for nothing."""
        if word in ("", *WORDS):
            self.do(lambda: setattr(self, "word", word))

    def _turn(self) -> Turn:
        self._persons_turn()
        if self.takes is None:
            raise TaloError("throw the die first")
        if self.question:
            raise TaloError(f"first your word: {self.question}")
        return self.session.turn_of("; ".join([*map(str, self.table.steps), *([self.word] if self.word else [])]))

    def _judge(self) -> None:
        """What the referee would say, without playing it."""
        asked = self.table
        played = self.session.judge(self._turn())
        answer = Answer.on(asked.scenario)
        with self._lock:
            self.show(answer, played_lines(played))

    def play(self) -> Future[None]:
        """Play what is in hand as a turn; then the computer players play theirs.

        Where something falls, the players are asked first whether they could rebuild it.
        """
        return self.work("judging", self._play_or_ask)

    def _play_or_ask(self) -> None:
        turn = self._turn()
        foreseen = self.session.judge(turn)
        if not foreseen.wants_word:
            self._play(turn)
            return
        answer = Answer.on(self.table.scenario)  # the fall is there to be watched before anybody answers
        with self._lock:
            self.show(answer, (Line("fell", ", ".join(str(block) for block in foreseen.ruling.finding.fallen)),))
            self._fell, self.question = turn, rebuilt_question(foreseen)

    def rebuilt(self, could: bool) -> Future[None]:
        """The players' word on whether what fell could be rebuilt as it was; with it the turn is played."""
        return self.work("judging", lambda: self._rebuilt(could))

    def _rebuilt(self, could: bool) -> None:
        with self._lock:  # whatever comes of it, nobody is asked twice; what is in hand can be played again
            fell, self._fell, self.question = self._fell, None, ""
        if fell is None:
            raise TaloError("nothing fell that could be rebuilt")
        self._play(replace(fell, rebuilt=could))

    def go_on(self) -> Future[None]:
        """Let the computer players play until it is a person's turn."""
        return self.work("the computer is thinking", self._computers)

    def _play(self, turn: Turn) -> None:
        played = self.session.play(turn)
        self._after(played)
        if not played.refused:
            self._computers()

    def _after(self, played: Played) -> None:
        """Show what came of a turn; a fall is there to be watched, though the table has gone on."""
        before = Table.of_game(played.before, self.table.scenario.title, played.turn.steps)
        answer = Answer.on(before.scenario) if played.refused or played.ruling.fell else None
        with self._lock:
            if not played.refused:
                self.takes, self.word, self._own_throws, self._past = None, "", [], []
                self.table, self.answer, self.note = self._fresh_table(), None, ""
                self._look_at(self.table.scene)
            if answer:
                self.show(answer, ())
            self.lines = played_lines(played)
        self.tell()

    def _computers(self) -> None:
        while not self.closed and self.session.state.result is None and (computer := self.session.computer):
            state = self.session.state
            with self._lock:
                self.doing = f"{state.to_move} is thinking"
            self.tell()
            turn = computer.turn(state, self.session.throws, self.session.physics)
            if not self.closed:
                self._after(self.session.play(turn))

    def _take_back(self) -> None:
        if self.table.steps:
            self.lay(self.table.with_steps(self.table.steps[:-1]), remember=False)
            return
        self._check_free()
        count = self.session.undo()
        if not count:
            raise TaloError("there is nothing to take back")
        self.takes, self._own_throws, self.note = None, [], ""
        self.lay(self._fresh_table(), remember=False)
        self.note = f"{count} taken back"

    def _keep(self) -> None:
        raise TaloError("in a game what is in hand is played as a turn")

    def hint(self) -> None:
        """Ask for a turn that would bring the own pawn up."""
        self.work("thinking", self._hint)

    def _hint(self) -> None:
        self._persons_turn()
        if self.takes is None:
            raise TaloError("throw the die first")
        self.note = f"a hint: {steps_of(self.session.hint()) or 'nothing can be built'}"

    def _load(self, thing: Scenario | Record) -> None:
        raise TaloError("a game is being played here; 'talo view' opens other files")

    def close(self) -> None:
        """Let the referee and the record go."""
        super().close()
        self._worker.shutdown(wait=True)
        self.session.close()
