"""Surfaces of any methods against truths: how far they have the folds of each band, beside what can be had and what must fail."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Final, Literal, Self

import numpy as np
import numpy.typing as npt

import pucker
from pucker import byexample
from pucker.io.files import make_folder, write_text
from pucker.io.npz import arrays_of
from pucker.metrics.band_statistics import BandStatistics
from pucker.metrics.bands import band_agreement, band_names, noise_like
from pucker.metrics.takes import load_takes
from pucker.metrics.truth import Truth
from pucker.render.camera import orbit_cameras

from .by_statistics import CEILINGS, Statistics, bands_table, statistics_table
from .judged import GUIDE, LAG, NOISE
from .pictures import Picture, drawn_by_value
from .report import machine, piped
from .scene import scenes_of
from .telling import EVERY, PatchReader, Telling, Told, shows_nothing, telling_table, weights_table

Array = npt.NDArray[np.float64]

_SEED: Final = 1
_VIEWS: Final = 8
_ELEVATION: Final = 10.0


@dataclass(frozen=True)
class Against:
    """One surface against one truth.

    Attributes:
        truth: Scene and fabric.
        surface: Of what.
        kind: A simulation of the same sheet, what knows nothing of the folds, or what is judged.
        judged: (k,) whether each band is judged by place.
        bands: Names of the bands, in mean edges of the truth's mesh.
        correlation: (k,) of the folds with the truth's: heights over the guide, each without its own lag.
        size: (k,) of the folds over the truth's.
        lag: Drag over hold a frame, as `metrics.fitted_lag`; NaN for noise.
        statistics: (k - 1,) how alike the folds are wherever they lie, in all bands but the last; empty for a simulation of which no folds
            are kept.
    """

    truth: str
    surface: str
    kind: Literal["simulation", "control", "method"]
    judged: tuple[bool, ...]
    bands: tuple[str, ...]
    correlation: tuple[float, ...]
    size: tuple[float, ...]
    lag: float
    statistics: tuple[BandStatistics, ...] = ()

    def plain(self) -> dict[str, Any]:
        """As JSON has it: None for what is not a number."""
        return {name: _plain(value) for name, value in asdict(self).items()}

    @classmethod
    def of_plain(cls, kept: Mapping[str, Any]) -> Self:
        """From what `plain` gave."""
        values: dict[str, Any] = {
            name: tuple(map(_number, value)) if isinstance(value, list) else value for name, value in kept.items()
        }
        statistics = [BandStatistics(**{n: _number(v) for n, v in each.items()}) for each in kept["statistics"]]
        return cls(**values | {"lag": _number(kept["lag"]), "statistics": tuple(statistics)})


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _plain(each) for name, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(each) for each in value]
    return None if isinstance(value, float) and np.isnan(value) else value


def _number(value: Any) -> Any:
    return float("nan") if value is None else value


def same_sheet(truth: Truth) -> pucker.drape.Params | None:
    """Draped cloth with the constants of a truth's own sheet; None for a truth that does not tell them.

    Fold size and wavelength, and as swing the time in which the sheet comes back to its guide; it gives way to no stretch, is as soft in
    sleeves as elsewhere, and has folds as short as the sheet has. `memory` is what damps it: 2 ζ times the swing.
    """
    told = truth.constants
    if not {"wavelength", "reach", "response", "damping"} <= told.keys():
        return None
    extent = float(np.ptp(truth.start, axis=0).max())
    swing = told["response"] * float(np.median(np.diff(truth.clip.times)))
    return pucker.drape.Params(
        fold_size=told["reach"] * truth.side / extent,
        thickness=0.0,
        wavelength=told["wavelength"] / told["reach"],
        edges_per_wave=0.0,
        creep=0.0,
        swing=swing,
        memory=2.0 * told["damping"] * swing,
    )


def standard_on(truth: Truth, folder: Path) -> dict[str, Any]:
    """The four methods with their defaults, and draped cloth as `same_sheet`.

    By example is there where a set of the garment lies in the folder or the one above.
    """
    sheet = same_sheet(truth)
    methods: dict[str, Any] = {
        "draped": pucker.drape.Params(),
        **({} if sheet is None else {"draped, the same sheet": sheet}),
        "dynamic": pucker.Params(),
        "waves": pucker.waves.Params(),
    }
    for file in sorted([*folder.glob("*.pose.npz"), *folder.parent.glob("*.pose.npz")]):
        if truth.clip.parts and tuple(byexample.load(str(file)).parts) == tuple(truth.clip.parts):
            return {"by example": byexample.Params(trained=str(file)), **methods}
    return methods


def title(truth: Truth) -> str:
    """Scene and fabric."""
    return f"{truth.name}, {truth.fabric}"


def names(truth: Truth) -> tuple[str, ...]:
    """Of the bands, in mean edges of the truth's mesh."""
    edge = pucker.mean_edge_length(truth.mesh, truth.rest)
    return band_names([round(float(cutoff / edge), 1) for cutoff in truth.cutoffs])


def positions_on(truth: Truth, params: Any) -> Array:
    """Positions (frames, N, 3), at the truth's vertices, of a method with its parameters.

    `params` may be a function, too: called with the clip, it gives a state for each frame, as `Judge.judge` takes it.
    """
    states = params(truth.clip) if callable(params) else pucker.run(truth.clip, params)
    return truth.shown(states)


@dataclass(frozen=True, eq=False)
class Folds:
    """Folds of one surface over one truth.

    Attributes:
        surface: Of what.
        kind: What knows nothing of the folds, or what is judged.
        folds: (frames, N) heights over the guide, without lag.
        lag: Drag over hold a frame, as `metrics.fitted_lag`; NaN for noise.
    """

    surface: str
    kind: Literal["control", "method"]
    folds: Array
    lag: float


def simulations(
    truth: Truth, statistics: Statistics | None = None, takes: Mapping[str, Array] | None = None
) -> Iterator[Against]:
    """Rows of the other simulations of a truth's sheet; with statistics of those whose folds are among `takes`."""
    judged, bands = truth.judged, names(truth)
    kept = takes or {}
    for of, name in CEILINGS.items():
        for each in truth.reproduced:
            if each.of == of:
                alike = statistics.of(kept[name]) if statistics is not None and name in kept else ()
                yield Against(
                    title(truth), name, "simulation", judged, bands, each.correlation, each.rms, each.lag, alike
                )


class OnTruth:
    """Judges surfaces over one truth, of which what they are judged by is read once.

    Attributes:
        truth: The truth.
        takes: Folds of other simulations of its sheet, as `takes_of` has them.
    """

    def __init__(self, truth: Truth, takes: Mapping[str, Array] | None = None) -> None:
        self.truth, self.takes = truth, dict(takes or {})

    def __reduce__(self) -> tuple[type[Self], tuple[Truth, dict[str, Array]]]:
        """Goes to other processes without what has been read of it."""
        return type(self), (replace(self.truth), self.takes)

    @cached_property
    def _statistics(self) -> Statistics:
        return Statistics(self.truth)

    @cached_property
    def patches(self) -> PatchReader:
        """Reads the patches by which folds are told from the truth's; raises ValueError where the truth is not resolved."""
        return PatchReader(self.truth)

    @cached_property
    def simulations(self) -> tuple[Against, ...]:
        """Rows of the other simulations of the truth's sheet; with statistics of those whose folds are among `takes`."""
        return tuple(simulations(self.truth, self._statistics if self.takes else None, self.takes))

    def folds(self, surface: str, params: Any) -> Folds:
        """Those of what `positions_on` takes."""
        found = positions_on(self.truth, params)
        return Folds(surface, "method", *self.truth.folds_of(self.truth.mesh.faces, self.truth.rest, found))

    def row(self, one: Folds) -> Against:
        """How far a surface has the truth's folds, by band."""
        truth = self.truth
        found = band_agreement(one.folds, truth.folds, truth.bands)
        correlation, size = tuple(each.correlation for each in found), tuple(each.rms for each in found)
        alike = self._statistics.of(one.folds[::EVERY])
        return Against(
            title(truth), one.surface, one.kind, truth.judged, names(truth), correlation, size, one.lag, alike
        )


def folds_on(truth: Truth, surfaces: Mapping[str, Any]) -> Iterator[Folds]:
    """Folds of the controls and of surfaces, which are what `positions_on` takes, by name."""
    nothing = np.zeros_like(truth.folds)
    yield Folds(GUIDE, "control", nothing, 0.0)
    # All that it does is taken out.
    yield Folds(LAG, "control", nothing, truth.lag)
    yield Folds(NOISE, "control", noise_like(truth.folds, truth.bands, _SEED), float("nan"))
    on = OnTruth(truth)
    for name, params in surfaces.items():
        yield on.folds(name, params)


def against(
    truth: Truth,
    surfaces: Mapping[str, Any],
    *,
    takes: Mapping[str, Array] | None = None,
    progress: Callable[[Folds], None] = lambda _folds: None,
) -> Iterator[Against]:
    """Simulations of the same sheet, the controls, and surfaces, which are what `positions_on` takes, by name.

    `takes` are folds of the simulations, as `takes_of` has them; without them these have no `Against.statistics`, and nothing says how far
    those of two simulations differ. `progress` is called with the folds of each surface before its row is there. A truth that is not
    resolved is measured all the same; none of its bands is `Against.judged`.
    """
    on = OnTruth(truth, takes)
    yield from on.simulations
    for one in folds_on(truth, surfaces):
        progress(one)
        yield on.row(one)


def takes_of(truth: Truth, file: Path) -> dict[str, Array]:
    """Folds of other simulations of the truth in `file`, in every `telling.EVERY` frames, by the names of `CEILINGS`; from the folder ``takes`` beside it."""
    kept = file.parent / "takes" / file.name
    return {CEILINGS[of]: each for of, each in load_takes(kept, truth, every=EVERY).items()} if kept.exists() else {}


def tell_apart(telling: Telling, truth: Truth, file: Path, found: Sequence[Folds]) -> None:
    """Adds to `telling` the other simulations of the truth in `file`, and surfaces over it."""
    shown = [(each.surface, each.folds) for each in found if not shows_nothing(each.surface)]
    telling.add(truth, [*takes_of(truth, file).items(), *shown])


def table_of_truth(rows: Sequence[Against]) -> str:
    """Of one truth: correlation, and size over the truth's in brackets; in bold the bands that are judged by place."""
    lines = [["", *rows[0].bands, "lag"], ["---", *["--:"] * (len(rows[0].bands) + 1)]]
    for each in rows:
        cells = [
            f"**{one:.2f} ({size:.2f})**" if by_place else f"{one:.2f} ({size:.2f})"
            for one, size, by_place in zip(each.correlation, each.size, each.judged, strict=True)
        ]
        lines.append([each.surface, *cells, "–" if np.isnan(each.lag) else f"{each.lag:.2f}"])
    return piped(lines)


def overall_table(rows: Sequence[Against]) -> str:
    """Means over all bands of all truths that are judged by place, with the least and the largest correlation.

    Beside each what the next finer mesh has there, where that is among the rows.
    """
    finer = {each.truth: each for each in rows if each.surface == CEILINGS["finer"]}
    head = ["", "bands", "correlation", "least to largest", *(["ceiling"] if finer else []), "size"]
    lines = [head, ["---", *["--:"] * (len(head) - 1)]]
    for surface in dict.fromkeys(each.surface for each in rows):
        cells = [
            (one, size, finer[each.truth].correlation[band] if finer else np.nan)
            for each in rows
            if each.surface == surface
            for band, (one, size) in enumerate(zip(each.correlation, each.size, strict=True))
            if each.judged[band]
        ]
        if cells:
            found = np.array(cells)
            one, size, ceiling = found.mean(axis=0)
            span = f"{found[:, 0].min():.2f} to {found[:, 0].max():.2f}"
            beside = [f"{ceiling:.2f}"] if finer else []
            lines.append([surface, str(len(cells)), f"{one:.2f}", span, *beside, f"{size:.2f}"])
    return piped(lines)


def picture_by_band(truth: Truth, folds: Array, index: int, size: tuple[int, int]) -> Picture:
    """Folds (frames, N) of frame `index` of the truth in each band but the last, side by side, on the truth.

    Green is outward, purple inward, full at twice the root mean square of the truth's highest band.
    """
    parts = truth.bands(truth.folds)[:-1]
    shares = truth.bands.areas / truth.bands.areas.sum()
    most = 2.0 * max(float(np.sqrt((np.square(part) @ shares).mean())) for part in parts)
    places = truth.positions
    shown = pucker.Clip.from_arrays(truth.mesh.faces, places, truth.clip.times[list(truth.frames)], weld=False)
    camera = orbit_cameras(places[index], _VIEWS, _ELEVATION, size[0] / size[1])[0]
    return drawn_by_value(shown, index, truth.bands(folds)[:-1, index], most, camera, size)


def holds_truths(folder: Path) -> bool:
    """Whether the recordings in a folder are truths. Raises pucker.Error for a folder that holds scenes too, or neither."""
    found = {_header(file) for file in scenes_of(folder)}
    if len(found) > 1:
        raise pucker.Error(f"{folder} holds truths and scenes: give each its folder")
    return found == {"pucker truth"}


def _header(file: Path) -> str:
    header = str(arrays_of(file, names=("header",)).get("header", ""))
    if not header.startswith(("pucker truth ", "pucker scene ")):
        raise pucker.Error(f"{file}: is neither a truth nor a scene")
    return header.rpartition(" ")[0]


def found_by(telling: Telling) -> list[Told]:
    """What was told apart, other simulations of the same sheet first."""
    simulations = [*CEILINGS.values()]
    return sorted(
        telling.told(),
        key=lambda each: simulations.index(each.surface) if each.surface in simulations else len(simulations),
    )


def telling_text(told: Sequence[Told]) -> str:
    """Whether surfaces can be told from simulated cloth, and by what."""
    if not told:
        return "It takes two scenes with resolved truths to say whether a method can be told from simulated cloth.\n"
    blocks = [telling_table(told)]
    blocks += [f"### {surface}, given away by\n\n{weights_table(each)}" for surface, each in told]
    return "\n".join(blocks)


def write_against(folder: Path, rows: Sequence[Against], told: Sequence[Told] = ()) -> list[Path]:
    """Writes ``samples.json``, every number there is, and ``index.md``; returns the files. The folder is made."""
    make_folder(folder)
    samples = [each.plain() for each in rows]
    blocks = ["# Against truths", f"Measured on {machine()}.", "## Bands that are judged by place", overall_table(rows)]
    blocks += ["## Bands that are judged by statistics", statistics_table(rows)]
    blocks += ["## Told from simulated cloth", telling_text(told)]
    for truth in dict.fromkeys(each.truth for each in rows):
        own = [each for each in rows if each.truth == truth]
        blocks += [f"## {truth}", table_of_truth(own), bands_table(own)]
    apart = [{"surface": each.surface, **asdict(each.told)} for each in told]
    texts = {
        folder / "samples.json": json.dumps({"machine": machine(), "against": samples, "told_apart": apart}) + "\n",
        folder / "index.md": "\n\n".join(blocks),
    }
    for path, text in texts.items():
        write_text(path, text)
    return list(texts)
