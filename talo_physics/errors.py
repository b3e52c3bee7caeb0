"""What can go wrong with what a user hands in; one class a failure, each a `TaloError`."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


def printable(text: str, keep: str = "") -> str:
    """A stranger's text as a terminal may be given it: what would move its cursor or colour it is written out."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or c in keep else c.encode("unicode_escape").decode() for c in text)


class TaloError(Exception):
    """Anything the user can put right; the command line prints it and exits 2.

    >>> from talo_physics import Placement, TaloError
    >>> try:
    ...     Placement.parse("11x@0,0,0")
    ... except TaloError as error:
    ...     print(error)
    '11x@0,0,0': block lengths go from 1 to 10, not 11
    """

    def __str__(self) -> str:
        return printable(super().__str__(), keep="\n")


class TextFormError(TaloError, ValueError):
    """A placement, pawn, pose or proposal that is not written in its text form."""


class TowerError(TaloError, ValueError):
    """A tower that cannot exist: blocks in one space, floating blocks, a pawn inside a block."""


class StaticsError(TaloError, ArithmeticError):
    """A linear program that the solver came to no end with: reported as such, never as a verdict."""


class MissingExtraError(TaloError, ImportError):
    """An optional dependency that is not installed; says how to install it."""

    def __init__(self, package: str, extra: str, reason: str = "") -> None:
        wrong = f"cannot be imported ({reason})" if reason else "is not installed"
        super().__init__(f"{package} {wrong}; install it with: pip install 'talo-physics[{extra}]'")


@dataclass(frozen=True)
class Fault:
    """One fault of a file: where it is, which field, and what was expected."""

    message: str
    field: str = ""
    source: str = ""
    line: int = 0
    column: int = 0

    def __str__(self) -> str:
        place = self.source
        if self.line:
            place += f":{self.line}:{self.column}"
        return printable(": ".join(part for part in (place, self.field, self.message) if part))


class FileError(TaloError, ValueError):
    """Every fault of one file, not just the first."""

    def __init__(self, faults: Iterable[Fault]) -> None:
        self.faults = tuple(faults)
        super().__init__("\n".join(str(fault) for fault in self.faults))
