"""One block as it was measured, however that was done, and something odd that was seen on the way."""

from __future__ import annotations

from dataclasses import dataclass

UNITS_MM = {"mm": 1.0, "cm": 10.0, "m": 1000.0, "in": 25.4}
"""Units of length that people hand in, in millimetres."""
_UNIT_NAMES = {"mm": "millimetres", "cm": "centimetres", "m": "metres", "in": "inches"}
_LIGHTEST, _HEAVIEST = 30.0, 12_000.0  # kg/m3, foam and lead: beyond, it is the unit that is wrong
_NEAR = 0.25  # of the expected length: far from the least factor between two units, 2.54


@dataclass(frozen=True)
class Oddity:
    """Something that a person should look at; it does not stop the measuring."""

    kind: str
    """What sort of thing: `reading`, `block`, `length`, `square`, `heights`, `pitch`, `density`, `friction`, ..."""
    message: str
    where: str = ""
    """The file, with line and column where it has any."""
    lengths: tuple[int, ...] = ()


@dataclass(frozen=True)
class Specimen:
    """One measured block; lengths in millimetres, mass in grams."""

    name: str
    length: int
    length_mm: float
    section_mm: tuple[float, float]
    """Width and height, the block lying."""
    mass_g: float | None
    source: str
    """The file or folder it is from."""
    where: str
    """The file, with the line where it has any."""
    volume_mm3: float | None = None
    """Where it was scanned; else it follows from the sides."""
    readings: int | None = None
    """How often each side was read, at least; None where it was scanned."""
    oddities: tuple[Oddity, ...] = ()

    @property
    def mean_section_mm(self) -> float:
        """Width and height as one figure."""
        return sum(self.section_mm) / 2


def other_unit(given: float, expected_mm: float) -> str | None:
    """The unit in which a number would be about what was expected, if that is not millimetres."""
    for unit, factor in UNITS_MM.items():
        if abs(given * factor - expected_mm) <= _NEAR * expected_mm:
            return None if unit == "mm" else unit
    return None


def unit_advice(unit: str) -> str:
    """What to do about readings in another unit."""
    return f"these look like {_UNIT_NAMES[unit]}; say --unit {unit}"


def mass_fault(mass_g: float, volume_mm3: float) -> str:
    """What is wrong with a mass that nothing one builds with has; empty if it can be."""
    density = 1e6 * mass_g / volume_mm3
    if _LIGHTEST <= density <= _HEAVIEST:
        return ""
    return f"{mass_g:g} g would be {density:.3g} kg/m3; a mass in grams was expected"


def plain(text: str) -> str:
    """A name of a file as text that any file can hold; names on disk need not be Unicode."""
    return text.encode("utf-8", "backslashreplace").decode()
