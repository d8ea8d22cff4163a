"""The notebooks run from the first cell to the last, and are kept as they ran."""

import base64
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient


def number(path: Path) -> int:
    return int(path.stem.partition("_")[0])


NOTEBOOKS = sorted((Path(__file__).resolve().parents[1] / "notebooks").glob("*.ipynb"), key=number)
QUICK = (1, 2, 3, 4, 5, 8, 11)
# The cells with this tag take longer than the rest of their notebook.
LONG = "long"

every_notebook = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)


def code_cells(notebook: nbformat.NotebookNode) -> list[nbformat.NotebookNode]:
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def pictures(cell: nbformat.NotebookNode) -> list[bytes]:
    data = [output.get("data", {}) for output in cell.outputs]
    return [base64.b64decode(each[kind]) for each in data for kind in ("image/png", "image/jpeg") if kind in each]


def run(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, skip: str) -> nbformat.NotebookNode:
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    notebook = nbformat.read(path, as_version=4)
    for cell in code_cells(notebook):
        cell.outputs, cell.execution_count = [], None
    resources = {"metadata": {"path": str(path.parent)}}
    NotebookClient(notebook, timeout=1200, resources=resources, skip_cells_with_tag=skip).execute()
    return notebook


def test_they_stand_in_an_order():
    assert [number(path) for path in NOTEBOOKS] == list(range(1, 12))


@every_notebook
def test_a_kept_notebook_ran_in_order_without_an_error(path):
    cells = code_cells(nbformat.read(path, as_version=4))
    assert [cell.execution_count for cell in cells] == list(range(1, len(cells) + 1))
    assert not [output for cell in cells for output in cell.outputs if output.output_type == "error"]


@every_notebook
def test_a_picture_stands_on_the_first_screen(path):
    title, first, *_ = nbformat.read(path, as_version=4).cells
    assert title.cell_type == "markdown"
    assert title.source.startswith("# ")
    assert pictures(first)
    assert len(title.source.splitlines()) + len(first.source.splitlines()) < 70


@every_notebook
def test_a_kept_notebook_is_short_and_its_pictures_small(path):
    notebook = nbformat.read(path, as_version=4)
    assert len(notebook.cells) <= 24
    assert all(len(picture) <= 150_000 for cell in code_cells(notebook) for picture in pictures(cell))
    assert path.stat().st_size <= 1_200_000


@every_notebook
def test_a_notebook_needs_no_private_names(path):
    source = "\n".join(cell.source for cell in code_cells(nbformat.read(path, as_version=4)))
    assert not re.findall(r"\.\s*_(?!_)\w+|import _\w+", source)


@pytest.mark.parametrize("path", [p for p in NOTEBOOKS if number(p) in QUICK], ids=lambda path: path.stem)
def test_a_notebook_runs(path, tmp_path, monkeypatch):
    cells = code_cells(run(path, tmp_path, monkeypatch, skip=LONG))
    assert pictures(cells[0])


def without_outputs(path: Path) -> dict[str, Any]:
    notebook = json.loads(path.read_text(encoding="utf-8"))
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            del cell["outputs"], cell["execution_count"]
    return notebook


def test_keeping_a_notebook_changes_nothing_but_its_outputs(tmp_path, monkeypatch):
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    path = tmp_path / "a.ipynb"
    cells = [
        nbformat.v4.new_markdown_cell("# Title\n\nText", id="first", metadata={"tags": ["x"]}),
        nbformat.v4.new_code_cell("1 + 1\n", id="7-0", metadata={"tags": ["long"]}),
        nbformat.v4.new_code_cell("print('two\\nlines')", id="7-1"),
    ]
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    metadata = {"kernelspec": kernel, "language_info": {"name": "python", "version": "3.0"}, "author": "somebody"}
    nbformat.write(nbformat.v4.new_notebook(cells=cells, metadata=metadata), path)
    before = without_outputs(path)
    subprocess.run([sys.executable, NOTEBOOKS[0].parent / "keep.py", path], check=True)
    assert without_outputs(path) == before
    first, second = code_cells(nbformat.read(path, as_version=4))
    assert (first.execution_count, second.execution_count) == (1, 2)
    assert first.outputs[0].data["text/plain"] == "2"
    assert second.outputs[0].text == "two\nlines\n"


def test_a_notebook_that_fails_is_left_as_it_is(tmp_path, monkeypatch):
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    path = tmp_path / "a.ipynb"
    nbformat.write(nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("1 / 0")]), path)
    before = path.read_bytes()
    done = subprocess.run([sys.executable, NOTEBOOKS[0].parent / "keep.py", path], capture_output=True, check=False)
    assert done.returncode == 1
    assert b"ZeroDivisionError" in done.stderr
    assert path.read_bytes() == before


@pytest.mark.slow
@every_notebook
def test_a_notebook_runs_whole(path, tmp_path, monkeypatch):
    cells = code_cells(run(path, tmp_path, monkeypatch, skip=""))
    assert pictures(cells[0])
    assert all(cell.execution_count for cell in cells)
