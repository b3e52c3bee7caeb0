"""A game at one moment: who plays by which rules, what is built, whose turn it is, and how it ended."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from talo_physics.errors import TaloError
from talo_physics.geometry.board import Board, shipped_board
from talo_physics.geometry.profile import Profile, shipped_profile
from talo_physics.rules.options import Options
from talo_physics.rules.setup import setup_breaches, setup_order, setup_players, start_breaches
from talo_physics.rules.situation import Breach, Edition, Situation, Variant
from talo_physics.rules.take import stock_left
from talo_physics.tower.pawn import Pawn
from talo_physics.tower.tower import Tower

USUAL_BOARD: dict[str, str] = {"island": "green", "classic": "classic"}


class IllegalSetupError(TaloError, ValueError):
    """A game that cannot begin like this; holds every breach."""

    def __init__(self, breaches: Sequence[Breach]) -> None:
        self.breaches = tuple(breaches)
        super().__init__("; ".join(f"{breach.rule}: {breach.message}" for breach in breaches))


@dataclass(frozen=True)
class Setting:
    """What stays the same during a game.

    >>> from talo_physics import Setting, load_board
    >>> setting = Setting(("red", "blue", "pink"), edition="classic", board=load_board("classic"))
    >>> setting.players[0], setting.variant
    ('red', 'standard')
    """

    players: tuple[str, ...]
    """Colours in the order of their turns: the youngest first, then clockwise."""
    edition: Edition = "island"
    variant: Variant = "standard"
    board: Board = field(default_factory=lambda: shipped_board("green"))
    profile: Profile = field(default_factory=lambda: shipped_profile("nominal"))
    options: Options = field(default_factory=Options)
    ages: tuple[tuple[str, float], ...] = ()
    """Where they are known."""


@dataclass(frozen=True)
class Result:
    """How a game ended."""

    kind: str
    """`won`, `collapse`, `drawn` (nobody can ever move again), or `done` (a Fantasy game that went well)."""
    winner: tuple[str, ...] = ()
    loser: str | None = None
    rules: tuple[str, ...] = ()

    def __str__(self) -> str:
        if self.kind == "won":
            return f"{self.winner[0]} wins"
        if self.kind == "collapse":
            lost = f"{self.loser} has lost" if self.loser else "it came crashing down"
            return lost + (f", {' and '.join(self.winner)} won" if self.winner else "")
        return "nobody wins: nothing can be built any more" if self.kind == "drawn" else "it went well"


@dataclass(frozen=True)
class State:
    """A game between two turns."""

    setting: Setting
    tower: Tower = field(default_factory=Tower)
    number: int = 1
    """Of the turn to come."""
    result: Result | None = None

    @property
    def to_move(self) -> str:
        """Whose turn it is."""
        return self.setting.players[(self.number - 1) % len(self.setting.players)]

    @property
    def stock(self) -> Counter[int]:
        """How many blocks of each length are left."""
        return stock_left(self.tower)

    @property
    def pawn(self) -> Pawn | None:
        """The pawn whose turn it is; nobody has one in the Fantasy variant."""
        return self.pawn_of(self.to_move)

    def pawn_of(self, colour: str) -> Pawn | None:
        """The pawn of a colour."""
        return next((pawn for pawn in self.tower.pawns if pawn.colour == colour), None)

    @property
    def situation(self) -> Situation:
        """What the rules look at."""
        setting = self.setting
        return Situation(
            self.tower,
            (),
            setting.board,
            setting.edition,
            setting.variant,
            setting.options,
            self.to_move,
            setting.players,
        )


def new_game(setting: Setting, pawns: Sequence[Pawn] = ()) -> State:
    """The state before the first turn, with the pawns on the fields they start from.

    >>> from talo_physics import Pawn, Setting, new_game
    >>> start = new_game(Setting(("red", "blue")), [Pawn.parse("red@2,2,0"), Pawn.parse("blue@7,7,0")])
    >>> start.to_move, start.stock[10], start.result
    ('red', 1, None)

    Raises:
        IllegalSetupError: it breaks a `setup.*` rule; every breach is told.
    """
    state = State(setting, Tower(pawns=tuple(pawns)))
    if breaches := _breaches(state):
        raise IllegalSetupError(breaches)
    return state


def _breaches(state: State) -> list[Breach]:
    setting, pawns = state.setting, state.tower.pawns
    found = [*setup_players(setting.players), *setup_order(setting.players, dict(setting.ages))]
    if setting.variant == "fantasy":
        if setting.edition == "classic":
            found.append(Breach("fantasy.free", "the classic edition has no Fantasy variant"))
        if pawns:
            found.append(Breach("fantasy.free", "the Fantasy variant has no pawns"))
        return found
    colours = [pawn.colour for pawn in pawns]
    found += [
        Breach("setup.start", f"{colour} has no pawn on the board")
        for colour in setting.players
        if colour not in colours
    ]
    if not setting.players:
        return found
    found += [breach for pawn in pawns for breach in start_breaches(state.situation, pawn)]
    return [*found, *(breach for breach in setup_breaches(state.situation) if breach.rule == "setup.water")]


def seated(seats: Sequence[str], ages: Mapping[str, float]) -> tuple[str, ...]:
    """The order of turns of players who sit clockwise: it begins with the youngest, where ages are known."""
    known = [colour for colour in seats if colour in ages]
    if not known:
        return tuple(seats)
    first = seats.index(min(known, key=lambda colour: ages[colour]))
    return (*seats[first:], *seats[:first])
