"""``pucker export … -o NAME.onnx``."""

import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from pucker.cli.choices import Cloth, Wrinkles

if TYPE_CHECKING:
    from pucker.byexample import TrainedSet

GRAPH: Final = ".onnx"


def _is_set(file: Path) -> bool:
    """Whether a file says that it is a trained set, of whatever version."""
    import zipfile

    import numpy as np

    try:
        with np.load(file) as arrays:
            return '"pucker.byexample"' in str(arrays["header"])
    except (OSError, ValueError, KeyError, EOFError, AttributeError, zipfile.BadZipFile):
        return False


def check_file(file: Path) -> None:
    """Raises ValueError for a trained set, which has no paths."""
    if file.suffix == ".npz" and _is_set(file):
        raise ValueError(f"{file} is a trained set, which has no paths: it is written as a graph, -o NAME{GRAPH}")


def _played(file: Path, wrinkles: Wrinkles) -> tuple["TrainedSet", Path, Wrinkles]:
    """The set, its file, and how it wrinkles."""
    from pucker import byexample

    if not file.exists():
        raise FileNotFoundError(f"{file} does not exist")
    if _is_set(file):
        if "trained" in wrinkles.settings:
            raise ValueError(f"{file} is a trained set itself, so that --trained names none")
        wrinkles = replace(wrinkles, method="byexample", settings={**wrinkles.settings, "trained": str(file)})
    if wrinkles.method != "byexample":
        raise ValueError(f"a graph is of a trained set: {file} is none, and --trained names none")
    trained = Path(wrinkles.params().trained or file)
    return byexample.load(trained), trained, wrinkles


def write_graph(file: Path, output: Path, cloth: Cloth, wrinkles: Wrinkles, *, as_json: bool, quiet: bool) -> None:
    """Writes the graph of a set, sewn to the character `file` if that is not the set itself, and says what it has."""
    from pucker import byexample

    trained, source, wrinkles = _played(file, wrinkles)
    shared: list[int] = []
    if source != file:
        clip = wrinkles.cloth(cloth).completed(file, quiet=True).load(file, quiet=quiet)
        trained.check(clip.mesh)
        shared = [int(vertex) for vertex in clip.shared_vertices]
    report = byexample.write_onnx(trained, output, params=wrinkles.params(), shared=shared)
    files = [each for each in (report.path, report.first) if each is not None]
    if as_json:
        content = {"inputs": report.inputs, "outputs": report.outputs, "bytes": report.bytes}
        click.echo(json.dumps({"files": [str(each) for each in files], **content}))
    elif not quiet:
        for kind, shapes in (("takes", report.inputs), ("gives", report.outputs)):
            told = ", ".join(f"{name} ({', '.join(map(str, shape))})" for name, shape in shapes.items())
            click.echo(f"{kind} {told}")
        for each in files:
            click.echo(f"wrote {each}")
