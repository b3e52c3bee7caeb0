"""Optional packages: what works without them works, and the rest says how to install them."""

from __future__ import annotations

import importlib
import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from click.testing import CliRunner

from talo_physics.errors import MissingExtraError
from talo_physics.extras import extra
from talo_physics.faces.cli import main

ROOT = Path(__file__).parent.parent
FIGURE = ROOT / "scenarios" / "figures" / "21-together.yaml"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
EXTRAS: dict[str, list[str]] = PROJECT["optional-dependencies"]
PACKAGES = ("mujoco", "polars", "distributed", "dask", "viser", "gymnasium", "pettingzoo", "IPython", "matplotlib")
SERVED = ("server", "stage", "panel")
"""The modules of the desk that need viser."""


def without(package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """As if the package were not installed, and nothing that needs it had been imported yet."""
    monkeypatch.setitem(sys.modules, package, None)
    parts = [name for name in sys.modules if name.startswith(f"{package}.")]
    users = ["talo_physics.faces.env", *(f"talo_physics.faces.desk.{module}" for module in SERVED)]
    for name in [*parts, *users]:
        monkeypatch.delitem(sys.modules, name, raising=False)


@pytest.mark.parametrize(
    ("command", "package", "extra_name"),
    [
        ("sweep {spec} -o {folder}/out", "polars", "sweep"),
        ("sweep {spec} -o {folder}/out --dask tcp://127.0.0.1:1", "distributed", "sweep"),
        ("view {figure} --no-wait", "viser", "view"),
        ("view --no-wait", "viser", "view"),
        ("play {folder}/game.talo --browser --no-wait", "viser", "view"),
    ],
)
def test_a_command_without_its_package_says_how_to_install_it(
    command: str, package: str, extra_name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    without(package, monkeypatch)
    words = {"spec": ROOT / "notebooks" / "sweep.yaml", "folder": tmp_path, "figure": FIGURE}
    result = CliRunner().invoke(main, command.format(**words).split(), catch_exceptions=False)
    assert result.exit_code == 2
    expected = f"talo: {package} is not installed; install it with: pip install 'talo-physics[{extra_name}]'\n"
    assert result.stderr == expected
    assert not (tmp_path / "game.talo").exists(), "a game was begun that nobody can play"


@pytest.mark.parametrize("package", ["gymnasium", "pettingzoo"])
def test_the_environment_names_the_package_that_is_missing(package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    without(package, monkeypatch)
    with pytest.raises(MissingExtraError, match=rf"^{package} is not installed; .* 'talo-physics\[env\]'$"):
        importlib.import_module("talo_physics.faces.env")


def test_what_a_package_needs_itself_is_named_and_what_is_broken_is_told() -> None:
    with pytest.raises(MissingExtraError, match=r"^websockets is not installed"), extra("view", "viser"):
        raise ModuleNotFoundError("No module named 'websockets.sync'", name="websockets.sync")
    broken = r"^mujoco cannot be imported \(no libGL\); .*\[check\]'"
    with pytest.raises(MissingExtraError, match=broken), extra("check", "mujoco"):
        raise ImportError("no libGL")


def test_a_module_of_this_package_that_is_missing_is_no_matter_of_installing() -> None:
    with pytest.raises(ModuleNotFoundError, match=r"talo_physics\.nonsense"), extra("view", "viser"):
        importlib.import_module("talo_physics.nonsense")


CORE = f"""
import json, sys
for name in {PACKAGES!r}:
    sys.modules[name] = None
from click.testing import CliRunner
from talo_physics.faces.cli import main
for command in json.loads(sys.argv[1]):
    result = CliRunner().invoke(main, command.split(), catch_exceptions=False)
    assert result.exit_code == 0, (command, result.output)
"""
COMMANDS = [
    "judge {figure}",
    "check {figure}",
    "explain {figure}",
    "moves {figure} --length 3",
    "replay {games}/blockade.talo",
    "render {figure} -o {folder}/a.png -o {folder}/a.gif -o {folder}/a.glb -o {folder}/a.html --size 160x160",
    "hand {figure} --trials 2 --jobs 1",
    "measure {callipers} --no-cases -o {folder}/mine.yaml",
    "play {folder}/game.talo --computer red=random --computer blue=random --seed 3 --json",
    "bench agree -n 1 --no-naive --jobs 1 --disputes {folder}",
    "schema",
]


@pytest.mark.slow
def test_the_core_needs_no_optional_package(tmp_path: Path) -> None:
    words = {"figure": FIGURE, "games": ROOT / "scenarios" / "games", "folder": tmp_path}
    words["callipers"] = ROOT / "talo_physics" / "geometry" / "examples" / "callipers.csv"
    commands = json.dumps([command.format(**words) for command in COMMANDS])
    done = subprocess.run([sys.executable, "-c", CORE, commands], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_the_extra_all_has_every_feature() -> None:
    assert EXTRAS["all"] == [f"talo-physics[{','.join(sorted(set(EXTRAS) - {'all', 'dev'}))}]"]


def test_every_requirement_has_a_lower_and_an_upper_bound() -> None:
    for requirement in [*PROJECT["dependencies"], *(one for group in EXTRAS.values() for one in group)]:
        own = requirement.startswith("talo-physics[")
        assert own or "==" in requirement or re.search(r">=[\d.]+,<[\d.]+", requirement), requirement
