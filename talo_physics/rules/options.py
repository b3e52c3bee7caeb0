"""The readings that the rulebook leaves open: a default for each, and the other one as an option."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields
from typing import Literal, get_args

from talo_physics.errors import TextFormError

Tie = Literal["shared", "first_in_turn_order"]
Unplaceable = Literal["reroll", "pass"]
ALWAYS, NEVER = "always", "never"


@dataclass(frozen=True)
class Options:
    """How a game reads the rules; each has a text form, `name` or `name=value`.

    >>> str(Options.parse(["step_down_to_board", "rebuild=3"]))
    'step_down_to_board, rebuild=3'
    """

    step_down_to_board: bool = False
    """Whether a pawn may go from level 1 down to a free field of level 0."""
    swept_headroom: bool = False
    """Whether the level above the head must be free too while stepping up or down."""
    insertion: bool = False
    """Whether a block needs a straight way in, clear of blocks and pawns; otherwise that is advice."""
    highest_tie: Tie = "shared"
    """Who wins after a collapse if several pawns stood equally high."""
    unplaceable: Unplaceable = "reroll"
    """What follows where a throw's blocks are in stock but nothing legal can be built with them."""
    rebuild: str = "0"
    """Which collapses count as rebuilt without the players' word: `always`, `never`, or up to so many blocks of the
    tower displaced. By default only those in which nothing but the proposal fell."""

    calm_hand: float | None = None
    """Advise against a placement that a hand brings down with a greater probability; never a rule."""

    @classmethod
    def parse(cls, texts: Iterable[str]) -> Options:
        """Read options from their text forms.

        Raises:
            TextFormError: no such option, or not one of its values.
        """
        given: dict[str, bool | str | float] = {}
        for text in texts:
            name, equals, value = (part.strip() for part in text.partition("="))
            if name not in _VALUES:
                raise TextFormError(f"{name[:40]!r} is no option; known: {', '.join(_VALUES)}")
            if name in given:
                raise TextFormError(f"option {name} is given twice")
            given[name] = _read(name, value, bool(equals))
        return cls(**given)  # type: ignore[arg-type]  # each value was read as its field's type

    def __str__(self) -> str:
        return ", ".join(self._texts())

    def _texts(self) -> Iterator[str]:
        for field in fields(self):
            value = getattr(self, field.name)
            if value != field.default:
                yield field.name if value is True else f"{field.name}={value}"

    def rebuilds(self, displaced: int) -> bool:
        """Whether a collapse with so many displaced blocks of the tower counts as rebuilt."""
        if self.rebuild in (ALWAYS, NEVER):
            return self.rebuild == ALWAYS
        return displaced <= int(self.rebuild)


_VALUES: dict[str, tuple[str, ...]] = {
    "step_down_to_board": (),
    "swept_headroom": (),
    "insertion": (),
    "highest_tie": get_args(Tie),
    "unplaceable": get_args(Unplaceable),
    "rebuild": (ALWAYS, NEVER, "a number of blocks"),
    "calm_hand": ("a probability such as 0.05",),
}


def _read(name: str, value: str, given: bool) -> bool | str | float:
    known = _VALUES[name]
    if name == "calm_hand" and re.fullmatch(r"0?\.\d{1,6}|0|1", value, re.ASCII):
        return float(value)
    if not known:
        if given and value not in ("yes", "no", "true", "false"):
            raise TextFormError(f"option {name} is yes or no, not {value[:20]!r}")
        return value not in ("no", "false")
    if value in known[:2] or (name == "rebuild" and value.isascii() and value.isdigit() and len(value) <= 3):
        return str(int(value)) if value.isdigit() else value
    raise TextFormError(f"option {name} is {' or '.join(known)}, not {value[:20]!r}")
