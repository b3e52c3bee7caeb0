"""What is odd about a set of measured blocks: things a person should look at before trusting the profile."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from statistics import fmean, median

from talo_physics.geometry.callipers import ENOUGH_READINGS
from talo_physics.geometry.measuring import Measured, density_kg_m3
from talo_physics.geometry.profile import LENGTHS, Profile
from talo_physics.geometry.specimen import Oddity, Specimen

ODD_MM = 0.5
"""A block so far off its kind is not cut like the others; damp moves 20 mm by up to 0.7, but all of them alike."""
STEP_MM = 0.5
"""A step between two ways up to one level that a bridge over both shows to the eye."""
PLAY_MM = 0.2
"""Off the grid by this much, the play that edges are taken to have a side is gone."""
SQUARE_MM = 0.3
"""Width and height so far apart make a block lie higher on one side than on the other."""
ODD_DENSITY = 0.15
"""Three and a half times the spread of beech: another wood, or a slip of the scales."""
ODD_ANGLE_DEG = 5.0
WOOD_FRICTION = (0.2, 0.55)
"""Wood on wood, as published."""
MANY = 3  # pieces from which on their median says what is usual


def oddities(measured: Measured, base: Profile, profile: Profile) -> list[Oddity]:
    """Everything odd, single readings first; `base` is what was known before, `profile` what was measured."""
    pitch = profile.pitch_mm.value
    found = list(measured.oddities)
    found += [oddity for specimen in measured.specimens for oddity in specimen.oddities]
    for length, group in measured.by_length.items():
        found += _blocks_off(length, group, pitch)
    found += _not_square(measured.specimens)
    found += _heights(measured, profile)
    found += _off_pitch(measured, profile)
    found += _densities(measured, base)
    found += _frictions(measured.angles_deg)
    found += _thin_evidence(measured)
    return found


def _blocks_off(length: int, group: Sequence[Specimen], pitch: float) -> Iterator[Oddity]:
    expected = length * pitch
    usual = median(s.length_mm for s in group) if len(group) >= MANY else expected
    for specimen in group:
        if abs(off := specimen.length_mm - usual) > ODD_MM:
            against = f"the {usual:.2f} mm of the other {length}s" if usual != expected else f"{length} x {pitch:g} mm"
            text = f"{specimen.name} is {_by(off, 'long', 'short')}: {specimen.length_mm:.2f} against {against}"
            yield Oddity("block", text, specimen.where, (length,))
    mean = fmean(s.length_mm for s in group)
    if usual != expected and abs(off := mean - expected) > ODD_MM:
        text = f"the {length}s are {_by(off, 'long', 'short')} in the mean: {mean:.2f} against {length} x {pitch:g} mm"
        yield Oddity("length", text, lengths=(length,))


def _not_square(specimens: Sequence[Specimen]) -> Iterator[Oddity]:
    for specimen in specimens:
        width, height = specimen.section_mm
        if abs(width - height) > SQUARE_MM:
            text = f"{specimen.name} is not square: {width:.2f} x {height:.2f} mm"
            yield Oddity("square", text, specimen.where, (specimen.length,))


def _heights(measured: Measured, profile: Profile) -> Iterator[Oddity]:
    """Ways up to one level that differ: lying blocks or shorter standing ones, against one standing block."""
    if not measured.specimens:
        return
    known = measured.by_length
    section = fmean(s.mean_section_mm for s in measured.specimens)
    steps = {n: profile.blocks[n].length_mm.value - n * section for n in known}
    wrong = tuple(n for n, step in steps.items() if abs(step) > STEP_MM)
    if wrong:
        worst = max(wrong, key=lambda n: abs(steps[n]))
        standing = profile.blocks[worst].length_mm.value
        text = (
            f"a standing {worst} is {_by(steps[worst], 'high', 'low')} against {worst} lying blocks: "
            f"{standing:.2f} and {worst} x {section:.2f} mm"
        )
        others = [f"{n} ({steps[n]:+.2f})" for n in wrong if n != worst]
        yield Oddity("heights", text + (f"; so are {', '.join(others)}" if others else ""), lengths=wrong)
    for n in known:
        pairs = {(k, n - k) for k in known if n - k in known and k <= n - k}
        offs = {pair: profile.blocks[n].length_mm.value - _standing(profile, pair) for pair in pairs}
        if offs and abs(off := offs[worst_pair := max(offs, key=lambda p: (abs(offs[p]), p))]) > STEP_MM:
            low, high = worst_pair
            text = f"a standing {n} is {_by(off, 'high', 'low')} against a standing {low} on a standing {high}"
            yield Oddity("heights", text, lengths=(low, high, n))


def _standing(profile: Profile, lengths: Sequence[int]) -> float:
    return math.fsum(profile.blocks[n].length_mm.value for n in lengths)


def _off_pitch(measured: Measured, profile: Profile) -> Iterator[Oddity]:
    if not measured.specimens:
        return
    section, pitch = fmean(s.mean_section_mm for s in measured.specimens), profile.pitch_mm.value
    if abs(off := section - pitch) > PLAY_MM:
        text = f"blocks are {_by(off, 'thick', 'thin')} for the grid: {section:.2f} against {pitch:g} mm"
        text += "; neighbours will not fit side by side" if off > 0 else ""
        yield Oddity("pitch", f"{text}; if the board's grid differs, measure it and say --pitch")


def _densities(measured: Measured, base: Profile) -> Iterator[Oddity]:
    inset, beech = base.edge_inset_mm.value, base.density_kg_m3
    found = [(s, d) for s in measured.specimens if (d := density_kg_m3(s, inset)) is not None]
    if not found:
        return
    usual = median(density for _, density in found) if len(found) >= MANY else beech.value
    for specimen, density in found:
        if abs(density / usual - 1) > ODD_DENSITY:
            text = f"{specimen.name} weighs {specimen.mass_g:g} g: {density:.0f} kg/m3 against {usual:.0f}"
            yield Oddity("density", text, specimen.where, (specimen.length,))
    if usual != beech.value and abs(usual - beech.value) > 3 * beech.spread:
        text = f"{usual:.0f} kg/m3 in the median; beech has {beech.value:g}. Are masses in grams and lengths right?"
        yield Oddity("density", text)


def _frictions(angles: Sequence[float]) -> Iterator[Oddity]:
    if not angles:
        return
    middle, (low, high) = median(angles), WOOD_FRICTION
    for angle in angles:
        if abs(angle - middle) > ODD_ANGLE_DEG:
            yield Oddity("friction", f"a block slid at {angle:g} degrees, others at {middle:g}")
    if not low <= (friction := math.tan(math.radians(middle))) <= high:
        yield Oddity("friction", f"friction {friction:.2f}; wood on wood has {low:g} to {high:g}")


def _thin_evidence(measured: Measured) -> Iterator[Oddity]:
    few = [s for s in measured.specimens if s.readings is not None and s.readings < ENOUGH_READINGS]
    if few:
        least = min(s.readings or 0 for s in few)
        noun = "reading" if least == 1 else "readings"
        text = f"{_names(few)}: {least} {noun} of a side; a slip cannot be told from a block, take three"
        yield Oddity("few readings", text)
    by_length = measured.by_length
    single = tuple(length for length, group in by_length.items() if len(group) == 1)
    if single:
        listed = ", ".join(map(str, single))
        yield Oddity("few blocks", f"one block only of length {listed}: its spread is not known", lengths=single)
    absent = tuple(length for length in LENGTHS if length not in by_length)
    if measured.specimens and absent:
        listed = ", ".join(map(str, absent))
        yield Oddity("not measured", f"no blocks of length {listed}: the figures known before stay", lengths=absent)
    places = dict[str, str]()
    for specimen in measured.specimens:
        if (first := places.setdefault(specimen.name, specimen.where)) != specimen.where:
            yield Oddity("twice", f"{specimen.name} is in {first} too; counted as two blocks", specimen.where)


def _names(specimens: Sequence[Specimen]) -> str:
    shown = ", ".join(s.name for s in specimens[:3])
    return shown if len(specimens) <= 3 else f"{shown} and {len(specimens) - 3} more"


def _by(off: float, more: str, less: str) -> str:
    """`1.00 mm too short` and the like."""
    return f"{abs(off):.2f} mm too {more if off > 0 else less}"
