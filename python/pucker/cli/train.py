"""``pucker train``."""

import dataclasses
import time
from pathlib import Path
from typing import Any, Final, Literal

import click

from pucker.cli.choices import Cloth, choice_of_settings, choice_of_workers
from pucker.cli.common import (
    Choice,
    Command,
    InputFile,
    check_output,
    json_option,
    quiet_option,
    rare_option,
    split_names,
)
from pucker.cli.train_checks import check_beside_scene, check_sources, check_ways, poses_of_scene
from pucker.cli.train_regression import regressed_on, save_regression
from pucker.cli.train_scene import train_scene
from pucker.cli.train_sources import (
    bodies_of,
    cloth_to_drape,
    decimated_takes,
    draped_takes,
    garments_of,
    recorded,
    simulated_takes,
    worn_parts,
)
from pucker.cli.train_summary import Recording, own_names, played, summarise, summarise_regression, today
from pucker.io.files import check_makeable

_SUFFIXES: Final = (".npz",)


@click.command(
    "train",
    cls=Command,
    epilog="Example: pucker train data/kimono_male.gltf -o kimono.pose.npz",
)
@click.argument("file", type=click.Path(path_type=Path), required=False)
@click.option("-o", "--output", type=click.Path(path_type=Path), required=True, help="The trained set, .npz.")
@click.option(
    "--scene",
    type=Choice(["curtain", "sail", "flag", "dress"]),
    help="Instead of a FILE, cloth made in code, which MuJoCo simulates, coarse and fine; trained as published.",
)
@click.option(
    "--parts",
    callback=split_names,
    metavar="A,B,…",
    help="The garment: materials, nodes or joint:NAME.  [default: as pucker info suggests]",
)
@click.option(
    "--clips",
    callback=split_names,
    metavar="A,B,…",
    help="The clips to learn from.  [default: all, as far as --frames has room; of --fine the only one]",
)
@click.option(
    "--simulator",
    type=click.Choice(["drape", "blender"]),
    default="drape",
    show_default=True,
    help="What makes fine cloth of the clips: draped cloth, which needs nothing, or Blender's module.",
)
@click.option(
    "--frames",
    type=click.IntRange(min=1),
    show_default="1200, fewer of cloth of more than 33 000 triangles",
    help="Of draped cloth, frames to learn from at most: clips that add the most are taken.",
)
@rare_option(
    "--made",
    type=click.IntRange(min=0),
    default=0,
    show_default=True,
    help="Of draped cloth, frames of motion made for learning at most: limbs in poses of the clips, in other combinations.",
)
@rare_option(
    "--motion",
    type=InputFile(),
    metavar="FILE",
    help="Another file whose clips move this one: of the same skeleton, a VRM Animation (.vrma) for a VRM, or "
    "the point cache of an OBJ file.  "
    "[default: the file's own clips]",
)
@rare_option("--fps", type=float, default=30.0, help="Frames per second.")
@rare_option(
    "--fine",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="A recording of the same clip on the subdivided garment; without it the garment is simulated.",
)
@rare_option(
    "--decimate",
    type=click.IntRange(min=1),
    metavar="TRIANGLES",
    help="The clips are fine recordings: the garment is their decimation, whose clips are written beside the set.",
)
@rare_option(
    "--body",
    callback=split_names,
    metavar="A,B,…",
    help="What a garment that Blender simulates is worn over; none: nothing.  [default: all that is not the garment]",
)
@rare_option(
    "--cut",
    metavar="NAME",
    show_default="of draped cloth as it finds it, of Blender's the rest pose",
    help="The clip whose first frame is the pose that a simulated garment is cut for.",
)
@click.option(
    "--levels",
    type=click.IntRange(min=1),
    show_default="2; of draped cloth 3, fewer where that is more than 65 536 triangles",
    help="How often each triangle becomes four.",
)
@rare_option("--poses", type=click.IntRange(min=1), default=48, help="Poses of the set at most.")
@rare_option(
    "--regression/--no-regression",
    default=None,
    show_default="of draped cloth",
    help="Predict the weights of details from all frames at once, instead of choosing poses: see pucker.byexample.regress.",
)
@rare_option(
    "--details",
    type=click.IntRange(min=1),
    show_default="32; 40 of a regression of Blender's",
    help="Details of a regression at most.",
)
@rare_option(
    "--centres",
    type=click.IntRange(min=1),
    show_default="128; 160 of a regression of Blender's",
    help="Frames that a regression compares with, at most.",
)
@rare_option(
    "--choose",
    type=Choice(["greedy", "farthest"]),
    show_default="farthest of a simulation, greedy of a recording",
    help="The next pose: the frame with the largest error, or that of the stretches farthest from all poses.",
)
@rare_option(
    "--fit",
    type=click.FloatRange(min=0.0),
    show_default="0.3 of a simulation, 0 of a recording",
    help="Details of the poses that together reproduce all frames best, held to their mean by so much; 0: as recorded.",
)
@rare_option(
    "--edges",
    type=click.IntRange(min=1),
    show_default="64; 32 of a regression, 16 of draped cloth",
    help="Edges that count at a point.",
)
@rare_option("--falloff", type=float, default=1.0, help="How fast their weight falls, in mean edge lengths.")
@rare_option(
    "--low-frequency/--no-low-frequency",
    default=None,
    help="Whether to keep what the garment lags or slides as a whole.  [default: of a recording, not of a simulation]",
)
@choice_of_settings
@rare_option(
    "--recordings",
    type=click.Path(file_okay=False, path_type=Path),
    show_default="OUTPUT without its ending",
    help="Folder in which simulated clips are kept, and not simulated again, and coarse clips of --decimate written. Of draped "
    "cloth: OUTPUT with the ending .draped, until the set is there; a folder that is named is kept.",
)
@choice_of_workers("Of draped cloth: ", "Clips draped at once by this process.", option=rare_option)
@quiet_option
@json_option
def command(
    file: Path | None,
    output: Path,
    scene: str | None,
    parts: list[str] | None,
    clips: list[str] | None,
    simulator: Literal["drape", "blender"],
    frames: int | None,
    made: int,
    motion: Path | None,
    fps: float,
    fine: Path | None,
    decimate: int | None,
    body: list[str] | None,
    cut: str | None,
    levels: int | None,
    poses: int,
    regression: bool | None,
    details: int | None,
    centres: int | None,
    choose: Literal["greedy", "farthest"] | None,
    fit: float | None,
    edges: int | None,
    falloff: float,
    low_frequency: bool | None,
    settings: dict[str, Any],
    recordings: Path | None,
    workers: int | None,
    scheduler: str | None,
    quiet: bool,
    as_json: bool,
) -> None:
    """Learn wrinkles by example from clips of FILE: from a fine recording, or from cloth draped over them.

    --set takes what the cloth is like: fold_size=0.1 of draped cloth, see pucker.drape.Params; bending=0.1 of Blender's, see
    pucker.byexample.Cloth.
    """
    import pucker
    from pucker import byexample

    check_output(output, _SUFFIXES)
    if scene is not None:
        check_beside_scene()
        train_scene(scene, output, poses_of_scene(poses), recordings, quiet=quiet, as_json=as_json)
        return
    if file is None:
        raise click.UsageError("name a FILE or a --scene")
    drapes = fine is None and decimate is None and simulator == "drape"
    by_regression = drapes if regression is None else regression
    check_sources(simulates=bool(settings or body or cut), drapes=drapes, clips=clips or ())
    check_ways(regression=by_regression)
    folder = output.with_suffix(".draped" if drapes else "") if recordings is None else recordings
    if fine is None:
        check_makeable(folder)
    # What has no such parameter is refused before the file is read.
    cloth = byexample.Cloth().replace(**({} if drapes else settings))
    pucker.drape.Params().replace(**(settings if drapes else {}))
    source = Cloth(clips[0] if clips else None, parts, fps, 1, motion)
    names, coarse, parts, wholes = garments_of(
        file, source, clips, one=fine is not None, whole=drapes and made != 0, quiet=quiet
    )
    draped = cloth_to_drape(coarse[0], file, levels, cut, settings) if drapes else None
    levels = byexample.LEVELS if levels is None else levels
    more: list[Recording] = []
    begin = time.perf_counter()
    if decimate is not None:
        takes = decimated_takes(coarse, decimate, levels, folder)
    elif draped is not None:
        takes, more = draped_takes(
            coarse,
            wholes,
            draped,
            frames,
            made,
            folder,
            named=clips is not None,
            workers=workers,
            scheduler=scheduler,
            quiet=quiet,
        )
    elif fine is not None:
        takes = [Recording(coarse[0].name, coarse[0], recorded(fine, coarse[0], levels, fps))]
    else:
        worn = worn_parts(file, parts, body, quiet=quiet)
        bodies = bodies_of(file, names, worn, cut, fps)
        start = None if cut is None else pucker.load(file, clip=cut, parts=parts, fps=fps, isolated=True).positions[0]
        takes = simulated_takes(coarse, bodies, start, levels, cloth, folder, quiet=quiet)
    spent = time.perf_counter() - begin
    as_published = fine is not None or decimate is not None
    keep = _low_frequency(kept=as_published or drapes if low_frequency is None else low_frequency)
    origin = byexample.Origin(
        file.name,
        own_names(takes, coarse, names),
        "" if as_published else simulator,
        frames=sum(len(take.clip) for take in takes),
        made=sum(len(take.clip) for take in more),
        date=today(),
        motion="" if motion is None else motion.name,
    )
    if by_regression:
        regressed = regressed_on(
            takes,
            more,
            levels=levels,
            fps=fps,
            details=details,
            centres=centres,
            low_frequency=keep,
            options=byexample.Options(edges=edges or (32 if draped is None else byexample.EDGES), falloff=falloff),
            draped=draped,
            workers=workers,
            scheduler=scheduler,
            quiet=quiet,
        )
        origin = save_regression(regressed, origin, parts, output)
        summarise_regression(
            regressed, takes, more, origin, output, spent, played(file, motion), quiet=quiet, as_json=as_json
        )
    else:
        training = byexample.learn(
            [byexample.Take(take.clip, take.fine) for take in [*takes, *more]],
            simulated=not as_published,
            levels=draped.levels if draped is not None else levels,
            poses=poses,
            low_frequency=keep,
            choose=choose,
            fit=fit,
            edges=edges or 64,
            falloff=falloff,
            parts=parts,
            progress=lambda pose, error: None if quiet else click.echo(f"{pose} poses, error {error:.4g}", err=True),
        )
        options = dataclasses.replace(training.trained.options, trail=0.0 if draped is None else draped.lag)
        dataclasses.replace(training.trained, origin=origin, options=options).save(output)
        summarise(training, takes, output, spent, quiet=quiet, as_json=as_json)
    if draped is not None and recordings is None:
        byexample.remove_recordings(folder, [take.moved for take in [*takes, *more] if take.moved is not None], draped)


def _low_frequency(*, kept: bool) -> Literal["keep", "remove"]:
    return "keep" if kept else "remove"
