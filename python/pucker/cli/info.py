"""``pucker info``."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click
import numpy as np

from pucker.cli.common import choice_of_cloth

if TYPE_CHECKING:
    import pucker

# Compressions that `info` counts: a little under the default threshold, and a little over.
_COUNTED: Final = (1.15, 1.25)
_PART_KINDS: Final = ("materials", "nodes", "meshes", "joints")


def _attributes(value: Any) -> dict[str, Any]:
    """The numbers of a report by name, those of reports in it included."""
    names = [name for name in dir(value) if not name.startswith("_") and not callable(getattr(value, name))]
    numbers = {name: getattr(value, name) for name in names}
    return {name: n if isinstance(n, int | float | str) else _attributes(n) for name, n in numbers.items()}


def _compressed(clip: "pucker.Clip") -> dict[str, list[int]]:
    """How many triangles are past each counted compression, frame by frame."""
    import pucker

    wrinkler = pucker.Wrinkler(clip.mesh, pucker.Params(min_width=0.0075 * clip.height))
    counts: dict[str, list[int]] = {str(limit): [] for limit in _COUNTED}
    for frame in clip:
        compression = wrinkler.advance(frame.positions, frame.time).compression
        for limit in _COUNTED:
            counts[str(limit)].append(int(np.count_nonzero(compression > limit)))
    return counts


def _describe(file: Path) -> dict[str, Any]:
    import pucker

    found = pucker.inspect(file)
    return {
        "file": str(file),
        "format": found.format,
        "triangles": found.triangles,
        "stored_vertices": found.stored_vertices,
        "clips": found.clips,
        **{kind: getattr(found, kind) for kind in _PART_KINDS},
    }


def _print_table(title: str, rows: Mapping[str, Any], unit: str) -> None:
    if not rows:
        return
    click.echo(f"{title}:")
    for name, value in rows.items():
        number = f"{value:10.3f}" if isinstance(value, float) else f"{value:10}"
        click.echo(f"{number} {unit}  {name}")


def _print_report(title: str, report: Mapping[str, Any]) -> None:
    click.echo(f"{title}:")
    for name, value in report.items():
        if not isinstance(value, dict):
            number, unit = (f"{value:10.3f}", " s ") if isinstance(value, float) else (f"{value:10}", " ")
            click.echo(f"{number}{unit} {name.replace('_', ' ')}")


def _print_compression(counts: Mapping[str, list[int]]) -> None:
    click.echo("triangles past a compression, in a frame:")
    for limit, numbers in counts.items():
        click.echo(f"{limit:>10}  {min(numbers)} to {max(numbers)}, mean {np.mean(numbers):.1f}")


@click.command("info")
@click.argument("file", type=click.Path(path_type=Path))
@choice_of_cloth
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
def command(file: Path, clip_name: str | None, parts: list[str] | None, fps: float, loops: int, as_json: bool) -> None:
    """List clips and parts of FILE; with --clip or --parts, how the garment is made and how much it compresses."""
    import pucker

    content = _describe(file)
    if clip_name is not None or parts is not None:
        clip = pucker.load(file, clip=clip_name, parts=parts, fps=fps, loops=loops)
        content |= {"report": _attributes(clip.report), "triangles_past_compression": _compressed(clip)}
    if as_json:
        click.echo(json.dumps(content, indent=2, ensure_ascii=False))
        return
    click.echo(f"{file}: {content['format']}, {content['triangles']} triangles, {content['stored_vertices']} vertices")
    _print_table("clips", content["clips"], "s")
    for kind in _PART_KINDS:
        _print_table(kind, content[kind], "triangles")
    if "report" in content:
        _print_report("clip", content["report"])
        _print_report("connectivity", content["report"]["mesh"])
        _print_compression(content["triangles_past_compression"])
