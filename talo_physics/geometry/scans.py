"""Scanned blocks: a mesh a file becomes the sides and the volume of a block."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from talo_physics.errors import Fault, FileError, TaloError
from talo_physics.geometry.boxfit import Box, fit_box
from talo_physics.geometry.profile import LENGTHS
from talo_physics.geometry.specimen import UNITS_MM, Oddity, Specimen, mass_fault, other_unit, plain, unit_advice

if TYPE_CHECKING:
    import trimesh

MOST_FACES = 6_000_000
"""Half a minute and 4 GB of memory; a block is known as well from some ten thousand."""
MOST_MB = {".stl": 300, ".ply": 150, ".obj": 400, ".glb": 150}
"""Files with about that many faces: told before they fill the memory."""
WIDEST_HOLE = 0.25
"""Holes up to this share of a block's width are closed; what a wider one would have shown is not guessed."""
LEAST_FLAT = 0.8
"""A scan of which less lies on six planes is not one of a block."""
SPECK = 0.02
"""Loose pieces with up to this share of the surface are specks of dust and are dropped."""
FARTHEST = 1e7
"""In any unit; also what is not a number is not nearer."""
LEAST_WHOLE = 0.9
"""The greatest connected piece must have this share of the surface; a soup of triangles is no scan."""
MOST_TURNED = 500_000
"""Faces that are turned round here where they are inside out; the graph of more would fill the memory."""
_CLOSE_IT = "scan the missing side too, or close it in the scanning program"
_NAME = re.compile(r"(10|[1-9])(?!\d)")
_REDUCE = f"reduce it in the scanning program (decimate); {MOST_FACES // 1_000_000} million faces are the most"


def read_scan(path: Path, unit: str | None, pitch_mm: float, mass_g: float | None = None) -> Specimen:
    """One scanned block. Its length class comes from its sides, and from a name that begins with it, `4-a.stl`.

    Raises:
        FileError: it is not a closed scan of one block, with what to do about it.
    """
    try:
        with np.errstate(all="ignore"):  # what comes of numbers beyond all bounds is looked at, not warned of
            return _read_scan(path, unit, pitch_mm, mass_g)
    except FileError:
        raise
    except TaloError as error:
        raise FileError([Fault(str(error), source=str(path))]) from None
    except MemoryError:
        raise FileError([Fault(f"too large for this machine's memory: {_REDUCE}", source=str(path))]) from None


def _read_scan(path: Path, unit: str | None, pitch_mm: float, mass_g: float | None) -> Specimen:
    where = plain(str(path))
    mesh, notes = _load(path), list[str]()
    mesh = _without_specks(mesh, notes)
    box = _fitted(mesh)
    factor = _to_mm(box, unit, pitch_mm, path.suffix.lower(), notes)
    volume = _closed(mesh, box, factor, notes) * factor**3
    if mass_g is not None and (fault := mass_fault(mass_g, volume)):
        raise TaloError(fault)
    length_mm, width, height = _sides(box, factor)
    length = _length_class(path.stem, length_mm, (width + height) / 2)
    if abs(length_mm - length * pitch_mm) > pitch_mm / 2:
        raise TaloError(
            f"{length_mm:.2f} mm is not near {length} x {pitch_mm:g} mm; blocks of another grid need --pitch"
        )
    oddities = tuple(Oddity("scan", note, where, (length,)) for note in notes)
    return Specimen(
        plain(path.stem),
        length,
        length_mm,
        (width, height),
        mass_g,
        plain(str(path.parent)),
        where,
        volume_mm3=volume,
        oddities=oddities,
    )


def _load(path: Path) -> trimesh.Trimesh:
    import trimesh

    try:
        _check_size(path)
        # Materials and textures would only be looked up in other files.
        mesh = trimesh.load_mesh(path, skip_materials=True)
    except OSError as error:
        raise TaloError(f"cannot be read: {error.strerror or error}") from None
    except (TaloError, MemoryError):
        raise
    except Exception as error:  # the readers of trimesh raise whatever they stumble over
        raise TaloError(f"not a {path.suffix[1:].upper()} file that can be read ({type(error).__name__})") from None
    if not isinstance(mesh, trimesh.Trimesh) or not len(mesh.faces):
        raise TaloError("no surface in it: a mesh with faces was expected, not points or an empty file")
    if len(mesh.faces) > MOST_FACES:
        raise TaloError(f"{len(mesh.faces) / 1e6:.1f} million faces: {_REDUCE}")
    if not (mesh.faces.min() >= 0 and mesh.faces.max() < len(mesh.vertices)):
        raise TaloError("a damaged file: some of its faces have corners that are not there")
    if not np.abs(mesh.vertices).max() < FARTHEST:
        raise TaloError("some of its points lie beyond all bounds, or nowhere")
    mesh.merge_vertices(merge_tex=True, merge_norm=True)
    mesh.update_faces(mesh.nondegenerate_faces() & mesh.unique_faces())
    if not mesh.area > 0:
        raise TaloError("its surface has no area")
    return mesh


def _check_size(path: Path) -> None:
    size_mb, most = path.stat().st_size / 1e6, MOST_MB[path.suffix.lower()]
    if size_mb > most:
        raise TaloError(f"{size_mb:.0f} MB is more than {most}: {_REDUCE}")


def _without_specks(mesh: trimesh.Trimesh, notes: list[str]) -> trimesh.Trimesh:
    """The greatest connected piece, if all others are specks."""
    import trimesh

    labels = trimesh.graph.connected_component_labels(mesh.face_adjacency, node_count=len(mesh.faces))
    areas = np.bincount(labels, weights=mesh.area_faces) / mesh.area
    if len(areas) == 1:
        return mesh
    bodies = int(np.sum(areas > SPECK))
    if bodies > 1:
        raise TaloError(f"{bodies} separate bodies: one block a file was expected, without the table it lay on")
    if areas.max() < LEAST_WHOLE:
        raise TaloError(f"its surface is in {len(areas)} pieces; join them in the scanning program")
    notes.append(f"dropped {_count(len(areas) - 1, 'loose speck')}, {1 - areas.max():.2%} of the surface")
    mesh.update_faces(labels == int(np.argmax(areas)))
    mesh.remove_unreferenced_vertices()
    return mesh


def _fitted(mesh: trimesh.Trimesh) -> Box:
    """The block that the scan is one of."""
    box = fit_box(mesh)
    if box is not None and box.flat >= LEAST_FLAT:
        return box
    if not mesh.is_watertight:
        holes = _hole_widths(mesh)
        raise TaloError(f"not closed: {_count(len(holes), 'hole')}, and no six faces to be seen; {_CLOSE_IT}")
    share = f"only {box.flat:.0%} of its surface lies on" if box else "it has no"
    raise TaloError(f"not a scan of one block: {share} six planes; cut away what is not the block")


def _to_mm(box: Box, unit: str | None, pitch_mm: float, ending: str, notes: list[str]) -> float:
    """The factor from the scan's unit to millimetres."""
    section = sum(box.sides[1:]) / 2 * UNITS_MM[unit or "mm"]
    shown = " x ".join(f"{side:.3g}" for side in box.sides)
    if abs(section - pitch_mm) <= pitch_mm / 2:
        return UNITS_MM[unit or "mm"]
    guess = other_unit(section, pitch_mm) if unit is None else None
    if guess == "m" and ending == ".glb":
        notes.append("read in metres, as GLB files are by their standard")
        return UNITS_MM["m"]
    if guess:
        raise TaloError(f"{shown} is no block in millimetres; {unit_advice(guess)}")
    advice = "say --unit mm, cm, m or in" if unit is None else f"--unit {unit} does not make it one"
    raise TaloError(f"{shown} is not a block about {pitch_mm:g} mm thick; {advice}")


def _closed(mesh: trimesh.Trimesh, box: Box, factor: float, notes: list[str]) -> float:
    """The volume inside, in the scan's unit; small holes are closed for that, `mesh` is changed."""
    import trimesh

    if not mesh.is_watertight:
        holes = _hole_widths(mesh)
        widest = max(holes, default=0.0)
        if widest > WIDEST_HOLE * box.sides[2]:
            most = WIDEST_HOLE * box.sides[2] * factor
            wide = f"{_count(len(holes), 'hole')}, the widest {widest * factor:.1f} mm"
            raise TaloError(f"not closed: {wide}; up to {most:.1f} mm are closed here; {_CLOSE_IT}")
        if not (holes and trimesh.repair.fill_holes(mesh, use_fan=True)):
            raise TaloError("not closed: faces meet in ways that bound no volume; repair it in the scanning program")
        notes.append(f"closed {_count(len(holes), 'hole')} up to {widest * factor:.1f} mm wide")
    if not mesh.is_winding_consistent:
        if len(mesh.faces) > MOST_TURNED:
            raise TaloError("some faces are inside out; turn them in the scanning program (consistent normals)")
        trimesh.repair.fix_winding(mesh)
        notes.append("turned faces that were inside out")
    volume, of_box = abs(float(mesh.volume)), float(np.prod(box.sides))
    if not 0.9 <= volume / of_box <= 1.1:
        raise TaloError(f"its volume is {volume / of_box:.0%} of its sides' product: hollow, or scanned twice over")
    return volume


def _hole_widths(mesh: trimesh.Trimesh) -> list[float]:
    """How wide each hole is across: a run of edges that belong to one face only."""
    import trimesh

    lonely = trimesh.grouping.group_rows(mesh.edges_sorted, require_count=1)
    edges = mesh.edges_sorted[lonely]
    rims = trimesh.graph.connected_components(edges, min_len=3)
    rings = [mesh.vertices[rim] for rim in rims]
    return [2 * float(np.linalg.norm(ring - ring.mean(axis=0), axis=1).max()) for ring in rings]


def _sides(box: Box, factor: float) -> tuple[float, float, float]:
    """Length, width and height. The length is the one that differs most: of a 1 it need not be the longest."""
    a, b, c = (side * factor for side in box.sides)
    return (a, b, c) if a - b >= b - c else (c, a, b)


def _length_class(name: str, length_mm: float, section_mm: float) -> int:
    length = round(length_mm / section_mm)
    if length not in LENGTHS:
        raise TaloError(f"{length_mm:.1f} mm long and {section_mm:.1f} mm thick: no block of 1 to 10 units")
    named = _NAME.match(name)
    if named and int(named[1]) != length:
        raise TaloError(
            f"named as a {named[1]}, but {length_mm:.1f} mm are a {length}; "
            f"call it {length}-..., or let its name begin with a letter"
        )
    return length


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
