"""What the referee says, as lines: the same words that the terminal prints."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from io import StringIO
from typing import TYPE_CHECKING

from rich.console import Console

from talo_physics.faces.explaining import print_explained
from talo_physics.faces.show import Show, report
from talo_physics.game.playing import Played
from talo_physics.judgement import Judgement
from talo_physics.tower.finding import Finding

if TYPE_CHECKING:
    from talo_physics.physics.explanation import Explanation

_INDENT = "  "
_COLUMN = 10
"""A line that begins this far in goes on with the one before."""


@dataclass(frozen=True)
class Line:
    """A line with what it is about, such as `verdict`; without, it goes on with the one before."""

    about: str
    text: str


def judged_lines(answer: Judgement) -> tuple[Line, ...]:
    """As `talo judge` prints it, without the title."""
    return *_lines(lambda out: Show(out).in_full(answer))[1:], *_disputed(answer.finding)


def explained_lines(answer: Judgement, why: Explanation) -> tuple[Line, ...]:
    """As `talo explain` prints it, without the title."""
    return _lines(lambda out: print_explained(out, answer, why))[1:]


def played_lines(played: Played) -> tuple[Line, ...]:
    """As `talo play` prints it."""
    first, *others = _printed(lambda out: report(out, played)).splitlines()
    turn, _, ruling = first.rpartition(" | ")
    told = (Line("", other.strip()) for other in others)
    return Line("turn", turn), Line("ruling", ruling), *told, *_disputed(played.ruling.finding)


def _disputed(finding: Finding) -> tuple[Line, ...]:
    """The command line writes disputed cases down; a page, where anything may be a stranger's, does not."""
    words = "the desk writes no disputed cases down; of a downloaded scenario `talo judge` does, in disputes/"
    return (Line("disputed", words),) if finding.disputed else ()


def _lines(print_to: Callable[[Console], None]) -> tuple[Line, ...]:
    return tuple(_line(text) for text in _printed(print_to).splitlines())


def _printed(print_to: Callable[[Console], None]) -> str:
    out = StringIO()
    print_to(Console(file=out, highlight=False, soft_wrap=True, color_system=None, force_terminal=False))
    return out.getvalue()


def _line(text: str) -> Line:
    if not text.startswith(_INDENT) or text[:_COLUMN].isspace():
        return Line("", text.strip())
    about, _, rest = re.sub(r" {2,}", "\0", text.strip(), count=1).partition("\0")
    if rest:
        return Line(about, rest)
    return Line(text[2:12].strip(), text[13:].strip())
