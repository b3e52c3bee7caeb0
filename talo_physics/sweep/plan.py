"""What a sweep will do: its rows by number, cut into chunks; the same for the same spec, wherever it runs."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import sha256
from typing import Any

from talo_physics import __version__
from talo_physics.errors import TaloError
from talo_physics.geometry.profile import Profile, shipped_profile
from talo_physics.scenario.file import scenario_text
from talo_physics.scenario.model import Scenario
from talo_physics.sweep.parameters import Point, points
from talo_physics.sweep.spec import MOST_ROWS, Games, Spec, Towers

SMALL_CHUNK, LARGE_CHUNK = 16, 1024
"""Rows a chunk: a killed sweep repeats few, and no folder gets too many files."""
TIDY_FILES = 1000


@dataclass(frozen=True)
class Numbered:
    """A tower or a game that follows from the seed and its number."""

    kind: Towers | Games
    number: int


@dataclass(frozen=True)
class Case:
    """One row to come."""

    row: int
    subject: Scenario | Numbered
    point: Point


@dataclass(frozen=True)
class Chunk:
    """Rows that one worker works out in one go; all that it needs for it."""

    first: int
    end: int
    """The row behind the last."""
    cases: tuple[Case, ...]
    profile: Profile
    """Of towers and games."""
    seed: int
    margin: bool


@dataclass(frozen=True)
class Plan:
    """All rows of a sweep."""

    spec: Spec

    @cached_property
    def points(self) -> list[Point]:
        """Every combination of parameters."""
        return points(self.spec.axes)

    @property
    def _groups(self) -> list[tuple[Towers | Games | None, int]]:
        """Scenarios, towers, games: how many there are of each."""
        towers, games = self.spec.towers, self.spec.games
        groups: list[tuple[Towers | Games | None, int]] = [(None, len(self.spec.scenarios))]
        groups += [(group, group.count) for group in (towers, games) if group]
        return groups

    @property
    def rows(self) -> int:
        """How many there are in all."""
        return sum(count * len(self._points_of(kind)) for kind, count in self._groups)

    def _points_of(self, kind: Towers | Games | None) -> list[Point]:
        """The combinations that make a difference: no hand places what a game is, and no tilt is asked of it."""
        return self._points_of_games if isinstance(kind, Games) else self.points

    @cached_property
    def _points_of_games(self) -> list[Point]:
        return list(dict.fromkeys(replace(point, hand=None, tilt_deg=None) for point in self.points))

    def checked(self) -> Plan:
        """The plan, if it can be carried out at all.

        Raises:
            TaloError: it has too many rows.
        """
        if self.rows > MOST_ROWS:
            raise TaloError(f"{self.rows} rows; {MOST_ROWS} at most")
        return self

    def ranges(self) -> Iterator[tuple[int, int]]:
        """The first row and the one behind the last of every chunk, in order. A chunk is of one kind."""
        begin = 0
        for kind, count in self._groups:
            rows = count * len(self._points_of(kind))
            least = 1 if isinstance(kind, Games) else SMALL_CHUNK  # a game takes as long as many judgements
            size = self.spec.chunk or min(LARGE_CHUNK, max(least, rows // TIDY_FILES))
            for first in range(0, rows, size):
                yield begin + first, begin + min(first + size, rows)
            begin += rows

    def chunk(self, first: int, end: int) -> Chunk:
        """The chunk of these rows."""
        spec = self.spec
        cases = tuple(self.case(row) for row in range(first, end))
        return Chunk(first, end, cases, spec.profile or shipped_profile("nominal"), spec.seed, spec.margin)

    def case(self, row: int) -> Case:
        """One row. Those of one tower follow each other, so that it is built once."""
        left = row
        for kind, count in self._groups:
            points = self._points_of(kind)
            if left < count * len(points):
                number, choice = divmod(left, len(points))
                subject = self.spec.scenarios[number] if kind is None else Numbered(kind, number)
                return Case(row, subject, points[choice])
            left -= count * len(points)
        raise IndexError(row)

    @cached_property
    def described(self) -> dict[str, Any]:
        """All that the rows follow from, field by field, as the manifest keeps it."""
        spec = self.spec
        return {
            "version": __version__,
            "scenarios": [[scenario.source, _fingerprint(scenario)] for scenario in spec.scenarios],
            "towers": spec.towers and spec.towers.model_dump(),
            "games": spec.games and spec.games.model_dump(),
            "profile": spec.profile.fingerprint if spec.profile else None,
            "parameters": {axis.name: list(axis.values) for axis in spec.axes},
            "margin": spec.margin,
            "seed": spec.seed,
            "chunk": spec.chunk,
        }

    @property
    def fingerprint(self) -> str:
        """Equal for sweeps with equal rows."""
        return _hash(json.dumps(self.described, sort_keys=True))


def _fingerprint(scenario: Scenario) -> str:
    expect = vars(scenario.expect) if scenario.expect else {}
    # A set has no order of its own: it differs from process to process.
    plain = {name: sorted(value) if isinstance(value, frozenset) else value for name, value in expect.items()}
    figures = (scenario.board.model_dump_json(), scenario.profile.fingerprint, json.dumps(plain))
    return _hash("\n".join([scenario_text(scenario), *figures]))


def _hash(text: str) -> str:
    return sha256(text.encode()).hexdigest()
