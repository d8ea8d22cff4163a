"""``pucker page``."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Final, Literal

import click

from pucker.cli.choices import Cloth, Wrinkles, choice_of_cloth, choice_of_mesh, choice_of_wrinkles
from pucker.cli.common import (
    OUTPUT_PATH,
    Choice,
    Command,
    check_output,
    json_option,
    quiet_option,
    rare_option,
    shows_progress,
    split_names,
)
from pucker.cli.errors import needing
from pucker.cli.render import View

_LIVE_TRIANGLES: Final = 8000
"""Of draped cloth, that a browser balances on one core in a frame's time or little more."""


@click.command(
    "page",
    cls=Command,
    epilog="Example: pucker page data/kimono_male.gltf --clip Walk --parts Clothes,Band -o kimono.html",
)
@click.argument("file", type=click.Path(path_type=Path))
@click.option("-o", "--output", type=OUTPUT_PATH, required=True, help="The page: .html.")
@choice_of_cloth
@choice_of_wrinkles()
@rare_option("--title", show_default="the clip's name", help="What is written above.")
@click.option("--view", type=View(), default="three-quarter", help="From where it is seen at first, as in render.")
@rare_option(
    "--focus",
    type=Choice(["cloth", "all"]),
    default="all",
    help="What is in sight at first: the cloth, or the whole character.",
)
@click.option(
    "--overlays",
    callback=split_names,
    metavar="A,B,…",
    show_default="those of contact sheets",
    help="What can be switched on besides the wireframe: of the dynamic method labels, paths, ellipses, reference.",
)
@choice_of_mesh("the finest of 0.5 to 2 with at most 4 million vertices in all frames")
@rare_option("--textures/--no-textures", default=True, help="The materials' pictures too.")
@click.option(
    "--live",
    is_flag=True,
    help="Let the page compute the wrinkles itself, with sliders for the parameters, in place of holding them.",
)
@rare_option("--limit", type=float, default=25.0, help="Megabytes that the page may have.")
@json_option
@quiet_option
def command(
    file: Path,
    output: Path,
    cloth: Cloth,
    wrinkles: Wrinkles,
    title: str | None,
    view: str | tuple[float, float],
    focus: Literal["cloth", "all"],
    overlays: list[str] | None,
    edge_share: float | None,
    levels: int | None,
    body: bool,
    textures: bool,
    live: bool,
    limit: float,
    as_json: bool,
    quiet: bool,
) -> None:
    """Write a clip of FILE with wrinkles as one HTML file that any browser shows."""
    with needing("page", "a page"):
        from pucker import byexample, page

    check_output(output, (".html",))
    cloth = wrinkles.cloth(cloth)
    drapes_live = live and wrinkles.method == "drape" and wrinkles.params().levels < 0
    if live and (cloth.keeps_garment or drapes_live):
        cloth = cloth.as_it_is()  # a smooth body has no joints that could be turned
    clip = cloth.load(file, quiet=quiet)
    if drapes_live and "levels" not in wrinkles.settings:
        levels_live = byexample.levels_with_room(len(clip.faces), _LIVE_TRIANGLES)
        wrinkles = replace(wrinkles, settings={**wrinkles.settings, "levels": levels_live})
        if not quiet:
            click.echo(f"{file}: taking --set levels={levels_live}, with which a browser keeps up", err=True)
    report = page.write(
        clip,
        output,
        params=wrinkles.params(),
        title=title,
        edge_share=edge_share,
        levels=levels,
        body=body,
        textures=textures,
        overlays=overlays,
        view=view,
        focus=focus,
        live=live,
        limit=round(1e6 * limit),
        progress=shows_progress(quiet=quiet),
    )
    if as_json:
        content = {"bytes": report.bytes, "frames": report.frames, "triangles": report.triangles}
        click.echo(json.dumps({"file": str(report.path), **content, "edge_share": report.edge_share}))
    elif not quiet:
        click.echo(f"{report.frames} frames, {report.triangles} triangles of cloth, {report.bytes / 1e6:.1f} MB")
        if report.edge_share is not None:
            click.echo(f"edges of {report.edge_share:g} of the smallest feature")
        click.echo(f"wrote {report.path}")
