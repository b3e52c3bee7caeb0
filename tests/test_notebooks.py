"""The notebooks run from top to bottom, and the outputs kept in them are what they put out today.

After a change that alters outputs, write them anew, look at the difference, and commit it:

    pytest tests/test_notebooks.py --refresh-notebooks

A refresh runs the notebooks from the root of the checkout, the tests run them inside notebooks/: both must work, and
must put out the same. Pictures and pages are not compared, texts are compared letter by letter; so a notebook prints
no times, and no more digits than are sure.
"""

from __future__ import annotations

import os
from pathlib import Path

import nbformat
import pytest
from jupyter_client.kernelspec import KernelSpecManager
from jupyter_client.manager import AsyncKernelManager
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError
from nbformat import NotebookNode

ROOT = Path(__file__).parent.parent
FOLDER = ROOT / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))
LARGEST_BYTES = 1_000_000
HANGS_S = 600
"""A cell that takes this long will never end, however slow the machine."""
METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}

each = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)


def read(path: Path) -> NotebookNode:
    return nbformat.read(path, as_version=4)


def code_cells(notebook: NotebookNode) -> list[NotebookNode]:
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def outputs(notebook: NotebookNode) -> list[NotebookNode]:
    return [output for cell in code_cells(notebook) for output in cell.outputs]


def executed(notebook: NotebookNode, folder: Path, ipython: Path) -> NotebookNode:
    """A copy, executed inside the folder by this interpreter, whatever kernels and settings somebody has."""
    copy = nbformat.from_dict({**notebook, "metadata": METADATA})
    for cell in code_cells(copy):
        cell.outputs, cell.execution_count = [], None
    kernels = KernelSpecManager(kernel_dirs=[])
    manager = AsyncKernelManager(kernel_name="python3", kernel_spec_manager=kernels)
    client = NotebookClient(
        copy,
        km=manager,
        timeout=HANGS_S,
        record_timing=False,
        coalesce_streams=True,
        resources={"metadata": {"path": str(folder)}},
    )
    try:
        client.execute(env={**os.environ, "IPYTHONDIR": str(ipython)})
    except CellExecutionError as error:
        pytest.fail(str(error), pytrace=False)
    copy.metadata = nbformat.from_dict(METADATA)  # the kernel adds its version
    return copy


def texts(notebook: NotebookNode) -> list[str]:
    """What each code cell says in letters, without what is only for eyes. A warning on the way is no part of it."""
    said = []
    for cell in code_cells(notebook):
        pieces = [output.text for output in cell.outputs if output.get("name") == "stdout"]
        pieces += [output.data["text/plain"] for output in cell.outputs if "text/plain" in output.get("data", {})]
        said.append("\n".join(pieces))
    return said


@pytest.fixture
def refresh(pytestconfig: pytest.Config) -> bool:
    return bool(pytestconfig.getoption("--refresh-notebooks"))


@pytest.mark.slow
@each
def test_it_runs_from_top_to_bottom_and_puts_out_what_is_kept(path: Path, refresh: bool, tmp_path: Path) -> None:
    there = {entry.name for entry in FOLDER.iterdir()}
    kept = read(path)
    new = executed(kept, ROOT if refresh else FOLDER, tmp_path)
    if refresh:
        nbformat.write(new, path)
        return
    for cell, (now, before) in enumerate(zip(texts(new), texts(kept), strict=True), 1):
        assert now == before, f"In [{cell}] puts out something else than what is kept"
    assert {entry.name for entry in FOLDER.iterdir()} == there  # it leaves nothing behind


@each
def test_what_is_kept_reads_well(path: Path, refresh: bool) -> None:
    if refresh:
        pytest.skip("it is being written")
    notebook = read(path)
    nbformat.validate(notebook)
    kinds = {kind for output in outputs(notebook) for kind in output.get("data", {})}
    assert "image/png" in kinds
    assert not [output for output in outputs(notebook) if output.output_type == "error"]
    assert not [output.text for output in outputs(notebook) if output.get("name") == "stderr"]
    assert notebook.cells[0].source.startswith("# ")
    assert path.stat().st_size < LARGEST_BYTES


@each
def test_what_is_kept_is_the_whole_run_and_nothing_about_it(path: Path, refresh: bool) -> None:
    if refresh:
        pytest.skip("it is being written")
    notebook = read(path)
    cells = code_cells(notebook)
    assert [cell.execution_count for cell in cells] == [*range(1, len(cells) + 1)]
    assert notebook.metadata == METADATA
    assert [cell.metadata for cell in notebook.cells if cell.metadata] == []


@each
def test_it_is_in_the_table_of_the_readme(path: Path) -> None:
    assert f"](notebooks/{path.name}) | " in (ROOT / "README.md").read_text()


def test_each_has_a_number_of_its_own() -> None:
    numbers = [int(path.name.partition("-")[0]) for path in NOTEBOOKS]
    assert len(set(numbers)) == len(numbers)
