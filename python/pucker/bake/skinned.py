"""Baking a character with its own skeleton: the fine garment skinned, and its detail as corrective morph targets."""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, Final, Literal, get_args

import numpy as np
import numpy.typing as npt

import pucker
from pucker.bake.clip import Details, Progress, Written, progressing
from pucker.bake.joints import Rig, joints_of
from pucker.bake.mesh import Body, Garment, own_mesh
from pucker.bake.morphs import Component, FineSkin, Fit, by_region, followed, measured, principal, raised, unposed
from pucker.bake.pose_weights import PoseWeights, WeightsGraph, edge_transforms, write_weights
from pucker.bake.skinned_mesh import Binding, Character, SkinnedMesh
from pucker.extras import needing
from pucker.io.files import check_folder
from pucker.method import Detail
from pucker.onnx_graph import ONNX_SUFFIX
from pucker.shading import Normals, check_normals
from pucker.vectors import UP, unit

Floats = npt.NDArray[np.float64]
Basis = Literal["whole", "regions", "nearer"]

_GLTF: Final = (".glb", ".gltf")
FORMATS: Final = (*_GLTF, ".usdc", ".usda", ".usd", ".usdz")
# WebGL promises a texture of 256 layers, in which three.js keeps the targets.
MOST_TARGETS: Final = 256
# glTF numbers the joints of a skin in 16 bits.
MOST_JOINTS: Final = 1 << 16
# Correlation that targets are taken for where nobody says how many, and how many at most.
_ENOUGH: Final = 0.95
_MOST_CHOSEN: Final = 128
# Pieces of an edge where a detail is no mesh of its own.
_PIECES: Final = 4


@dataclass(frozen=True)
class SkinnedReport(Written):
    """What was baked.

    Attributes:
        frames: Of all clips together.
        vertices, triangles: Of the garment.
        basis: "whole": each target moves the whole garment; "regions": a part of it.
        fits: How near the first targets come, for growing numbers of them; the last is what was written.
        vertices_cut: Vertices of the garment that followed more joints than the four of a file.
        most_lost: The largest weight that one of them had on the others; targets make up for it.
        body_vertices_cut, body_most_lost: Of the rest of the character, for which nothing makes up.
        quantized: Whether targets are stored as numbers of 16 and 8 bits (KHR_mesh_quantization).
        graph: That of the weights, if it was asked for.
    """

    clips: tuple[str, ...]
    frames: int
    vertices: int
    triangles: int
    joints: int
    basis: str
    fits: tuple[Fit, ...]
    vertices_cut: int
    most_lost: float
    body_vertices_cut: int
    body_most_lost: float
    quantized: bool
    graph: WeightsGraph | None


def skinned(
    clips: "Mapping[str, pucker.Clip]",
    path: str | os.PathLike[str],
    *,
    params: Any = None,
    targets: int | None = None,
    basis: Basis = "nearer",
    levels: int | None = None,
    quantized: bool = True,
    body: bool = True,
    normals: Normals = "file",
    graph: bool = False,
    progress: Progress = False,
) -> SkinnedReport:
    """Writes a character as engines take it: skeleton, skinned meshes, and the garment's detail as morph targets.

    Targets are the principal components of what the garment would have to be in the bind pose, over all frames, about its mean, which
    is what the weights at rest give. Every clip moves the joints and sets the targets' weights, in [0, 1], at its frames.

    Args:
        clips: By the names that the animations get: clips of one file, with the same parts.
        path: A .glb; a .gltf, which has its .bin beside it; or a .usdc, .usda, .usd or .usdz, where each clip is a SkelAnimation
            and a variant of the set `clip`, the first being chosen.
        params: Parameters of a method; those of the dynamic one without.
        targets: Size in targets that hold the whole garment, at most 256. None: as many as reach a correlation of 0.95, 128 at most.
        basis: Whether a target holds the whole garment or one of its regions; "nearer" is what comes nearer at the same size. As
            readers disagree about sparse arrays of quantized numbers, only unquantized targets can be of regions.
        levels: Number of pieces of every edge. None: the mesh that a detail is, else 4.
        quantized: Store the targets in 16 and 8 bits, a third of the size, which needs KHR_mesh_quantization; in USD they are floats.
        body: Whether the rest of the character is there too, as it is.
        normals: See `surface`.
        graph: Write NAME.onnx beside it, a graph that gives the targets' weights of any pose of the joints. Its input `joints` (J, 3, 4) are
            the transforms of the garment's joints from the bind pose to the world, in the clips' unit of length, anywhere in space; its
            output `weights` (P,) what the file's animations set, and in their frames the same.
        progress: See `surface`.

    Raises:
        ValueError: For clips without a skin, of other skeletons or garments, a node that turns and scales cannot make, or a number out of its
            range; before anything is computed. For a graph of a garment that needs no targets, before anything is written.
        OSError: If the file cannot be written; everything is then as it was.
        pucker.Error: If a package is missing.
    """
    out = Path(path)
    if out.suffix.lower() not in FORMATS:
        raise ValueError(
            f"the name of {out} must end in one of {', '.join(FORMATS)}: a skinned character is written as glTF or USD"
        )
    # USD stores floats.
    quantized = quantized and out.suffix.lower() in _GLTF
    if targets is not None and not 1 <= targets <= MOST_TARGETS:
        raise ValueError(
            f"there can be 1 to {MOST_TARGETS} targets, which is what WebGL promises to hold, not {targets}"
        )
    if basis not in get_args(Basis):
        raise ValueError(f"basis must be one of {', '.join(get_args(Basis))}, not {basis!r}")
    if basis == "regions" and quantized:
        raise ValueError(
            "targets of regions are stored sparsely, which readers take for unquantized numbers only: quantized must be off"
        )
    if levels is not None and levels < 1:
        raise ValueError(f"the number of pieces of an edge must be at least 1, not {levels}")
    check_normals(normals)
    check_folder(out.parent)
    _check_clips(clips, body=body)
    if out.suffix.lower() in _GLTF:
        _check_joints(clips)
    joints = joints_of(clips)
    write = _writer(out, quantized=quantized)
    if graph:
        with needing("onnx", "a graph"):
            import_module("onnx")
    run = _Run(clips, pucker.Params() if params is None else params, levels, normals)
    run.take(progressing(sum(map(len, clips.values())), out.name, shown=progress))
    components, fits, chosen = run.components(targets, "whole" if quantized else basis)
    first = next(iter(clips.values()))
    garment = run.mesh(components)
    live = run.live(garment) if graph else None
    whole = Character(
        garment,
        _body(first, normals) if body and len(first.body_faces) else None,
        joints,
        run.frames,
        first.material_list,
    )
    files, packed, scales = write(whole)
    written = None if live is None else live(out, scales)
    lost = run.binding.influences.lost
    body_lost = np.zeros(1) if whole.body is None else whole.body.binding.influences.lost
    return SkinnedReport(
        files=(*files, *(() if written is None else (written.path,))),
        clips=tuple(clips),
        frames=len(run.bound),
        vertices=len(run.mean),
        triangles=len(run.part.faces),
        joints=len(joints.names),
        basis=chosen,
        fits=tuple(fits),
        vertices_cut=int((lost > 0.0).sum()),
        most_lost=float(lost.max(initial=0.0)),
        body_vertices_cut=int((body_lost > 0.0).sum()),
        body_most_lost=float(body_lost.max(initial=0.0)),
        quantized=packed,
        graph=written,
    )


def _writer(out: Path, *, quantized: bool) -> Callable[[Character], tuple[list[Path], bool, list[float]]]:
    """What writes a character to a file, of packages of the extra; it gives the files, whether targets are quantized, and what the weights
    are multiplied with.
    """
    with needing("io", "baking"):
        if out.suffix.lower() not in _GLTF:
            from pucker.bake.write import skinned_usd  # noqa: PLC0415

            return lambda character: (skinned_usd.write(out, character), False, [1.0] * len(character.garment.targets))
        from pucker.bake.write import skinned_gltf  # noqa: PLC0415

        return lambda character: skinned_gltf.write(out, character, quantized=quantized)


def _check_clips(clips: "Mapping[str, pucker.Clip]", *, body: bool) -> None:
    if not clips:
        raise ValueError("there must be at least one clip")
    first_name, first = next(iter(clips.items()))
    for name, clip in clips.items():
        if clip.skin is None:
            raise ValueError(
                f"clip {name} has no skin for its garment: its vertices follow no joints, or morph targets move them too"
            )
        if body and len(clip.body_faces) and clip.body_skin is None:
            raise ValueError(
                f"morph targets move the rest of the character in clip {name}, which only its garment can be baked of: leave the body out"
            )
        same = (
            clip.skeleton.nodes == first.skeleton.nodes
            and np.array_equal(clip.skeleton.parents, first.skeleton.parents)
            and np.array_equal(clip.skin.nodes, first.skin.nodes)
        )
        if not same:
            raise ValueError(
                f"clip {name} has another skeleton than {first_name}: {len(clip.skeleton.nodes)} nodes, there {len(first.skeleton.nodes)}"
            )
        if not (np.array_equal(clip.faces, first.faces) and np.array_equal(clip.body_faces, first.body_faces)):
            raise ValueError(
                f"clip {name} has another garment than {first_name}: {len(clip.faces)} triangles over {clip.positions.shape[1]} vertices, "
                f"there {len(first.faces)} over {first.positions.shape[1]}"
            )


def _check_joints(clips: "Mapping[str, pucker.Clip]") -> None:
    for name, clip in clips.items():
        for skin in (clip.skin, clip.body_skin):
            if skin is not None:
                count = len(skin.nodes)
                if count > MOST_JOINTS:
                    raise ValueError(
                        f"a skin in glTF has {MOST_JOINTS} joints at most, and that of clip {name} has {count}: write it as USD"
                    )


def _body(clip: "pucker.Clip", normals: Normals) -> SkinnedMesh:
    """The rest of the character in its bind pose, with the normals that turn to those of the first frame."""
    body, rig = Body(clip, normals), Rig.of(clip.body_skin)
    influences = FineSkin.of(rig.weights)
    blended = influences.blended(rig.bones(clip.skeleton, 0))
    unturned = unposed(
        np.dstack([blended[:, :, :3], np.zeros((len(blended), 3))]), body.shape(0).normals, body.shape(0).normals
    )
    assert clip.body_rest is not None  # of a clip with a skin
    return SkinnedMesh(body.part, clip.body_rest, unit(unturned, UP), Binding(rig.nodes, rig.inverse_binds, influences))


class _Run:
    """A method's run over all clips, brought into the bind pose."""

    def __init__(self, clips: "Mapping[str, pucker.Clip]", params: Any, levels: int | None, normals: Normals) -> None:
        self._clips = clips
        self._params = params
        self._levels = levels
        self._normals = normals
        self.frames: dict[str, slice] = {}
        self._made = False

    def _make(self, clip: "pucker.Clip", detail: Detail) -> None:
        """What the first detail says: the fine mesh, and how it follows the joints."""
        own = own_mesh(detail) if self._levels is None else None
        fine = own or pucker.Subdivision(clip.mesh, self._levels or _PIECES)
        self._fine = fine
        self._loop = getattr(detail, "subdivision", None) if own is not None else None
        self.part = Garment(clip, fine, self._normals).part
        rig = self._rig = Rig.of(clip.skin)
        corners = clip.faces[fine.triangles]
        weights = np.einsum("vc,vcj->vj", fine.barycentrics, rig.weights[corners])
        self.binding = Binding(rig.nodes, rig.inverse_binds, FineSkin.of(weights))
        assert clip.rest is not None  # of a clip with a skin
        self._rest = self._smooth(clip.rest)
        self.of_normals = self.part.owners
        count = sum(map(len, self._clips.values()))
        self.bound = np.zeros((count, len(self._rest), 3), np.float32)
        # They are stored in 8 bits in the end.
        self.normals = np.zeros((count, len(self.of_normals), 3), np.float16)
        self._posed = np.zeros((count, len(self._rest), 3), np.float32)
        self._made = True

    def _smooth(self, positions: Floats) -> Floats:
        """What the detail is detail of: the coarse mesh, subdivided."""
        if self._loop is not None:
            return np.asarray(self._loop.matrix @ positions)
        found: Floats = np.einsum(
            "vc,vcd->vd", self._fine.barycentrics, positions[self._first.faces[self._fine.triangles]]
        )
        return found

    def take(self, frames: Iterable[int]) -> None:
        """Runs the method; `frames` are their numbers through all clips, as a progress bar hands them out."""
        self._first = next(iter(self._clips.values()))
        numbers = iter(frames)
        row = 0
        for name, clip in self._clips.items():
            self.frames[name] = slice(row, row + len(clip))
            garment: Garment | None = None
            for index, detail in enumerate(Details(clip, None, self._params)):
                next(numbers)
                if not self._made:
                    self._make(clip, detail)
                garment = garment or Garment(clip, self._fine, self._normals)
                shape = garment.shape(detail, index)
                blended = self._blended(clip, index)
                self._posed[row] = shape.positions
                self.bound[row] = unposed(blended, shape.positions, self._rest)
                linear = np.dstack([blended[:, :, :3], np.zeros((len(blended), 3))])[self.of_normals]
                self.normals[row] = unit(unposed(linear, shape.normals, shape.normals), UP)
                row += 1
        # The bar says that it is done only when asked for one more.
        next(numbers, None)
        self.mean = self.bound.mean(axis=0, dtype=np.float64)
        self.bound -= self.mean.astype(np.float32)
        mean = self.normals.mean(axis=0, dtype=np.float64)
        self.mean_normals = unit(mean, UP)
        self.normals -= self.mean_normals.astype(np.float16)

    def _blended(self, clip: "pucker.Clip", index: int) -> Floats:
        return self.binding.influences.blended(self._rig.bones(clip.skeleton, index))

    def _all(self) -> Iterator[tuple[Floats, Floats, Floats]]:
        for name, clip in self._clips.items():
            for index, row in enumerate(range(*self.frames[name].indices(len(self.bound)))):
                posed = self._posed[row].astype(np.float64)
                yield self._blended(clip, index), posed, self._smooth(clip.positions[index])

    def components(self, targets: int | None, basis: Basis) -> tuple[list[Component], list[Fit], str]:
        """The targets, how near growing numbers of them come, and which basis they are of."""
        size = min(targets or _MOST_CHOSEN, len(self.bound))
        whole = principal(self.bound, size)
        fits = self._measured(whole)
        if targets is None:
            enough = next((fit for fit in fits if fit.correlation >= _ENOUGH), fits[-1])
            whole, fits = whole[: enough.targets], fits[: fits.index(enough) + 1]
        if basis == "whole" or not whole:
            return whole, fits, "whole"
        parts = by_region(self.bound, self.mean, len(whole) * len(self.mean), MOST_TARGETS)
        of_parts = self._measured(parts)
        if basis == "nearer" and of_parts[-1].error >= fits[-1].error:
            return whole, fits, "whole"
        return parts, of_parts, "regions"

    def mesh(self, components: list[Component]) -> SkinnedMesh:
        """The garment with these targets; its normals follow their weights as they best can."""
        targets, base, rest = raised(components, self.mean)
        normals = self.mean_normals.copy()
        for component, turned in zip(components, followed(components, self.normals, self.of_normals), strict=True):
            normals += component.weights.min() * turned
        normals = unit(normals, UP)
        apart = self.normals.astype(np.float32) + (self.mean_normals.astype(np.float16) - normals).astype(np.float32)
        turns = followed(targets, apart, self.of_normals)
        return SkinnedMesh(self.part, base, normals, self.binding, targets, turns, rest)

    def live(self, garment: SkinnedMesh) -> Callable[[Path, Sequence[float]], WeightsGraph]:
        """What writes the graph of the weights of a mesh beside its file, given what they are multiplied with there."""
        if not garment.targets:
            raise ValueError(
                "a graph gives the weights of targets, and the garment has none: it has one shape in all frames"
            )
        clip, rig = self._first, self._rig
        assert clip.rest is not None  # of a clip with a skin
        edges = edge_transforms(np.asarray(clip.rest), rig.weights, clip.mesh.edges)
        poses = np.array([rig.bones(each.skeleton, k) for each in self._clips.values() for k in range(len(each))])
        found = PoseWeights(edges, poses, np.stack([target.weights for target in garment.targets], axis=1))
        sizes = [float(np.linalg.norm(target.displacements)) for target in garment.targets]
        error, unseen = found.error(poses), found.unseen(self.frames.values(), garment.weights, sizes)
        names = [clip.skeleton.nodes[node] for node in rig.nodes]
        return lambda out, scales: write_weights(
            out.with_suffix(ONNX_SUFFIX), found, scales, names, asset=out.name, error=error, unseen=unseen
        )

    def _measured(self, components: list[Component]) -> list[Fit]:
        steps: Callable[[int], bool] = lambda count: count < len(components)  # noqa: E731
        counts = [*filter(steps, (0, 1, 2, 4, 8, 12, 16, 24, 32, 40, 48, 64, 80, 96, 112, 128, 192)), len(components)]
        return measured(components, counts, self.mean, self._all)
