"""The colours of everything that is drawn, as red, green, blue from 0 to 255."""

from __future__ import annotations

from talo_physics.geometry.board import LAND, NO_START, START, WATER
from talo_physics.tower.finding import Verdict

Colour = tuple[int, int, int]

# Woods from maple to walnut. Light and dark take turns, so that lengths that differ by one are told apart at once.
WOOD: dict[int, Colour] = {
    1: (247, 227, 186),
    2: (206, 150, 92),
    3: (238, 205, 148),
    4: (183, 122, 70),
    5: (229, 190, 120),
    6: (160, 103, 62),
    7: (222, 172, 104),
    8: (138, 88, 56),
    9: (206, 158, 112),
    10: (115, 74, 50),
}
PAWNS: dict[str, Colour] = {
    "yellow": (246, 205, 32),
    "red": (214, 34, 40),
    "blue": (36, 84, 206),
    "green": (22, 130, 62),
    "pink": (240, 116, 176),
    "orange": (245, 128, 22),
}
FIELDS: dict[str, Colour] = {
    LAND: (139, 190, 98),
    START: (224, 220, 118),
    NO_START: (116, 150, 92),
    WATER: (96, 166, 214),
}
CHEQUER = 0.955
"""Every other field is this much darker, so that fields can be counted."""
TABLE: Colour = (226, 219, 208)
BACKGROUND: Colour = (243, 241, 237)
INK: Colour = (38, 36, 34)
FAINT_INK: Colour = (74, 71, 66)
STAFF: tuple[Colour, Colour] = ((250, 250, 248), (70, 74, 84))
"""The measuring bar, level by level."""

FALLEN: Colour = (222, 44, 36)
HELD: Colour = (248, 168, 28)
"""What would fall if a pawn left."""
PROPOSED: Colour = (20, 70, 235)
"""The outline of what is proposed."""
STATE_SHARE = 0.82
"""How much of a fallen block's colour says that it fell; the rest is its wood, so that lengths still differ."""

VERDICTS: dict[Verdict, Colour] = {
    Verdict.STANDS: (28, 128, 62),
    Verdict.NEEDS_PAWN: (178, 108, 0),
    Verdict.PAWN_TOPPLES: (192, 30, 26),
    Verdict.TOPPLES: (192, 30, 26),
}


def mixed(one: Colour, other: Colour, share: float) -> Colour:
    """The one with a share of the other in it."""
    red, green, blue = (round(a + (b - a) * share) for a, b in zip(one, other, strict=True))
    return red, green, blue


def ink_on(colour: Colour) -> Colour:
    """Black or white, whichever is read better on the colour."""
    red, green, blue = colour
    return INK if 0.299 * red + 0.587 * green + 0.114 * blue > 128 else (255, 255, 255)
