"""The sweep file: what is judged, and under which parameters; every fault of it named with its place."""

from __future__ import annotations

import os.path
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from talo_physics.datafile import Document, Path_, read_document
from talo_physics.errors import Fault, FileError, TaloError
from talo_physics.game.computer import COMPUTERS
from talo_physics.game.state import USUAL_BOARD
from talo_physics.geometry.board import load_board
from talo_physics.geometry.profile import Profile, load_profile, shipped_profile
from talo_physics.rules.setup import setup_players
from talo_physics.scenario.file import load_scenario
from talo_physics.scenario.folder import scenario_files
from talo_physics.scenario.model import Scenario
from talo_physics.sweep.parameters import Axis, read_parameters
from talo_physics.validation import faults_of

MOST_ROWS = 100_000_000
_Count = Annotated[int, Field(strict=True, ge=1, le=MOST_ROWS)]
_STRICT = ConfigDict(extra="forbid", frozen=True)


class Towers(BaseModel):
    """Generated towers, each by its number and the seed."""

    model_config = _STRICT

    count: _Count
    blocks: Annotated[int, Field(strict=True, ge=1, le=55)] | None = None
    """How many blocks each has; without, 2 to 55, and every third has its last block right over an edge."""
    daring: Annotated[float, Field(strict=True, ge=0, le=1)] = 0.0
    """With `blocks`: the share of them that need not stand by statics."""


class Games(BaseModel):
    """Games that computer players play against each other, each by its number and the seed."""

    model_config = _STRICT

    count: _Count
    players: list[str] = ["red", "blue"]
    computers: tuple[str, ...] = ("climber",)
    """Who plays every seat; of several kinds every way to seat them, game after game."""
    edition: Literal["island", "classic"] = "island"
    board: str | None = None
    """The edition's own without; a shipped name, or a path that the workers can read."""
    most_turns: Annotated[int, Field(strict=True, ge=1, le=10_000)] = 200

    @field_validator("computers", mode="before")
    @classmethod
    def _kinds(cls, given: Any) -> Any:
        """One kind, or a list of them."""
        kinds = given if isinstance(given, list | tuple) else [given]
        known = ", ".join(COMPUTERS)
        strange = [kind for kind in kinds if not isinstance(kind, str) or kind not in COMPUTERS]
        if strange or not kinds or len(set(kinds)) < len(kinds):
            raise ValueError(f"one of {known}, or a list of different ones was expected")
        return kinds

    @property
    def board_name(self) -> str:
        """The board that is played on."""
        return self.board or USUAL_BOARD[self.edition]


class SpecFile(BaseModel):
    """A sweep: scenarios, towers or games, times parameters."""

    model_config = _STRICT

    title: str = ""
    scenarios: list[str] = []
    towers: Towers | None = None
    games: Games | None = None
    profile: str | None = None
    parameters: dict[str, Any] = {}
    margin: Annotated[bool, Field(strict=True)] = False
    seed: Annotated[int, Field(strict=True)] = 1
    chunk: Annotated[int, Field(strict=True, ge=1, le=100_000)] | None = None


@dataclass(frozen=True)
class Spec:
    """A sweep file as a value, with the scenarios that it names."""

    title: str = ""
    scenarios: tuple[Scenario, ...] = ()
    towers: Towers | None = None
    games: Games | None = None
    profile: Profile | None = None
    """In place of the scenarios' own; `nominal` is that of towers and games without."""
    axes: tuple[Axis, ...] = ()
    margin: bool = False
    """Whether to find the least tilt of the table at which it falls."""
    seed: int = 1
    chunk: int | None = None
    """Rows a file; a tidy number of them without."""
    others: tuple[Fault, ...] = ()
    """What lies in the folders of scenarios and is none."""


def load_spec(path: Path | str, seed: int | None = None) -> Spec:
    """Read a sweep file and the scenarios that it names; `seed` takes the place of the one it gives.

    Raises:
        FileError: every fault of it and of its scenarios, with file, line, column, field and what was expected.
    """
    path = Path(path)
    document = read_document(path)
    if not isinstance(document.data, dict):
        raise FileError([document.fault((), "a sweep is a mapping with scenarios, towers or games")])
    faults: list[Fault] = []
    try:
        read = SpecFile.model_validate(document.data)
    except ValidationError as error:
        faults += faults_of(error, document, SpecFile)
        faulty = {detail["loc"][0] for detail in error.errors()}
        read = SpecFile.model_validate({k: v for k, v in document.data.items() if k in _FIELDS and k not in faulty})
    beside = path.parent
    profile = _profile(read, document, beside, faults)
    axes, wrong = read_parameters(read.parameters, profile or shipped_profile("nominal"))
    scenarios = _Read(path, profile, document)
    for number, name in enumerate(read.scenarios):
        scenarios.add(number, name)
    faults += [document.fault(("parameters", *where), message) for where, message in wrong]
    faults += [*scenarios.faults, *(document.fault(where, message) for where, message in _defects(read, document.data))]
    if faults:
        raise FileError(faults)
    return Spec(
        title=read.title,
        scenarios=tuple(scenarios.found),
        towers=read.towers,
        games=read.games,
        profile=profile,
        axes=axes,
        margin=read.margin,
        seed=read.seed if seed is None else seed,
        chunk=read.chunk,
        others=tuple(scenarios.others),
    )


_FIELDS = frozenset(SpecFile.model_fields)


def _profile(read: SpecFile, document: Document, beside: Path, faults: list[Fault]) -> Profile | None:
    try:
        return load_profile(read.profile, beside) if read.profile is not None else None
    except FileError as error:
        faults += error.faults
    except TaloError as error:
        faults.append(document.fault(("profile",), str(error)))
    return None


@dataclass
class _Read:
    """The scenarios of a sweep as they are read, what is wrong with them, and what lies among them."""

    own: Path
    """The sweep file; the scenarios' sources are written as seen from it."""
    profile: Profile | None
    document: Document
    found: list[Scenario] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)
    others: list[Fault] = field(default_factory=list)

    def add(self, number: int, name: str) -> None:
        """What the entry of this number names: a file or a folder."""
        place = self.own.parent / name
        if not os.path.lexists(place):  # unlike Path.exists, no names are too odd for it
            self.faults.append(self.document.fault(("scenarios", number), f"{name}: no such file or folder"))
        elif os.path.isdir(place):
            self._add_folder(number, name, place)
        else:
            self._add_file(place)

    def _add_folder(self, number: int, name: str, place: Path) -> None:
        held = scenario_files(place)
        files = [file for file in held.scenarios if not file.samefile(self.own)]
        self.others += held.others
        if not files:
            self.faults.append(self.document.fault(("scenarios", number), f"no scenario files (*.yaml) in {name}"))
        for file in files:
            self._add_file(file)

    def _add_file(self, file: Path) -> None:
        try:
            scenario = load_scenario(file, self.profile)
        except FileError as error:
            self.faults += error.faults
        else:
            self.found.append(replace(scenario, source=os.path.relpath(file, self.own.parent or ".")))


def _defects(read: SpecFile, data: Mapping[str, Any]) -> Iterator[tuple[Path_, str]]:
    """What is well written but cannot be."""
    if not {"scenarios", "towers", "games"} & {name for name, value in data.items() if value}:
        yield (), "at least one of scenarios, towers, games was expected"
    if read.towers and read.towers.daring and read.towers.blocks is None:
        yield ("towers", "daring"), "goes with blocks, the number of blocks of each tower"
    if read.games:
        for breach in setup_players(read.games.players):
            yield ("games", "players"), breach.message
        try:
            load_board(read.games.board_name)
        except TaloError as error:
            yield ("games", "board"), str(error)
