"""Weights of morph targets as a function of the pose, learned from the frames that were baked, and as an ONNX graph."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt

from pucker.farthest import distances_of, farthest, farthest_places
from pucker.onnx_graph import Graph

Floats = npt.NDArray[np.float64]

# Edges whose lengths tell the pose, and principal components of these: more predict unseen clips no better.
_EDGES: Final = 1024
_AXES: Final = 48
# Of the greatest variance: a component of the lengths that has less is rounding.
_LEAST_VARIANCE: Final = 1e-12
# Poses at most, which the size and the cost of the graph grow with, and whose solve is cubic in them.
_MOST_POSES: Final = 4096
# Of the mean distance of two poses: closer ones are one pose, and what keeps their system of equations regular.
_SAME: Final = 1e-4
_REGULAR: Final = 1e-8
# In mean edge lengths: poses that are closer on average do not differ.
_STILL: Final = 1e-2


@dataclass(frozen=True)
class WeightsGraph:
    """A graph that was written of morph weights.

    Attributes:
        path: The graph.
        bytes: Its size.
        joints, targets: How many transforms it takes and weights it gives.
        poses: Frames that it was learned from, those of one pose counted once.
        error: The largest difference from the baked weights, of their largest. It is above rounding only where one pose has several
            weights, whose mean the graph gives: its pose has no memory.
        unseen: Correlation with the baked weights of a clip, of a graph learned from the other clips, over all clips; None of one clip.
    """

    path: Path
    bytes: int
    joints: int
    targets: int
    poses: int
    error: float
    unseen: float | None


def edge_transforms(rest: Floats, weights: Floats, edges: npt.NDArray[np.integer]) -> Floats:
    """(E, J, 4): by which transforms (J, 3, 4) of joints give the vectors of edges, in mean edge lengths; of at most `_EDGES`.

    Args:
        rest: (n, 3) vertices in the bind pose.
        weights: (n, J) by which they follow the joints, of sum 1.
        edges: (m, 2), of which those are chosen that are farthest from each other.

    Raises:
        ValueError: Where no edge has a length.
    """
    mean = float(np.linalg.norm(rest[edges[:, 1]] - rest[edges[:, 0]], axis=1).mean())
    if mean <= 0.0:
        raise ValueError(f"a graph takes the pose from the lengths of edges, and none of {len(edges)} has one")
    places, _ = farthest_places(rest[edges].mean(axis=1), _EDGES)
    chosen = edges[np.sort(places)]
    bound = weights[:, :, None] * np.c_[rest, np.ones(len(rest))][:, None, :]
    found: Floats = (bound[chosen[:, 1]] - bound[chosen[:, 0]]) / mean
    return found


def edge_lengths(edges: Floats, joints: Floats) -> Floats:
    """(F, E) of edges (E, J, 4), as `edge_transforms` has them, and transforms (F, J, 3, 4)."""
    vectors = np.tensordot(joints.swapaxes(2, 3), edges, axes=((1, 2), (1, 2)))
    found: Floats = np.linalg.norm(vectors, axis=1)
    return found


class PoseWeights:
    """Weights interpolated between poses by radial basis functions |x - c|, the linear one among polyharmonic splines (Duchon 1977).

    x are the principal components of the lengths of edges, so that turning and moving the character changes nothing. The coefficients of
    each weight sum to 0: far from all poses it is bounded, and it is held to [0, 1], as the baked weights are.

    Attributes:
        edges: (E, J, 4), see `edge_transforms`.
        mean, axes: (E,) and (E, K), of the lengths.
        centres: (C, K) poses.
        coefficients, constant: (C, P) and (P,).
    """

    def __init__(self, edges: Floats, joints: Floats, weights: Floats) -> None:
        """Learns from frames: transforms (F, J, 3, 4) from the bind pose to the world, and weights (F, P) in [0, 1]."""
        self.edges, self._weights = edges, weights
        lengths = edge_lengths(edges, joints)
        self.mean = lengths.mean(axis=0)
        _, sizes, axes = np.linalg.svd(lengths - self.mean, full_matrices=False)
        count = max(int((np.square(sizes) > _LEAST_VARIANCE * max(float(sizes[0]) ** 2, 1e-300)).sum()), 1)
        self.axes: Floats = axes[: min(count, _AXES)].T
        self._places = (lengths - self.mean) @ self.axes
        self._apart = distances_of(self._places, self._places)
        np.fill_diagonal(self._apart, 0.0)
        self._scale = max(float(self._apart.mean()), _STILL)
        chosen, self.coefficients, self.constant = self._fitted(np.arange(len(weights)))
        self.centres = self._places[chosen]

    def _fitted(self, frames: npt.NDArray[np.integer]) -> tuple[npt.NDArray[np.integer], Floats, Floats]:
        """The frames (C,) that are centres, coefficients (C, P) and constants (P,), of some of the frames."""
        apart, near = self._apart[np.ix_(frames, frames)], _SAME * self._scale
        chosen, _ = farthest(np.full(len(frames), np.inf), apart.__getitem__, _MOST_POSES, near=near)
        same = apart[chosen] <= near
        targets: Floats = same.astype(np.float64) @ self._weights[frames] / same.sum(axis=1, keepdims=True)
        system = np.ones((len(chosen) + 1, len(chosen) + 1))
        system[:-1, :-1] = _REGULAR * self._scale * np.eye(len(chosen)) - apart[np.ix_(chosen, chosen)]
        system[-1, -1] = 0.0
        right = np.vstack([targets, np.zeros((1, targets.shape[1]))])
        solved = np.asarray(np.linalg.solve(system, right), np.float64)
        return frames[chosen], -solved[:-1], solved[-1]

    def at(self, joints: Floats) -> Floats:
        """(F, P) of transforms (F, J, 3, 4)."""
        places = (edge_lengths(self.edges, joints) - self.mean) @ self.axes
        found: Floats = np.clip(distances_of(places, self.centres) @ self.coefficients + self.constant, 0.0, 1.0)
        return found

    def error(self, joints: Floats) -> float:
        """The largest difference from the weights of the frames that it was learned from, of the largest of these."""
        return float(np.abs(self.at(joints) - self._weights).max() / max(float(self._weights.max()), 1e-300))

    def unseen(self, clips: Iterable[slice], mean: Sequence[float], sizes: Sequence[float]) -> float | None:
        """Correlation with the weights of each clip of what the other clips predict for it; None of one clip.

        Args:
            clips: Which frames are whose.
            mean: (P,) weights that correlate with nothing.
            sizes: (P,) of the targets, whose squares weights count by.
        """
        frames, products = np.arange(len(self._weights)), np.zeros(3)
        for clip in clips:
            others = np.delete(frames, clip)
            if not len(others):
                return None
            chosen, coefficients, constant = self._fitted(others)
            found = np.clip(self._apart[clip][:, chosen] @ coefficients + constant, 0.0, 1.0)
            found, own = ((each - mean) * sizes for each in (found, self._weights[clip]))
            products += [np.vdot(found, own), np.vdot(found, found), np.vdot(own, own)]
        scale = float(np.sqrt(products[1] * products[2]))
        return float(products[0]) / scale if scale > 0.0 else 1.0

    def graph(self, scales: Sequence[float]) -> Graph:
        """From `joints` (J, 3, 4) to `weights` (P,), times the scale (P,) of each."""
        joints = self.edges.shape[1]
        graph = Graph()
        given = graph.input("joints", joints, 3, 4)
        # Near the origin single precision has more digits; what is common to all joints moves no edge.
        origin = graph.mul(graph.rows(given, [0]), graph.constant(np.array([0.0, 0.0, 0.0, 1.0])))
        near = graph.node("Transpose", graph.sub(given, origin), perm=[1, 0, 2])
        rows = graph.node("Reshape", near, graph.constant(np.array([3, 4 * joints])))
        edges = graph.node("MatMul", rows, graph.constant(self.edges.reshape(len(self.edges), -1).T))
        lengths = graph.sub(graph.length(edges), graph.constant(self.mean[None]))
        place = graph.node("MatMul", lengths, graph.constant(self.axes))
        away = graph.turned(graph.length(graph.sub(place, graph.constant(self.centres)), 1))
        found = graph.add(
            graph.node("MatMul", away, graph.constant(self.coefficients)), graph.constant(self.constant[None])
        )
        held = graph.node("Min", graph.at_least(found, 0.0), graph.constant(np.float32(1.0)))
        scaled = graph.mul(held, graph.constant(np.asarray(scales, np.float64)[None]))
        flat = graph.node("Reshape", scaled, graph.constant(np.array([len(scales)])))
        graph.output("weights", flat, len(scales))
        return graph


def write_weights(
    path: Path,
    found: PoseWeights,
    scales: Sequence[float],
    joints: Sequence[str],
    *,
    asset: str,
    error: float,
    unseen: float | None,
) -> WeightsGraph:
    """Writes the graph atomically, with the names of its joints and of its asset.

    Args:
        path: An .onnx.
        found: What was learned.
        scales: (P,) what the asset's weights are multiplied with.
        joints: Names (J,).
        asset: Name of the file whose targets they are.
        error: See `WeightsGraph`.
        unseen: See `WeightsGraph`.

    Raises:
        OSError: If it cannot be written.
    """
    found.graph(scales).save(path, {"joints": json.dumps(list(joints)), "asset": asset})
    return WeightsGraph(path, path.stat().st_size, len(joints), len(scales), len(found.centres), error, unseen)
