"""A hand: how far it strays when it sets a block down. A distribution, not a number.

Each figure's value is the standard deviation of what happens, but for the height of release, which is its mean.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, BeforeValidator, ConfigDict

from talo_physics.geometry.profile import Figure, between, number_is_figure
from talo_physics.geometry.shelf import Shelf, validated

_Read = BeforeValidator(number_is_figure)
Millimetres = Annotated[Figure, _Read, between(0, 20)]
Degrees = Annotated[Figure, _Read, between(0, 45)]
Speed = Annotated[Figure, _Read, between(0, 1000)]


class Hand(BaseModel):
    """How a hand places a block, and how level its table is."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    position_mm: Millimetres
    """Along x and along y."""
    yaw_deg: Degrees
    """About the vertical."""
    tilt_deg: Degrees
    """About any axis that lies."""
    height_mm: Millimetres
    """The mean height above its place at which it is let go."""
    speed_mm_s: Speed
    """Along x and y when it is let go, and downwards."""
    table_deg: Degrees
    """How far the table is from level."""


HANDS = Shelf("hand", "hands", lambda document: validated(Hand, document, _EXPECTED))
_EXPECTED = "a hand is a mapping with name, position_mm and so on"


def load_hand(name_or_path: str, beside: Path | None = None) -> Hand:
    """A shipped hand by its name, or a hand file by its path.

    Raises:
        FileError: every fault of the file, with its place.
        TaloError: neither a shipped hand nor a file.
    """
    return HANDS.load(name_or_path, beside)
