"""Surfaces of any methods, judged by a scene whose folds are known."""

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import repeat
from typing import Any, Final

import numpy as np
import numpy.typing as npt

import pucker
from pucker import metrics
from pucker.method import detail_of, points_of_mesh
from pucker.rates import frame_rate
from pucker.render import Camera, ClipRenderer
from pucker.render.camera import orbit_cameras
from pucker.vectors import unit

from .bench import FOLD_EDGES, Drawn, Reference
from .by_band import Heights
from .judged import AGAIN, GUIDE, LAG, MEAN, MEASURES, NOISE, Judged, Smoothed
from .pictures import MEASURED, drawn_by_value, tinted
from .projection import Base, Projection
from .scene import Scene
from .silhouette import Views

Array = npt.NDArray[np.float64]
Picture = npt.NDArray[np.uint8]

EVERY: Final = 10
"""Every how many frames curvature, distances and places are measured; heights in all."""

VIEWS: Final = 8
"""Pictures round the last of these frames."""

SIZE: Final = (192, 240)
"""Of a picture, in pixels."""

_ELEVATION: Final = 10.0
_RINGS: Final = 3


@dataclass(frozen=True, eq=False)
class _Shown:
    """A surface in the frames that are judged."""

    positions: Array
    normals: Array
    heights: Array
    lag: float
    wrinkles: Sequence[Any]
    seconds: Sequence[float]
    states: Sequence[Any]
    base: Base


class Judge:
    """Measures surfaces against the truth of one scene."""

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        self._smooth = np.array([scene.smooth @ scene.clip.positions[frame] for frame in scene.frames])
        self._mesh = pucker.Mesh(scene.faces, len(scene.triangles))
        self._smooth_normals = np.array([pucker.vertex_normals(self._mesh, each) for each in self._smooth])
        times = scene.clip.times[scene.first : scene.first + len(scene)]
        self.truth = pucker.Clip.from_arrays(scene.faces, scene.truth(scene.detail), times, weld=False)
        flat = scene.linear @ scene.clip.positions[0]
        self._projection = Projection(scene.faces, flat)
        self._bases: dict[int, Base] = {}
        self._shared = range(EVERY - 1, len(scene), EVERY) if len(scene) >= EVERY else range(len(scene) - 1, len(scene))
        edge = pucker.mean_edge_length(self._mesh, self._smooth[0])
        self.fold_width = FOLD_EDGES * edge
        self.smoothing = metrics.Smoothing(scene.faces, self._smooth[0], self.fold_width)
        guide = np.array([scene.smooth @ each for each in scene.clip.positions])
        cut = scene.clip.positions[0] if scene.clip.rest is None else scene.clip.rest
        self.heights = Heights(scene.faces, scene.smooth @ cut, guide, self.truth.positions)
        self._folds = self.heights.folds(self.heights.truth, self.heights.lag)
        self._rate = frame_rate(times, within=metrics.run.EVEN, what="flicker") if len(times) > 1 else float("nan")
        self._pictures: list[Picture] = []

    @cached_property
    def _references(self) -> dict[int, Reference]:
        views = Views(self.truth.positions)
        return {index: Reference(self.truth, index, views) for index in self._shared}

    @cached_property
    def _bends(self) -> dict[int, Array]:
        return {index: self._curvedness(self.truth.positions[index]) for index in self._shared}

    @cached_property
    def _fold_size(self) -> float:
        return metrics.rms(self._folds, self.smoothing.areas)

    @cached_property
    def _truth_births(self) -> float:
        return self._births(self._folds)

    @cached_property
    def _truth_flicker(self) -> float:
        return self._flicker(self._folds)

    @cached_property
    def _truth_waves(self) -> dict[int, float]:
        return {index: metrics.wavelength(self._folds[index], self.smoothing) for index in self._shared}

    def judge(self, surface: str, params: Any, *, looks: bool = True) -> Judged:
        """A method with its parameters; None for the coarse mesh as it is.

        `params` may be a function too: called with the coarse clip, it gives for each frame a state of a method, a detail,
        packed wrinkles, or None where there are none yet. So a stage of one's own is judged before it is a method. Either
        may be `Smoothed`. Raises ValueError if it gives less than there are frames. Without `looks` no picture is drawn, which takes longer than all
        else, and ``flip`` is NaN.
        """
        return self._measure(surface, self._run(params), wrinkled=params is not None, looks=looks)

    def by_band(self, params: Any) -> Mapping[str, float]:
        """Of what `judge` measures only the heights by band, in a fraction of its time; `params` as there."""
        return self.heights.judge(*self.heights_of(params))

    def heights_of(self, params: Any) -> tuple[Array, float]:
        """Heights (frames, N) of a surface at the truth's vertices, and its lag; `params` as of `judge`."""
        shown = self._run(params)
        return shown.heights, shown.lag

    def picture_by_band(self, heights: Array, lag: float, index: int) -> Picture:
        """Heights (frames, N) of frame `index` in each band but the last, without lag, side by side, on the truth.

        Green is outward, purple inward, full at twice the root mean square of the truth's highest band.
        """
        found = self.heights.split(heights, lag)[:, index]
        truth = self.heights.split(self.heights.truth, self.heights.lag)
        most = 2.0 * max(metrics.rms(band, self.smoothing.areas) for band in truth)
        return drawn_by_value(self.truth, index, found[:-1], most, self._camera(index), SIZE)

    def _camera(self, index: int) -> Camera:
        return orbit_cameras(self.truth.positions[index], VIEWS, _ELEVATION, SIZE[0] / SIZE[1])[0]

    def bounds_by_band(self) -> dict[str, Mapping[str, float]]:
        """The same of the controls, of the mean detail and, where there is one, of the second take, by name."""
        nothing = np.zeros_like(self.heights.truth)
        mean = np.broadcast_to(self.heights.truth.mean(axis=0), nothing.shape)
        found = {
            GUIDE: self.heights.judge(nothing),
            LAG: self.heights.judge(self.heights.lagging(self.heights.lag), self.heights.lag),
            NOISE: self.heights.judge(self.heights.noise()),
            MEAN: self.heights.judge(mean),
        }
        if self.scene.again is not None:
            again = self._smooth + self.scene.again
            found[AGAIN] = self.heights.judge(self._over_smooth(self.scene.again), self.heights.lag_of(again))
        return found

    def controls(self, *, looks: bool = True) -> Iterator[Judged]:
        """The guide alone, whose distance is the facets' alone; the guide with the truth's lag; noise of the truth's spectrum."""
        nothing = np.zeros_like(self.scene.detail)
        yield self._measure(GUIDE, self._of_detail(nothing), fine=True, looks=looks)
        trailing = metrics.lagging(self.heights.guide, self.heights.lag)[-len(nothing) :] - self._smooth
        yield self._measure(LAG, self._of_detail(trailing), fine=True, looks=False)
        noise = self.heights.noise()[..., None] * self._smooth_normals
        yield self._measure(NOISE, self._of_detail(noise), fine=True, looks=False)

    def second_take(self, *, looks: bool = True) -> Judged | None:
        """Another simulation of the same on the same mesh, or None. No ceiling: it shares what is chance of the mesh."""
        again = self.scene.again
        return None if again is None else self._measure(AGAIN, self._of_detail(again), fine=True, looks=looks)

    def mean_detail(self, *, looks: bool = True) -> Judged:
        """The smooth surface with the mean of the truth's heights: what can be had without looking at the pose."""
        mean = self.heights.truth.mean(axis=0)
        heights = np.broadcast_to(mean, self.heights.truth.shape)
        return self._measure(MEAN, self._of_detail(heights[..., None] * self._smooth_normals), fine=True, looks=looks)

    def where(self, params: Any) -> tuple[Picture, Picture]:
        """How much is folded in the last frame measured, by smoothed curvedness, of the truth and of a surface: two pictures.

        From none in white to the ninth decile of the truth's, and above, in blue.
        """
        last = self._shared[-1]
        found = [self._bends[last], self._curvedness(self._run(params).positions[last])]
        bent = [self.smoothing(each) for each in found]
        most = float(np.quantile(bent[0], 0.9))
        pictures = []
        with ClipRenderer(self.truth, SIZE, camera=self._camera(last), style=MEASURED) as drawn:
            drawn.show(last)
            for each in bent:
                share = np.clip(each[self.scene.faces].mean(axis=1) / most, 0.0, 1.0)[:, None]
                pictures.append(tinted(drawn, (1.0 - share) + share * np.array([0.0, 0.25, 0.7])))
        return pictures[0], pictures[1]

    def _base(self, levels: int) -> Base:
        if levels not in self._bases:
            self._bases[levels] = self._projection.over(self.scene.clip.smoothed(levels))
        return self._bases[levels]

    def _over_smooth(self, detail: Array) -> Array:
        heights: Array = np.einsum("fnd,fnd->fn", detail, self._smooth_normals)
        return heights

    def _of_detail(self, detail: Array) -> _Shown:
        positions = self._smooth + detail
        normals = np.array([pucker.vertex_normals(self._mesh, each) for each in positions])
        none: list[Any] = [None] * len(detail)
        lag = self.heights.lag_of(positions)
        return _Shown(positions, normals, self._over_smooth(detail), lag, [()] * len(detail), [], none, self._base(0))

    def _run(self, params: Any) -> _Shown:
        scene = self.scene
        base = self._base(0)
        if isinstance(params, Smoothed):
            base, params = self._base(params.levels), params.params
        states = _states(base.clip, params)
        shown: list[tuple[Array, Array, Array, Any, Any]] = []
        seconds = []
        for index, positions in enumerate(base.clip.positions):
            begin = time.process_time()
            try:
                state = next(states)
            except StopIteration:
                raise ValueError(f"there is no state of frame {index}; the clip has {len(scene.clip)}") from None
            seconds.append(time.process_time() - begin)
            if index < scene.first:
                continue
            shown.append((*self._draw(base, state, positions, index - scene.first), _living(state), state))
        places, normals, heights, wrinkles, kept = (list(each) for each in zip(*shown, strict=True))
        # What displaces the coarse mesh follows it at once.
        own = any(getattr(_detail(state), "own_mesh", None) is not None for state in kept)
        return _Shown(
            np.array(places),
            np.array(normals),
            np.array(heights),
            self.heights.lag_of(np.array(places)) if own else 0.0,
            wrinkles,
            [] if params is None else seconds[1:],
            kept,
            base,
        )

    def _draw(self, base: Base, state: Any, positions: Array, index: int) -> tuple[Array, Array, Array]:
        """Positions, normals and heights of the fine vertices on a surface over one frame."""
        at = self._projection
        if state is None:
            # As a method that displaces nothing: what two surfaces differ by is then not how they were sampled.
            points = points_of_mesh(base.clip.mesh, positions, base.triangles, base.barycentrics)
            return at(points.positions), unit(at(points.normals)), np.zeros(len(self.scene.triangles))
        detail = detail_of(state, base.clip.mesh, positions)
        points = detail.evaluate(base.triangles, base.barycentrics)
        found, normals = at(points.positions), unit(at(points.normals))
        if getattr(detail, "own_mesh", None) is None:
            return found, normals, at(points.offsets)[:, 0]
        # What lies over the smooth surface is no detail against the coarse triangles.
        away = found - self._smooth[index]
        return found, normals, np.einsum("nd,nd->n", away, self._smooth_normals[index])

    def _measure(
        self, surface: str, shown: _Shown, *, wrinkled: bool = False, fine: bool = False, looks: bool = True
    ) -> Judged:
        samples: dict[str, list[float]] = {name: [] for name in MEASURES}
        middle = self.heights.folds(shown.heights, shown.lag)
        for index in self._shared:
            drawn = Drawn(self.scene.faces, shown.positions[index], shown.normals[index])
            reference = self._references[index]
            for name, value in reference.measure(drawn, _RINGS).items():
                samples[name].append(value)
            bends = self._curvedness(shown.positions[index])
            samples["where"].append(metrics.where(self._bends[index], bends, self.smoothing))
            found = metrics.wavelength(middle[index], self.smoothing)
            samples["wavelength"].append(found / self._truth_waves[index])
            folds = reference.fold_directions(shown.base.owners, len(shown.base.clip.faces))
            samples["direction"].append(metrics.direction_error(shown.wrinkles[index], folds))
        samples["flip"] = self._looks(shown, fine=fine) if looks else [np.nan]
        samples["wrinkles"] = [float(len(each)) for each in shown.wrinkles] if wrinkled else [np.nan]
        samples |= {name: [value] for name, value in self.heights.judge(shown.heights, shown.lag).items()}
        samples["flicker"] = [self._flicker(middle) / self._truth_flicker]
        samples["births"] = [(1.0 + self._births(middle)) / (1.0 + self._truth_births)]
        samples["milliseconds"] = [1e3 * each for each in shown.seconds]
        return Judged(self.scene.name, surface, samples)

    def _curvedness(self, positions: Array) -> Array:
        return metrics.curvature(self.scene.faces, positions, radius=_RINGS).curvedness

    def _births(self, heights: Array) -> float:
        return float(metrics.fold_births(self.scene.faces, heights, self._fold_size).sum())

    def _flicker(self, heights: Array) -> float:
        if len(heights) < metrics.MIN_FRAMES:
            return float("nan")
        trembling = metrics.flicker(heights, self.smoothing.areas, self._rate)
        return float(np.sqrt(np.square(trembling).mean()))

    def _looks(self, shown: _Shown, *, fine: bool) -> list[float]:
        """FLIP errors against the truth's pictures from all sides."""
        last = self._shared[-1]
        if not self._pictures:
            self._pictures = self._draw_round(self.truth, {last: (last, None)})
        if fine:
            clip = pucker.Clip.from_arrays(self.scene.faces, shown.positions, self.truth.times, weld=False)
            frames = {last: (last, None)}
        else:
            clip = _garment_alone(shown.base.clip)
            frames = {last: (self.scene.first + last, shown.states[last])}
        pictures = self._draw_round(clip, frames)
        return [metrics.flip(a, b) for a, b in zip(self._pictures, pictures, strict=True)]

    def _draw_round(self, clip: pucker.Clip, frames: Mapping[int, tuple[int, Any]]) -> list[Picture]:
        out = []
        with ClipRenderer(clip, SIZE, style=MEASURED) as drawn:
            for index, (frame, state) in frames.items():
                for camera in orbit_cameras(self.truth.positions[index], VIEWS, _ELEVATION, SIZE[0] / SIZE[1]):
                    drawn.camera = camera
                    out.append(drawn.frame(frame, state))
        return out


def _states(clip: pucker.Clip, params: Any) -> Iterator[Any]:
    if params is None:
        return repeat(None)
    return iter(params(clip)) if callable(params) else iter(pucker.run(clip, params))


def _garment_alone(clip: pucker.Clip) -> pucker.Clip:
    """What pictures compare: the garment in the colour of the truth, without the body, which differs in nothing."""
    return pucker.Clip.from_arrays(clip.faces, clip.positions, clip.times, weld=False)


def _detail(state: Any) -> Any:
    return getattr(state, "detail", state)


def _living(state: Any) -> list[Any]:
    return [wrinkle for wrinkle in getattr(state, "wrinkles", ()) if wrinkle.alive]
