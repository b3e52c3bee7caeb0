"""The `setup.*` rules: who plays, who begins, and where pawns start."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from talo_physics.geometry.board import NO_START, START
from talo_physics.rules.situation import Breach, Situation
from talo_physics.tower.pawn import COLOURS, Pawn

FEWEST_PLAYERS, MOST_PLAYERS = 2, 4


def wrong_number(players: int) -> str:
    """What to say of too few or too many players."""
    return f"{players} player{'' if players == 1 else 's'}; {FEWEST_PLAYERS} to {MOST_PLAYERS} can play"


def setup_players(colours: Sequence[str]) -> Iterator[Breach]:
    """Two to four players, each with a pawn of its own colour."""
    if not FEWEST_PLAYERS <= len(colours) <= MOST_PLAYERS:
        yield Breach("setup.players", wrong_number(len(colours)))
    for colour in dict.fromkeys(colours):
        if colour not in COLOURS:
            yield Breach("setup.players", f"there is no {colour} pawn; pawns are {', '.join(COLOURS)}")
        if colours.count(colour) > 1:
            yield Breach("setup.players", f"{colour} is taken by {colours.count(colour)} players")


def setup_order(colours: Sequence[str], ages: Mapping[str, float]) -> Iterator[Breach]:
    """The youngest begins; of several equally young ones any."""
    known = {colour: ages[colour] for colour in colours if colour in ages}
    if known and colours and known.get(colours[0], float("inf")) > min(known.values()):
        youngest = min(known, key=known.__getitem__)
        yield Breach("setup.order", f"{colours[0]} begins, but {youngest} is the youngest")


def setup_water(situation: Situation) -> Iterator[Breach]:
    """No pawn on water, ever."""
    for pawn in situation.tower.pawns:
        if pawn.z == 0 and situation.board.is_water(pawn.x, pawn.y):
            yield Breach("setup.water", f"{pawn} stands on water")


def setup_middle_island(situation: Situation, pawn: Pawn) -> Iterator[Breach]:
    """No pawn starts on the middle island."""
    if situation.board.field(pawn.x, pawn.y) == NO_START:
        yield Breach("setup.middle-island", f"{pawn} starts on the middle island")


def setup_start(situation: Situation, pawn: Pawn) -> Iterator[Breach]:
    """A pawn starts on a free field of the board; in the classic edition on one of the marked ones."""
    field = situation.board.field(pawn.x, pawn.y)
    if pawn.z != 0 or field is None:
        yield Breach("setup.start", f"{pawn} does not start on a field of the board")
    elif situation.edition == "classic" and field != START:
        yield Breach("setup.start", f"{pawn} does not start on a marked field")


def taken_field(situation: Situation, pawn: Pawn) -> str:
    """Who or what is where the pawn would start; empty if nobody is."""
    tower = situation.tower
    for other in tower.pawns:
        if other.colour != pawn.colour and set(other.cells) & set(pawn.cells):
            return str(other)
    inside = next((cell for cell in pawn.cells if cell in tower.occupancy), None)
    return str(tower.blocks[tower.occupancy[inside]]) if inside else ""


def start_breaches(situation: Situation, pawn: Pawn) -> list[Breach]:
    """Everything that is wrong with where a pawn starts."""
    found = [*setup_start(situation, pawn), *setup_middle_island(situation, pawn)]
    if there := taken_field(situation, pawn):
        found.append(Breach("setup.start", f"{pawn} starts where {there} is"))
    return found


def setup_breaches(situation: Situation) -> list[Breach]:
    """Every breach of the `setup.*` rules that a tower with its pawns shows."""
    found = list(setup_water(situation))
    if len(situation.tower.pawns) > MOST_PLAYERS:  # fewer may be an excerpt of a game
        found += setup_players([pawn.colour for pawn in situation.tower.pawns])
    return found
