"""The desk without its page: what is on the table, what the referee says of it, and what may be done with it.

A page calls the methods and reads the attributes; whoever watches is told after every change. What takes long runs on
one thread of its own, so that nobody waits and the simulation is used by one at a time. Trouble becomes words.
"""

from __future__ import annotations

import sys
import threading
import traceback
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from random import SystemRandom
from typing import TYPE_CHECKING, Literal

from talo_physics.errors import TaloError
from talo_physics.faces.desk.clock import Clock
from talo_physics.faces.desk.files import RECORD, SCENARIO, Folder, left_out, too_large, uploaded
from talo_physics.faces.desk.table import Choice, Ghost, Table, ghost_of, placed, walked
from talo_physics.faces.desk.words import Line, explained_lines, judged_lines
from talo_physics.faces.show import thrown
from talo_physics.faces.view.scene import Scene, scene_of
from talo_physics.game.record import Record
from talo_physics.judgement import Judgement, explain, judge
from talo_physics.rules.take import HIGHEST_THROW, combinations, stock_left
from talo_physics.scenario.file import scenario_text
from talo_physics.scenario.model import Scenario
from talo_physics.tower.finding import Wishes
from talo_physics.tower.pawn import Surface
from talo_physics.tower.proposal import parse_step

if TYPE_CHECKING:
    from talo_physics.physics.explanation import Explanation

AT_THE_DESK = Wishes(replay=True)
MOST_TAKEN_BACK = 200
"""Tables that are remembered."""
Kind = Literal["scenario", "record"]


@dataclass(frozen=True, eq=False)
class Answer:
    """A judgement with its reasons and its words."""

    judgement: Judgement
    why: Explanation
    lines: tuple[Line, ...]
    reasons: tuple[Line, ...]
    scene: Scene

    @classmethod
    def on(cls, scenario: Scenario) -> Answer:
        """Judge a scenario; this takes its time."""
        judgement = judge(scenario, AT_THE_DESK)
        why = explain(judgement)
        return cls(judgement, why, judged_lines(judgement), explained_lines(judgement, why), scene_of(judgement))


class Desk:
    """A desk with a scenario on it."""

    def __init__(self, table: Table, folder: Folder = Folder()) -> None:
        self.folder = folder
        self.choice = Choice()
        self.choosing = False
        """Whether somebody is about to place a block; while a verdict is looked at, nobody is."""
        self.clock = Clock()
        self.trouble = ""
        self.note = ""
        self.question = ""
        """What the players have to answer before anything else is done."""
        self.doing = ""
        """What takes its time just now, such as `judging`."""
        self.lines: tuple[Line, ...] = ()
        """What the referee says."""
        self.answer: Answer | None = None
        self.table = table
        self.scene = table.scene
        self._past: list[Table] = []
        self._lock = threading.RLock()
        self._watchers: list[Callable[[], None]] = []
        self._worker = ThreadPoolExecutor(1, thread_name_prefix="referee")
        self.closed = False

    @property
    def grows(self) -> bool:
        """Whether it is a game, whose tower will grow."""
        return False

    # ---- telling, and trouble in words

    def watch(self, watcher: Callable[[], None]) -> None:
        """Have somebody told after every change."""
        self._watchers.append(watcher)

    def tell(self) -> None:
        """Tell whoever watches."""
        for watcher in self._watchers:
            watcher()

    def close(self) -> None:
        """Let the referee go; what he is at comes to its end unheard."""
        self.closed = True
        self._worker.shutdown(wait=False, cancel_futures=True)

    @contextmanager
    def _in_words(self) -> Iterator[None]:
        """What goes wrong is told on the page; the desk goes on."""
        try:
            yield
        except TaloError as error:
            self.trouble = str(error)
        except Exception as error:  # a fault of this program: the page must not die of it
            self.trouble = f"this went wrong and changed nothing: {type(error).__name__}: {error}"
            traceback.print_exc(file=sys.stderr)

    def do(self, action: Callable[[], None]) -> None:
        """Something that is done at once."""
        with self._lock:
            self.trouble = ""
            with self._in_words():
                action()
        self.tell()

    def work(self, doing: str, action: Callable[[], None]) -> Future[None]:
        """Something that takes its time; one at a time."""

        def run() -> None:
            with self._in_words():
                action()
            with self._lock:
                self.doing = ""
            if not self.closed:
                self.tell()

        with self._lock:
            if self.doing:
                self.trouble = f"one moment: {self.doing}"
                self.tell()
                return Future()
            self.trouble, self.doing = "", doing
            begun = self._worker.submit(run)
        self.tell()
        return begun

    # ---- the table

    def lay(self, table: Table, remember: bool = True) -> None:
        """Put another table here; what was said of the old one is gone."""
        if remember:
            self._past = [*self._past[-MOST_TAKEN_BACK:], self.table]
        self.table, self.answer, self.lines, self.note = table, None, (), ""
        self._look_at(table.scene)

    @contextmanager
    def still(self) -> Iterator[tuple[Scene, float | None]]:
        """What there is to see and the moment of a replay that has begun; nothing changes meanwhile."""
        with self._lock:
            yield self.scene, self.clock.time_s if self.clock.begun else None

    def _look_at(self, scene: Scene) -> None:
        speed = self.clock.speed
        self.scene, self.clock = scene, Clock(scene.motion)
        while self.clock.speed < speed:
            self.clock.faster()
        while self.clock.speed > speed:
            self.clock.slower()

    @property
    def ghost(self) -> Ghost:
        """Where the chosen block would lie."""
        return ghost_of(self.table, self.choice)

    def choose(self, **changes: object) -> None:
        """Choose another block, or another place for it."""

        def choose() -> None:
            self.choice, self.choosing = replace(self.choice, **changes), True  # type: ignore[arg-type]

        self.do(choose)

    def place(self) -> None:
        """Take the chosen block in hand, there where the ghost is."""
        self.do(lambda: self.lay(placed(self.table, self.choice)))

    def walk(self, colour: str, surface: str) -> None:
        """Take a pawn's move in hand."""
        self.do(lambda: self.lay(walked(self.table, colour, Surface.parse(surface))))

    def add(self, step: str) -> None:
        """Take a step in hand that somebody wrote."""
        self.do(lambda: self.lay(self.table.with_steps((*self.table.steps, parse_step(step)))))

    def take_back(self) -> None:
        """Go back to the table before the last change."""
        self.do(self._take_back)

    def _take_back(self) -> None:
        if not self._past:
            raise TaloError("there is nothing to take back")
        self.lay(self._past.pop(), remember=False)

    def keep(self) -> None:
        """Let what is in hand be part of the tower, as it was judged."""
        self.do(self._keep)

    def _keep(self) -> None:
        if not self.table.steps:
            raise TaloError("nothing is in hand")
        if self.answer is None:
            raise TaloError("let it be judged first")
        if not self.answer.judgement.legal:
            raise TaloError(f"refused: {', '.join(self.answer.judgement.violations)}")
        tower = self.answer.judgement.ruling.after
        self.lay(replace(self.table, scenario=replace(self.table.scenario, tower=tower, proposal=None, expect=None)))

    # ---- the referee

    def judge(self) -> Future[None]:
        """Ask the referee about the table."""
        return self.work("judging", self._judge)

    def _judge(self) -> None:
        asked = self.table
        answer = Answer.on(asked.scenario)
        with self._lock:
            if self.table is asked:  # else somebody has gone on meanwhile
                self.show(answer, answer.lines)

    def show(self, answer: Answer, lines: tuple[Line, ...]) -> None:
        """Show what came of a table."""
        self.answer, self.lines, self.choosing = answer, lines, False
        self._look_at(answer.scene)

    @property
    def counterweights(self) -> tuple[Surface, ...]:
        """The surfaces on which one pawn would hold what falls."""
        return self.answer.judgement.finding.counterweights if self.answer else ()

    def reach(self, colour: str) -> tuple[Surface, ...]:
        """The surfaces that a pawn can reach; none where there is no such pawn."""
        try:
            return self.table.reach(colour)
        except TaloError:
            return ()

    # ---- die and turn

    @property
    def turn(self) -> str:
        """Whose turn it is, in words."""
        return f"{self.table.scenario.turn}'s turn" if self.table.scenario.turn else ""

    def throw(self) -> None:
        """Throw the die, for the blocks that are left."""
        self.do(self._throw)

    def _throw(self) -> None:
        throw = SystemRandom().randint(1, HIGHEST_THROW)
        takes = combinations(throw, stock_left(self.table.tower))
        self.note = f"the die shows {thrown((throw,), takes)}" if takes else f"the die shows {throw}: throw again"

    # ---- files

    def text(self, kind: Kind) -> tuple[str, str]:
        """What is on the table as the text of a file, and the file's ending.

        Raises:
            TaloError: there is no such thing on this desk.
        """
        if kind == "scenario":
            return scenario_text(self.table.scenario, left_out(self.table.scenario)), SCENARIO
        return str(self.record), RECORD

    def export(self, kind: Kind, give: Callable[[str, str], str]) -> None:
        """Hand the text of a file and its ending to somebody who keeps it and says where; tell what is not in it."""
        self.do(lambda: self._export(kind, give))

    def _export(self, kind: Kind, give: Callable[[str, str], str]) -> None:
        text, ending = self.text(kind)
        without = left_out(self.table.scenario if kind == "scenario" else self.record)
        self.note = ". ".join(part for part in (give(text, ending), without) if part)

    @property
    def record(self) -> Record:
        """The record on the desk.

        Raises:
            TaloError: there is none.
        """
        raise TaloError("there is no game on this desk: it is a scenario")

    def save(self, name: str, kind: Kind) -> None:
        """Write it into the folder that was chosen at the start."""
        self.export(kind, lambda text, ending: self.folder.save(name, ending, text))

    def load(self, raw: bytes, name: str) -> None:
        """Put what a page sends on the table."""
        self.do(lambda: self._load(uploaded(raw, name)))

    def refuse_upload(self, name: str) -> None:
        """Tell of a file that is too large to be looked at."""
        self.do(lambda: self._refuse_upload(name))

    def _refuse_upload(self, name: str) -> None:
        raise TaloError(too_large(name))

    def _load(self, thing: Scenario | Record) -> None:
        if isinstance(thing, Record):
            raise TaloError(f"{thing.source}: a record cannot be loaded here")
        self.lay(Table(thing))
