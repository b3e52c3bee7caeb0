"""The door for newcomers: few names, each with a sentence and an example that works."""

from __future__ import annotations

import doctest
import inspect
from importlib import import_module
from pathlib import Path

import pytest

import talo_physics

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
