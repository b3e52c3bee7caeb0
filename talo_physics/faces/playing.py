"""`talo play`: a game in the terminal, hot-seat or against computer players; it also runs without a terminal."""

from __future__ import annotations

import json
import os.path
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from textwrap import fill

from rich.console import Console
from rich.markup import escape

from talo_physics.errors import TaloError, TextFormError
from talo_physics.faces.layers import LEGEND, drawn
from talo_physics.faces.show import rebuilt_question, report, thrown
from talo_physics.game.choices import legal_placements, reachable
from talo_physics.game.session import Session, steps_of
from talo_physics.game.turn import Turn
from talo_physics.rules.blockade import blockade
from talo_physics.rules.take import MOST_THROWS
from talo_physics.writing import check_folder, write_whole

HELP = """\
  4x@3,2,0; go @3,2,1; 1z@4,2,1   a turn: its steps, with ; between them
  4x@2,4,1 + 1z@2,4,2             two blocks placed at the same time
  red@2,2,0 -> red@3,2,1          the pawn's move in full; go @3,2,1 is short for it
  red@0,0,0                       a pawn that is blocked for good starts again
  bump 4x@3,2,0 by 0.02,0,0       somebody knocked a block (N s along x, y, z)
  ...; rebuilt / ...; not rebuilt your word on whether a collapse could be rebuilt as it was
  try STEPS     what the referee would say, without playing it
  hint          a turn that would bring your pawn up
  moves 4       where a 4 may be put by the build rules; 'moves 4 judge' simulates each
  reach         where your pawn can go
  draw, stock   the tower, the blocks that are left
  undo          take back the last turn
  save FILE     write the record to another file as well
  quit          stop; the record is kept and 'talo play FILE' goes on"""

QUIT = ("quit", "exit", "q")
_WORDS = {"y": True, "yes": True, "n": False, "no": False}


class Terminal:
    """One game between the people at a terminal."""

    def __init__(self, session: Session, own_die: bool = False, ask: Callable[[str], str] | None = None) -> None:
        self.session, self.own_die, self.ask = session, own_die, ask or _ask
        self.left = False
        """Whether the players left instead of giving their word."""
        self.out = Console(highlight=False, soft_wrap=True)
        self.err = Console(stderr=True)
        self.commands: dict[str, Callable[[str], None]] = {
            "try": self._try,
            "hint": self._hint,
            "moves": self._moves,
            "reach": self._reach,
            "draw": lambda _: self._draw(),
            "stock": lambda _: self._stock(),
            "undo": lambda _: self._undo(),
            "save": self._save,
            "help": lambda _: self.out.print(escape(HELP)),
        }

    def run(self) -> None:
        """Play until the game is over or the players leave."""
        try:
            while self.session.state.result is None and not self.left:
                if self.session.computer:
                    self._computer()
                elif not self._person():
                    break
        except (EOFError, KeyboardInterrupt):
            self.out.print()
        self._farewell()

    def _farewell(self) -> None:
        state = self.session.state
        if state.result:
            self._draw()
            self.out.print(f"[bold]{state.result}[/bold] ({', '.join(state.result.rules)})")
        if self.session.keeper:
            again = "" if state.result else f"; 'talo play {self.session.keeper.path}' goes on"
            self.out.print(escape(f"the record is in {self.session.keeper.path}{again}"))

    # ---- turns

    def _computer(self) -> None:
        state = self.session.state
        computer = self.session.computer
        assert computer is not None
        with self.err.status(f"{state.to_move} is thinking"):
            turn = computer.turn(state, self.session.throws, self.session.physics)
            played = self.session.play(turn)
        report(self.out, played)
        if played.refused:  # a computer player that breaks a rule is a fault of this program, not of the player
            raise TaloError(f"the computer player of {state.to_move} made an illegal turn: {turn}")

    def _person(self) -> bool:
        """One turn of a person; False to leave."""
        state = self.session.state
        self._draw()
        if self.own_die and not self._ask_for_throws():
            return False
        with self.err.status("throwing"):
            throws, takes = self.session.throws, self.session.takes
        self.out.print(f"turn {state.number}: [bold]{state.to_move}[/bold] throws {thrown(throws, takes)}")
        if not takes:
            report(self.out, self.session.play(Turn(state.to_move, throws)))
            return True
        while True:
            line = self.ask(f"{state.to_move}> ").strip()
            if line in QUIT:
                return False
            word, _, rest = line.partition(" ")
            try:
                if word in self.commands:
                    self.commands[word](rest.strip())
                elif line and self._play(line):
                    return True
            except TextFormError as error:
                self.out.print(f"[yellow]{escape(str(error))}[/yellow]; 'help' shows how turns are written")
            except TaloError as error:
                self.out.print(f"[yellow]{escape(str(error))}")
            if self.session.state is not state:
                return True  # taken back

    def _ask_for_throws(self) -> bool:
        throws: list[int] = []
        while len(throws) < MOST_THROWS:
            line = self.ask(f"{self.session.state.to_move} throws> ").strip()
            if line in QUIT:
                return False
            if not _is_length(line):
                self.out.print("[yellow]the die shows 1 to 10")
                continue
            throws.append(int(line))
            self.session.own_throw(throws)
            if self.session.throw_counts():
                break
            self.out.print(f"nothing can be built with {line}" + ("; throw again" if len(throws) < MOST_THROWS else ""))
        return True

    def _play(self, line: str) -> bool:
        turn = self.session.turn_of(line)
        with self.err.status("judging"):
            foreseen = self.session.judge(turn)
        if foreseen.wants_word:
            turn = replace(turn, rebuilt=self._word(f"{rebuilt_question(foreseen)} [y/n] "))
        played = self.session.play(turn)
        report(self.out, played)
        return not played.refused

    def _word(self, question: str) -> bool | None:
        """The players' word on a collapse; None if they leave instead.

        What has fallen has fallen: who leaves here does not get out of it, the turn is kept without a word.
        """
        try:
            while (answer := self.ask(question).strip().lower()) not in QUIT:
                if answer in _WORDS:
                    return _WORDS[answer]
                self.out.print("[yellow]y or n was expected, or quit")
        except (EOFError, KeyboardInterrupt):
            self.out.print()
        self.left = True
        return None

    # ---- commands

    def _try(self, text: str) -> None:
        with self.err.status("judging"):
            played = self.session.judge(self.session.turn_of(text))
        report(self.out, played)

    def _hint(self, _: str) -> None:
        with self.err.status("thinking"):
            turn = self.session.hint()
        self.out.print(escape(steps_of(turn)) or "nothing can be built")

    def _moves(self, text: str) -> None:
        length, _, judging = text.partition(" ")
        if not _is_length(length) or judging not in ("", "judge"):
            raise TaloError("a length from 1 to 10 was expected: moves 4, or moves 4 judge")
        found = legal_placements(self.session.state, int(length), self.session.physics)
        if judging:
            with self.err.status("judging"):
                lines = [str(block) for block in found]
        else:
            lines = [str(block) for block in found.candidates]
        self.out.print(self._listed(lines) or "nowhere")

    def _reach(self, _: str) -> None:
        state = self.session.state
        surfaces = reachable(state, state.to_move)
        self.out.print(self._listed([str(surface) for surface in surfaces]) or "nowhere yet")
        if state.pawn and (blocked := blockade(state.situation, state.pawn)).proven:
            self.out.print(f"blocked for good: {escape(blocked.reason)}; it may start again (blockade.restart)")

    def _listed(self, words: list[str]) -> str:
        """Words side by side, in lines that fit the terminal; a minus sign is no place to break a line."""
        return fill("  ".join(words), self.out.width, break_long_words=False, break_on_hyphens=False)

    def _draw(self) -> None:
        state = self.session.state
        for line in drawn(state.tower, state.setting.board, self.out.width):
            self.out.print(escape(line))
        pawns = ", ".join(str(pawn) for pawn in state.tower.pawns)
        self.out.print(f"[dim]{escape(LEGEND)}[/dim]\npawns: {pawns or 'none'}")

    def _stock(self) -> None:
        stock = self.session.state.stock
        self.out.print("  ".join(f"{length}: {stock[length]}" for length in range(1, 11)))

    def _undo(self) -> None:
        count = self.session.undo()
        self.out.print(f"{count} taken back" if count else "there is nothing to take back")

    def _save(self, name: str) -> None:
        if not name:
            raise TaloError("a file name was expected: save game.talo")
        if "\0" in name or os.path.lexists(name):
            raise TaloError(f"{name[:80]!r}: exists already, or is no name for a file")
        check_folder(Path(name))
        write_whole(Path(name), str(self.session.record).encode())
        self.out.print(escape(f"written to {name}"))


def _ask(prompt: str) -> str:
    if sys.stdin is None or sys.stdin.closed:
        raise EOFError
    return input(prompt)


def _is_length(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= 2 and 1 <= int(text) <= 10


def watch(session: Session, as_json: bool) -> None:
    """A game of computer players alone, to its end; as JSON one object a turn and the result."""
    if not as_json:
        Terminal(session).run()
        return
    while session.state.result is None:
        computer = session.computer
        assert computer is not None
        played = session.play(computer.turn(session.state, session.throws, session.physics))
        print(
            json.dumps({"number": played.before.number, "turn": str(played.turn), "ruling": played.words}), flush=True
        )
    result = session.state.result
    print(json.dumps({"result": result.kind, "winner": list(result.winner), "loser": result.loser}))
