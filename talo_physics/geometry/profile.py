"""A geometry profile: what the blocks and pawns measure, with where each figure comes from.

Lengths are in millimetres, masses in grams, as the figures' names say.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from talo_physics.datafile import Document
from talo_physics.errors import FileError, TaloError
from talo_physics.geometry.shelf import Shelf
from talo_physics.validation import faults_of

LENGTHS = range(1, 11)
Provenance = Literal["measured", "published", "assumed"]


class Figure(BaseModel):
    """One number of a profile: its value, how far single pieces stray from it, and where it comes from."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    value: Annotated[float, Field(strict=True)]
    spread: Annotated[float, Field(strict=True, ge=0.0)] = 0.0
    samples: Annotated[int, Field(strict=True, ge=1)] | None = None
    """How many pieces were measured; None where nobody counted."""
    provenance: Provenance = "assumed"
    source: str = ""


def number_is_figure(value: Any) -> Any:
    """A bare number is a figure of which nothing more is known."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return {"value": value} if is_number else value


def between(low: float, high: float) -> AfterValidator:
    """Figures of things one can hold in a hand; beyond that they are slips of the pen."""

    def check(figure: Figure) -> Figure:
        if not low <= figure.value <= high:
            raise ValueError(f"must lie between {low:g} and {high:g}, not {figure.value:g}")
        return figure

    return AfterValidator(check)


_Read = BeforeValidator(number_is_figure)
Millimetres = Annotated[Figure, _Read, between(0.5, 1000)]
Grams = Annotated[Figure, _Read, between(0.01, 100_000)]
Density = Annotated[Figure, _Read, between(10, 25_000)]
Inset = Annotated[Figure, _Read, between(0, 100)]
Friction = Annotated[Figure, _Read, between(0, 10)]
Fraction = Annotated[Figure, _Read, between(0, 1)]


class BlockFigures(BaseModel):
    """What the blocks of one length measure. Without a weighed mass, it is density times the solid's volume."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    length_mm: Millimetres
    section_mm: Millimetres
    mass_g: Grams | None = None


class PawnFigures(BaseModel):
    """What a pawn measures."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    base_mm: Millimetres
    height_mm: Millimetres
    mass_g: Grams


class Profile(BaseModel):
    """The measured geometry of one set of blocks."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    pitch_mm: Millimetres
    density_kg_m3: Density
    edge_inset_mm: Inset
    friction: Friction
    restitution: Fraction
    pawn: PawnFigures
    blocks: dict[int, BlockFigures]

    def __repr__(self) -> str:
        return f"Profile({self.name!r})"

    __str__ = __repr__

    def misfits(self) -> Iterator[tuple[tuple[str, ...], str]]:
        """Figures that are possible each by itself but not together: where, and in words."""
        pitch, inset = self.pitch_mm.value, self.edge_inset_mm.value
        for length in sorted(set(LENGTHS) - set(self.blocks)):
            yield ("blocks",), f"lengths 1 to 10 are needed, {length} is missing"
        for length, block in sorted(self.blocks.items()):
            here = ("blocks", str(length))
            if abs(block.length_mm.value - length * pitch) > pitch / 2:
                yield (*here, "length_mm"), f"{block.length_mm.value:g} is not near {length} x {pitch:g} mm"
            if abs(block.section_mm.value - pitch) > pitch / 2:
                yield (*here, "section_mm"), f"{block.section_mm.value:g} is not near {pitch:g} mm"
        if inset >= min([pitch, *(block.section_mm.value for block in self.blocks.values())]) / 4:
            yield ("edge_inset_mm",), f"{inset:g} leaves too little of a face"
        if self.pawn.base_mm.value > pitch:
            yield ("pawn", "base_mm"), f"{self.pawn.base_mm.value:g} does not fit a field of {pitch:g} mm"

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
            changed = Profile.model_validate(data)
            faults = [f"{'.'.join(path)}: {message}" for path, message in changed.misfits()]
        except ValidationError as error:
            faults = [f"{fault.field}: {fault.message}" for fault in faults_of(error, Document(data, ""))]
        if faults:
            raise TaloError("; ".join(f"--set {fault}" for fault in faults))
        return changed


_BLOCK_KEY = re.compile(r"blocks\.(10|[1-9])\.(length_mm|section_mm|mass_g)")


def _set_figure(data: dict[str, Any], key: str, value: float) -> None:
    if not is_figure_key(key):
        raise TaloError(f"--set {key}: no such key; known: {', '.join(figure_keys())}")
    if match := _BLOCK_KEY.fullmatch(key):
        group, name = data["blocks"][int(match[1])], match[2]
    else:
        group, name = (data["pawn"], key[5:]) if key.startswith("pawn.") else (data, key)
    group[name] = {"value": value, "provenance": "assumed", "source": "set for this run"}


def is_figure_key(key: str) -> bool:
    """Whether a profile has such a figure."""
    return bool(_BLOCK_KEY.fullmatch(key)) or ("blocks" not in key and key in figure_keys())


def figure_keys() -> list[str]:
    """The keys of a profile as people write them."""
    own = [name for name in Profile.model_fields if name not in {"name", "pawn", "blocks"}]
    pawn = [f"pawn.{name}" for name in PawnFigures.model_fields]
    return own + pawn + [f"blocks.N.{name}" for name in BlockFigures.model_fields]


PROFILES = Shelf(
    "profile",
    "profiles",
    lambda document: _profile(document, {}),
    make_own=lambda document: _profile(document, shipped_profile("nominal").model_dump()),
)


def shipped_profile(name: str) -> Profile:
    """A profile that comes with the package."""
    return PROFILES.shipped(name)


def load_profile(name_or_path: str, beside: Path | None = None) -> Profile:
    """A shipped profile by its name, or a profile file by its path (relative to `beside`).

    A file gives only the figures it knows; the others are those of `nominal`.

    >>> from talo_physics import load_profile
    >>> friction = load_profile("nominal").friction
    >>> friction.value, friction.provenance
    (0.4, 'assumed')

    Raises:
        FileError: every fault of the file, with its place.
        TaloError: neither a shipped profile nor a file.
    """
    return PROFILES.load(name_or_path, beside)


def _profile(document: Document, base: dict[str, Any]) -> Profile:
    if not isinstance(document.data, dict):
        raise FileError([document.fault((), "a profile is a mapping of figures")])
    data = _merged(base, document.data)
    if "name" not in document.data:
        data["name"] = Path(document.source).stem
    unknown = [key for key in data["blocks"] if key not in LENGTHS] if isinstance(data.get("blocks"), dict) else []
    faults = [document.fault(("blocks", str(key)), "lengths go from 1 to 10") for key in unknown]
    for key in unknown:
        del data["blocks"][key]
    try:
        profile = Profile.model_validate(data)
        faults += [document.fault(path, message) for path, message in profile.misfits()]
    except ValidationError as error:
        faults += faults_of(error, document, Profile)
    if faults:
        raise FileError(faults)
    return profile


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
