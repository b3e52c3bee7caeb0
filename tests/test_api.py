"""The door for newcomers: few names, each with a sentence and an example that works."""

from __future__ import annotations

import doctest
import inspect
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

import pytest

import talo_physics
from talo_physics import Scenario, TaloError, Tower

PACKAGE = Path(talo_physics.__file__).parent
WITH_EXAMPLES = sorted(
    ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts)
    for path in PACKAGE.rglob("*.py")
    if ">>> " in path.read_text()
)


def test_the_public_names_are_few() -> None:
    assert 15 <= len(talo_physics.__all__) <= 25
    assert len(set(talo_physics.__all__)) == len(talo_physics.__all__)


@pytest.mark.parametrize("name", talo_physics.__all__)
def test_a_public_name_has_a_docstring_with_an_example(name: str) -> None:
    thing = getattr(talo_physics, name)
    assert inspect.getdoc(thing).strip().splitlines()[0].endswith((".", ":"))  # type: ignore[union-attr]
    found = doctest.DocTestFinder(recurse=False).find(thing, name)
    assert any(test.examples for test in found)


@pytest.mark.parametrize("module", WITH_EXAMPLES)
def test_examples_in_docstrings_work(module: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # some write a file first
    result = doctest.testmod(import_module(module))
    assert (result.failed, result.attempted > 0) == (0, True)


def test_the_package_is_typed() -> None:
    assert (PACKAGE / "py.typed").is_file()


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: talo_physics.judge(Tower.parse("1z@3,4,0")), r"a Scenario was expected, such as Scenario\(tower\)"),
        (lambda: talo_physics.explain(Scenario(Tower())), r"such as explain\(judge\(scene\)\), not Scenario"),
        (lambda: Scenario(Tower(), "3x@1,4,1"), r"proposal: a Proposal was expected, not str; Scenario.parse"),
        (lambda: Scenario(Tower(), board="island"), r"board: a Board was expected, not str"),
        (lambda: Scenario("1z@3,4,0"), r"tower: a Tower was expected, not str"),
        (lambda: talo_physics.judge_many([], 5), r"Wishes were expected, not int; workers go as executor="),
    ],
)
def test_a_guess_that_is_wrong_is_told_the_right_call(call: Callable[[], object], says: str) -> None:
    with pytest.raises(TaloError, match=says):
        call()


def test_a_scenario_is_made_of_texts_as_on_the_command_line() -> None:
    scene = Scenario.parse("1z@3,4,0 4x@2,4,1", propose=["1z@2,4,2"], pawns="red@7,7,0", board="island", turn="red")
    assert [str(piece) for piece in (*scene.tower.blocks, *scene.tower.pawns)] == ["1z@3,4,0", "4x@2,4,1", "red@7,7,0"]
    assert (str(scene.proposal), scene.board.name, scene.turn) == ("1z@2,4,2", "island", "red")
    with pytest.raises(TaloError, match="nowhere"):
        Scenario.parse("1z@3,4,0", board="nowhere")


def test_values_print_themselves_in_a_few_words() -> None:
    answer = talo_physics.judge(Scenario.parse("1z@3,4,0", propose="3x@2,4,1"))
    assert repr(answer) == "<Judgement of 3x@2,4,1: stands, legal>"
    assert str(answer) == "stands, legal"
    assert str(talo_physics.explain(answer)).splitlines()[:2] == [
        "statics: stands, up to 21.4 degrees of tilt",
        "  3x@2,4,1 puts 16.8 g on 1z@3,4,0",
    ]
    assert len(repr(answer.scenario)) < 500
    assert "TYPE_CHECKING" not in dir(talo_physics)
