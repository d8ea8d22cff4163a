"""``pucker bake``."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click
from click.core import ParameterSource

from pucker.cli.common import (
    Choice,
    Cloth,
    Command,
    Wrinkles,
    choice_of_cloth,
    choice_of_mesh,
    choice_of_wrinkles,
    json_option,
    needing,
    quiet_option,
    rare_option,
    split_names,
)

if TYPE_CHECKING:
    from pucker import bake
    from pucker.bake.maps import Kind


def _content(report: "bake.SurfaceReport | bake.MapReport") -> dict[str, Any]:
    return {**asdict(report), "files": [str(path) for path in report.files], "bytes": report.bytes}


def _lines(content: dict[str, Any]) -> list[str]:
    lines = [f"{content['frames']} frames, {content['bytes'] / 1e6:.1f} MB"]
    if "triangles" in content:
        lines.append(f"{content['triangles']} triangles, {content['vertices']} vertices of cloth")
        if content["limited_edges"]:
            lines.append(f"{content['limited_edges']} edges are longer than asked: they would need more than 64 pieces")
    if content.get("unwrapped"):
        lines.append(
            f"unwrapped anew, as {content['unwrapped']}; the maps are for the texture coordinates of unwrapped.glb"
        )
    for name, share in content.get("covered", {}).items():
        lines.append(f"{100.0 * share:.1f} % of the texels show {name}")
    files = content["files"]
    lines += [f"wrote {path}" for path in files[:3]]
    return lines if len(files) <= 3 else [*lines, f"and {len(files) - 3} more"]


@click.command(
    "bake",
    cls=Command,
    epilog="Example: pucker bake data/kimono_male.gltf --clip Walk --parts Clothes,Band -o walk.glb",
)
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    required=True,
    help="glTF: .glb or .gltf; USD: .usdc, .usda, .usd or .usdz; Alembic: .abc; NumPy: .npz; a folder, for OBJ files and for maps.",
)
@choice_of_cloth
@choice_of_wrinkles
@choice_of_mesh("0.5 for one mesh, 0.375 per frame")
@rare_option(
    "--per-frame/--one-mesh",
    default=None,
    help="Triangles of its own for each frame, in glTF or OBJ; or one mesh whose vertices move.  "
    "[default: per frame for OBJ, else one mesh]",
)
@rare_option(
    "--normals",
    type=Choice(["file", "smooth"]),
    default="file",
    help="The file's, with its hard edges, where it has some; or smooth ones.",
)
@rare_option(
    "--interpolation",
    type=Choice(["linear", "step"]),
    default="linear",
    help="What a player of a glTF shows between two frames.",
)
@click.option(
    "--maps",
    "kinds",
    callback=split_names,
    metavar="normal,height",
    help="Maps in the model's texture coordinates, in place of triangles.",
)
@rare_option("--map-size", type=click.IntRange(min=1), default=1024, help="Texels of a map's side.")
@rare_option("--map-format", type=Choice(["png", "exr"]), default="png", help="PNG of 16 bits, or EXR.")
@rare_option("--map-space", type=Choice(["tangent", "object"]), default="tangent", help="Space of the normals.")
@rare_option("--padding", type=click.IntRange(min=0), default=8, help="Texels by which maps go on beyond seams.")
@rare_option(
    "--overlap",
    type=Choice(["unwrap", "refuse", "first"]),
    default="unwrap",
    help="Where texture coordinates hold no maps, as two triangles overlap: others, with a model that has them; nothing; or "
    "the first triangle.",
)
@json_option
@quiet_option
def command(
    file: Path,
    output: Path,
    cloth: Cloth,
    wrinkles: Wrinkles,
    levels: int | None,
    edge_share: float | None,
    per_frame: bool | None,
    body: bool,
    normals: Literal["file", "smooth"],
    interpolation: Literal["linear", "step"],
    kinds: "list[Kind] | None",
    map_size: int,
    map_format: Literal["png", "exr"],
    map_space: Literal["tangent", "object"],
    padding: int,
    overlap: Literal["unwrap", "refuse", "first"],
    as_json: bool,
    quiet: bool,
) -> None:
    """Write the wrinkled surface of a clip of FILE as triangles, or as maps, for other programs."""
    with needing("io", "baking"):
        from pucker import bake

    # The file's normals are those of its mesh.
    asked = click.get_current_context().get_parameter_source("normals") is ParameterSource.COMMANDLINE
    cloth = cloth.as_it_is() if normals == "file" and asked else cloth
    clip = wrinkles.cloth(cloth).completed(file, quiet=quiet).load(file, quiet=quiet)
    params = wrinkles.params()
    report: bake.SurfaceReport | bake.MapReport
    if kinds is None:
        report = bake.surface(
            clip,
            output,
            params=params,
            levels=levels,
            edge_share=edge_share,
            per_frame=per_frame,
            body=body,
            normals=normals,
            interpolation=interpolation,
            progress=not quiet,
        )
    else:
        report = bake.maps(
            clip,
            output,
            params=params,
            kinds=kinds,
            size=map_size,
            file_format=map_format,
            space=map_space,
            padding=padding,
            overlap=overlap,
            progress=not quiet,
        )
    content = _content(report)
    if as_json:
        click.echo(json.dumps(content))
    elif not quiet:
        for line in _lines(content):
            click.echo(line)
