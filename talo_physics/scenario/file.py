"""The scenario file: its fields, its checks, and every fault of it named with its place."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, WithJsonSchema

from talo_physics.datafile import Document, Path_, parse_document, read_document
from talo_physics.errors import Fault, FileError, TaloError
from talo_physics.geometry.board import Board, load_board
from talo_physics.geometry.profile import Profile, load_profile
from talo_physics.rules.catalogue import is_rule
from talo_physics.scenario.folder import no_scenario, other_kind
from talo_physics.scenario.model import Expectation, Scenario
from talo_physics.tower.finding import Verdict
from talo_physics.tower.pawn import COLOURS, Pawn, Surface
from talo_physics.tower.placement import FreePose, parse_block
from talo_physics.tower.proposal import Bump, PawnMove, Proposal, Restart, Step, parse_step
from talo_physics.tower.space import defects
from talo_physics.tower.tower import Tower
from talo_physics.validation import faults_of

MOST_BLOCKS = 500
MOST_STEPS = 100
MOST_RULES = 100

_CELL = r"-?\d{1,3},-?\d{1,3},\d{1,3}"
_POSE = ",".join([r"[-+\d.eE]+"] * 6)
_BLOCK = rf"((10|[1-9])[xyz]@{_CELL}|(10|[1-9])~{_POSE})"
_PAWN = rf"({'|'.join(COLOURS)})@{_CELL}"
_IMPULSE = ",".join([r"[-+\d.eE]+"] * 3)
_STEP = rf"^({_BLOCK}( \+ {_BLOCK})*|{_PAWN}( -> {_PAWN})?|bump {_BLOCK} by {_IMPULSE})$"


def _read(parse: Callable[[str], Any], example: str) -> BeforeValidator:
    def read(value: Any) -> Any:
        if not isinstance(value, str):
            raise ValueError(f"a text such as {example} was expected, not {str(value)[:40]!r}")
        return parse(value)

    return BeforeValidator(read)


def _pattern(pattern: str, example: str) -> WithJsonSchema:
    """What editors check. They read plain YAML, which cuts `[4x@2,4,1]` at its commas; here it is one text."""
    whole = {"type": "string", "pattern": pattern, "examples": [example]}
    piece = {"type": "string", "pattern": r"^[^,]*[@~]-?[\d.]+$"}
    return WithJsonSchema({"anyOf": [whole, piece, {"type": ["number", "string"], "pattern": r"^-?[\d.]+$"}]})


def _at_most(most: int, what: str) -> BeforeValidator:
    def count(value: Any) -> Any:
        if isinstance(value, list) and len(value) > most:
            raise ValueError(f"at most {most} {what}, not {len(value)}")
        return value

    return BeforeValidator(count)


def _at_least_one(value: Any) -> Any:
    if isinstance(value, list) and not value:
        raise ValueError("at least one step was expected")
    return value


def _printable(text: str) -> str:
    if not text.isprintable():
        raise ValueError("a line of plain text was expected, without control characters")
    return text


def _known_rule(value: Any) -> Any:
    if isinstance(value, str) and not is_rule(value):
        raise ValueError(f"{value[:40]!r} is no rule id; a rule is written like balance.falls")
    return value


def _one_is_a_list(value: Any) -> Any:
    return [value] if isinstance(value, str) else value


BlockText = Annotated[Any, _read(parse_block, "4x@2,4,1"), _pattern(f"^{_BLOCK}$", "4x@2,4,1")]
PawnText = Annotated[Any, _read(Pawn.parse, "red@3,4,1"), _pattern(f"^{_PAWN}$", "red@3,4,1")]
StepText = Annotated[Any, _read(parse_step, "4x@2,4,1"), _pattern(_STEP, "4x@2,4,1 + 1z@2,4,2")]
SurfaceText = Annotated[Any, _read(Surface.parse, "@3,4,1"), _pattern(f"^@{_CELL}$", "@3,4,1")]
RuleText = Annotated[str, BeforeValidator(_known_rule)]
Rules = Annotated[list[RuleText], _at_most(MOST_RULES, "rules")]
Steps = Annotated[
    list[StepText],
    BeforeValidator(_at_least_one),
    _at_most(MOST_STEPS, "steps"),
    BeforeValidator(_one_is_a_list),
    WithJsonSchema(
        {"anyOf": [{"type": "string", "pattern": _STEP}, {"type": "array", "items": {"type": ["string", "number"]}}]}
    ),
]


class ExpectFile(BaseModel):
    """What `talo check` compares."""

    model_config = ConfigDict(extra="forbid")

    verdict: Literal["stands", "needs_pawn", "pawn_topples", "topples"] | None = None
    marginal: Annotated[bool, Field(strict=True)] | None = None
    legal: Annotated[bool, Field(strict=True)] | None = None
    violations: Rules | None = None
    fallen: list[BlockText] | None = None
    counterweights: list[SurfaceText] | None = None

    def expectation(self) -> Expectation:
        """As a value."""

        def texts(values: list[Any] | None) -> frozenset[str] | None:
            return None if values is None else frozenset(str(value) for value in values)

        verdict = None if self.verdict is None else str(Verdict(self.verdict))
        return Expectation(
            verdict, self.marginal, self.legal, texts(self.violations), texts(self.fallen), texts(self.counterweights)
        )


class ScenarioFile(BaseModel):
    """A Talo scenario: a tower, a proposal, and what to expect."""

    model_config = ConfigDict(extra="forbid", title="Talo scenario")

    title: Annotated[str, Field(min_length=1, max_length=300), AfterValidator(_printable)]
    edition: Literal["island", "classic"] = "island"
    board: str = "green"
    profile: str = "nominal"
    variant: Literal["standard", "fantasy"] = "standard"
    rules: Rules = []
    figure: Annotated[int, Field(strict=True)] | None = None
    tower: Annotated[list[BlockText], _at_most(MOST_BLOCKS, "blocks")] = []
    pawns: Annotated[list[PawnText], _at_most(len(COLOURS), "pawns")] = []
    turn: Literal["yellow", "red", "blue", "green", "pink", "orange"] | None = None
    propose: Steps | None = None
    expect: ExpectFile | None = None


def schema() -> dict[str, Any]:
    """JSON Schema of the scenario file, for editors."""
    made = ScenarioFile.model_json_schema()
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **made}


def load_scenario(path: Path | str, profile: Profile | None = None) -> Scenario:
    """Read a scenario file; `profile` takes the place of the one it names.

    >>> from pathlib import Path
    >>> from talo_physics import load_scenario
    >>> _ = Path("idea.yaml").write_text("title: A 3 on a 1\\ntower: [1z@3,4,0]\\npropose: 3x@2,4,1\\n")
    >>> scene = load_scenario("idea.yaml")
    >>> scene.title, str(scene.tower.blocks[0]), str(scene.proposal)
    ('A 3 on a 1', '1z@3,4,0', '3x@2,4,1')

    Raises:
        FileError: every fault, with file, line, column, field and what was expected.
    """
    path = Path(path)
    return scenario_of(read_document(path), beside=path.parent, profile=profile)


def parse_scenario(raw: bytes, source: str, profile: Profile | None = None) -> Scenario:
    """Read a scenario from bytes, for standard input; paths in it are relative to the working folder."""
    return scenario_of(parse_document(raw, source), beside=Path(), profile=profile)


def scenario_of(document: Document, beside: Path, profile: Profile | None = None) -> Scenario:
    """A scenario from plain data."""
    if not isinstance(document.data, dict):
        raise FileError([document.fault((), "a scenario is a mapping with at least a title")])
    if kind := other_kind(document.data):
        raise FileError([no_scenario(kind, document.source)])
    faults: list[Fault] = []
    try:
        read = ScenarioFile.model_validate(document.data)
    except ValidationError as error:
        faults += faults_of(error, document, ScenarioFile)
        read = ScenarioFile.model_validate(_sound_part(document.data, {detail["loc"][0] for detail in error.errors()}))
    board = _loaded(lambda: load_board(read.board, beside), ("board",), document, faults)
    own = profile or _loaded(lambda: load_profile(read.profile, beside), ("profile",), document, faults)
    tower = Tower(tuple(read.tower), tuple(read.pawns))
    proposal = Proposal(tuple(read.propose)) if read.propose else None
    faults += [document.fault(path, message) for path, message in _defects(read, tower, proposal, board)]
    if faults or board is None or own is None:
        raise FileError(sorted(dict.fromkeys(faults), key=lambda fault: (fault.line, fault.column)))
    return Scenario(
        tower=tower,
        proposal=proposal,
        title=read.title,
        source=document.source,
        board=board,
        profile=own,
        edition=read.edition,
        variant=read.variant,
        rules=tuple(read.rules),
        figure=read.figure,
        turn=read.turn,
        expect=read.expect.expectation() if read.expect else None,
    )


def _sound_part(data: dict[Any, Any], faulty: set[int | str]) -> dict[str, Any]:
    """What is left of a scenario without its faulty fields, so that the faults of the others are told as well.

    A tower or pawns with a fault in them say nothing about what floats or overlaps; they go as a whole.
    """
    sound = {name: value for name, value in data.items() if name in ScenarioFile.model_fields and name not in faulty}
    if "tower" in faulty:
        sound.pop("pawns", None)
    return {"title": "unreadable", **sound}


def _loaded(load: Callable[[], Any], path: Path_, document: Document, faults: list[Fault]) -> Any:
    """What a name or path in the scenario leads to; its own faults join the scenario's."""
    try:
        return load()
    except FileError as error:
        faults += error.faults
    except TaloError as error:
        faults.append(document.fault(path, str(error)))
    return None


def _defects(
    read: ScenarioFile, tower: Tower, proposal: Proposal | None, board: Board | None
) -> Iterator[tuple[Path_, str]]:
    """What is well written but cannot be."""
    for where, index, message in defects(tower):
        yield (where, index), message
    if read.variant == "standard":
        for index, block in enumerate(tower.blocks):
            if isinstance(block, FreePose):
                yield ("tower", index), f"{block}: free poses are for variant: fantasy"
    else:
        if tower.pawns:
            yield ("pawns",), "the Fantasy variant has no pawns"
        if read.edition == "classic":
            yield ("variant",), "the classic edition has no Fantasy variant"
    for index, pawn in enumerate(tower.pawns):
        if board is not None and pawn.z == 0 and not board.inside(pawn.x, pawn.y):
            yield ("pawns", index), f"{pawn} stands beyond the board"
    if proposal and len(proposal.steps) == 1:
        yield from ((("propose",), message) for message in _strange(proposal.steps[0], tower))


def _strange(step: Step, tower: Tower) -> Iterator[str]:
    """What a single step names that is not there."""
    if isinstance(step, PawnMove) and step.start not in tower.pawns:
        yield f"{step}: {step.start} is not one of the pawns"
    if isinstance(step, Restart) and step.pawn.colour not in {pawn.colour for pawn in tower.pawns}:
        yield f"{step}: there is no {step.pawn.colour} pawn"
    if isinstance(step, Bump) and step.block not in tower.blocks:
        yield f"{step}: {step.block} is not in the tower"


def scenario_text(scenario: Scenario, note: str = "") -> str:
    """A scenario as the text of a file that reads back as the same scenario (but for what it expects).

    The profile and board are named as the scenario names them.
    """
    lines = [f"# {line}" for line in note.splitlines()]
    lines.append(f"title: {json.dumps(scenario.title or 'untitled', ensure_ascii=False)}")
    lines += [f"{name}: {value}" for name, value in _choices(scenario) if value]
    for name, values in (("tower", scenario.tower.blocks), ("pawns", scenario.tower.pawns)):
        if values:
            lines.append(f"{name}:")
            lines += [f"  - {value}" for value in values]
    if scenario.turn:
        lines.append(f"turn: {scenario.turn}")
    if scenario.proposal:
        lines.append("propose:")
        lines += [f"  - {step}" for step in scenario.proposal.steps]
    return "\n".join(lines) + "\n"


def _choices(scenario: Scenario) -> Iterator[tuple[str, str]]:
    yield "edition", scenario.edition if scenario.edition != "island" else ""
    yield "board", scenario.board.name if scenario.board.name != "green" else ""
    yield "profile", scenario.profile.name if scenario.profile.name != "nominal" else ""
    yield "variant", scenario.variant if scenario.variant != "standard" else ""
    yield "rules", f"[{', '.join(scenario.rules)}]" if scenario.rules else ""
    yield "figure", "" if scenario.figure is None else str(scenario.figure)
