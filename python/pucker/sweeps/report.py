"""A page about a sweep: what each measure says, with a plot and a table, and a picture of each point."""

import itertools
import math
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pandas as pd

from pucker import plot
from pucker.io.files import plain_names, replacing_in
from pucker.metrics.meanings import MEANINGS
from pucker.render import ContextError

from . import table
from .grid import Grid
from .pictures import draw_points
from .ranking import SUITE, rankings_of

if TYPE_CHECKING:
    from .on_truths import JudgedSettings

# More values have no colours that tell them apart.
_MOST_HUES: Final = 7
_COLUMNS: Final = 3
_PANEL_SIZE: Final = (4.6, 3.2)
# Rounding, seen from the largest value of a measure.
_NOTHING: Final = 1e-9


def write_report(
    frame: pd.DataFrame,
    folder: Path,
    *,
    title: str,
    grid: Grid | None = None,
    judged: "JudgedSettings | None" = None,
    progress: Callable[[str], None] = lambda _: None,
) -> None:
    """Writes ``index.md``, ``table.csv``, a ``MEASURE.png`` for each measure that depends on a parameter, and with a
    grid a ``points-CLIP.jpg`` for each clip; with what truths say a table of it, and their rows in ``table.csv``.

    The plots have a panel for each clip, as clips have units of their own, the setting with the most values along x,
    and a colour for each value of the next; over further settings they average. The picture of a clip shows a frame of
    it with the parameters of each point.

    Args:
        frame: The rows of a sweep.
        folder: Made if it does not exist.
        title: Of the page.
        grid: What was run, in the same order.
        judged: What truths say of the settings.
        progress: Called with the caption of each point before its picture is made, which takes a run of the clip.

    Raises:
        OSError: If the folder cannot be written; it is then as it was.
    """
    with replacing_in(folder) as temporary:
        _write(frame, temporary, title, grid, judged, progress)


def _write(
    frame: pd.DataFrame,
    folder: Path,
    title: str,
    grid: Grid | None,
    judged: "JudgedSettings | None",
    progress: Callable[[str], None],
) -> None:
    every = frame if judged is None else judged.after(frame)
    every.to_csv(folder / "table.csv", index=False)
    x, hue = _roles(frame)
    names = [name for name in table.measures(frame) if frame[name].notna().any()]
    depending = [name for name in names if _depends_on_parameters(frame, name)]
    constant = [name for name in names if name not in depending]

    blocks = [f"# {title}", _summary(frame), *([] if judged is None else _on_truths(frame, judged))]
    for name, plain in zip(depending, plain_names(depending), strict=True):
        _draw(frame, folder / f"{plain}.png", x=x, y=name, hue=hue)
        means = frame.pivot_table(name, index="clip", columns=[x, *([hue] if hue else [])], sort=False)
        blocks += [f"## {name}", *_meaning(name), f"![{name}]({plain}.png)", _markdown(means)]
    if constant:
        said = [f"`{name}`\n: {MEANINGS[name].sentence()}" for name in constant if name in MEANINGS]
        means = frame.groupby("clip", sort=False)[constant].mean()
        blocks += ["## The same for all parameters", *said, _markdown(means)]
    if grid is not None:
        blocks += _pictures(frame, folder, grid, progress)
    (folder / "index.md").write_text("\n\n".join(blocks) + "\n", encoding="utf-8")


def _meaning(measure: str) -> list[str]:
    """What a measure says; empty for a user's own measure."""
    return [MEANINGS[measure].sentence()] if measure in MEANINGS else []


def _on_truths(frame: pd.DataFrame, judged: "JudgedSettings") -> list[str]:
    """Rankings by what truths say, of the settings as means over scenes or truths, the best first."""
    blocks = [
        "## On simulated cloth",
        f"Every setting on {judged.by_truth['clip'].nunique()} truths, over the smooth surface of their meshes; means.",
    ]
    for name, ranking in rankings_of(frame, judged).items():
        if name not in SUITE:
            continue
        noted = any(row.note for row in ranking.rows)
        lines = [["settings", name, "mean place", *(["given away by"] if noted else [])]]
        lines.append(["---", "---:", "---:", *(["---"] if noted else [])])
        lines += [
            [row.settings, f"{row.mean:.4g}", f"{row.place:.2f}", *([row.note] if noted else [])]
            for row in ranking.rows
        ]
        blocks += [f"### {name}", SUITE[name].sentence(), "\n".join(f"| {' | '.join(cells)} |" for cells in lines)]
    return blocks


def _pictures(frame: pd.DataFrame, folder: Path, grid: Grid, progress: Callable[[str], None]) -> list[str]:
    """The part of the page with a picture of each point that did not fail."""
    points = grid.points("")
    settings = [name for name in table.axes(frame) if name != "clip"]
    captions = [", ".join(str(row[name]) for name in settings) for _, row in frame.iterrows()]
    whole = frame["error"].isna().tolist()
    blocks = ["## Pictures", f"Captions say {', '.join(f'`{name}`' for name in settings)}." if settings else ""]
    for (name, clip), plain in zip(grid.clips.items(), plain_names(list(grid.clips)), strict=True):
        drawn = [k for k, point in enumerate(points) if point.clip == name and whole[k]]
        if not drawn:
            continue
        path = folder / f"points-{plain}.jpg"
        try:
            shown = draw_points(clip, [points[k].params for k in drawn], [captions[k] for k in drawn], path, progress)
        except ContextError as error:
            return ["## Pictures", f"There are none: {error}."]
        blocks += [f"### {name}, frame {shown}", f"![{name} with the parameters of each point]({path.name})"]
    return [block for block in blocks if block]


def _roles(frame: pd.DataFrame) -> tuple[str, str | None]:
    """The settings along x and of the colours."""
    varied = sorted(set(table.axes(frame)) - {"clip"}, key=lambda name: -frame[name].nunique())
    hue = next((name for name in varied[1:] if frame[name].nunique() <= _MOST_HUES), None)
    return varied[0] if varied else "clip", hue


def _depends_on_parameters(frame: pd.DataFrame, measure: str) -> bool:
    of_clip = frame.groupby("clip")[measure]
    return bool((of_clip.max() - of_clip.min()).max() > _NOTHING * frame[measure].abs().max())


def _summary(frame: pd.DataFrame) -> str:
    count = f"{len(frame)} points of pucker {', '.join(frame['version'].unique())}"
    varied = (f"`{name}` ({', '.join(map(str, frame[name].unique()))})" for name in table.axes(frame))
    sentences = [f"{count}, every combination of {', '.join(varied)}." if len(frame) > 1 else f"{count}."]
    failed = frame["error"].dropna()
    if len(failed):
        sentences.append(f"{len(failed)} of them failed, the first with: {failed.iloc[0]}.")
    return " ".join([*sentences, "Tables hold means; [table.csv](table.csv) holds every row."])


def _draw(frame: pd.DataFrame, path: Path, *, x: str, y: str, hue: str | None) -> None:
    clips = frame.groupby("clip", sort=False)
    columns = min(_COLUMNS, len(clips))
    rows = math.ceil(len(clips) / columns)
    figure = plot.Figure((columns * _PANEL_SIZE[0], rows * _PANEL_SIZE[1]))
    cells = figure.add_gridspec(rows, columns)
    for place, (clip, points) in enumerate(clips):
        panel = figure.add_subfigure(cells[divmod(place, columns)])
        plot.sweep(points, x=x, y=y, hue=hue, figure=panel)
        # A name with two $ is no formula.
        panel.suptitle(str(clip), parse_math=False)
    figure.savefig(path, dpi=80)


def _markdown(means: pd.DataFrame) -> str:
    """A table with its index as the first column, to four digits."""
    titles = [", ".join(map(str, name)) for name in pd.MultiIndex.from_frame(means.columns.to_frame())]
    head = [[str(means.index.name), *titles], ["---", *("---:" for _ in titles)]]
    body = [[str(row[0]), *(f"{value:.4g}" for value in row[1:])] for row in means.itertuples()]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in itertools.chain(head, body))
