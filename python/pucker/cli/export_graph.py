"""``pucker export … -o NAME.onnx``."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Final

import click

from pucker.cli.choices import Cloth, Wrinkles

GRAPH: Final = ".onnx"
_SET: Final = ".npz"


@contextmanager
def telling_of_sets(file: Path) -> Iterator[None]:
    """Says of a trained set that is taken for a clip what is written of it."""
    import pucker
    from pucker import byexample

    try:
        yield
    except pucker.Error:
        if file.suffix != _SET:
            raise
        try:
            byexample.load(file)
        except pucker.Error:
            pass
        else:
            raise ValueError(
                f"{file} is a trained set, which has no paths: a graph is written of it, -o NAME{GRAPH}"
            ) from None
        raise


def write_graph(file: Path, output: Path, cloth: Cloth, wrinkles: Wrinkles, *, as_json: bool, quiet: bool) -> None:
    """Writes the graph of a set and says what it has: of the set `file`, or of --trained, sewn to the character `file`."""
    from pucker import byexample

    worn = wrinkles.method == "byexample" and bool(wrinkles.params().trained)
    if not worn:
        if file.suffix != _SET:
            raise ValueError(f"a graph is of a trained set, but {file} is none, and --trained names none")
        wrinkles = replace(wrinkles, method="byexample", settings={**wrinkles.settings, "trained": str(file)})
    trained = byexample.load(wrinkles.params().trained)
    shared: list[int] = []
    if worn:
        cloth = wrinkles.cloth(cloth)
        with cloth.opened(file) as source:
            # Which vertices the body has too is the same in all clips.
            first = next(iter(source.inspect().clips), None)
            clip = replace(cloth, clip=cloth.clip or first).loaded_from(source)
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
        if trained.cloth is not None and trained.cloth.params.swing and wrinkles.params().swing is None:
            click.echo(
                "the graph's cloth is at rest in every frame, as with swing=0: it does not swing as the set does"
            )
        for each in files:
            click.echo(f"wrote {each}")
