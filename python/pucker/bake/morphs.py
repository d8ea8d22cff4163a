"""Detail of a skinned garment as corrective morph targets: principal components of what the bind pose would have to be."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from pucker.farthest import farthest_places

Floats = npt.NDArray[np.float64]
Singles = npt.NDArray[np.float32]
Indices = npt.NDArray[np.int64]

# Joints that a vertex follows, as glTF's JOINTS_0 holds them.
MOST_INFLUENCES: Final = 4
# By what share of a unit a vertex is held to the bind pose where its joints flatten it, so that no detail grows without bound.
_DAMPING: Final = 1e-3
# Parts of the garment that have components of their own.
REGIONS: Final = 8
# Of its largest displacement: what of a component is left out of a region.
_NOTHING: Final = 1e-3


@dataclass(frozen=True)
class FineSkin:
    """How each fine vertex follows the joints of a garment.

    Attributes:
        joints, weights: (N, 4), the joints that it follows most, and their shares, of sum 1.
        lost: (N,), the weight that it had on others.
    """

    joints: Indices
    weights: Floats
    lost: Floats

    @staticmethod
    def of(weights: Floats) -> "FineSkin":
        """Of the weights (N, J) of all joints, which sum to 1."""
        order = np.argsort(-weights, axis=1, kind="stable")[:, :MOST_INFLUENCES]
        kept = np.take_along_axis(weights, order, axis=1)
        missing = MOST_INFLUENCES - order.shape[1]
        if missing > 0:
            order = np.pad(order, ((0, 0), (0, missing)))
            kept = np.pad(kept, ((0, 0), (0, missing)))
        share = kept.sum(axis=1)
        lost = np.where(share > 1.0 - 1e-12, 0.0, 1.0 - share)
        return FineSkin(np.where(kept > 0.0, order, 0), kept / share[:, None], lost)

    def blended(self, bones: Floats) -> Floats:
        """The blended transforms (N, 3, 4) of bones (J, 3, 4), each from the bind pose to the world."""
        found: Floats = np.einsum("vk,vkij->vij", self.weights, bones[self.joints])
        return found


def unposed(blended: Floats, posed: Floats, rest: Floats) -> Floats:
    """Where vertices (N, 3) would have to be in the bind pose to be posed where they are; damped towards `rest`."""
    linear = blended[:, :, :3]
    squares = np.einsum("vji,vjk->vik", linear, linear) + _DAMPING * np.eye(3)
    right = np.einsum("vji,vj->vi", linear, posed - blended[:, :, 3]) + _DAMPING * rest
    found: Floats = np.linalg.solve(squares, right[:, :, None])[:, :, 0]
    return found


@dataclass(frozen=True)
class Component:
    """One morph target: displacements (n, 3) of `vertices` (n,), or of all where these are None; and its weights (F,)."""

    displacements: Singles
    weights: Floats
    vertices: Indices | None = None

    def of_all(self, count: int) -> Singles:
        """Displacements (count, 3) of all vertices, 0 of those that it does not hold."""
        if self.vertices is None:
            return self.displacements
        out = np.zeros((count, 3), np.float32)
        out[self.vertices] = self.displacements
        return out


def principal(details: Singles, count: int) -> list[Component]:
    """The first components of the rows (F, N, 3), which have no mean; less than `count` where there are no more."""
    rows = details.reshape(len(details), -1)
    values, vectors = np.linalg.eigh(np.dot(rows, rows.T).astype(np.float64))
    order = np.argsort(-values, kind="stable")[:count]
    least = 1e-10 * max(values.max(initial=0.0), 1e-300)
    order = order[values[order] > least]
    out = []
    for k in order:
        # Signs of eigenvectors are any: the largest weight is positive.
        vector = vectors[:, k] * np.sign(vectors[np.argmax(np.abs(vectors[:, k])), k])
        scale = float(np.abs(vector).max())
        moved = np.dot(vector.astype(np.float32), rows).reshape(-1, 3)
        # Eigenvalues have the rounding of 32 bits, and some are nothing else.
        if float(np.square(moved, dtype=np.float64).sum()) > least:
            out.append(Component(moved * np.float32(scale), vector / scale))
    return out


def region_shares(places: Floats, count: int, *, sharpness: float = 1.5) -> Floats:
    """How much (N, R) each of the places (N, 3) has of R regions, at most `count`, which pass into each other; of sum 1.

    Centres are farthest from each other. A place takes of its two nearest, in the proportion of exp(-(s d/h)²), s being `sharpness` and h
    the distance of the place that is farthest from any.
    """
    centres, far = farthest_places(places, count)
    away = np.linalg.norm(places[:, None] - places[centres][None], axis=2)
    shares = np.exp(-np.square(sharpness * (away - away.min(axis=1, keepdims=True)) / max(far, 1e-300)))
    second = np.sort(away, axis=1)[:, min(1, len(centres) - 1)]
    shares[away > second[:, None]] = 0.0
    found: Floats = shares / shares.sum(axis=1, keepdims=True)
    return found


def by_region(details: Singles, rest: Floats, size: int, most: int) -> list[Component]:
    """Components of `REGIONS` parts of the garment (see `region_shares`) that together hold `size` vertices.

    Of all regions' components those come first that tell most for each vertex they hold; `most` of them at most.
    """
    shares = region_shares(rest, REGIONS)
    offered: list[tuple[float, Component]] = []
    for share in shares.T:
        vertices = np.flatnonzero(share > _NOTHING)
        rows = details[:, vertices] * share[vertices, None].astype(np.float32)
        for part in principal(rows, most):
            told = float(np.square(part.weights).sum() * np.square(part.displacements, dtype=np.float64).sum())
            offered.append((told / len(vertices), Component(part.displacements, part.weights, vertices)))
    taken: list[Component] = []
    for _, component in sorted(offered, key=lambda each: -each[0]):
        size -= len(component.displacements)
        if size < 0 or len(taken) == most:
            break
        taken.append(component)
    return taken


def raised(components: Sequence[Component], mean: Floats) -> tuple[list[Component], Floats, list[float]]:
    """The same with weights in [0, 1]: the components, the base (N, 3) that they are added to, and the weights of the mean.

    Blender and assimp cut negative weights off.
    """
    base = mean.copy()
    out, rest = [], []
    for component in components:
        least, most = float(component.weights.min()), float(component.weights.max())
        span = max(most - least, 1e-12)
        at = slice(None) if component.vertices is None else component.vertices
        base[at] += least * component.displacements
        weights = np.clip((component.weights - least) / span, 0.0, 1.0)
        out.append(Component(component.displacements * np.float32(span), weights, component.vertices))
        rest.append(min(max(-least / span, 0.0), 1.0))
    return out, base, rest


def rebuilt(components: Sequence[Component], frame: int, vertices: int) -> Singles:
    """The displacements (N, 3) that the components have in a frame."""
    out = np.zeros((vertices, 3), np.float32)
    for component in components:
        at = slice(None) if component.vertices is None else component.vertices
        out[at] += np.float32(component.weights[frame]) * component.displacements
    return out


@dataclass(frozen=True)
class Fit:
    """How near morph targets come.

    Attributes:
        targets: Number of them.
        correlation: Of the detail, over all vertices and frames.
        error: Root mean square distance from the run's vertices, in the clips' unit of length.
    """

    targets: int
    correlation: float
    error: float


def _product(one: Floats, other: Floats) -> float:
    """The sum of products of arrays (N, 3). BLAS would share it among threads, which wait for each other while other programs run."""
    return float(np.einsum("vi,vi->", one, other))


def measured(
    components: Sequence[Component],
    counts: Sequence[int],
    mean: Floats,
    frames: Callable[[], Iterator[tuple[Floats, Floats, Floats]]],
) -> list[Fit]:
    """How near the first so many components come, for each of the ascending `counts`.

    `mean` (N, 3) is what they are added to. `frames` gives of each frame the blended transforms (N, 3, 4), the run's vertices
    (N, 3), and the smooth surface (N, 3) that they are detail of.
    """
    products = np.zeros((len(counts), 3))
    errors = np.zeros(len(counts))
    seen = 0
    for index, (blended, posed, smooth) in enumerate(frames()):
        seen += 1
        detail = posed - smooth
        here = mean.copy()
        done = 0
        for row, count in enumerate(counts):
            here += rebuilt(components[done:count], index, len(mean))
            done = count
            found = np.einsum("vij,vj->vi", blended[:, :, :3], here) + blended[:, :, 3] - smooth
            products[row] += [_product(found, detail), _product(found, found), _product(detail, detail)]
            errors[row] += np.square(found - detail).sum()
    scale = np.sqrt(products[:, 1] * products[:, 2])
    correlations = np.divide(products[:, 0], scale, out=np.ones(len(counts)), where=scale > 0.0)
    distances = np.sqrt(errors / max(seen * len(mean), 1))
    return [Fit(*each) for each in zip(counts, correlations.tolist(), distances.tolist(), strict=True)]


def followed(components: Sequence[Component], values: npt.NDArray[np.floating], vertices: Indices) -> list[Singles]:
    """What of values (F, k, 3), whose rows belong to `vertices` (k,), goes with each component's weight: (k, 3), least squares.

    Rows that a component does not hold are 0.
    """
    holds = np.ones((len(components), len(vertices)), bool)
    for row, component in enumerate(components):
        if component.vertices is not None:
            holds[row] = np.isin(vertices, component.vertices)
    out = [np.zeros((len(vertices), 3), np.float32) for _ in components]
    if not components:
        return out
    weights = np.stack([component.weights for component in components], axis=1)
    sets, which = np.unique(holds.T, axis=0, return_inverse=True)
    for number, chosen in enumerate(sets):
        columns, rows = np.flatnonzero(chosen), np.flatnonzero(which.ravel() == number)
        if len(columns) == 0:
            continue
        solve = np.linalg.pinv(weights[:, columns], rcond=1e-6).astype(np.float32)
        found = np.tensordot(solve, np.asarray(values[:, rows], np.float32), axes=(1, 0))
        for column, value in zip(columns, found, strict=True):
            out[column][rows] = value
    return out
