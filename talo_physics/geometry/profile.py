"""A geometry profile: what the blocks and pawns measure, with where each figure comes from.

Lengths are in millimetres, masses in grams, as the figures' names say.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cached_property, lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, model_validator

from talo_physics.datafile import Document
from talo_physics.errors import FileError, TaloError
from talo_physics.geometry.shelf import Shelf
from talo_physics.validation import faults_of

LENGTHS = range(1, 11)
Provenance = Literal["measured", "published", "assumed"]


class Figure(BaseModel):
    """One number of a profile: its value, how far single pieces stray from it, and where it comes from."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    value: float
    spread: float = Field(default=0.0, ge=0.0)
    provenance: Provenance = "assumed"
    source: str = ""


def _number_is_figure(value: Any) -> Any:
    """A bare number is a figure of which nothing more is known."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return {"value": value} if is_number else value


def _positive(figure: Figure) -> Figure:
    if figure.value <= 0:
        raise ValueError(f"must be greater than 0, not {figure.value:g}")
    return figure


def _not_negative(figure: Figure) -> Figure:
    if figure.value < 0:
        raise ValueError(f"must be 0 or more, not {figure.value:g}")
    return figure


def _fraction(figure: Figure) -> Figure:
    if not 0 <= figure.value <= 1:
        raise ValueError(f"must lie between 0 and 1, not {figure.value:g}")
    return figure


_Read = BeforeValidator(_number_is_figure)
Positive = Annotated[Figure, _Read, AfterValidator(_positive)]
NotNegative = Annotated[Figure, _Read, AfterValidator(_not_negative)]
Fraction = Annotated[Figure, _Read, AfterValidator(_fraction)]


class BlockFigures(BaseModel):
    """What the blocks of one length measure. Without a weighed mass, it is density times the solid's volume."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    length_mm: Positive
    section_mm: Positive
    mass_g: Positive | None = None


class PawnFigures(BaseModel):
    """What a pawn measures."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    base_mm: Positive
    height_mm: Positive
    mass_g: Positive


class Profile(BaseModel):
    """The measured geometry of one set of blocks."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    pitch_mm: Positive
    density_kg_m3: Positive
    edge_inset_mm: NotNegative
    friction: NotNegative
    restitution: Fraction
    pawn: PawnFigures
    blocks: dict[int, BlockFigures]

    @model_validator(mode="after")
    def _fits_the_grid(self) -> Profile:
        """A block that strays from its cells by more than half a cell is not a Talo block."""
        if missing := sorted(set(LENGTHS) - set(self.blocks)):
            raise ValueError(f"blocks: lengths 1 to 10 are needed, missing {missing}")
        pitch = self.pitch_mm.value
        for length, block in self.blocks.items():
            if length not in LENGTHS:
                raise ValueError(f"blocks.{length}: lengths go from 1 to 10")
            if abs(block.length_mm.value - length * pitch) > pitch / 2:
                raise ValueError(
                    f"blocks.{length}.length_mm: {block.length_mm.value:g} is not near {length} x {pitch:g} mm"
                )
            if abs(block.section_mm.value - pitch) > pitch / 2:
                raise ValueError(f"blocks.{length}.section_mm: {block.section_mm.value:g} is not near {pitch:g} mm")
            if self.edge_inset_mm.value >= min(block.section_mm.value, pitch) / 4:
                raise ValueError(f"edge_inset_mm: {self.edge_inset_mm.value:g} leaves too little of a face")
        if self.pawn.base_mm.value > pitch:
            raise ValueError(f"pawn.base_mm: {self.pawn.base_mm.value:g} does not fit a field of {pitch:g} mm")
        return self

    @cached_property
    def fingerprint(self) -> str:
        """Equal for profiles with equal figures, whatever they are called: the profile's part of a cache key."""
        return sha256(self.model_dump_json(exclude={"name"}).encode()).hexdigest()

    def __hash__(self) -> int:
        return hash(self.fingerprint)

    def changed(self, settings: Mapping[str, float]) -> Profile:
        """This profile with single figures changed, by their dotted keys (`pawn.mass_g`, `blocks.3.length_mm`).

        Raises:
            TaloError: an unknown key or a value that the figure cannot have.
        """
        data = self.model_dump()
        for key, value in settings.items():
            _set_figure(data, key, value)
        label = ", ".join(f"{key}={value:g}" for key, value in settings.items())
        data["name"] = f"{self.name} ({label})" if label else self.name
        try:
            return Profile.model_validate(data)
        except ValidationError as error:
            faults = [": ".join(filter(None, (f.field, f.message))) for f in faults_of(error, Document(data, ""))]
            raise TaloError("; ".join(f"--set {fault}" for fault in faults)) from None


def _set_figure(data: dict[str, Any], key: str, value: float) -> None:
    match = re.fullmatch(r"blocks\.(\d+)\.(length_mm|section_mm|mass_g)", key)
    if match and int(match[1]) in LENGTHS:
        group, name = data["blocks"][int(match[1])], match[2]
    elif key.startswith("pawn.") and key[5:] in PawnFigures.model_fields:
        group, name = data["pawn"], key[5:]
    elif key in figure_keys():
        group, name = data, key
    else:
        raise TaloError(f"--set {key}: no such key; known: {', '.join(figure_keys())}")
    group[name] = {"value": value, "provenance": "assumed", "source": "set for this run"}


def figure_keys() -> list[str]:
    """The keys of a profile as people write them."""
    own = [name for name in Profile.model_fields if name not in {"name", "pawn", "blocks"}]
    pawn = [f"pawn.{name}" for name in PawnFigures.model_fields]
    return own + pawn + [f"blocks.N.{name}" for name in BlockFigures.model_fields]


PROFILES = Shelf("profile", "profiles")


@lru_cache(maxsize=32)
def shipped_profile(name: str) -> Profile:
    """A profile that comes with the package."""
    return _profile(PROFILES.shipped(name), {})


def load_profile(name_or_path: str, beside: Path | None = None) -> Profile:
    """A shipped profile by its name, or a profile file by its path (relative to `beside`).

    A file gives only the figures it knows; the others are those of `nominal`.

    Raises:
        FileError: every fault of the file, with its place.
        TaloError: neither a shipped profile nor a file.
    """
    if name_or_path in PROFILES.names:
        return shipped_profile(name_or_path)
    return _profile(PROFILES.own(name_or_path, beside), shipped_profile("nominal").model_dump())


def _profile(document: Document, base: dict[str, Any]) -> Profile:
    if not isinstance(document.data, dict):
        raise FileError([document.fault((), "a profile is a mapping of figures")])
    data = _merged(base, document.data)
    if "name" not in document.data:
        data["name"] = Path(document.source).stem
    try:
        return Profile.model_validate(data)
    except ValidationError as error:
        raise FileError(faults_of(error, document)) from None


def _merged(base: Mapping[Any, Any], own: Mapping[Any, Any]) -> dict[Any, Any]:
    """`own` over `base`, group by group; a figure is replaced whole."""
    result = dict(base)
    for key, value in own.items():
        group = key in {"pawn", "blocks"} or isinstance(key, int)
        if group and isinstance(value, dict) and isinstance(base.get(key), dict):
            result[key] = _merged(base[key], value)
        else:
            result[key] = value
    return result
