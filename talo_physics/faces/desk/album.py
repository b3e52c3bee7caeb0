"""A desk that can hold a recorded game as well and goes through its turns."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from talo_physics.errors import TaloError
from talo_physics.faces.desk.desk import Answer, Desk
from talo_physics.faces.desk.files import Folder
from talo_physics.faces.desk.table import Table
from talo_physics.faces.desk.words import Line, played_lines
from talo_physics.game.record import Record
from talo_physics.game.replay import Replayed, replay
from talo_physics.scenario.model import Scenario


@dataclass(frozen=True)
class Leaf:
    """One turn of a record: the table as it was, and what the referee says."""

    table: Table
    lines: tuple[Line, ...] = ()

    @classmethod
    def of(cls, replayed: Replayed, title: str) -> Leaf:
        """The leaf of a line of a record."""
        played = replayed.played
        wrong = (Line("wrong", replayed.wrong),) if replayed.wrong else ()
        return cls(Table.of_game(played.before, title, played.turn.steps), (*played_lines(played), *wrong))


class Album(Desk):
    """The desk of `talo view`: a scenario, or a record turn by turn."""

    def __init__(self, first: Scenario | Record, folder: Folder = Folder(), beside: Path | None = None) -> None:
        table = Table(first) if isinstance(first, Scenario) else _start(first, beside)
        super().__init__(table, folder)
        self.leaves: tuple[Leaf, ...] = ()
        """The turns of the record, as far as they have been adjudicated; the last is how it ended."""
        self.page = 0
        self._record: Record | None = None
        if isinstance(first, Record):
            self._open(first, beside)

    @property
    def grows(self) -> bool:
        """Whether there is a record on the desk."""
        return self._record is not None

    @property
    def record(self) -> Record:
        """The record on the desk.

        Raises:
            TaloError: there is none.
        """
        if self._record is None:
            return super().record
        return self._record

    def _load(self, thing: Scenario | Record) -> None:
        if isinstance(thing, Scenario):
            self._record, self.leaves, self.page = None, (), 0
            self.lay(Table(thing))
            return
        if self.doing:
            raise TaloError(f"one moment: {self.doing}")
        self.lay(_start(thing, None))
        self._open(thing, None)

    def _open(self, record: Record, beside: Path | None) -> None:
        self._record, self.leaves, self.page = record, (), 0
        self.work("adjudicating the record", lambda: self._adjudicate(record, beside))

    def _adjudicate(self, record: Record, beside: Path | None) -> None:
        found: list[Leaf] = []
        for leaf in _leaves(record, beside):
            if self.closed:
                return
            found.append(leaf)
        with self._lock:
            if self._record is record:
                self.leaves = tuple(found)
                self._turn_to(0)

    def turn_to(self, page: int) -> None:
        """Go to a turn of the record, counted from 0; what it did is judged."""
        self.do(lambda: self._turn_to(page))
        if self.leaves and self.table.steps:
            self.work("judging", self._judge_leaf)

    def _turn_to(self, page: int) -> None:
        if not self.leaves:
            raise TaloError("there is no record on this desk")
        self.page = min(max(page, 0), len(self.leaves) - 1)
        leaf = self.leaves[self.page]
        self.lay(leaf.table, remember=False)
        self.lines = leaf.lines

    def _judge_leaf(self) -> None:
        """The referee's words stay those of the turn; the judgement adds what there is to see."""
        asked, lines = self.table, self.lines
        answer = Answer.on(asked.scenario)
        with self._lock:
            if self.table is asked:
                self.show(answer, lines)


def _start(record: Record, beside: Path | None) -> Table:
    return Table.of_game(record.start(beside), record.title or record.source)


def _leaves(record: Record, beside: Path | None) -> Iterator[Leaf]:
    title = record.title or record.source
    last = None
    for last in replay(record, beside):
        yield Leaf.of(last, title)
    end = last.played.after if last else record.start(beside)
    words = str(end.result) if end.result else "the game is not over"
    yield Leaf(Table.of_game(end, title), (Line("end", words),))
