"""A turn as a player makes it: what was thrown, what was taken, and the steps."""

from __future__ import annotations

import re
from dataclasses import dataclass

from talo_physics.errors import TextFormError
from talo_physics.tower.placement import Block, shown
from talo_physics.tower.proposal import Proposal, Step, parse_step

MOST_STEPS = 50
_FORM = re.compile(r"\s*([a-z]+)\s+(\d+(?:\s*,\s*\d+)*)\s*(?:=\s*(none|\d+(?:\s*\+\s*\d+)*))?\s*(?::(.*))?", re.ASCII)
REBUILT = {"rebuilt": True, "not rebuilt": False}
AIM_REACHED = "aim reached"


@dataclass(frozen=True)
class Turn:
    """One turn: `red 5 = 4 + 1: 4x@2,4,0; red@1,4,0 -> red@2,4,1; 1z@2,4,1`.

    Throws without a matching block stand before the one that counts: `red 10, 9, 5 = 5: 5x@0,0,0`. A lost turn is
    `red 10, 9, 10 = none`. Last may stand the players' word: `rebuilt` or `not rebuilt` after a collapse, and in
    the Fantasy variant `aim reached`.

    >>> Turn.parse("red 5: 4x@2,4,0; 1z@2,4,1").taken
    (4, 1)
    """

    player: str
    throws: tuple[int, ...]
    taken: tuple[int, ...] = ()
    steps: tuple[Step, ...] = ()
    rebuilt: bool | None = None
    aim_reached: bool = False

    @classmethod
    def parse(cls, text: str) -> Turn:
        """Read the text form; what was taken may be left out, then it is what the steps build.

        Raises:
            TextFormError: it is not one.
        """
        match = _FORM.fullmatch(text)
        if not match:
            raise TextFormError(f"{shown(text)}: a turn such as 'red 5 = 4 + 1: 4x@2,4,0; 1z@2,4,1' was expected")
        player, throws, taken, steps = match.groups()
        parts = [part.strip() for part in (steps or "").split(";") if part.strip()]
        if len(parts) > MOST_STEPS:
            raise TextFormError(f"{shown(text)}: {len(parts)} steps in one turn; {MOST_STEPS} are enough")
        words = [part for part in parts if part in REBUILT or part == AIM_REACHED]
        if parts[len(parts) - len(words) :] != words or len({REBUILT.get(word) for word in words} - {None}) > 1:
            raise TextFormError(f"{shown(text)}: one word of the players may stand behind the steps")
        parts = parts[: len(parts) - len(words)]
        rebuilt = next((REBUILT[word] for word in words if word in REBUILT), None)
        aim_reached = AIM_REACHED in words
        proposal = Proposal(tuple(parse_step(part) for part in parts))
        built = tuple(block.length for block in proposal.blocks)
        took = built if taken is None else _numbers(taken.replace("none", ""), "+", text)
        return cls(player, _numbers(throws, ",", text), took, proposal.steps, rebuilt, aim_reached)

    def __str__(self) -> str:
        throws = ", ".join(str(throw) for throw in self.throws)
        taken = " + ".join(str(length) for length in self.taken) or "none"
        parts = [str(step) for step in self.steps]
        parts += [word for word, meant in REBUILT.items() if meant is self.rebuilt]
        parts += [AIM_REACHED] if self.aim_reached else []
        return f"{self.player} {throws} = {taken}" + (f": {'; '.join(parts)}" if parts else "")

    @property
    def blocks(self) -> tuple[Block, ...]:
        """The blocks that it builds."""
        return Proposal(self.steps).blocks


def _numbers(text: str, between: str, whole: str) -> tuple[int, ...]:
    parts = [part.strip() for part in text.split(between) if part.strip()]
    if any(len(part) > 3 for part in parts) or len(parts) > 20:
        raise TextFormError(f"{shown(whole)}: the die shows 1 to 10")
    return tuple(int(part) for part in parts)
