"""``pucker bake``."""

import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click
from click.core import ParameterSource

from pucker.cli.choices import (
    Cloth,
    Wrinkles,
    choice_of_cloth,
    choice_of_mesh,
    choice_of_workers,
    choice_of_wrinkles,
)
from pucker.cli.common import (
    Choice,
    Command,
    check_output,
    json_option,
    quiet_option,
    rare_option,
    shows_progress,
    split_names,
)
from pucker.cli.errors import needing, printable
from pucker.io.files import check_output_folder, make_folder

if TYPE_CHECKING:
    import pucker
    from pucker import bake

    _Report = bake.SurfaceReport | bake.MapReport | bake.WrinkleMapReport | bake.SkinnedReport | bake.VatReport

_SHOT_SUFFIX: Final = ".toml"
# What goes with a shot file: all else is said there, of each output.
_OF_SHOTS: Final = frozenset({"file", "output", "method", "settings", "workers", "scheduler", "as_json", "quiet"})
# Status of a shot that is finished but for outputs that failed.
_SOME_FAILED: Final = 1


def _content(report: "_Report") -> dict[str, Any]:
    own = {"targets": report.fits[-1].targets} if hasattr(report, "fits") else {}
    content = {**asdict(report), **own, "files": [str(path) for path in report.files], "bytes": report.bytes}
    if content.get("graph"):
        content["graph"]["path"] = str(content["graph"]["path"])
    return content


def _lines(content: dict[str, Any]) -> list[str]:
    lines = [f"{content['frames']} frames, {content['bytes'] / 1e6:.1f} MB"]
    if "triangles" in content:
        lines.append(f"{content['triangles']} triangles, {content['vertices']} vertices of cloth")
        if content.get("limited_edges"):
            lines.append(f"{content['limited_edges']} edges are longer than asked: they would need more than 64 pieces")
    if content.get("unwrapped"):
        lines.append(
            f"unwrapped anew, as {content['unwrapped']}; the maps are for the texture coordinates of unwrapped.glb"
        )
    if "size" in content:
        lines.append(
            f"{content['vertices']} vertices, textures of {content['size'][0]} x {content['size'][1]} texels, positions within "
            f"{content['error']:.2g}"
        )
    if "targets" in content:
        fits = content["fits"]
        shown = [fit for fit in fits if fit["targets"] in (0, 4, 8, 16, 32, 64, 128)]
        lines += [
            f"{fit['targets']:3d} targets: correlation {fit['correlation']:.3f}, error {fit['error']:.3g}"
            for fit in (shown if fits[-1] in shown else [*shown, fits[-1]])
        ]
        if content["vertices_cut"]:
            lines.append(
                f"{content['vertices_cut']} vertices follow more than 4 joints: up to {content['most_lost']:.2f} of their weight went to the others"
            )
        if content["body_vertices_cut"]:
            lines.append(
                f"{content['body_vertices_cut']} vertices of the body follow more than 4 joints: up to {content['body_most_lost']:.2f} of "
                "their weight went to the others, which no target makes up for"
            )
        if not content["quantized"]:
            lines.append("targets are stored as floats")
    if graph := content.get("graph"):
        again = content["frames"] - graph["poses"]
        cause = f": {again} frames repeat a pose with other weights" if again else ""
        lines.append(
            f"a graph of {graph['bytes'] / 1e6:.2f} MB gives the weights of {graph['targets']} targets from {graph['joints']} joints, within "
            f"{graph['error']:.1g} of the largest baked{cause}"
        )
        if graph["unseen"] is not None:
            lines.append(f"learned from all clips but one, its weights for that one correlate by {graph['unseen']:.2f}")
    for region in content.get("regions", ()):
        lines.append(
            f"{region['name']}: deepest in frame {region['frame']} of {region['clip']}, weights and depth correlate by "
            f"{region['correlation']:.2f}"
        )
    for name, share in content.get("covered", {}).items():
        lines.append(f"{100.0 * share:.1f} % of the texels show {name}")
    files = content["files"]
    lines += [f"wrote {path}" for path in files[:3]]
    return lines if len(files) <= 3 else [*lines, f"and {len(files) - 3} more"]


def _clips(file: Path, cloth: Cloth, names: list[str] | None, *, quiet: bool) -> "dict[str, pucker.Clip]":
    """The clips asked for, or all of the file."""
    if names is not None and cloth.clip is not None:
        raise click.UsageError("clips are chosen twice, by --clip and by --clips")
    with cloth.opened(file) as source:
        known = list(source.inspect().clips)
        chosen = names or ([cloth.clip] if cloth.clip is not None else known)
        if not chosen:
            raise ValueError(f"{file} has no clips, by which a character could move")
        cloth = replace(cloth, clip=chosen[0]).completed_in(source, file, quiet=quiet)
        clips = {name: replace(cloth, clip=name).loaded_from(source) for name in chosen}
    if names is None and len(clips) > 1 and not quiet:
        frames = sum(map(len, clips.values()))
        told = f"baking all {len(clips)} clips, {frames} frames; --clips A,B takes some of them"
        click.echo(printable(f"{file}: {told}"), err=True)
    return clips


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
    help="glTF: .glb or .gltf; USD: .usdc, .usda, .usd or .usdz; Alembic: .abc; NumPy: .npz; a folder, for OBJ files, for maps "
    "and for the outputs of a shot file.",
)
@choice_of_cloth
@choice_of_wrinkles()
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
    "--skinned",
    is_flag=True,
    help="The character with its skeleton and all its clips, and the detail as morph targets; glTF or USD.",
)
@click.option(
    "--clips",
    callback=split_names,
    metavar="A,B,…",
    help="Of --skinned and --wrinkle-maps: the clips.  [default: all, or that of --clip]",
)
@click.option(
    "--targets",
    type=click.IntRange(min=1),
    show_default="as many as reach a correlation of 0.95, 128 at most",
    help="Of --skinned: the number of morph targets.",
)
@click.option(
    "--basis",
    type=Choice(["nearer", "whole", "regions"]),
    default="nearer",
    help="Of --skinned with --floats: whether a target moves all of the garment, or a region.",
)
@click.option(
    "--floats",
    is_flag=True,
    help="Of --skinned in glTF: targets as floats, for programs that do not know KHR_mesh_quantization.",
)
@click.option(
    "--graph",
    is_flag=True,
    help="Of --skinned: also NAME.onnx, a graph that gives the weights of the morph targets in any pose of the joints.",
)
@click.option(
    "--vat",
    is_flag=True,
    help="Vertex animation textures with OpenVAT's keys: .exr, with normals, mesh and numbers beside it.",
)
@click.option(
    "--maps",
    "kinds",
    callback=split_names,
    metavar="normal,height",
    help="Maps in the model's texture coordinates, in place of triangles.",
)
@click.option(
    "--wrinkle-maps",
    is_flag=True,
    help="One map of the deepest wrinkles of all clips, and for each region a mask, with weights that its compression drives.",
)
@rare_option("--regions", type=click.IntRange(min=1), default=8, help="Of --wrinkle-maps: the number of regions.")
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
@choice_of_workers("Of a shot file: ", option=rare_option)
@json_option
@quiet_option
def command(
    file: Path,
    output: Path,
    cloth: Cloth,
    wrinkles: Wrinkles,
    *,
    workers: int | None,
    scheduler: str | None,
    as_json: bool,
    quiet: bool,
    **chosen: Any,
) -> dict[str, Any] | None:
    """Write the wrinkled surface of a clip of FILE as triangles, or as maps, for other programs.

    FILE may be a shot file, .toml, that lists many bakes.
    """
    with needing("io", "baking"):
        import pucker.bake  # noqa: F401

    if file.suffix.lower() == _SHOT_SUFFIX:
        _bake_shot(file, output, workers, scheduler, as_json=as_json, quiet=quiet)
        return None
    if workers is not None or scheduler is not None:
        raise click.UsageError("--workers and --scheduler are for a shot file")
    check(**chosen)
    # Choosing and loading may take minutes: what would fail after it should fail before.
    _check_output(output, chosen)
    # A skin and the file's normals are those of its mesh.
    asked = click.get_current_context().get_parameter_source("normals") is ParameterSource.COMMANDLINE
    cloth = cloth.as_it_is() if chosen["skinned"] or (chosen["normals"] == "file" and asked) else cloth
    params = wrinkles.params()
    cloth = wrinkles.cloth(cloth)
    shown = shows_progress(quiet=quiet)
    report: _Report
    if chosen["skinned"] or chosen["wrinkle_maps"]:
        clips = _clips(file, cloth, chosen["clips"], quiet=quiet)
        of_all = _skinned if chosen["skinned"] else _wrinkle_maps
        report = of_all(clips, output, chosen, params=params, progress=shown)
    else:
        clip = cloth.load(file, quiet=quiet)
        bake = _vat if chosen["vat"] else _surface if chosen["kinds"] is None else _maps
        report = bake(clip, output, chosen, params=params, progress=shown)
    content = _content(report)
    if as_json:
        click.echo(json.dumps(content))
    elif not quiet:
        for line in _lines(content):
            click.echo(line)
    return content


def bake_one(arguments: Sequence[str]) -> dict[str, Any]:
    """The summary of one bake, by the arguments of the command; it runs on the workers of a shot."""
    with command.make_context("bake", [*arguments]) as context:
        found: dict[str, Any] = command.invoke(context)
    return found


def _bake_shot(
    file: Path, output: Path, workers: int | None, scheduler: str | None, *, as_json: bool, quiet: bool
) -> None:
    from tqdm import tqdm

    from pucker.cli.shot import bake_all, read_shot

    context = click.get_current_context()
    given = {
        param.name
        for param in command.params
        if param.name and context.get_parameter_source(param.name) is ParameterSource.COMMANDLINE
    }
    for param in command.params:
        if param.name in given - _OF_SHOTS:
            raise click.UsageError(f"{max(param.opts, key=len)} is written in the shot file, of all outputs or of one")
    others = {key: context.params[name] for key, name in (("method", "method"), ("set", "settings")) if name in given}
    outputs = read_shot(file, output, command, check, others)
    make_folder(output)
    summaries: dict[str, dict[str, Any]] = {}
    with tqdm(total=len(outputs), unit="output", disable=not shows_progress(quiet=quiet)) as bar:
        for each, summary in bake_all(outputs, bake_one, workers=workers, scheduler=scheduler):
            summaries[each.name] = summary
            bar.update()
    rows = [{"output": each.name, **summaries[each.name]} for each in outputs]
    failed = [row for row in rows if row["error"] is not None]
    made = sum(bool(row.get("made")) for row in rows)
    if as_json:
        click.echo(json.dumps(rows, indent=2, ensure_ascii=False))
    elif not quiet:
        there = len(rows) - made - len(failed)
        click.echo(f"{len(rows)} outputs in {output}: {made} made, {there} there already, {len(failed)} failed")
    for row in failed:
        click.echo(printable(f"pucker: {row['output']}: {row['error']}"), err=True)
    if failed:
        sys.exit(_SOME_FAILED)


def check(
    *,
    skinned: bool,
    vat: bool,
    kinds: Any,
    per_frame: Any,
    edge_share: Any,
    clips: Any,
    targets: Any,
    floats: bool,
    graph: bool,
    wrinkle_maps: bool,
    **_: Any,
) -> None:
    """Raises click.UsageError for options that do not go with each other."""
    maps = wrinkle_maps or kinds is not None
    if vat and (skinned or maps or per_frame):
        raise click.UsageError("--vat goes with neither --skinned nor --maps nor --wrinkle-maps nor --per-frame")
    if skinned and (maps or per_frame or edge_share is not None):
        raise click.UsageError("--skinned goes with neither --maps nor --wrinkle-maps nor --per-frame nor --edge-share")
    if not skinned and (targets is not None or floats or graph):
        raise click.UsageError("--targets, --floats and --graph are for --skinned")
    if not (skinned or wrinkle_maps) and clips is not None:
        raise click.UsageError("--clips is for --skinned and --wrinkle-maps")


def _of(chosen: Mapping[str, Any], *names: str) -> dict[str, Any]:
    return {name: chosen[name] for name in names}


def _skinned(
    clips: "dict[str, pucker.Clip]", output: Path, chosen: Mapping[str, Any], **common: Any
) -> "bake.SkinnedReport":
    from pucker import bake

    own = _of(chosen, "targets", "basis", "levels", "body", "normals", "graph")
    return bake.skinned(clips, output, quantized=not chosen["floats"], **own, **common)


def _check_output(output: Path, chosen: Mapping[str, Any]) -> None:
    """Raises ValueError, OSError or pucker.Error for an output that could not be written in the end."""
    from pucker.bake.clip import writer_of
    from pucker.bake.skinned import FORMATS
    from pucker.bake.vat import check_mesh_beside

    if chosen["skinned"] or chosen["vat"]:
        check_output(output, FORMATS if chosen["skinned"] else (".exr",))
        if chosen["vat"]:
            check_mesh_beside(output)
    elif chosen["wrinkle_maps"] or chosen["kinds"] is not None:
        check_output_folder(output)
    else:
        writer_of(output)


def _vat(clip: "pucker.Clip", output: Path, chosen: Mapping[str, Any], **common: Any) -> "bake.VatReport":
    from pucker import bake

    return bake.vat(clip, output, **_of(chosen, "levels", "edge_share", "body", "normals"), **common)


def _surface(clip: "pucker.Clip", output: Path, chosen: Mapping[str, Any], **common: Any) -> "bake.SurfaceReport":
    from pucker import bake

    own = _of(chosen, "levels", "edge_share", "per_frame", "body", "normals", "interpolation")
    return bake.surface(clip, output, **own, **common)


def _maps(clip: "pucker.Clip", output: Path, chosen: Mapping[str, Any], **common: Any) -> "bake.MapReport":
    from pucker import bake

    return bake.maps(clip, output, **_of_maps(chosen), kinds=chosen["kinds"], space=chosen["map_space"], **common)


def _wrinkle_maps(
    clips: "dict[str, pucker.Clip]", output: Path, chosen: Mapping[str, Any], **common: Any
) -> "bake.WrinkleMapReport":
    from pucker import bake

    kinds = chosen["kinds"] or ["normal", "height"]
    return bake.wrinkle_maps(clips, output, **_of_maps(chosen), kinds=kinds, regions=chosen["regions"], **common)


def _of_maps(chosen: Mapping[str, Any]) -> dict[str, Any]:
    renamed = {"size": chosen["map_size"], "file_format": chosen["map_format"]}
    return {**renamed, **_of(chosen, "padding", "overlap")}
