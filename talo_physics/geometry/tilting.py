"""Friction from a tilt table: the angles at which a block begins to slide."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from pathlib import Path

from talo_physics.errors import Fault, FileError, TaloError
from talo_physics.geometry.table import Faults, Row, Table, read_table

STEEPEST_DEG = 80.0
"""Beyond this a block tips over, whatever its friction."""
_RADIANS = 1.6  # no wood slides at such an angle in degrees; a right angle in radians
_LIST = re.compile(r"[-+\d.,;\s]+")
_ANGLE = re.compile(r"angle(_?\d+)?(_?deg(rees)?)?", re.I)


def read_angles(text: str) -> tuple[float, ...]:
    """Angles in degrees: written out (`21.5,22,20.8` or `21,5; 22; 20,8`) or the name of a CSV file.

    A file has a column `angle`, or no heading and nothing but angles.

    Raises:
        TaloError: not such angles; a FileError with their places where they are in a file.
    """
    if _LIST.fullmatch(text):
        angles = _listed(text)
        source = "--friction"
    else:
        angles, source = _from_table(read_table(Path(text))), text
    if max(angles) < _RADIANS:
        raise TaloError(f"{source}: angles in degrees were expected; {max(angles):g} at most looks like radians")
    return tuple(angles)


def _listed(text: str) -> list[float]:
    parts = re.split(r"[;\s]+", text) if ";" in text else re.split(r"[,\s]+", text)
    angles = []
    for part in parts:
        try:
            angles.extend([float(part.replace(",", "."))] if part else [])
        except ValueError:
            raise TaloError(f"--friction: an angle in degrees was expected, not {part!r}") from None
    if not angles:
        raise TaloError("--friction: angles in degrees were expected, such as 21.5,22,20.8")
    for angle in angles:
        if fault := _wrong(angle):
            raise TaloError(f"--friction: {fault}")
    return angles


def _from_table(table: Table) -> list[float]:
    named = [i for i, name in enumerate(table.heading.cells) if _ANGLE.fullmatch(name.strip().replace(" ", "_"))]
    has_heading = any(re.search(r"[^\W\d]", cell) for cell in table.heading.cells)
    if has_heading and not named:
        message = f"a column called angle was expected, found {', '.join(table.heading.cells)[:80]}"
        raise FileError([Fault(message, "", table.source, table.heading.line, 1)])
    columns = named if has_heading else range(len(table.heading.cells))
    angles, faults = list[float](), Faults()
    for row in table.rows(skip_heading=has_heading):
        try:
            row.check_width()
            angles.extend(_angles(row, columns))
        except FileError as error:
            faults.add(error)
    faults.raise_if_any()
    if not angles:
        raise FileError([Fault("a heading without angles below it", "", table.source, table.heading.line, 1)])
    return angles


def _angles(row: Row, columns: Iterable[int]) -> list[float]:
    angles = []
    for column in columns:
        angle = row.number(column)
        if angle is None:
            continue
        if fault := _wrong(angle):
            raise FileError([row.fault(column, fault)])
        angles.append(angle)
    return angles


def _wrong(angle: float) -> str:
    if math.isfinite(angle) and 0 < angle < STEEPEST_DEG:
        return ""
    return f"an angle between 0 and {STEEPEST_DEG:g} degrees was expected, not {angle:g}"
