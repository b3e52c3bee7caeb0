"""Calliper readings: a CSV file with a line a block.

Columns: `id`, `class` (the length in units, 1 to 10), readings `length_1` `length_2` `length_3`, likewise `width` and
`height` (or both as `section`), and `mass`. Millimetres and grams; any number of readings from one on.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean, median
from typing import NamedTuple

from talo_physics.errors import Fault, FileError
from talo_physics.geometry.profile import LENGTHS
from talo_physics.geometry.specimen import UNITS_MM, Oddity, Specimen, mass_fault, other_unit, plain, unit_advice
from talo_physics.geometry.table import Faults, Row, Table, read_table

OUTLIER_MM = 0.3
"""A reading so far from the median of its block's is a slip: callipers repeat within a tenth on wood."""
ENOUGH_READINGS = 3
"""With three, the one that is wrong can be told from the two that are right."""
HEAVIEST_G = 100_000.0

_NAMES = {
    "id": ("id", "block", "block_id", "name"),
    "class": ("class", "length_class", "units", "n"),
    "mass": ("mass", "mass_g", "weight", "weight_g", "mass_1", "mass_1_g"),
}
_READING = re.compile(r"(length|width|height|section)(?:_\d+)?(?:_mm)?")
_EXPECTED = "columns id, class, length_1 to length_3, width_1 to width_3, height_1 to height_3, mass"


@dataclass(frozen=True)
class _Columns:
    """Which column holds what, by their numbers."""

    id: int
    length: int
    """Of the length class."""
    mass: int | None
    readings: dict[str, tuple[int, ...]]

    @property
    def sections(self) -> list[str]:
        """The sides across, one or two of them."""
        if "width" in self.readings and "height" in self.readings:
            return ["width", "height"]
        return [name for name in ("width", "height", "section") if name in self.readings]


def read_callipers(path: Path, unit: str | None, pitch_mm: float) -> list[Specimen]:
    """The blocks of a calliper file; `unit` is that of its lengths, millimetres without.

    Raises:
        FileError: every fault of the file, with its place.
    """
    table = read_table(path)
    columns = _columns(table)
    specimens: list[Specimen] = []
    faults, seen = Faults(), dict[str, int]()
    for row in table.rows():
        try:
            specimen = _specimen(row, columns, unit, pitch_mm)
            _check_new(row, columns.id, seen)
            specimens.append(specimen)
        except FileError as error:
            faults.add(error)
    faults.raise_if_any()
    if not specimens:
        raise FileError([Fault("a heading without blocks below it", "", table.source, table.heading.line, 1)])
    return specimens


def _check_new(row: Row, column: int, seen: dict[str, int]) -> None:
    name = row.cells[column]
    if seen.setdefault(name, row.line) != row.line:
        raise FileError([row.fault(column, f"{name[:40]} is on line {seen[name]} already")])


def key_columns(table: Table, wanted: tuple[str, ...]) -> dict[str, int]:
    """The columns called `id`, `class` or `mass`, by whichever of their names; those that are there."""
    found: dict[str, int] = {}
    for number, name in enumerate(_normal(cell) for cell in table.heading.cells):
        for key in wanted:
            if name in _NAMES[key]:
                if key in found:
                    raise FileError([table.heading.fault(number, f"a second column for the {key}")])
                found[key] = number
    return found


def missing(table: Table, names: list[str], expected: str = _EXPECTED) -> FileError:
    """What to tell of columns that are not there."""
    plural = "s" if len(names) > 1 else ""
    heading = table.heading
    got = ", ".join(cell or "(empty)" for cell in heading.cells)[:120]
    message = f"missing column{plural} {', '.join(names)}; {expected} were expected, found {got}"
    return FileError([Fault(message, "", table.source, heading.line, 1)])


def mass_of(row: Row, column: int | None) -> float | None:
    """The mass in a cell, None where it was not weighed.

    Raises:
        FileError: it is no mass.
    """
    mass = row.number(column) if column is not None else None
    if column is not None and mass is not None and not 0 < mass <= HEAVIEST_G:
        raise FileError([row.fault(column, f"a mass in grams was expected, not {mass:g}")])
    return mass


def _normal(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_")


def _columns(table: Table) -> _Columns:
    keys = key_columns(table, ("id", "class", "mass"))
    readings = defaultdict[str, list[int]](list)
    names = [_normal(cell) for cell in table.heading.cells]
    for number, name in enumerate(names):
        if match := _READING.fullmatch(name):
            if name in names[:number]:
                raise FileError([table.heading.fault(number, "a second column of this name")])
            readings[match[1]].append(number)
    lacking = [key for key in ("id", "class") if key not in keys]
    lacking += ["length_1"] if "length" not in readings else []
    if "section" not in readings:
        lacking += [f"{name}_1" for name in ("width", "height") if name not in readings]
    if lacking:
        raise missing(table, lacking)
    grouped = {name: tuple(numbers) for name, numbers in readings.items()}
    return _Columns(keys["id"], keys["class"], keys.get("mass"), grouped)


def _specimen(row: Row, columns: _Columns, unit: str | None, pitch_mm: float) -> Specimen:
    row.check_width()
    faults = Faults()
    name = faults.trying(_name, row, columns.id) or ""
    length = faults.trying(_length_class, row, columns.length) or 0
    read = {
        side: faults.trying(_side, row, columns.readings[side], f"{name}: {side}", UNITS_MM[unit or "mm"])
        for side in ("length", *columns.sections)
    }
    mass = faults.trying(mass_of, row, columns.mass)
    faults.raise_if_any()
    sides = {side: found for side, found in read.items() if found is not None}
    means = {side: found.mean_mm for side, found in sides.items()}
    _check_sides(row, columns, length, means, pitch_mm, unit)
    section = (means[columns.sections[0]], means[columns.sections[-1]])
    _check_mass(row, columns.mass, mass, means["length"] * math.prod(section))
    source = plain(row.table.source)
    return Specimen(
        name,
        length,
        means["length"],
        section,
        mass,
        source,
        f"{source}:{row.line}",
        readings=min(found.readings for found in sides.values()),
        oddities=tuple(odd for found in sides.values() for odd in found.slips),
    )


def _name(row: Row, column: int) -> str:
    name = row.cells[column] if column < len(row.cells) else ""
    if not name:
        raise FileError([row.fault(column, "each block needs a name of its own")])
    return plain(name)


def _check_mass(row: Row, column: int | None, mass: float | None, volume_mm3: float) -> None:
    if column is not None and mass is not None and (fault := mass_fault(mass, volume_mm3)):
        raise FileError([row.fault(column, fault)])


def _length_class(row: Row, column: int) -> int:
    value = row.number(column)
    if value is None or value not in LENGTHS:
        given = row.cells[column] if column < len(row.cells) else ""
        raise FileError([row.fault(column, f"a length from 1 to 10 was expected, not {given[:40] or 'nothing'!r}")])
    return int(value)


class _Side(NamedTuple):
    """One side of a block."""

    mean_mm: float
    readings: int
    slips: list[Oddity]


def _side(row: Row, numbers: tuple[int, ...], what: str, unit_mm: float) -> _Side:
    """The mean of a side's readings without the slips, which are told."""
    readings = {number: value * unit_mm for number in numbers if (value := _reading(row, number)) is not None}
    if not readings:
        raise FileError([row.fault(numbers[0], "at least one reading was expected; three tell a slip")])
    middle = median(readings.values())
    strays = {number for number, value in readings.items() if abs(value - middle) > OUTLIER_MM}
    enough = len(readings) >= ENOUGH_READINGS
    slips = []
    for number in sorted(strays):
        off = f"{readings[number]:.2f} mm is {abs(readings[number] - middle):.2f} mm off the median {middle:.2f}"
        fate = "left out" if enough else "kept: take a third reading"
        place = str(row.fault(number, ""))
        slips.append(Oddity("reading", f"{what} reading {off}; {fate}", plain(place)))
    kept = [value for number, value in readings.items() if not (enough and number in strays)]
    return _Side(fmean(kept or [middle]), len(readings), slips)


def _reading(row: Row, number: int) -> float | None:
    value = row.number(number)
    if value is not None and value <= 0:
        raise FileError([row.fault(number, f"a length greater than 0 was expected, not {value:g}")])
    return value


def _check_sides(
    row: Row, columns: _Columns, length: int, sides: dict[str, float], pitch_mm: float, unit: str | None
) -> None:
    """See that the sides can be those of a block of its class; what is twice as long is not merely odd."""
    for side, value in sides.items():
        expected = (length if side == "length" else 1) * pitch_mm
        if abs(value - expected) <= pitch_mm / 2:
            continue
        message = f"{value:g} mm is not near {expected:g} mm"
        if side == "length":
            message = f"{value:g} mm is not near {length} x {pitch_mm:g} mm"
        if unit is None and (guess := other_unit(value, expected)):
            message += f"; {unit_advice(guess)}"
        elif side == "length" and 1 <= round(value / pitch_mm) <= 10:
            message += f"; is it a {round(value / pitch_mm)}?"
        raise FileError([row.fault(columns.readings[side][0], message)])
