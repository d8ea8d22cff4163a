"""``pucker export``."""

import json
from pathlib import Path

import click

from pucker.cli.choices import WITH_PATHS, Cloth, Wrinkles, choice_of_cloth, choice_of_wrinkles
from pucker.cli.common import OUTPUT_PATH, Command, check_output, json_option, quiet_option, shows_progress
from pucker.cli.export_graph import GRAPH, telling_of_sets, write_graph


@click.command(
    "export",
    cls=Command,
    epilog="Example: pucker export data/kimono_male.gltf --clip Walk --parts Clothes,Band -o paths.parquet",
)
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "-o",
    "--output",
    type=OUTPUT_PATH,
    required=True,
    help="Lines: .glb or .gltf; curves: .usd, .usda or .usdc; a table: .csv or .parquet; a trained set as a graph: .onnx.",
)
@choice_of_cloth
@choice_of_wrinkles(WITH_PATHS)
@json_option
@quiet_option
def command(
    file: Path,
    output: Path,
    cloth: Cloth,
    wrinkles: Wrinkles,
    as_json: bool,
    quiet: bool,
) -> None:
    """Write the wrinkle paths of a clip of FILE as lines, curves or a table; or a trained set as an ONNX graph.

    FILE is then the character that wears the set, which --trained names, so that the garment is sewn to it; or the set itself.
    """
    from pucker.io import export
    from pucker.method import method_of

    check_output(output, (*export.FORMATS, GRAPH))
    if output.suffix.lower() == GRAPH:
        write_graph(file, output, cloth, wrinkles, as_json=as_json, quiet=quiet)
        return
    with telling_of_sets(file):
        clip = wrinkles.cloth(cloth).load(file, quiet=quiet, pictures=False)
    params = wrinkles.params()
    report = method_of(params).export(clip, output, params, progress=shows_progress(quiet=quiet))
    if as_json:
        content = {"frames": report.frames, "wrinkles": report.wrinkles, "points": report.points}
        click.echo(json.dumps({"file": str(report.path), **content}))
    elif not quiet:
        click.echo(f"{report.wrinkles} wrinkles, {report.points} points in {report.frames} frames")
        click.echo(f"wrote {report.path}")
