"""Masses of scanned blocks: a CSV file beside the scans with the columns `id` (a scan's name) and `mass` in grams."""

from __future__ import annotations

from pathlib import Path

from talo_physics.errors import FileError
from talo_physics.geometry.callipers import key_columns, mass_of, missing
from talo_physics.geometry.specimen import plain
from talo_physics.geometry.table import Faults, read_table

MASSES = "masses.csv"


def read_masses(path: Path) -> dict[str, float]:
    """The masses in grams by the names of the scans, with or without their endings.

    Raises:
        FileError: every fault of the file, with its place.
    """
    table = read_table(path)
    columns = key_columns(table, ("id", "mass"))
    if lacking := [key for key in ("id", "mass") if key not in columns]:
        raise missing(table, lacking, "columns id and mass")
    masses, faults = dict[str, float](), Faults()
    for row in table.rows():
        try:
            row.check_width()
            mass = mass_of(row, columns["mass"])
        except FileError as error:
            faults.add(error)
            continue
        name = plain(Path(row.cells[columns["id"]]).name) if columns["id"] < len(row.cells) else ""
        if name in masses:
            faults.add(FileError([row.fault(columns["id"], f"{name} is there already")]))
        elif name and mass is not None:
            masses[name] = mass
    faults.raise_if_any()
    return masses
