"""Draped cloth as the rest of pucker knows it."""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar, Final

import numpy as np
import numpy.typing as npt

from pucker._core import Clip
from pucker._core._drape import Body, Compute, ComputedDrape, ComputedState, Drape, Maps, Params, State, keeps_mesh
from pucker.kinds import check_clip
from pucker.method import MethodType, Overlay, register
from pucker.vertex_factors import vertex_factors

from .overlays import OVERLAYS

Floats = npt.NDArray[np.float64]

# As wide, or deep, as that share of its height is a character whose arms are stretched out.
_T_POSE: Final = 0.8


@dataclass(frozen=True, eq=False)
class Cut:
    """The pose that a garment was cut for."""

    pose: Floats
    """(n, 3)."""
    source: str
    """Which it is, as "the first frame of Idle"."""
    body: Floats | None = None
    """(nb, 3): the body in it; None if it is not known."""


def cut_of(clip: Clip, cut: str = "") -> Cut:
    """The pose that a garment was cut for, and which it is.

    Args:
        clip: The clip.
        cut: `rest` for the clip's rest pose; `first` for its first frame; an .npy that holds the positions; `FILE:CLIP` for the
            first frame of a clip of a file that has the same garment; empty for the pose of the clip's file in which the
            character stands (`Clip.standing`), else the rest pose, else the first frame.

    Raises:
        OSError: For a file that cannot be opened.
        pucker.Error: For a file that cannot be read.
        TypeError: For a path in place of the clip.
        ValueError: For a rest pose that the clip does not have, and a pose of another garment.
    """
    check_clip(clip)
    if not cut and clip.standing is not None:
        return Cut(clip.standing, clip.standing_from or "", clip.standing_body)
    if cut == "first" or (not cut and clip.rest is None):
        return Cut(clip.positions[0], "its first frame", clip.body_positions[0])
    if cut in ("", "rest"):
        if clip.rest is None:
            raise ValueError("params.cut = rest needs a rest pose, the clip has none")
        return Cut(clip.rest, "its rest pose", clip.body_rest)
    found = Cut(np.load(cut, allow_pickle=False), cut) if cut.endswith(".npy") else _cut_of_clip(clip, cut)
    if found.pose.shape != clip.positions.shape[1:]:
        raise ValueError(
            f"params.cut must hold positions of shape {clip.positions.shape[1:]}, but {cut} has {found.pose.shape}"
        )
    return replace(found, pose=np.asarray(found.pose, dtype=np.float64))


def cut_pose(clip: Clip, cut: str = "") -> Floats:
    """The pose that a garment was cut for, (n, 3). See `cut_of`, also for what it raises."""
    return cut_of(clip, cut).pose


def _cut_of_clip(clip: Clip, cut: str) -> Cut:
    from pucker.io import load  # noqa: PLC0415 - most runs read no other file

    path, colon, name = cut.rpartition(":")
    if not colon:
        raise ValueError(f"params.cut must be rest, first, an .npy or FILE:CLIP, got {cut!r}")
    other = load(path, clip=name, parts=clip.parts or None, isolated=True)
    if not np.array_equal(other.faces, clip.faces):
        raise ValueError(
            f"params.cut must name a clip of the same garment, but that of {cut} has {len(other.faces)} other triangles"
        )
    return Cut(other.positions[0], f"the first frame of {name} of {path}", other.body_positions[0])


class StretchedArmsWarning(UserWarning):
    """The garment is taken as cut for a T-pose. Says nothing of what is no character."""


def _tell_of_stretched_arms(clip: Clip, cut: Cut) -> None:
    """Warns where no pose of the file shows the character standing, and its rest pose is a T-pose."""
    whole = cut.pose if cut.body is None else np.concatenate([cut.pose, cut.body])
    width, height, depth = np.ptp(whole, axis=0)
    if max(width, depth) >= _T_POSE * height:
        warnings.warn(
            f"the file of {clip.name} has no pose in which the character stands with its arms low, so the garment is taken as cut "
            f"for {cut.source}, in which they are stretched out, and folds where they hang: params.cut may name a better one",
            StretchedArmsWarning,
            stacklevel=2,
        )


def body_of(clip: Clip, cut: Cut | None = None) -> Body | None:
    """All of a character that is not its garment, in every frame of a clip; None where there is nothing.

    Args:
        clip: The clip.
        cut: What its garment was cut for; None: `cut_of(clip)`. If the body is not known there, it is taken in the first frame.
    """
    if len(clip.body_faces) == 0:
        return None
    cut = cut_of(clip) if cut is None else cut
    # Stored vertices are split at seams, where a body must be closed.
    _, first, number = np.unique(clip.body_weld, return_index=True, return_inverse=True)
    at = cut.body if cut.body is not None and len(cut.body) == len(clip.body_weld) else clip.body_positions[0]
    return Body(number[clip.body_faces], np.ascontiguousarray(clip.body_positions[:, first]), at[first])


def maps_of(clip: Clip, params: Params) -> Maps:
    """What `params.stiffness_map` and `params.tightness_map` say of a clip's vertices.

    Raises what `pucker.vertex_factors` raises for a file that is none, or is of another garment.
    """
    return Maps(
        *(
            vertex_factors(path, clip, what) if path else None
            for path, what in ((params.stiffness_map, "stiffness"), (params.tightness_map, "tightness"))
        )
    )


def draping(
    clip: Clip, params: Params, cut: Cut, body: Body | None, shared: npt.NDArray[np.int32] | None = None
) -> Drape:
    """A run over a clip that has not seen a frame yet, with the maps that its parameters name.

    Args:
        clip: The garment's.
        params: Of the cloth.
        cut: What the garment was cut for.
        body: What the cloth is kept out of, but with `params.contact` off; None for none.
        shared: Vertices that the body has as well; None: those of the clip.
    """
    given = (clip.mesh, cut.pose, params, clip.shared_vertices if shared is None else shared, cut.source)
    maps = maps_of(clip, params)
    return Drape(*given, maps=maps) if body is None or not params.contact else Drape(*given, body, maps)


def computing(clip: Clip, params: Params, cut: Cut, body: Body | None) -> ComputedDrape:
    """The same where it is drawn."""
    given = (clip.mesh, cut.pose, params, clip.shared_vertices, cut.source)
    maps = maps_of(clip, params)
    return ComputedDrape(*given, maps=maps) if body is None else ComputedDrape(*given, body, maps)


def reference(state: State | ComputedState) -> State:
    """What the processor has of a frame."""
    return state.reference if isinstance(state, ComputedState) else state


class DrapeMeasures:
    """How far the solver came, and how far the cloth is from its guide."""

    def __init__(self) -> None:
        self._residual: list[float] = []
        self._distance: list[float] = []

    def take(self, state: State | ComputedState, area: float | None) -> None:  # noqa: ARG002
        """A frame."""
        state = reference(state)
        self._residual.append(state.solved.residual)
        self._distance.append(float(np.sqrt(np.square(state.draped - state.guide).sum(axis=1).mean())))

    def results(self, times: Floats) -> tuple[dict[str, Floats], dict[str, float]]:  # noqa: ARG002
        """The residual as a strain, and the root mean square distance from the guide in the clip's unit of length."""
        frames = {"residual": np.array(self._residual), "distance_from_guide": np.array(self._distance)}
        return frames, {name: float(values.mean()) for name, values in frames.items()}


class DrapeMethod(MethodType):
    """Müller and Chentanez 2010."""

    name: ClassVar[str] = "drape"
    params: ClassVar[type[Params]] = Params
    state: ClassVar[tuple[type[Any], ...]] = (State, ComputedState)
    sheet_overlays: ClassVar[Sequence[str]] = ("strain_before",)

    def overlays(self) -> Sequence[Overlay]:
        """Strain before and after, the lengths that folds have, the hold, contact and what is out of balance."""
        return OVERLAYS

    def keeps_mesh(self, params: Params) -> bool:
        """If they say how often the mesh is subdivided, or name positions or numbers of its vertices."""
        return keeps_mesh(params)

    def start(self, clip: Clip, params: Params) -> Drape | ComputedDrape:
        """A run with the garment cut for the pose that `params.cut` names; with `params.compute` gpu a ComputedDrape.

        Raises ValueError for a pose that the clip does not have, and what `cut_of` and `maps_of` raise for a file. Warns if no pose was named,
        the file has none in which the character stands, and the rest pose is a T-pose; and if most of the garment is cut within the
        body.
        """
        cut = cut_of(clip, params.cut)
        if not params.cut and clip.standing is None and clip.rest is not None:
            _tell_of_stretched_arms(clip, cut)
        body = body_of(clip, cut) if params.contact else None
        run = computing(clip, params, cut, body) if params.compute == Compute.gpu else draping(clip, params, cut, body)
        if run.body_warning:
            warnings.warn(run.body_warning, stacklevel=2)
        return run

    def files(self, params: Params) -> tuple[Path, ...]:
        """Those of the cut pose and of the maps."""
        cut = () if params.cut in ("", "rest", "first") else (params.cut,)
        names = [name if name.endswith(".npy") else name.rpartition(":")[0] for name in cut]
        return tuple(Path(name) for name in (*names, params.stiffness_map, params.tightness_map) if name)

    def measuring(self, clip: Clip, params: Params, *, directions: npt.ArrayLike | None = None) -> DrapeMeasures:
        """Measures of the solver and the cloth; there are no paths whose `directions` could be followed."""
        super().measuring(clip, params, directions=directions)
        return DrapeMeasures()

    def description(self, clip: Clip, params: Params) -> str:
        """Size of the folds and of the mesh."""
        size = (
            f"of {len(clip.faces) * 4**params.levels} triangles" if params.levels >= 0 else "as fine as its folds need"
        )
        return (
            f"a mesh {size} in balance, held to the guide over "
            f"{100 * params.fold_size:g} % of the garment's extent at most, {params.iterations} iterations a frame, cut for "
            f"{cut_of(clip, params.cut).source}."
        )

    def counts(self, state: State | ComputedState) -> dict[str, float]:
        """Iterations of the solver; of one that runs where the cloth is drawn they are not known."""
        return {} if isinstance(state, ComputedState) else {"iterations": state.solved.iterations}

    def candidates(self, params: Any) -> dict[str, Any]:
        """The smooth surface without detail, and with it."""
        return {"smooth": params.replace(gain=0.0), "draped": params}


register(DrapeMethod())
