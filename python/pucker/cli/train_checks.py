"""Which options of ``pucker train`` go together."""

from collections.abc import Sequence

import click
from click.core import ParameterSource


def _is_named(context: click.Context, name: str) -> bool:
    return context.get_parameter_source(name) is ParameterSource.COMMANDLINE


def check_beside_scene() -> None:
    """Refuses what is not for a scene made in code."""
    context = click.get_current_context()
    own = ("output", "scene", "poses", "recordings", "quiet", "as_json")
    for given in context.command.params:
        if given.name not in own and _is_named(context, given.name):
            raise click.UsageError(
                f"{given.human_readable_name if given.name == 'file' else given.opts[0]} is not for --scene"
            )


def poses_of_scene(poses: int) -> int:
    """As many as were asked for; else as the paper has."""
    return poses if _is_named(click.get_current_context(), "poses") else 6


def check_sources(*, simulates: bool, drapes: bool, clips: Sequence[str]) -> None:
    """Refuses what is not for recordings, and not for draped cloth."""
    context = click.get_current_context()
    fine, decimate = _is_named(context, "fine"), _is_named(context, "decimate")
    if decimate and (simulates or fine):
        raise click.UsageError("--set, --body, --cut and --fine are not for --decimate, whose clips are fine ones")
    if fine and (simulates or _is_named(context, "recordings")):
        raise click.UsageError("--set, --body, --cut and --recordings are for simulations, not for --fine")
    if fine and len(clips) > 1:
        raise click.UsageError("--fine is a recording of one clip, but --clips names more")
    if (fine or decimate) and (_is_named(context, "simulator") or _is_named(context, "frames")):
        raise click.UsageError("--simulator and --frames are for simulations, not for --fine and --decimate")
    for name in ("body", "low_frequency") if drapes else ():
        if _is_named(context, name):
            raise click.UsageError(f"--{name} is for --simulator blender and recordings, not for draped cloth")
    if drapes and clips and _is_named(context, "frames"):
        raise click.UsageError("--frames chooses among all clips, but --clips names them")
    if not drapes and _is_named(context, "made"):
        raise click.UsageError("--made is for draped cloth, not for --simulator blender, --fine and --decimate")
    if not drapes and _is_named(context, "motion"):
        raise click.UsageError("--motion is for draped cloth, not for --simulator blender, --fine and --decimate")
    for name in () if drapes else ("workers", "scheduler"):
        if _is_named(context, name):
            raise click.UsageError(f"--{name} is for draped cloth, not for --simulator blender, --fine and --decimate")
    if not drapes and _is_named(context, "frames"):
        raise click.UsageError("--frames is for draped cloth, not for --simulator blender")


def check_ways(*, regression: bool) -> None:
    """Refuses what only the other way of learning takes."""
    context = click.get_current_context()
    for name in ("poses", "choose", "fit") if regression else ("details", "centres"):
        if _is_named(context, name):
            raise click.UsageError(f"--{name} is {'not ' if regression else ''}for --regression")
