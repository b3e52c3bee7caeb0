"""The rooms of the package: each looks only upstream, and one module owns PyBullet."""

from __future__ import annotations

import ast
import importlib
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import trimesh

import talo_physics
from talo_physics import Tower, load_profile
from talo_physics.errors import TaloError
from talo_physics.faces.solids import save_solid, tower_scene
from talo_physics.geometry.profile import Profile
from talo_physics.geometry.solids import block_solid, pawn_solid

PACKAGE = Path(talo_physics.__file__).parent
MODULES = sorted(PACKAGE.rglob("*.py"))
# From upstream to downstream; a room may look at itself and at what stands before it.
ROOMS = [
    "errors",
    "extras",
    "writing",
    "datafile",
    "validation",
    "geometry",
    "tower",
    "physics",
    "rules",
    "scenario",
    "judgement",
    "many",
    "game",
    "hand",
    "bench",
    "sweep",
    "faces",
]


def imports(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


def room(module: str) -> str:
    return module.split(".")[1] if "." in module else ""


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_a_room_looks_only_upstream(path: Path) -> None:
    own = path.relative_to(PACKAGE).parts[0].removesuffix(".py")
    if own in ("__init__", "__main__"):
        return
    for module in imports(path):
        if module.startswith("talo_physics."):
            assert ROOMS.index(room(module)) <= ROOMS.index(own), f"{path.name} looks at {module}"


def test_rules_never_look_at_physics() -> None:
    for path in (PACKAGE / "rules").glob("*.py"):
        assert not any(room(module) == "physics" for module in imports(path)), path


def test_one_module_owns_pybullet() -> None:
    users = [path.name for path in MODULES if any(module.split(".")[0] == "pybullet" for module in imports(path))]
    assert users == ["bullet.py"]


def test_every_public_name_is_there_and_says_what_it_is() -> None:
    for name in talo_physics.__all__:
        value = getattr(talo_physics, name)
        assert value.__doc__, name
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = talo_physics.nonsense
    assert set(talo_physics.__all__) <= set(dir(talo_physics))
    assert importlib.import_module("talo_physics.judgement").judge is talo_physics.judge


# ---- solids for other programs


@pytest.fixture
def nominal() -> Profile:
    return load_profile("nominal")


@pytest.mark.parametrize("ending", [".glb", ".stl"])
def test_blocks_pawns_and_towers_are_exported(tmp_path: Path, ending: str, nominal: Profile) -> None:
    tower = Tower.parse(["2z@0,0,0", "3y@0,0,2"], ["red@0,2,3"])
    for name, solid in (
        ("block", block_solid(nominal, 4)),
        ("pawn", pawn_solid(nominal)),
        ("tower", tower_scene(tower, nominal)),
    ):
        path = tmp_path / f"{name}{ending}"
        save_solid(solid, path)
        loaded = trimesh.load(path)
        assert np.allclose(loaded.bounds, solid.bounds, atol=1e-3)
    assert sorted(path.suffix for path in tmp_path.iterdir()) == [ending] * 3  # nothing half-written is left


def test_a_tower_is_exported_where_it_stands(nominal: Profile) -> None:
    scene = tower_scene(Tower.parse(["2z@0,0,0", "3y@0,0,2"], ["red@0,2,3"]), nominal)
    assert np.allclose(scene.bounds, [[0, 0, 0], [20, 60, 96]], atol=0.01)
    assert {"2z@0,0,0", "3y@0,0,2", "red@0,2,3"} <= set(scene.graph.nodes)
    turned = tower_scene(Tower.parse(["4~3,3,0.5,0,0,90"]), nominal)
    assert np.allclose(turned.bounds, [[50, 20, 0], [70, 100, 20]], atol=0.01)


def test_an_unknown_ending_is_told(tmp_path: Path, nominal: Profile) -> None:
    with pytest.raises(TaloError, match="solids are written as"):
        save_solid(pawn_solid(nominal), tmp_path / "pawn.doc")
