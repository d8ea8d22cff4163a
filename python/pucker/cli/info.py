"""``pucker info``."""

import json
import shlex
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click
import numpy as np
import numpy.typing as npt

from pucker.cli.common import Cloth, choice_of_cloth

if TYPE_CHECKING:
    import pucker
    from pucker._core.sources import Source
    from pucker.io import IsolatedSource

# Compressions that `info` counts: a little under the default threshold, and a little over.
_COUNTED: Final = (1.15, 1.25)
_PART_KINDS: Final = ("materials", "nodes", "meshes", "joints")
# Parts are suggested that compress at least this much of what the first does.
_SUGGESTED_SHARE: Final = 0.5


def _attributes(value: Any) -> dict[str, Any]:
    """The numbers of a report by name, those of reports in it included."""
    names = [name for name in dir(value) if not name.startswith("_") and not callable(getattr(value, name))]
    numbers = {name: getattr(value, name) for name in names}
    return {name: n if isinstance(n, int | float | str) else _attributes(n) for name, n in numbers.items()}


def _compressions(clip: "pucker.Clip") -> Iterator[npt.NDArray[np.float64]]:
    """The compression of each triangle against its reference shape, frame by frame."""
    import pucker

    wrinkler = pucker.Wrinkler(clip.mesh, pucker.Params(min_width=0.0075 * clip.height))
    for frame in clip:
        yield wrinkler.advance(frame.positions, frame.time).compression


def _compressed(clip: "pucker.Clip") -> dict[str, list[int]]:
    """How many triangles are past each counted compression, frame by frame."""
    counts: dict[str, list[int]] = {str(limit): [] for limit in _COUNTED}
    for compression in _compressions(clip):
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
        **{kind: getattr(found, kind) for kind in _PART_KINDS},
    }


def _separate_parts(found: "pucker.FileInfo") -> list[str]:
    """The parts of the first kind that cuts the character up at all, as --parts takes them."""
    for kind in _PART_KINDS:
        names = [name for name, triangles in getattr(found, kind).items() if triangles > 0]
        if len(names) > 1:
            return [f"joint:{name}" for name in names] if kind == "joints" else names
    return []


def _suggest(
    source: "Source | IsolatedSource", found: "pucker.FileInfo", clip_name: str | None, fps: float
) -> dict[str, Any] | None:
    """The parts that compress most in a clip, the first that lasts unless one is named; None if there is no choice.

    Ranked by the share of its triangles that is past the smaller counted compression, on average over the frames. Those
    with at least half the share of the first are suggested.
    """
    names = _separate_parts(found)
    lasting = [name for name, duration in found.clips.items() if duration > 0.0]
    if not names or not lasting:
        return None
    clip = source.load(clip=clip_name or lasting[0], fps=fps)
    past = np.mean([compression > _COUNTED[0] for compression in _compressions(clip)], axis=0)
    ranking: list[dict[str, Any]] = []
    for name in names:
        share = past[source.select([name])]
        ranking.append(
            {"part": name, "triangles": len(share), "past": float(share.sum()), "share": float(share.mean())}
        )
    ranking.sort(key=lambda part: part["share"], reverse=True)
    least = max(ranking[0]["share"] * _SUGGESTED_SHARE, np.finfo(float).tiny)
    suggested = [part["part"] for part in ranking if part["share"] >= least]
    return {"clip": clip_name or lasting[0], "parts": suggested, "ranking": ranking}


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


def _print_suggestion(suggestion: Mapping[str, Any]) -> None:
    clip, limit = suggestion["clip"], _COUNTED[0]
    if not suggestion["parts"]:
        click.echo(f"no part compresses past {limit} in {clip}")
        return
    click.echo(f"triangles past a compression of {limit} in {clip}, mean of a frame:")
    for part in suggestion["ranking"]:
        click.echo(f"{part['past']:10.1f} of {part['triangles']:5}, {100 * part['share']:4.1f} %  {part['part']}")
    click.echo(f"suggested: --parts {shlex.quote(','.join(suggestion['parts']))}")


@click.command("info", epilog="Example: pucker info data/kimono_male.gltf --clip Walk")
@click.argument("file", type=click.Path(path_type=Path))
@choice_of_cloth
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
def command(file: Path, cloth: Cloth, as_json: bool) -> None:
    """List clips and parts of FILE, and suggest which parts to wrinkle.

    With --clip or --parts also how the garment is made and how much it compresses. Without --parts, parts are suggested
    by the compression they reach in the clip, or in the first one.
    """
    from pucker.io import open_source

    source = open_source(file, isolated=True)
    found = source.inspect()
    content = _describe(file, found)
    if cloth.clip is not None or cloth.parts is not None:
        clip = source.load(clip=cloth.clip, parts=cloth.parts, fps=cloth.fps, loops=cloth.loops)
        content |= {"report": _attributes(clip.report), "triangles_past_compression": _compressed(clip)}
    suggestion = _suggest(source, found, cloth.clip, cloth.fps) if cloth.parts is None else None
    if suggestion is not None:
        content["suggestion"] = suggestion
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
    if suggestion is not None:
        _print_suggestion(suggestion)
