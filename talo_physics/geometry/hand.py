"""A hand: how far it strays when it sets a block down. A distribution, not a number.

Each figure's value is the standard deviation of what happens, but for the height of release, which is its mean.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, BeforeValidator, ConfigDict, ValidationError

from talo_physics.datafile import Document
from talo_physics.errors import FileError
from talo_physics.geometry.profile import Figure, between, number_is_figure
from talo_physics.geometry.shelf import Shelf
from talo_physics.validation import faults_of

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


HANDS = Shelf("hand", "hands")


@lru_cache(maxsize=32)
def shipped_hand(name: str) -> Hand:
    """A hand that comes with the package."""
    return _hand(HANDS.shipped(name))


def load_hand(name_or_path: str, beside: Path | None = None) -> Hand:
    """A shipped hand by its name, or a hand file by its path.

    Raises:
        FileError: every fault of the file, with its place.
        TaloError: neither a shipped hand nor a file.
    """
    return shipped_hand(name_or_path) if name_or_path in HANDS.names else _hand(HANDS.own(name_or_path, beside))


def _hand(document: Document) -> Hand:
    if not isinstance(document.data, dict):
        raise FileError([document.fault((), "a hand is a mapping with name, position_mm and so on")])
    try:
        return Hand.model_validate(document.data)
    except ValidationError as error:
        raise FileError(faults_of(error, document, Hand.model_fields)) from None
