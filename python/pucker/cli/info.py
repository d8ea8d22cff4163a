"""``pucker info``."""

import json
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click
import numpy as np

from pucker.cli.choices import WITHOUT_TRIANGLES, Cloth, choice_of_cloth, in_words
from pucker.cli.common import Command
from pucker.cli.deformation import RIGID, holds_pose
from pucker.cli.errors import printable
from pucker.cli.suggestion import (
    COUNTED,
    PART_KINDS,
    compressions,
    limb_warning,
    liveliest,
    looking_rate,
    separating,
    suggest,
)
from pucker.io.formats import SCENES

if TYPE_CHECKING:
    import pucker

# Compressions that `info` counts: a little under the default threshold, and a little over.
_COUNTED: Final = (COUNTED, 1.25)
# Rows of a table without --all.
_MOST_ROWS: Final = 12


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


def _shown(rows: int, most: int | None) -> int:
    """How many rows of a table are printed, so that the line that tells of the rest has room."""
    return rows if most is None or rows <= most else most - 1


def _print_rest(rows: int) -> None:
    if rows > 0:
        click.echo(f"           … {rows} more, which --all lists")


def _print_table(title: str, rows: Mapping[str, Any], unit: str, most: int | None = None) -> None:
    if not rows:
        return
    click.echo(f"{title}:")
    shown = _shown(len(rows), most)
    for name, value in list(rows.items())[:shown]:
        number = f"{value:10.3f}" if isinstance(value, float) else f"{value:10}"
        click.echo(f"{number} {unit}  {printable(name) or '(unnamed)'}")
    _print_rest(len(rows) - shown)


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


def _print_suggestion(suggestion: Mapping[str, Any], most: int | None = None) -> None:
    clip, limit = suggestion["clip"], COUNTED
    if suggestion["stiff"] >= RIGID:
        click.echo(
            f"made of rigid pieces: {100 * suggestion['stiff']:.0f} % of its triangles keep their shape in {printable(clip)}, and only "
            "what is squeezed wrinkles"
        )
        return
    if suggestion["still"]:
        click.echo(f"nothing moves in {printable(clip)}, and only what moves wrinkles")
        return
    if not suggestion["parts"]:
        click.echo(f"no part compresses past {limit} in {printable(clip)}")
        return
    click.echo(f"triangles past a compression of {limit} in {printable(clip)}, mean of a frame:")
    ranking = suggestion["ranking"]
    shown = _shown(len(ranking), most)
    for part in ranking[:shown]:
        share = f"{part['past']:10.1f} of {part['triangles']:5}, {100 * part['share']:4.1f} %"
        click.echo(f"{share}  {printable(part['part'])}: {part['reason']}")
    _print_rest(len(ranking) - shown)
    parts = suggestion["parts"]
    click.echo(printable(f"suggested: --parts {shlex.quote(','.join(parts))}"))
    told = limb_warning(parts)
    if told:
        click.echo(printable(f"  {told}"))


def _print_next(file: Path, cloth: Cloth, content: Mapping[str, Any]) -> None:
    """The command that shows the character, or what it lacks for that."""
    if content["triangles"] == 0:
        click.echo(printable(f"{file} {WITHOUT_TRIANGLES}"))
        return
    if content.get("suggestion", {}).get("stiff", 0.0) >= RIGID:
        return  # which was told
    lasting = any(duration > 0.0 for duration in content["clips"].values())
    still = content.get("still", False) or content.get("suggestion", {}).get("still", False) or not lasting
    elsewhere = still and len(content["clips"]) > 1
    own = [f"--clip {shlex.quote(cloth.clip)}"] if cloth.clip is not None and not elsewhere else []
    own += [f"--parts {shlex.quote(','.join(cloth.parts))}"] if cloth.parts is not None else []
    draw = [f"pucker render {shlex.quote(str(file))}", *own]
    output = f"-o {shlex.quote(file.stem)}.mp4"
    if content["clips"] and (elsewhere or not still):
        what = "it in the clip in which most is compressed" if elsewhere else "it"
        lent = [f"--motion {shlex.quote(str(cloth.motion))}"] if cloth.motion is not None else []
        click.echo(printable(f"a video of {what}: {' '.join([*draw, *lent, output])}"))
        return
    if not content["clips"]:
        what = "it" if cloth.motion is None else str(cloth.motion)
        click.echo(printable(f"{what} has no clip, and only what moves wrinkles"))
    elif not lasting:
        click.echo("its clips are of one frame, and only what moves wrinkles")
    elif "suggestion" not in content:
        click.echo(f"nothing moves in {printable(content['clip'])}, and only what moves wrinkles")
    if file.suffix.lower() not in SCENES:
        click.echo("clips of another file move glTF, FBX and Collada alone: write it with a clip, as Blender does")
        return
    if content["joints"]:
        borrowed = " ".join([*draw, "--motion FILE", output])
        click.echo(printable(f"a video with the clip of another file of the same skeleton: {borrowed}"))
        return
    click.echo(
        "it has no joints that another file's clip could move: --motion FILE moves nodes of the same names; else write it with a clip, as "
        "Blender does"
    )


def _trained(file: Path) -> dict[str, Any] | None:
    """What a trained set says of itself; None of any other file."""
    if file.suffix.lower() != ".npz":
        return None
    import pucker
    from pucker._core._byexample import read_trained
    from pucker.byexample.trained import origin_in

    try:
        found = read_trained(str(file))
    except pucker.Error as error:
        if "is no trained set" in str(error) or not file.exists():
            return None
        raise
    learned = found["regression"]
    return {
        "file": str(file),
        "format": "trained set",
        "character": found["origin"]["file"] or None,
        "parts": list(found["parts"]),
        "vertices": len(found["rest"]),
        "triangles": len(found["faces"]),
        "fine_triangles": len(found["faces"]) * 4 ** found["levels"],
        "details": len(found["details"]),
        "regression_frames": None if learned is None else len(found["poses"]),
        "learned_from": origin_in(file, found).as_json(),
    }


def _sentences_of(trained: Mapping[str, Any]) -> list[str]:
    character = printable(trained["character"] or "CHARACTER")
    parts = f" --parts {shlex.quote(printable(','.join(trained['parts'])))}" if trained["parts"] else ""
    frames = trained["regression_frames"]
    what = (
        f"{trained['details']} poses"
        if frames is None
        else f"{trained['details']} details and a regression on {frames} frames"
    )
    whom = f"{parts.strip() or 'all'} of {character}"
    moved = trained["learned_from"]["motion"]
    motion = f" --motion {shlex.quote(printable(moved))}" if moved else ""
    return [
        (
            f"{trained['file']}: a trained set for {whom}, {trained['vertices']} vertices and {trained['triangles']} triangles; "
            f"{what}, {trained['fine_triangles']} triangles"
        ),
        *_learning(trained["learned_from"]),
        f"plays with: pucker view {shlex.quote(character)}{motion} --trained {shlex.quote(trained['file'])}",
    ]


def _learning(origin: Mapping[str, Any]) -> list[str]:
    """What a set was learned from, when, and how well that predicts clips that are left out."""
    from pucker.byexample import Origin
    from pucker.cli.train_summary import in_words

    if not origin["clips"]:
        return []
    left_out = tuple(float("nan") if each is None else each for each in origin["left_out"])
    first, *others = in_words(Origin(**{**origin, "left_out": left_out}))
    simulator = {"drape": "draped cloth", "blender": "Blender's simulation", "": "a recording"}
    kind = simulator.get(origin["simulator"], origin["simulator"])
    dated = f", on {origin['date']}" if origin["date"] else ""
    return [f"{first}; {kind}{dated}", *others]


@click.command("info", cls=Command, epilog="Example: pucker info data/kimono_male.gltf --clip Walk")
@click.argument("file", type=click.Path(path_type=Path))
@choice_of_cloth
@click.option("--all", "everything", is_flag=True, help="All clips, parts of every kind, and a report of the garment.")
@click.option("--json", "as_json", is_flag=True, help="All of it, as one JSON object.")
def command(file: Path, cloth: Cloth, everything: bool, as_json: bool) -> None:
    """List clips and parts of FILE, and suggest which parts to wrinkle; of a trained set, say what it is for.

    Without --parts, parts are suggested by the compression they reach in the clip, or in that in which the largest share of
    the cloth compresses, by their names, their borders and how they hang off the skin, left and right together, with the
    reason for each; and whether commands show the cloth smooth or as it is. With --all also how the garment is made and how much it compresses. A clip that is too long to be
    looked at whole is looked at in fewer frames.
    """
    from pucker.io import facets_of

    trained = _trained(file)
    if trained is not None:
        if as_json:
            click.echo(json.dumps(trained, indent=2, ensure_ascii=False))
        for sentence in [] if as_json else _sentences_of(trained):
            click.echo(printable(sentence))
        return
    with cloth.opened(file) as source:
        found = source.inspect()
        content = _describe(file, found)
        name = cloth.clip or liveliest(source, found, cloth.parts)
        kind = separating(found)
        alone = kind is None or cloth.parts is not None
        if name is not None and (everything or as_json or alone):
            fps = looking_rate(found, found.clips.get(name, 0.0) * cloth.loops, cloth.fps)
            clip = source.load(clip=name, parts=cloth.parts, fps=fps, loops=cloth.loops)
            content |= {
                "clip": name,
                "report": _attributes(clip.report),
                "triangles_past_compression": _compressed(clip),
                "still": holds_pose(clip),
            }
        suggestion = suggest(source, found, name, cloth.fps) if name is not None and cloth.parts is None else None
        parts = cloth.parts or (suggestion or {}).get("parts")
        if name is not None and (parts or alone):
            fps = looking_rate(found, found.clips.get(name, 0.0), cloth.fps)
            facets = facets_of(source.load(clip=name, parts=parts, fps=fps))
            content["facets"] = {name: getattr(facets, name) for name in ("turn", "edge", "smooth")}
    if suggestion is not None and (suggestion["ranking"] or suggestion["stiff"] >= RIGID):
        content["suggestion"] = suggestion
    if as_json:
        click.echo(json.dumps(content, indent=2, ensure_ascii=False))
        return
    click.echo(
        f"{printable(str(file))}: {content['format']}, {content['triangles']} triangles, {content['stored_vertices']} vertices"
    )
    most = None if everything else _MOST_ROWS
    _print_table("clips", content["clips"], "s", most)
    for each in PART_KINDS if everything else [kind or PART_KINDS[0]]:
        rows = {part: n for part, n in content[each].items() if n > 0 or everything}
        _print_table(each, rows, "triangles", most)
    if "report" in content and everything:
        _print_report(f"clip {printable(content['clip'])}", content["report"])
        _print_report("connectivity", content["report"]["mesh"])
    if "report" in content:
        _print_compression(content["triangles_past_compression"])
    if "suggestion" in content:
        _print_suggestion(content["suggestion"], most)
    if "facets" in content:
        shown = (
            f"smooth (--smooth {facets.smooth}; its cloth by byexample as it is)"
            if facets.smooth > 0
            else "as it is (--smooth 0)"
        )
        click.echo(f"shown {shown}: {in_words(facets)}")
    _print_next(file, cloth, content)
