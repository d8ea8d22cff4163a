"""``pucker info``."""

import json
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click
import numpy as np

from pucker.cli.common import Cloth, choice_of_cloth, printable
from pucker.cli.suggestion import COUNTED, PART_KINDS, compressions, liveliest, suggest

if TYPE_CHECKING:
    import pucker

# Compressions that `info` counts: a little under the default threshold, and a little over.
_COUNTED: Final = (COUNTED, 1.25)


def _attributes(value: Any) -> dict[str, Any]:
    """The numbers of a report by name, those of reports in it included."""
    names = [name for name in dir(value) if not name.startswith("_") and not callable(getattr(value, name))]
    numbers = {name: getattr(value, name) for name in names}
    return {name: n if isinstance(n, int | float | str) else _attributes(n) for name, n in numbers.items()}


def _compressed(clip: "pucker.Clip") -> dict[str, list[int]]:
    """How many triangles are past each counted compression, frame by frame."""
    counts: dict[str, list[int]] = {str(limit): [] for limit in _COUNTED}
    for compression in compressions(clip):
        for limit in _COUNTED:
            counts[str(limit)].append(int(np.count_nonzero(compression > limit)))
    return counts


def _describe(file: Path, found: "pucker.FileInfo") -> dict[str, Any]:
    return {
        "file": str(file),
        "format": found.format,
        "triangles": found.triangles,
        "stored_vertices": found.stored_vertices,
        "clips": found.clips,
        **{kind: getattr(found, kind) for kind in PART_KINDS},
    }


def _print_table(title: str, rows: Mapping[str, Any], unit: str) -> None:
    if not rows:
        return
    click.echo(f"{title}:")
    for name, value in rows.items():
        number = f"{value:10.3f}" if isinstance(value, float) else f"{value:10}"
        click.echo(f"{number} {unit}  {printable(name) or '(unnamed)'}")


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


def _print_suggestion(suggestion: Mapping[str, Any]) -> None:
    clip, limit = suggestion["clip"], COUNTED
    if not suggestion["parts"]:
        click.echo(f"no part compresses past {limit} in {printable(clip)}")
        return
    click.echo(f"triangles past a compression of {limit} in {printable(clip)}, mean of a frame:")
    for part in suggestion["ranking"]:
        share = f"{part['past']:10.1f} of {part['triangles']:5}, {100 * part['share']:4.1f} %"
        click.echo(f"{share}  {printable(part['part'])}: {part['reason']}")
    click.echo(printable(f"suggested: --parts {shlex.quote(','.join(suggestion['parts']))}"))


@click.command("info", epilog="Example: pucker info data/kimono_male.gltf --clip Walk")
@click.argument("file", type=click.Path(path_type=Path))
@choice_of_cloth
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
def command(file: Path, cloth: Cloth, as_json: bool) -> None:
    """List clips and parts of FILE, and suggest which parts to wrinkle.

    Of the clip, or of that in which the largest share of the cloth compresses, also how the garment is made and how much it
    compresses. Without --parts, parts are suggested by the compression they reach in it, left and right together, with
    the reason for each.
    """
    with cloth.opened(file) as source:
        found = source.inspect()
        content = _describe(file, found)
        name = cloth.clip or liveliest(source, found, cloth.parts)
        if name is not None:
            clip = source.load(clip=name, parts=cloth.parts, fps=cloth.fps, loops=cloth.loops)
            content |= {
                "clip": name,
                "report": _attributes(clip.report),
                "triangles_past_compression": _compressed(clip),
            }
        suggestion = suggest(source, found, name, cloth.fps) if name is not None and cloth.parts is None else None
    if suggestion is not None and suggestion["ranking"]:
        content["suggestion"] = suggestion
    if as_json:
        click.echo(json.dumps(content, indent=2, ensure_ascii=False))
        return
    click.echo(
        f"{printable(str(file))}: {content['format']}, {content['triangles']} triangles, {content['stored_vertices']} vertices"
    )
    _print_table("clips", content["clips"], "s")
    for kind in PART_KINDS:
        _print_table(kind, content[kind], "triangles")
    if "report" in content:
        _print_report(f"clip {printable(content['clip'])}", content["report"])
        _print_report("connectivity", content["report"]["mesh"])
        _print_compression(content["triangles_past_compression"])
    if "suggestion" in content:
        _print_suggestion(content["suggestion"])
