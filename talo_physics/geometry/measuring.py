"""From measured blocks to a profile: means, spreads between pieces, sample sizes, and where they come from.

What was not measured keeps the figures of the profile one starts from, with their provenance.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, stdev, variance
from typing import Any

import yaml
from pydantic import ValidationError

from talo_physics.datafile import Document
from talo_physics.errors import TaloError
from talo_physics.geometry.profile import BlockFigures, Figure, PawnFigures, Profile
from talo_physics.geometry.specimen import Oddity, Specimen
from talo_physics.validation import faults_of

_DIGITS = 4  # a tenth of a micrometre, a tenth of a milligram: finer than anything that is measured
_HEAD = """\
# Measured blocks. Each figure: its value, the spread between single pieces (standard deviation, in the same unit),
# how many pieces were measured, its provenance (measured | published | assumed) and its source.
"""


@dataclass(frozen=True)
class Measured:
    """All that was measured of one set of blocks."""

    specimens: tuple[Specimen, ...] = ()
    angles_deg: tuple[float, ...] = ()
    """Of a tilt table, at which a block began to slide."""
    angles_source: str = "tilt table"
    pitch_mm: float | None = None
    """Of the board's grid, if somebody measured it."""
    oddities: tuple[Oddity, ...] = ()
    """What was odd about the files as a whole."""

    @property
    def by_length(self) -> dict[int, list[Specimen]]:
        """The blocks of each length class, in order."""
        groups = defaultdict[int, list[Specimen]](list)
        for specimen in self.specimens:
            groups[specimen.length].append(specimen)
        return dict(sorted(groups.items()))

    @property
    def frictions(self) -> list[float]:
        """What the tilt table says: a block slides where the slope's tangent exceeds friction."""
        return [math.tan(math.radians(angle)) for angle in self.angles_deg]


def density_kg_m3(specimen: Specimen, inset_mm: float) -> float | None:
    """The density of a block, None where it was not weighed."""
    if specimen.mass_g is None:
        return None
    volume = specimen.volume_mm3
    if volume is None:
        sides = (specimen.length_mm, *specimen.section_mm)
        volume = math.prod(sides) - 2 * inset_mm**2 * sum(sides) + 16 / 3 * inset_mm**3  # as solids are chamfered
    return 1e6 * specimen.mass_g / volume


def measured_profile(base: Profile, measured: Measured, name: str) -> Profile:
    """`base` with every figure that was measured in its place.

    Raises:
        TaloError: figures that cannot be those of one set of blocks.
    """
    data: dict[str, Any] = base.model_dump()
    data["name"] = name
    if measured.pitch_mm is not None:
        data["pitch_mm"] = {"value": measured.pitch_mm, "provenance": "measured", "source": "given as --pitch"}
    densities = [d for s in measured.specimens if (d := density_kg_m3(s, base.edge_inset_mm.value)) is not None]
    if densities:
        weighed = [s for s in measured.specimens if s.mass_g is not None]
        data["density_kg_m3"] = _figure(densities, f"{sources(weighed)}: mass over volume")
    if measured.frictions:
        data["friction"] = _figure(measured.frictions, f"{measured.angles_source}: tangent of the angle")
    density = Figure.model_validate(data["density_kg_m3"])
    for length, figures in _block_figures(measured, density).items():
        data["blocks"][length].update(figures)
    try:
        profile = Profile.model_validate(data)
        faults = [f"{'.'.join(path)}: {message}" for path, message in profile.misfits()]
    except ValidationError as error:
        faults = [f"{fault.field}: {fault.message}" for fault in faults_of(error, Document(data, ""))]
    if faults:
        raise TaloError("; ".join(faults))
    return profile


def _block_figures(measured: Measured, density: Figure) -> dict[int, dict[str, Any]]:
    """The figures of each length that was measured."""
    groups = measured.by_length
    pooled_length = _pooled([[s.length_mm for s in group] for group in groups.values()])
    pooled_section = _pooled([_sections(group) for group in groups.values() if len(group) > 1])
    result: dict[int, dict[str, Any]] = {}
    for length, group in groups.items():
        source = sources(group)
        sections = _figure([s.mean_section_mm for s in group], source, pooled_section)
        if len(group) > 1:
            sections["spread"] = round(stdev(_sections(group)), _DIGITS)  # a lying block shows one side or the other
        result[length] = {
            "length_mm": _figure([s.length_mm for s in group], source, pooled_length),
            "section_mm": sections,
            "mass_g": _mass(group, density),
        }
    return result


def _sections(group: Iterable[Specimen]) -> list[float]:
    return [side for specimen in group for side in specimen.section_mm]


def _mass(group: Sequence[Specimen], density: Figure) -> dict[str, Any] | None:
    """Weighed where that was done; else from the scanned volumes; else None, and the solid's volume decides."""
    weighed = [s for s in group if s.mass_g is not None]
    if weighed:
        return _figure([s.mass_g for s in weighed if s.mass_g is not None], sources(weighed))
    scanned = [s for s in group if s.volume_mm3 is not None]
    if not scanned:
        return None
    masses = [1e-6 * density.value * s.volume_mm3 for s in scanned if s.volume_mm3 is not None]
    figure = _figure(masses, f"{sources(scanned)}: scanned volume times density_kg_m3; not weighed")
    between = math.hypot(figure["spread"], density.spread / density.value * figure["value"])
    return {**figure, "spread": round(between, _DIGITS), "provenance": density.provenance}


def _figure(values: Sequence[float], source: str, pooled: float | None = None) -> dict[str, Any]:
    """A measured figure; `pooled` is the spread to go by where there is only one piece."""
    spread = stdev(values) if len(values) > 1 else pooled or 0.0
    if len(values) == 1:
        source += "; one piece, spread of the other lengths" if pooled is not None else "; one piece, spread unknown"
    return {
        "value": round(fmean(values), _DIGITS),
        "spread": round(spread, _DIGITS),
        "samples": len(values),
        "provenance": "measured",
        "source": source,
    }


def _pooled(groups: Iterable[Sequence[float]]) -> float | None:
    """The standard deviation within groups, over all of them; None where no group has two."""
    several = [group for group in groups if len(group) > 1]
    if not several:
        return None
    freedom = sum(len(group) - 1 for group in several)
    return math.sqrt(sum(variance(group) * (len(group) - 1) for group in several) / freedom)


def sources(specimens: Iterable[Specimen]) -> str:
    """Where blocks were measured, in words: the files, and how."""
    files = Counter((s.source, "scan" if s.readings is None else "callipers") for s in specimens)
    return ", ".join(f"{how} {name}" for name, how in sorted(files))


def profile_text(profile: Profile) -> str:
    """A profile as a file, laid out like the shipped ones."""
    lines = [_HEAD + _line("name", profile.name)]
    for key, value in profile:
        if isinstance(value, Figure):
            lines.append(_line(key, _fields(value)))
        elif isinstance(value, PawnFigures):
            lines += [f"{key}:\n", *_figure_lines(value, "  ")]
        elif isinstance(value, Mapping):
            lines.append(f"{key}:   # mass_g only where known; else density times the volume of the solid\n")
            for length, block in sorted(value.items()):
                lines += [f"  {length}:\n", *_figure_lines(block, "    ")]
    return "".join(lines)


def _figure_lines(group: BlockFigures | PawnFigures, indent: str) -> list[str]:
    return [indent + _line(key, _fields(figure)) for key, figure in group if figure is not None]


def _fields(figure: Figure) -> dict[str, Any]:
    return figure.model_dump(exclude_none=True)


def _line(key: str, value: Any) -> str:
    flow = None if isinstance(value, dict) else False  # a figure on one line, as {value: ...}
    text = yaml.safe_dump({key: value}, default_flow_style=flow, width=math.inf, sort_keys=False, allow_unicode=True)
    return str(text)
