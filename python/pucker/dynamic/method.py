"""The dynamic method as the rest of pucker knows it."""

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
import numpy.typing as npt

from pucker._core import Clip, Mesh, Params, PathDetail, State, Wrinkler
from pucker.method import MethodType, Overlay, nested, register

if TYPE_CHECKING:
    from pucker.dynamic.measures import PathMeasures
    from pucker.io.export import PathReport


class Dynamic(MethodType):
    """Gillette and Peters 2015."""

    name: ClassVar[str] = "dynamic"
    params: ClassVar[type[Params]] = Params
    state: ClassVar[type[State]] = State
    numbers_on: ClassVar[Literal["triangles", "vertices"]] = "triangles"
    sheet_overlays: ClassVar[Sequence[str]] = ("labels", "paths")

    def start(self, clip: Clip, params: Params) -> Wrinkler:
        """A Wrinkler over the clip."""
        return Wrinkler(clip, params)

    def overlays(self) -> Sequence[Overlay]:
        """Labels, paths, ellipses of stretch, reference triangles and seeds."""
        from pucker.dynamic.overlays import OVERLAYS  # noqa: PLC0415 - needs packages of the extra

        return OVERLAYS

    def resolved(self, clip: Clip, params: Params) -> Params:
        """The parameters with `min_width`."""
        return params.for_height(clip.height)

    def replaced(self, params: Params, values: Mapping[str, Any]) -> Params:
        """The parameters with some replaced; a relative width takes the place of `min_width`."""
        widths = {"min_width": None} if "relative_width" in values else {}
        return params.replace(**nested(widths | dict(values)))

    def measuring(self, clip: Clip, params: Params, *, directions: npt.ArrayLike | None = None) -> "PathMeasures":
        """Measures of the paths, and of how much of the cloth's length and area they restore."""
        from pucker.dynamic.measures import PathMeasures  # noqa: PLC0415 - needs packages of the extra

        return PathMeasures(clip, params, directions=directions)

    def detail_of(
        self, item: Any, mesh: Mesh, positions: npt.ArrayLike, params: Params | None = None
    ) -> PathDetail | None:
        """Packed wrinkles, or something that has them: `Packed`, `State.packed`."""
        packed = getattr(item, "packed", item)
        if not all(hasattr(packed, name) for name in ("triangles", "overlaps", "points")):
            return None
        if params is None:
            return PathDetail(mesh, positions, packed)
        return PathDetail(mesh, positions, packed, params.min_width, profile=params.shape.profile)

    def description(self, clip: Clip, params: Params) -> str:
        """Smallest width and threshold."""
        width = self.resolved(clip, params).min_width
        assert width is not None  # resolved
        share = 100.0 * width / clip.height
        return f"a smallest width of {width:.4g} ({share:.1f} % of the height) and a threshold of {params.threshold:g}."

    def counts(self, state: State) -> dict[str, float]:
        """Wrinkles, those that fade among them."""
        return {"wrinkles": sum(not wrinkle.gone for wrinkle in state.wrinkles)}

    def sections(self, states: Sequence[State], params: Sequence[Params]) -> Sequence[npt.NDArray[np.float64]]:
        """Of the wrinkle that is highest in the first state and lives in all, where it is highest in each."""
        from pucker.metrics.sections import section  # noqa: PLC0415 - needs packages of the extra

        alive = [{wrinkle.id: wrinkle for wrinkle in state.wrinkles if wrinkle.alive} for state in states]
        common = [wrinkle for wrinkle in alive[0].values() if all(wrinkle.id in others for others in alive)]
        if not common:
            return []
        chosen = max(common, key=lambda wrinkle: float(wrinkle.knot_heights.max()))
        curves = []
        for wrinkles, each in zip(alive, params, strict=True):
            wrinkle = wrinkles[chosen.id]
            at = int(np.argmax(wrinkle.knot_heights))
            width, height = float(wrinkle.knot_widths[at]), float(wrinkle.knot_heights[at])
            curves.append(section(each.shape.profile, width, height))
        return curves

    def folds_of_width(self, width: float, named: Collection[str]) -> dict[str, Any]:
        """`min_width`, unless it is named or a share of the height is."""
        return {} if {"min_width", "relative_width"} & {*named} else {"min_width": width / float(np.pi)}

    def candidates(self, params: Params) -> dict[str, Params]:
        """With wrinkles, with wrinkles that are not thinner for being short, and with the theses' formulas alone."""
        return {
            "ours": params,
            "ours, no slenderness": params.replace(shape={"slenderness": 0.0}),
            "verbatim": params.replace(verbatim=True),
        }

    def export(self, clip: Clip, path: Path, params: Params, *, progress: bool) -> "PathReport":
        """The paths of all frames."""
        from pucker.io import export  # noqa: PLC0415 - imports this module

        return export.paths(clip, path, params=params, progress=progress)


register(Dynamic())
