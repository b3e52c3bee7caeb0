"""What stands under a picture: the title, the verdict and the ruling, in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from talo_physics.faces.view.palette import FALLEN, HELD, PROPOSED, Colour
from talo_physics.judgement import Judgement
from talo_physics.tower.finding import Verdict

MANY = 6
"""More pieces than this are counted too."""


class Key(NamedTuple):
    """A line of the key to a picture's colours."""

    name: str
    colour: Colour
    is_outline: bool
    what: str
    """The pieces that have the colour, in their text forms."""


@dataclass(frozen=True)
class Caption:
    """The words of a picture; empty for a tower that nobody has judged."""

    title: str = ""
    verdict: Verdict | None = None
    marginal: bool = False
    ruling: str = ""
    proposed: str = ""
    fell: str = ""
    held: str = ""
    """What would fall if a pawn left."""

    @property
    def verdict_text(self) -> str:
        """As `talo judge` prints it."""
        return f"{self.verdict}{' (marginal)' if self.marginal else ''}" if self.verdict else ""

    @property
    def in_short(self) -> str:
        """The verdict and the ruling on a line."""
        return f"{self.verdict_text}, {self.ruling}" if self.verdict else ""

    @property
    def keys(self) -> tuple[Key, ...]:
        """The key to the colours that the picture has."""
        rows = (
            Key("proposed", PROPOSED, True, self.proposed),
            Key("fell", FALLEN, False, self.fell),
            Key("falls without a pawn", HELD, False, self.held),
        )
        return tuple(row for row in rows if row.what)


UNTITLED = Caption()


def caption_of(answer: Judgement) -> Caption:
    """The caption of a judgement."""
    finding = answer.finding
    fallen = _listed([*finding.fallen, *finding.fallen_pawns])
    needs_pawn = finding.verdict is Verdict.NEEDS_PAWN
    return Caption(
        title=answer.scenario.title,
        verdict=finding.verdict,
        marginal=finding.marginal,
        ruling=answer.legal_or_not,
        proposed=str(answer.scenario.proposal or ""),
        fell="" if needs_pawn else fallen,
        held=fallen if needs_pawn else "",
    )


def _listed(things: Sequence[object]) -> str:
    count = f"{len(things)} pieces, " if len(things) > MANY else ""
    return count + ", ".join(str(thing) for thing in things)
