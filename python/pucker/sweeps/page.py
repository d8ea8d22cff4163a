"""A sweep as one page to send: what differs by how much, which settings do best, and the same frame with each."""

import base64
import io
import shlex
from collections.abc import Callable, Mapping, Sequence
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt
import pandas as pd
from PIL import Image

from pucker._core import did_you_mean
from pucker.io.files import write_text
from pucker.method import method_named
from pucker.metrics.meanings import MEANINGS
from pucker.render import ContextError

from . import table
from .grid import Grid, Point
from .pictures import Shots, shots
from .ranking import COST, SUITE, SUITE_DISTANCE, TOLD, Ranking, depending, differences, meaning_of, rankings_of

if TYPE_CHECKING:
    from .on_truths import JudgedSettings

_QUALITY: Final = 85
# Of a drawing of cross-sections, in its own unit.
_WIDTH: Final = 260
_ROOM: Final = 12
_Floats = npt.NDArray[np.float64]


def write_page(
    frame: pd.DataFrame,
    path: Path,
    *,
    title: str,
    grid: Grid,
    rank_by: str | None = None,
    judged: "JudgedSettings | None" = None,
    progress: Callable[[str], None] = lambda _: None,
) -> None:
    """Writes one HTML file with everything in it; nothing is fetched when it is read.

    It ranks the settings by each measure, by what truths say of them and by their cost, tells how much every measure differs from the first setting's, shows the same
    frame of each clip with all settings, from afar and close up where they differ most, cross-sections of one fold of that
    frame side by side where the method has some, and for each row the command that plays it.

    Args:
        frame: The rows of a sweep.
        path: Of the page.
        title: Its heading.
        grid: What was run, in the same order.
        rank_by: The measure whose ranking is shown at first: one of the rows', of `ranking.SUITE`, or ``cost``; by default
            ``told`` if there is what truths say, else the one that tells the settings apart most clearly, of those of which one end is better.
        judged: What truths say of the settings.
        progress: Called with the caption of each point before its picture is made, which takes a run of the clip.

    Raises:
        ValueError: For a measure that no row has or that does not depend on the settings.
        OSError: If the file cannot be written.
    """
    rankings = rankings_of(frame, judged)
    first = _first(rankings, rank_by)
    blocks = [_summary(frame, judged), _ranking_section(rankings, first), _commands(frame, grid)]
    for clip, rows in frame.groupby("clip", sort=False):
        blocks.append(_clip_section(str(clip), rows, grid, progress))
    here = files("pucker.sweeps")
    page = (here / "page.html").read_text(encoding="utf-8")
    parts = {
        "title": escape(title),
        "style": (here / "page.css").read_text(encoding="utf-8"),
        "script": (here / "page.js").read_text(encoding="utf-8"),
        "body": "\n".join(blocks),
    }
    for name, text in parts.items():
        page = page.replace(f"/*{{{name}}}*/", text)
    write_text(path, page)


def _first(rankings: Mapping[str, Ranking], rank_by: str | None) -> str | None:
    if rank_by is None:
        for name in (TOLD, SUITE_DISTANCE):
            if name in rankings:
                return name
        judged = [name for name, ranking in rankings.items() if ranking.better != "neither" and name != COST]
        return max(judged or rankings, key=lambda name: rankings[name].spread, default=None)
    if rank_by not in rankings:
        known = ", ".join(rankings) or "none"
        guess = did_you_mean(rank_by, list(rankings))
        raise ValueError(f"no measure {rank_by!r}{guess} depends on the settings of the sweep; there are {known}")
    return rank_by


def _summary(frame: pd.DataFrame, judged: "JudgedSettings | None") -> str:
    varied = (
        f"<b>{escape(name)}</b> ({escape(', '.join(map(str, frame[name].unique())))})" for name in table.axes(frame)
    )
    text = f"{len(frame)} runs of pucker {escape(', '.join(frame['version'].unique()))}"
    if len(frame) > 1:
        text += f": every combination of {', '.join(varied)}"
    failed = frame["error"].dropna()
    told = f" {len(failed)} of them failed, the first with: {escape(str(failed.iloc[0]))}." if len(failed) else ""
    return f"<p>{text}.{told}</p>{_summary_of_truths(judged) if judged else ''}"


def _summary_of_truths(judged: "JudgedSettings") -> str:
    rows = judged.by_truth
    names = "; ".join(map(str, rows["clip"].unique()))
    failed = rows["error"].dropna()
    told = f" {len(failed)} of them failed, the first with: {escape(str(failed.iloc[0]))}." if len(failed) else ""
    return (
        f"<p>Beside these {len(rows)} runs on simulated cloth, {rows['clip'].nunique()} truths ({escape(names)}), over the smooth "
        f"surface of their meshes.{told}</p>"
    )


# --- the ranking -------------------------------------------------------------------------------------------------------


def _ranking_section(rankings: Mapping[str, Ranking], first: str | None) -> str:
    if first is None:
        return "<h2>Ranking</h2><p>No measure depends on the settings.</p>"
    options = "".join(
        f'<option value="{escape(name)}"{" selected" * (name == first)}>{escape(name)}</option>' for name in rankings
    )
    tables = "".join(_ranking(ranking, shown=name == first) for name, ranking in rankings.items())
    return (
        '<h2>Ranking</h2><p><label>by <select id="measure">'
        f"{options}</select></label> &mdash; the mean of a setting's places in all columns; 1 is the best in each.</p>{tables}"
    )


def _ranking(ranking: Ranking, *, shown: bool) -> str:
    meaning = meaning_of(ranking.measure)
    said = f'<p class="said">{escape(meaning.sentence())}</p>' if meaning else ""
    if ranking.measure in SUITE:
        said += '<p class="said">The order is that of the means.</p>'
    if ranking.better == "neither":
        said += '<p class="said">Neither end is better, so the order is only that of the numbers, largest first.</p>'
    means = meaning is not None and meaning.unit != "unit" and len(ranking.clips) > 1
    noted = any(row.note for row in ranking.rows)
    titles = ["", "settings", "mean place", *(["mean"] if means else []), *ranking.clips]
    head = "".join(f"<th>{escape(text)}</th>" for text in [*titles, *(["given away by"] if noted else [])])
    rows = []
    for place, row in enumerate(ranking.rows, 1):
        cells = "".join(
            f'<td class="number{" best" * (row_place == 1.0)}">{_number(value)}</td>'
            for value, row_place in zip(row.values, row.places, strict=True)
        )
        mean = f'<td class="number">{row.place:.2f}</td>'
        if means:
            mean += f'<td class="number">{_number(row.mean)}</td>'
        if noted:
            cells += f'<td class="note">{escape(row.note)}</td>'
        rows.append(f"<tr><td>{place}</td><th>{escape(row.settings)}</th>{mean}{cells}</tr>")
    return (
        f'<div class="ranking" data-measure="{escape(ranking.measure)}"{"" if shown else " hidden"}>{said}'
        f'<div class="wide"><table><thead><tr>{head}</tr></thead><tbody>{"".join(rows)}</tbody></table></div></div>'
    )


def _number(value: float) -> str:
    return "&ndash;" if np.isnan(value) else f"{value:.4g}"


# --- what plays a row --------------------------------------------------------------------------------------------------


def command_of(grid: Grid, point: Point, values: Mapping[str, Any]) -> str | None:
    """The shell's command that plays a point with `values` of the grid's parameters; None of a clip that is of no file."""
    source = grid.sources.get(point.clip)
    if source is None:
        return None
    words = ["pucker", "view", str(source["file"])]
    # A sweep measures the mesh as it is unless it says otherwise, which the viewer may show smooth.
    shown = {"smooth": 0, **source}
    for name in ("clip", "parts", "fps", "loops", "motion", "smooth"):
        if name in shown:
            value = shown[name]
            words += [f"--{name}", ",".join(value) if isinstance(value, list) else str(value)]
    words += ["--method", grid.method]
    seed = point.params.to_dict().get("seed", 0)
    for name, value in {**values, **({"seed": seed} if seed else {})}.items():
        words += ["--set", f"{name}={str(value).lower() if isinstance(value, bool) else value}"]
    return shlex.join(words)


def _commands(frame: pd.DataFrame, grid: Grid) -> str:
    rows = []
    for (_, row), (point, values) in zip(frame.iterrows(), grid.valued_points(), strict=True):
        command = command_of(grid, point, values)
        if command is None:
            return (
                "<h2>Commands</h2><p>The clips were no files when the sweep was run, so no command can play them.</p>"
            )
        button = '<button type="button" class="copy">copy</button>'
        text = f"<code>{escape(command)}</code>"
        rows.append(
            f"<tr><td>{escape(str(row['clip']))}</td><th>{_caption(frame, row)}</th><td>{text}</td><td>{button}</td></tr>"
        )
    head = "<tr><th>clip</th><th>settings</th><th>plays it in a window</th><th></th></tr>"
    return (
        "<details><summary><h2>Commands</h2> that play each row</summary>"
        f'<div class="wide"><table class="commands"><thead>{head}</thead><tbody>{"".join(rows)}</tbody></table></div></details>'
    )


# --- a clip ------------------------------------------------------------------------------------------------------------


def _caption(frame: pd.DataFrame, row: "pd.Series[Any]") -> str:
    return escape(", ".join(str(row[name]) for name in table.axes(frame) if name != "clip") or "as it is")


def _clip_section(clip: str, rows: pd.DataFrame, grid: Grid, progress: Callable[[str], None]) -> str:
    whole = rows[rows["error"].isna()]
    blocks = [f"<h2>{escape(clip)}</h2>", _differences_table(rows, whole)]
    points = [point for point in grid.points("") if point.clip == clip]
    drawn = [point for point, good in zip(points, rows["error"].isna(), strict=True) if good]
    captions = [_caption(rows, row) for _, row in whole.iterrows()]
    if not drawn:
        return "\n".join(blocks)
    method = method_named(grid.method)
    try:
        found = shots(grid.clips[clip], [point.params for point in drawn], captions, progress)
    except ContextError as error:
        return "\n".join([*blocks, f"<p>There are no pictures: {escape(str(error))}.</p>"])
    sections = method.sections(found.states, [point.params for point in drawn])
    if sections:
        blocks += [
            f"<h3>One fold of frame {found.frame}, cut where it is highest</h3>",
            '<p class="said">To one scale; grey are the other settings. Lengths are in the clip\'s unit.</p>',
            '<div class="cells">',
            *_section_drawings(sections, captions),
            "</div>",
        ]
    blocks += [f"<h3>Frame {found.frame}</h3>", _picture_cells(found, captions)]
    return "\n".join(blocks)


def _differences_table(rows: pd.DataFrame, whole: pd.DataFrame) -> str:
    names = depending(whole) if len(whole) > 1 else []
    if not names:
        return "<p>No measure depends on the settings here.</p>"
    head = "".join(f'<th title="{escape(_said(name))}">{escape(name)}</th>' for name in ("", *names))
    body = []
    for _, row in whole.iterrows():
        cells = []
        for name in names:
            difference = differences(whole.iloc[0][name], row[name], MEANINGS.get(name))
            shade = f' style="--share:{min(abs(difference.judged), 1.0):.3f}"' if difference.judged else ""
            kind = "" if not difference.judged else " better" if difference.judged > 0.0 else " worse"
            cells.append(f'<td class="number{kind}"{shade}>{_number(row[name])}<small>{difference.text}</small></td>')
        body.append(f"<tr><th>{_caption(rows, row)}</th>{''.join(cells)}</tr>")
    return (
        '<h3>Measured differences</h3><p class="said">Below each number its difference from the first row\'s; green is better, '
        "red worse, without a colour neither. The head of a column says what it is.</p>"
        f'<div class="wide"><table><thead><tr>{head}</tr></thead><tbody>{"".join(body)}</tbody></table></div>'
    )


def _said(measure: str) -> str:
    return MEANINGS[measure].sentence() if measure in MEANINGS else ""


def _section_drawings(sections: Sequence[_Floats], captions: Sequence[str]) -> list[str]:
    """Curves (k, 2) of cross-sections, across and up, each over all others."""
    across = max(float(np.ptp(curve[:, 0])) for curve in sections) or 1.0
    low = min(float(curve[:, 1].min()) for curve in sections)
    up = max(float(curve[:, 1].max()) for curve in sections)
    scale = (_WIDTH - 2 * _ROOM) / across
    height = scale * (up - low) + 2 * _ROOM

    def line(curve: _Floats, kind: str) -> str:
        points = np.column_stack([0.5 * _WIDTH + scale * curve[:, 0], height - _ROOM - scale * (curve[:, 1] - low)])
        return f'<polyline class="{kind}" points="{" ".join(f"{x:.2f},{y:.2f}" for x, y in points)}"/>'

    drawings = []
    for own, (curve, caption) in enumerate(zip(sections, captions, strict=True)):
        others = "".join(line(other, "other") for k, other in enumerate(sections) if k != own)
        steps = np.diff(curve, axis=0)
        length = float(np.linalg.norm(steps, axis=1).sum())
        slope = float(np.degrees(np.arctan2(np.abs(steps[:, 1]), steps[:, 0]).max()))
        told = f"{np.ptp(curve[:, 0]):.3g} wide, {np.ptp(curve[:, 1]):.3g} high, {length:.4g} long, {slope:.0f}&deg; at its steepest"
        drawings.append(
            f'<figure><svg viewBox="0 0 {_WIDTH} {height:.1f}" role="img" aria-label="{caption}">{others}{line(curve, "own")}'
            f"</svg><figcaption><b>{caption}</b><br>{told}</figcaption></figure>"
        )
    return drawings


def _picture_cells(found: Shots, captions: Sequence[str]) -> str:
    cells = []
    for k, caption in enumerate(captions):
        afar, close = _data_uri(found.pictures[k]), _data_uri(found.close[k])
        share = "" if k == 0 else f"; {100.0 * found.changed[k]:.1f} % of the cloth's pixels differ from the first"
        cells.append(
            f'<figure><img class="close" alt="{caption}, close up" src="{close}"><img alt="{caption}" src="{afar}">'
            f"<figcaption><b>{caption}</b>{share}</figcaption></figure>"
        )
    return (
        '<p class="said">Above where the settings differ most, below the whole. Hold the mouse on a picture to see the first '
        f'setting in its place.</p><div class="cells pictures">{"".join(cells)}</div>'
    )


def _data_uri(picture: npt.NDArray[np.uint8]) -> str:
    content = io.BytesIO()
    Image.fromarray(picture).save(content, "JPEG", quality=_QUALITY)
    return "data:image/jpeg;base64," + base64.b64encode(content.getvalue()).decode("ascii")
