"""Draped cloth as shipped on every clip of every character: faults that no picture should have, counted."""

import json
import warnings
from collections.abc import Iterable, Sequence
from operator import itemgetter
from pathlib import Path
from typing import Any, Final

import click
import igl
import numpy as np
import numpy.typing as npt

import pucker
from pucker import drape, metrics
from pucker.cli.suggestion import choose
from pucker.drape import body_of, cut_of
from pucker.io import facets_of, formats, open_source
from pucker.metrics.compare import Scene

from . import report, scenes

TITLE: Final = "Draped cloth on every character"
PEERS: Final = ("libigl",)

Floats = npt.NDArray[np.float64]

FPS: Final = 30.0
DEEPER: Final = 1e-3
"""Of the garment's extent: a vertex that is so much deeper in the body than its guide is there by the cloth's own doing."""
JUMP: Final = 2.0
"""In root mean squares of a clip's heights: a vertex that rises or falls by more from frame to frame jumps."""
AIMS: Final[dict[str, tuple[str, float]]] = {
    "in the body": ("of the vertices in the body beyond the guide", 0.0),
    "gone in": ("of the vertices in the body where the guide is not", 0.0),
    "turned over": ("of the triangles turned over", 0.3),
    "jumps": ("of the heights jump", 0.15),
    "flickers": ("of the heights jump there and back", 0.15),
}
"""By figure: in words, and the most that there should be, in %."""
ROUGH: Final = 0.3
PART: Final = Path(__file__).resolve().parents[1] / "build" / "bench" / "characters.part.jsonl"
"""Clips that are done; after an interruption the page goes on from there."""
FILES: Final = (*formats.CHARACTERS, ".zip")


def files_of(paths: Iterable[Path]) -> list[Path]:
    """The characters among files and folders. Raises pucker.Error for a folder without any and for what is not there."""
    found = []
    for path in paths:
        inside = sorted(each for each in path.iterdir() if each.suffix.lower() in FILES) if path.is_dir() else [path]
        if not inside or not all(each.is_file() for each in inside):
            raise pucker.Error(f"{path} must be a character's file or a folder that holds some ({' '.join(FILES)})")
        found += inside
    return found


def in_the_body(positions: Floats, body: Floats, faces: npt.ArrayLike) -> Floats:
    """(N,) how deep positions (N, 3) are in a body, 0 outside: where its winding number, of holes too, is above a half."""
    corners = np.ascontiguousarray(faces, dtype=np.int64)
    asked = np.ascontiguousarray(positions, dtype=np.float64)
    if not len(asked):
        return np.zeros(0)
    inside = np.flatnonzero(igl.fast_winding_number(np.ascontiguousarray(body), corners, asked) > 0.5)
    depth = np.zeros(len(asked))
    if len(inside):
        depth[inside] = np.sqrt(igl.point_mesh_squared_distance(asked[inside], np.ascontiguousarray(body), corners)[0])
    return depth


def turned_over(faces: npt.ArrayLike, guide: Floats, positions: Floats) -> npt.NDArray[np.bool_]:
    """(m,) whether triangles of the cloth show the other side than the guide's."""
    corners = np.asarray(faces)

    def normals(points: Floats) -> Floats:
        a, b, c = (points[corners[:, k]] for k in range(3))
        return np.cross(b - a, c - a)

    return np.asarray(np.einsum("td,td->t", normals(guide), normals(positions)) < 0.0)


def jumping(heights: Floats) -> float:
    """Share of the heights (frames, N) that differ from the frame before by more than `JUMP` root mean squares."""
    size = float(np.sqrt(np.square(heights).mean()))
    if len(heights) < 2 or size == 0.0:
        return 0.0
    return float((np.abs(np.diff(heights, axis=0)) > JUMP * size).mean())


def flickering(heights: Floats) -> float:
    """Share of the heights (frames, N) that jump, and jump back in the frame after."""
    size = float(np.sqrt(np.square(heights).mean()))
    if len(heights) < 3 or size == 0.0:
        return 0.0
    steps = np.diff(heights, axis=0)
    far = np.minimum(np.abs(steps[:-1]), np.abs(steps[1:])) > JUMP * size
    return float((far & (steps[:-1] * steps[1:] < 0.0)).mean())


def roughness(edges: npt.ArrayLike, heights: Floats) -> float:
    """What heights (frames, N) differ by from the mean of their neighbours', as a share of them; 0 where all are 0."""
    ends = np.asarray(edges)
    count = np.bincount(ends.ravel(), minlength=heights.shape[1])
    used = count > 0
    rough = whole = 0.0
    for h in heights:
        near = np.bincount(ends[:, 0], h[ends[:, 1]], len(h)) + np.bincount(ends[:, 1], h[ends[:, 0]], len(h))
        rough += float(np.square(h[used] - near[used] / count[used]).sum())
        whole += float(np.square(h[used]).sum())
    return float(np.sqrt(rough / whole)) if whole > 0.0 else 0.0


def faults(clip: pucker.Clip, states: Iterable[drape.State]) -> dict[str, Any]:
    """Shares of a clip's vertices and triangles in all frames that are at fault, and `rough`; `in the body` and `gone in` are None without a body."""
    body = body_of(clip, cut_of(clip))
    inside = gone = turned = frames = 0
    heights = []
    for frame, state in enumerate(states):
        fine = state.detail.subdivision.fine
        heights.append(metrics.heights(fine.faces, state.guide[None], state.draped[None])[0])
        turned += int(turned_over(fine.faces, state.guide, state.draped).sum())
        frames += 1
        if body is not None:
            least = DEEPER * float(np.ptp(state.cut, axis=0).max())
            deep = in_the_body(state.draped, body.positions[frame], body.faces)
            (asked,) = np.nonzero(deep > least)
            own = in_the_body(state.guide[asked], body.positions[frame], body.faces)
            inside += int((deep[asked] > own + least).sum())
            gone += int((own == 0.0).sum())
    found = np.array(heights)
    return {
        "frames": frames,
        "triangles": fine.triangle_count,
        "in the body": None if body is None else inside / found.size,
        "gone in": None if body is None else gone / found.size,
        "turned over": turned / (frames * fine.triangle_count),
        "jumps": jumping(found),
        "flickers": flickering(found),
        "rough": roughness(fine.edges, found),
    }


def played(file: Path, done: Sequence[dict[str, Any]] = ()) -> Iterable[dict[str, Any]]:
    """The faults of each clip of a file but those that are `done`, with the parts that `pucker info` suggests.

    A clip that cannot be played has `failed`, the reason, in their place.
    """
    before = {(each["file"], each["clip"]) for each in done}
    with open_source(file, isolated=True) as source:
        clips = list(source.inspect().clips) or [None]
        wanted = [name for name in clips if (file.name, name) not in before]
        parts = choose(source, None, None, FPS)[1] if wanted else None
        for name in wanted:
            row: dict[str, Any] = {"file": file.name, "garment": ", ".join(parts or ["all"]), "clip": name}
            try:
                with warnings.catch_warnings(record=True) as told:
                    warnings.simplefilter("always")
                    clip = source.load(clip=name, parts=parts, fps=FPS)
                    # As commands do.
                    clip = clip.smoothed(facets_of(clip).smooth)
                    row |= faults(clip, pucker.run(clip, drape.Params()))
                row["told"] = sorted({str(each.message) for each in told})
            except (pucker.Error, ValueError, RuntimeError) as error:
                row["failed"] = str(error)
            yield row


def measure(files: Sequence[Path] = ()) -> report.Samples:
    """Every clip of the example data and of other files and folders; ten minutes for the example data."""
    PART.parent.mkdir(parents=True, exist_ok=True)
    rows = [json.loads(line) for line in PART.read_text(encoding="utf-8").splitlines()] if PART.exists() else []
    with PART.open("a", encoding="utf-8") as part:
        for file in files_of([scenes.DATA, *files]):
            for row in played(file, rows):
                click.echo(f"{row['file']} {row['clip']}", err=True)
                part.write(json.dumps(row) + "\n")
                part.flush()
                rows.append(row)
    truths = [of_truth(path) for path in sorted((scenes.DATA / "truths").glob("*.npz"))]
    simulated = [of_scene(path) for path in sorted((scenes.DATA / "scenes").glob("*.npz"))]
    PART.unlink()
    return {"clips": rows, "truths": truths, "scenes": simulated}


def of_truth(path: Path) -> dict[str, Any]:
    """How much simulated cloth jumps: what no figure of draped cloth can be asked to stay below."""
    truth = metrics.Truth.load(path)
    return {"truth": path.stem, "jumps": jumping(truth.heights), "flickers": flickering(truth.heights)}


def of_scene(path: Path) -> dict[str, Any]:
    """The share of a scene's triangles that are turned over, in all frames: of the simulation, and of draped cloth on the same guide."""
    scene = Scene.load(path)
    guides = [scene.smooth @ scene.clip.positions[frame] for frame in scene.frames]
    simulated = [
        turned_over(scene.faces, guide, cloth) for guide, cloth in zip(guides, scene.truth(scene.detail), strict=True)
    ]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of scenes without a standing pose; this is on the page of clips
        states = list(pucker.run(scene.clip, drape.Params()))
    draped = [
        turned_over(state.detail.subdivision.fine.faces, np.array(state.guide), np.array(state.draped))
        for state in states[scene.first :]
    ]
    return {"scene": path.stem, "simulated": float(np.mean(simulated)), "draped": float(np.mean(draped))}


def _worst(rows: Sequence[dict[str, Any]], name: str) -> tuple[float, str]:
    """The largest figure of a clip, and the clip; NaN where no clip has one."""
    found = [(row[name], f"{row['clip'] or 'its only clip'}") for row in rows if row[name] is not None]
    return max(found) if found else (float("nan"), "")


def _share(rows: Sequence[dict[str, Any]], name: str) -> float | None:
    """Over all clips, by frames, in %; None without a body."""
    told = [row for row in rows if row[name] is not None]
    if not told:
        return None
    share: float = 100.0 * sum(row[name] * row["frames"] for row in told) / sum(row["frames"] for row in told)
    return share


def page(samples: report.Samples) -> str:
    """A row a garment, whether the aims are met, and the worst clips."""
    garments: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for row in samples["clips"]:
        if "failed" not in row:
            garments.setdefault((row["file"], row["garment"]), []).append(row)
    frames = sum(row["frames"] for rows in garments.values() for row in rows)
    text = (
        "`pucker.drape.Params()` as shipped, on every clip of every character in `data/`, made smooth as commands do, 30 frames a second, with the parts "
        f"that `pucker info` suggests: {sum(map(len, garments.values()))} clips, {frames} frames. Shares of all vertices or triangles in all frames:\n\n"
        f"- *in the body*: in the rest of the character (winding number above ½), deeper than the guide by {DEEPER:.1%} of the garment's extent;\n"
        "- *gone in*: those of them whose guide is outside; the others are hidden with or without folds;\n"
        "- *turned over*: triangles that show the other side than the guide's;\n"
        f"- *jumps*: heights over the guide that change by more than {JUMP:g} of their root mean square in a frame;\n"
        "- *flickers*: heights that do so and do the reverse in the frame after;\n"
        "- *roughness*: what heights differ by from the mean of their neighbours', over the heights; the worst clip's.\n\n"
        "Other characters: `./run bench characters --file PATH`, a file or a folder.\n\n"
    )
    lines = []
    failed: dict[str, list[tuple[float, str]]] = {name: [] for name in (*AIMS, "rough")}
    for (file, garment), rows in garments.items():
        shares = {name: _share(rows, name) for name in AIMS}
        rough = _worst(rows, "rough")[0]
        cells = ["–" if share is None else f"{share:.3f} %" for share in shares.values()]
        lines.append([file, garment, f"{len(rows)}", f"{rows[0]['triangles']}", *cells, f"{rough:.2f}"])
        for name, share in {**shares, "rough": rough}.items():
            failed[name].append((share or 0.0, file))
    text += report.table(["file", "garment", "clips", "triangles", *AIMS, "roughness"], lines) + "\n"
    for name, (words, aim) in AIMS.items():
        share, file = max(failed[name])
        text += report.at_most(f"{words}, worst garment ({file})", share, aim, "%")
    rough, file = max(failed["rough"])
    text += report.at_most(f"roughness, worst clip ({file})", rough, ROUGH, "of the heights")
    text += "\n" + _truths_jump(samples["truths"]) + "\n" + _simulated_turns(samples["scenes"])
    text += "\n## Worst clips\n\n" + _worst_table(garments)
    return text + _notes(samples["clips"])


def _truths_jump(truths: Sequence[dict[str, Any]]) -> str:
    """What the same figures are for simulated cloth."""
    most = {name: max(truths, key=itemgetter(name)) for name in ("jumps", "flickers")}
    typical = {name: float(np.median([each[name] for each in truths])) for name in most}
    told = ", ".join(
        f"{100.0 * most[name][name]:.2f} % {name} at most ({most[name]['truth']}), {100.0 * typical[name]:.2f} % in the median"
        for name in most
    )
    return (
        f"Simulated cloth does the same: of the heights of the {len(truths)} [truths](simulate.md) {told}. What moves fast "
        "jumps.\n"
    )


def _simulated_turns(scenes_of: Sequence[dict[str, Any]]) -> str:
    """Tucks turn triangles over: how many do where cloth is simulated."""
    most = max(scenes_of, key=itemgetter("simulated"))
    median = {name: 100.0 * float(np.median([each[name] for each in scenes_of])) for name in ("simulated", "draped")}
    more = sum(each["simulated"] > each["draped"] for each in scenes_of)
    return (
        f"Nor is a triangle that is turned over a fault by itself: it may lie in a tuck. In the {len(scenes_of)} [scenes](believe.md) that other programs "
        f"simulated {100.0 * most['simulated']:.2f} % are at most ({most['scene']}; draped cloth on the same guide "
        f"{100.0 * most['draped']:.2f} %), {median['simulated']:.2f} % in the median (draped {median['draped']:.2f} %); simulated cloth has more "
        f"of them in {more}.\n"
    )


def _worst_table(garments: dict[tuple[str, str], list[dict[str, Any]]]) -> str:
    lines = []
    for (file, _), rows in garments.items():
        cells = []
        for name in AIMS:
            share, clip = _worst(rows, name)
            cells.append("–" if np.isnan(share) else f"{100.0 * share:.3f} %, {clip}" if share > 0.0 else "none")
        rough, clip = _worst(rows, "rough")
        lines.append([file, *cells, f"{rough:.2f}, {clip}"])
    return report.table(["file", *AIMS, "roughness"], lines)


def _notes(clips: Sequence[dict[str, Any]]) -> str:
    told: dict[tuple[str, str], list[str]] = {}
    for row in clips:
        for sentence in [row["failed"]] if "failed" in row else row["told"]:
            told.setdefault((row["file"], sentence), []).append(row["clip"] or "its only clip")
    if not told:
        return ""
    lines = [
        f"- {file}, {names[0] if len(names) == 1 else f'{len(names)} clips'}: {sentence}\n"
        for (file, sentence), names in told.items()
    ]
    return "\nWhat was told while they played, or why they did not:\n\n" + "".join(lines)
