"""Executes notebooks and keeps what they show: of a notebook nothing but its outputs is changed. Of a picture that comes
in several formats the smallest is kept.
"""

import copy
import sys
from pathlib import Path

import nbformat
from nbclient import NotebookClient

from pucker.io.files import replacing

_FORMATS = ("image/png", "image/jpeg")


def drop_larger(cells: list[nbformat.NotebookNode]) -> None:
    """Leaves each picture in one format."""
    for output in (output for cell in cells for output in cell.get("outputs", [])):
        data = output.get("data", {})
        for name in sorted(data.keys() & _FORMATS, key=lambda name: len(data[name]))[1:]:
            data.pop(name)


def keep(path: Path) -> None:
    """Executes a notebook in its folder; raises nbclient.exceptions.CellExecutionError, and leaves it, for one that fails."""
    notebook = nbformat.read(path, as_version=nbformat.NO_CONVERT)
    metadata = copy.deepcopy(notebook.metadata)
    client = NotebookClient(
        notebook, timeout=1200, record_timing=False, resources={"metadata": {"path": str(path.parent)}}
    )
    client.execute()
    drop_larger(notebook.cells)
    # What widgets show is kept beside the outputs that name them; the kernel's own description stays as it was.
    widgets = {name: value for name, value in notebook.metadata.items() if name == "widgets"}
    metadata.pop("widgets", None)
    notebook.metadata = metadata | widgets
    with replacing(path) as temporary:
        nbformat.write(notebook, temporary)


if __name__ == "__main__":
    for name in sys.argv[1:]:
        keep(Path(name))
