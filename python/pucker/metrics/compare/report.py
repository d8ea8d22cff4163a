"""The bench's results on disk: tables and pictures."""

import json
import platform
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from importlib.metadata import version
from itertools import repeat
from pathlib import Path
from typing import Any, Final

import numpy as np
import pandas as pd

import pucker
from pucker.io.files import make_folder, write_text
from pucker.method import method_of
from pucker.render import Camera, ClipRenderer, contact_sheet

from .bench import MEASURES, Row

_PACKAGES: Final = ("pucker", "libigl", "fast-simplification", "scipy", "numpy")
_CELL: Final = (300, 300)
_FRAMES: Final = 4
_VIEW: Final = "three-quarter"

# What the page calls a measure, its unit there, and the factor that brings it into that unit.
_COLUMNS: Final = {
    "curvature": ("curvature", "", 1.0),
    "curvedness": ("curvedness", "", 1.0),
    "distance": ("distance", "% of the height", 100.0),
    "normals": ("normals", "degrees", 1.0),
    "area": ("area", "%", 100.0),
    "silhouette": ("outline", "%", 100.0),
    "direction": ("folds", "degrees", 1.0),
}


def machine() -> str:
    """The processor, the system, and the versions of what measured."""
    cpus = Path("/proc/cpuinfo")
    lines = cpus.read_text(encoding="utf-8").splitlines() if cpus.is_file() else []
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    processor = f"{len(names)} cores of {names[0]}" if names else platform.machine()
    versions = ", ".join(f"{package} {version(package)}" for package in _PACKAGES)
    return f"{processor}, {platform.system()}, Python {platform.python_version()}, {versions}"


def piped(lines: Sequence[Sequence[str]]) -> str:
    """A table in Markdown of its lines of cells, the second of which says how columns are aligned."""
    return "".join("| " + " | ".join(line) + " |\n" for line in lines)


def table(rows: Sequence[Row]) -> pd.DataFrame:
    """One line a row of the bench, one column an attribute."""
    return pd.DataFrame([asdict(row) for row in rows])


def means(rows: Sequence[Row]) -> pd.DataFrame:
    """Means over the frames, by number of triangles and surface, in the order of the rows."""
    return table(rows).groupby(["triangles", "surface"], sort=False)[["wrinkles", *MEASURES]].mean()


def in_words(averages: pd.DataFrame) -> pd.DataFrame:
    """What `means` gives, with the names and units of the page in the place of those of `Row`."""
    columns = {
        f"{name} [{unit}]" if unit else name: factor * averages[measure]
        for measure, (name, unit, factor) in _COLUMNS.items()
    }
    return pd.DataFrame({"wrinkles": averages["wrinkles"], **columns})


def _markdown(averages: pd.DataFrame) -> str:
    """Means of one mesh as a table; bold is what is nearer to the fine surface than the first surface is, as rounded."""
    head = ["", "wrinkles", *(name for name, _, _ in _COLUMNS.values())]
    lines = [head, ["---", *["--:"] * (len(head) - 1)]]
    first = averages.iloc[0]
    for surface, values in averages.iterrows():
        cells = [_cell(factor * values[name], factor * first[name]) for name, (_, _, factor) in _COLUMNS.items()]
        lines.append([str(surface), _number(values["wrinkles"], 1), *cells])
    return piped(lines).rstrip("\n")


def _number(value: float, digits: int = 2) -> str:
    return "–" if np.isnan(value) else f"{value:.{digits}f}"


def _cell(value: float, first: float) -> str:
    return f"**{_number(value)}**" if round(value, 2) < round(first, 2) else _number(value)


def sheet(
    path: Path,
    fine: pucker.Clip,
    coarse: pucker.Clip,
    surfaces: Mapping[str, Any],
    frames: Sequence[int],
) -> None:
    """Draws some frames of the fine mesh and of surfaces over a coarse one beside each other, a row a frame.

    `surfaces` are as `compare` takes them. The fine cloth is drawn as its copies are, without the file's colours and pictures
    and without a body.
    """
    camera = Camera.fit(fine.positions[list(frames)], _VIEW, aspect=_CELL[0] / _CELL[1])
    plain = pucker.Clip.from_arrays(fine.faces, fine.positions, fine.times, weld=False)
    with ClipRenderer(plain, _CELL, camera=camera) as reference:
        rows = [[reference.frame(index, mode="base")] for index in frames]
        for params in surfaces.values():
            with ClipRenderer(coarse, _CELL, params=params, camera=camera, context=reference.renderer.context) as drawn:
                states = repeat(None, len(coarse)) if params is None else pucker.run(coarse, params)
                for index, state in enumerate(states):
                    if index in frames:
                        rows[frames.index(index)].append(drawn.frame(index, state))
    captions = [f"{fine.times[index]:.2f} s" for index in frames]
    contact_sheet(path, rows, column_captions=["fine", *surfaces], row_captions=captions)


def shown_frames(rows: Sequence[Row]) -> list[int]:
    """The frames that are drawn: a few of those measured, spread over the clip."""
    measured = sorted({row.frame for row in rows})
    return sorted({measured[k] for k in np.linspace(0, len(measured) - 1, _FRAMES + 1).round().astype(int)[1:]})


def write_report(
    folder: Path,
    rows: Sequence[Row],
    fine: pucker.Clip,
    coarse: Sequence[pucker.Clip],
    surfaces: Mapping[str, Any],
) -> list[Path]:
    """Writes ``frames.csv``, ``means.json``, a picture for each coarse mesh, and ``index.md``; returns the files.

    The tables come first, so that they are there if nothing can be drawn.

    folder: made if it does not exist.
    rows: what `compare` gave for all of `coarse`, clips over which the `surfaces` lie.

    Raises OSError if the folder cannot be written, and pucker.render.ContextError if there is no OpenGL.
    """
    make_folder(folder)
    tables, page = [folder / "frames.csv", folder / "means.json"], folder / "index.md"
    write_text(tables[0], table(rows).to_csv(index=False))
    write_text(tables[1], json.dumps({"machine": machine(), "means": summary(rows)}, indent=2) + "\n")
    pictures = [folder / f"{len(clip.faces)}.png" for clip in coarse]
    for path, clip in zip(pictures, coarse, strict=True):
        sheet(path, fine, clip, surfaces, shown_frames(rows))
    blocks = [
        f"# Results for {fine.name}",
        f"The fine mesh has {len(fine.faces)} triangles and is {fine.height:.4g} high. {_settings(fine, surfaces)}",
        f"Means over {len({row.frame for row in rows})} of {len(fine)} frames. Measured on {machine()}.",
        f"Smaller is nearer to the fine surface everywhere; bold is nearer than the first line. Units: {_units()}.",
        "[frames.csv](frames.csv) holds every frame.",
    ]
    for path, (count, averages) in zip(pictures, means(rows).groupby(level="triangles", sort=False), strict=True):
        blocks += [f"## {count} triangles", _markdown(averages.droplevel("triangles")), f"![]({path.name})"]
    write_text(page, "\n\n".join(blocks) + "\n")
    return [*tables, *pictures, page]


def _units() -> str:
    return ", ".join(f"{name} in {unit}" for name, unit, _ in _COLUMNS.values() if unit)


def _settings(fine: pucker.Clip, surfaces: Mapping[str, Any]) -> str:
    """A sentence about the wrinkles of the surfaces, or one for each surface if they differ."""
    sentences = {
        name: method_of(params).description(fine, params) for name, params in surfaces.items() if params is not None
    }
    if len(set(sentences.values())) == 1:
        return f"Wrinkles have {next(iter(sentences.values()))}"
    return " ".join(f"Wrinkles of “{name}” have {sentence}" for name, sentence in sentences.items())


def summary(rows: Sequence[Row]) -> list[dict[str, object]]:
    """The means as objects that JSON can hold: None in the place of NaN."""
    records = means(rows).reset_index().astype(object)
    return [
        {str(key): value for key, value in record.items()}
        for record in records.where(records.notna(), None).to_dict("records")
    ]
