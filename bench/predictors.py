"""Ways to predict the weights of details from what is known about the points of a garment: the one that sets have, and others to judge it by.

All points are fitted and played at once, in stacks: places x (R, frames, d), weights y (R, frames, p), and by how much products of
weights count, squares (R, p, p). Places are without their mean, and d in the mean square.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, Protocol, Self

import numpy as np
import numpy.typing as npt

from pucker.farthest import farthest

Stack = npt.NDArray[Any]  # single precision where nothing else is said


class Model(Protocol):
    """What was fitted."""

    def __call__(self, places: Stack) -> Stack:
        """(R, frames, p) of (R, frames, d)."""

    @property
    def numbers(self) -> int:
        """That a point keeps for it."""

    @property
    def products(self) -> int:
        """Multiplications that a point takes for a frame."""


Fit = Callable[[Stack, Stack, Stack], Model]

# Of a network: frames of a step, as a share of all; its steps; and the decay of its weights, a step, over the rate.
_BATCH: Final = 1 / 3
_STEPS: Final = 200
_DECAY: Final = 1.0
_RATE: Final = 0.01
_SEED: Final = 1
_ROUNDS: Final = 20
# Of the regions of subspaces.
_AXES: Final = 16
_WIDTH: Final = 0.3


def _turned(stack: Stack) -> Stack:
    return stack.transpose(0, 2, 1)


def _with_constant(places: Stack) -> Stack:
    return np.concatenate([np.ones((*places.shape[:2], 1), np.float32), places], axis=2)


def _solved(basis: Stack, damping: Stack, weights: Stack) -> Stack:
    """(R, b, p): ridge of weights (R, frames, p) on a basis (R, frames, b), in double precision."""
    rows = basis.astype(np.float64)
    return np.linalg.solve(_turned(rows) @ rows + damping, _turned(rows) @ weights).astype(np.float32)


def _apart(places: Stack, centres: Stack) -> Stack:
    """(R, frames, C) distances."""
    squares = np.square(places).sum(axis=2)[:, :, None] + np.square(centres).sum(axis=2)[:, None]
    return np.asarray(np.sqrt(np.maximum(squares - 2.0 * places @ _turned(centres), 0.0)))


@dataclass(frozen=True)
class Kernels:
    """Kernel ridge regression: see `pucker.byexample.regress`."""

    centres: Stack
    width: Stack
    coefficients: Stack

    def __call__(self, places: Stack) -> Stack:
        """See `Model`."""
        return _with_constant(np.exp(-_apart(places, self.centres) / self.width)) @ self.coefficients

    @property
    def numbers(self) -> int:
        """Centres are shared by the points: what each compares with them is not kept for each, but taken from poses."""
        return int(self.coefficients[0].size)

    @property
    def products(self) -> int:
        """Distances and weights."""
        return int(self.centres[0].size + self.coefficients[0].size)


def kernels(centres: Stack, width: float, damping: float, held: float) -> Fit:
    """Of a width in the unit of the places (R, 1, 1)·width, as sets have it."""

    def fit(places: Stack, weights: Stack, _squares: Stack) -> Kernels:
        scale = np.full((len(places), 1, 1), width, np.float32)
        basis = _with_constant(np.exp(-_apart(places, centres) / scale))
        among = np.exp(-_apart(centres, centres) / scale)
        ridge = np.zeros((len(places), basis.shape[2], basis.shape[2]))
        ridge[:, 0, 0] = 0.1
        ridge[:, 1:, 1:] = among
        return Kernels(centres, scale, _solved(basis, damping * (ridge + held * np.eye(basis.shape[2])), weights))

    return fit


def _axes_of(places: Stack, count: int) -> Stack:
    """(R, d, q): the principal axes, so long that places on all of them are 1 in the mean square."""
    _, vectors = np.linalg.eigh((_turned(places) @ places).astype(np.float64))
    axes = vectors[:, :, ::-1][:, :, :count].astype(np.float32)
    size = np.square(places @ axes).sum(axis=2).mean(axis=1)
    return np.asarray(axes / np.sqrt(np.maximum(size, np.finfo(np.float32).tiny))[:, None, None])


def _squares_from(places: npt.NDArray[Any], frame: int) -> npt.NDArray[Any]:
    return np.asarray(np.square(places - places[frame]).sum(axis=1))


def _regions_of(places: Stack, count: int) -> Stack:
    """(R, K, q): means of the frames nearest to each, from those that are farthest from each other on (Lloyd 1982)."""
    found = []
    for each in places:
        chosen, _ = farthest(np.square(each - each.mean(axis=0)).sum(axis=1), partial(_squares_from, each), count)
        centres = each[[*chosen, *chosen[:1] * (count - len(chosen))]]
        for _ in range(_ROUNDS):
            nearest = _apart(each[None], centres[None])[0].argmin(axis=1)
            centres = np.array(
                [each[nearest == k].mean(axis=0) if np.any(nearest == k) else centres[k] for k in range(count)]
            )
        found.append(centres)
    return np.array(found, np.float32)


@dataclass(frozen=True)
class Regions:
    """K regions of the places, on the few axes along which places vary most."""

    axes: Stack
    """(R, d, q)"""
    centres: Stack
    """(R, K, q)"""
    width: float

    @classmethod
    def of(cls, places: Stack, count: int, axes: int, width: float) -> Self:
        """Of places (R, frames, d)."""
        along = _axes_of(places, axes)
        return cls(along, _regions_of(places @ along, count), width)

    def shares(self, places: Stack) -> Stack:
        """(R, frames, K) of each region, together 1."""
        found = np.exp(-_apart(places @ self.axes, self.centres) / self.width)
        return np.asarray(found / np.maximum(found.sum(axis=2, keepdims=True), np.finfo(np.float32).tiny))

    @property
    def numbers(self) -> int:
        """That a point keeps."""
        return int(self.axes[0].size + self.centres[0].size)


@dataclass(frozen=True)
class LocalMaps:
    """A linear map on the axes for each of the regions, blended."""

    regions: Regions
    maps: Stack
    """(R, K (1 + q), p)"""

    def __call__(self, places: Stack) -> Stack:
        """See `Model`."""
        return _in_regions(self.regions, places) @ self.maps

    @property
    def numbers(self) -> int:
        """Axes, centres and maps."""
        return self.regions.numbers + int(self.maps[0].size)

    @property
    def products(self) -> int:
        """Each number is used once."""
        return self.numbers


def _in_regions(regions: Regions, places: Stack) -> Stack:
    """(R, frames, K (1 + q)): a constant and the axes, shared among the regions."""
    each = regions.shares(places)[..., None] * _with_constant(places @ regions.axes)[:, :, None]
    return each.reshape(*places.shape[:2], -1)


def local_maps(regions: int, axes: int, width: float, damping: float) -> Fit:
    """All maps by one ridge regression. One region: a linear map."""

    def fit(places: Stack, weights: Stack, _squares: Stack) -> LocalMaps:
        found = Regions.of(places, regions, axes, width)
        basis = _in_regions(found, places)
        return LocalMaps(found, _solved(basis, damping * np.eye(basis.shape[2]), weights))

    return fit


@dataclass(frozen=True)
class Network:
    """A layer of hidden units at each point; with `subspaces`, they give coordinates in them instead of weights."""

    into: Stack
    """(R, 1 + d, H)"""
    out: Stack
    """(R, 1 + H, p), or (R, 1 + H, K r) coordinates"""
    subspaces: "Subspaces | None" = None

    def hidden(self, places: Stack) -> Stack:
        """(R, frames, 1 + H)"""
        return _with_constant(np.tanh(_with_constant(places) @ self.into))

    def __call__(self, places: Stack) -> Stack:
        """See `Model`."""
        found = self.hidden(places) @ self.out
        return found if self.subspaces is None else self.subspaces.weights(found, self.subspaces.regions.shares(places))

    @property
    def numbers(self) -> int:
        """Of both layers and the subspaces."""
        return int(self.into[0].size + self.out[0].size) + (0 if self.subspaces is None else self.subspaces.numbers)

    @property
    def products(self) -> int:
        """Each number is used once."""
        return self.numbers


@dataclass(frozen=True)
class Subspaces:
    """Of the weights, in each of the regions: their mean there, and the r directions in which they vary most."""

    regions: Regions
    means: Stack
    """(R, K, p)"""
    directions: Stack
    """(R, K r, p)"""

    def spread(self, shares: Stack) -> Stack:
        """(R, frames, K r): the share of the region of each direction."""
        return np.repeat(shares, self.directions.shape[1] // self.means.shape[1], axis=2)

    def weights(self, coordinates: Stack, shares: Stack) -> Stack:
        """(R, frames, p) of coordinates (R, frames, K r)."""
        return np.asarray(shares @ self.means + (coordinates * self.spread(shares)) @ self.directions)

    @property
    def numbers(self) -> int:
        """That a point keeps."""
        return self.regions.numbers + int(self.means[0].size + self.directions[0].size)


def _subspaces(regions: Regions, rank: int, places: Stack, weights: Stack) -> Subspaces:
    shares = regions.shares(places)
    means = _turned(shares) @ weights / np.maximum(shares.sum(axis=1), np.finfo(np.float32).tiny)[:, :, None]
    directions = []
    for region in range(means.shape[1]):
        away = (weights - means[:, None, region]) * np.sqrt(shares[:, :, region, None])
        _, vectors = np.linalg.eigh((_turned(away) @ away).astype(np.float64))
        directions.append(_turned(vectors[:, :, ::-1][:, :, :rank]))
    return Subspaces(regions, means, np.concatenate(directions, axis=1).astype(np.float32))


def network(hidden: int, noise: float, regions: int = 0, rank: int = 8) -> Fit:
    """Adam (Kingma and Ba 2015) with decay of the weights apart from it (Loshchilov and Hutter 2019), on places with noise, which is
    given in their own standard deviations. With regions: coordinates in a subspace of each.
    """

    def fit(places: Stack, weights: Stack, squares: Stack) -> Network:
        count, frames, d = places.shape
        rng = np.random.default_rng(_SEED)
        subspaces = _subspaces(Regions.of(places, regions, _AXES, _WIDTH), rank, places, weights) if regions else None
        outputs = weights.shape[2] if subspaces is None else subspaces.directions.shape[1]
        into = np.concatenate(
            [np.zeros((count, 1, hidden)), rng.normal(size=(count, d, hidden)) / np.sqrt(d)], axis=1
        ).astype(np.float32)
        out = np.zeros((count, 1 + hidden, outputs), np.float32)
        if subspaces is None:
            out[:, 0] = weights.mean(axis=1)
        layers = [into, out]
        first, second = [np.zeros_like(layer) for layer in layers], [np.zeros_like(layer) for layer in layers]
        spread = noise * places.std(axis=1, keepdims=True)
        shares = None if subspaces is None else subspaces.regions.shares(places)
        for step in range(1, _STEPS + 1):
            picked = rng.permutation(frames)[: max(round(_BATCH * frames), 1)]
            here = places[:, picked] + spread * rng.normal(size=(count, len(picked), d)).astype(np.float32)
            units = Network(into, out).hidden(here)
            found = units @ out
            if subspaces is not None and shares is not None:
                found = subspaces.weights(found, shares[:, picked])
            slope = (found - weights[:, picked]) @ squares / np.float32(len(picked))
            if subspaces is not None and shares is not None:
                slope = (slope @ _turned(subspaces.directions)) * subspaces.spread(shares[:, picked])
            back = (slope @ _turned(out[:, 1:])) * (1.0 - np.square(units[:, :, 1:]))
            gradients = [_turned(_with_constant(here)) @ back, _turned(units) @ slope]
            rate = np.float32(0.5 * _RATE * (1.0 + np.cos(np.pi * step / _STEPS)))
            for k, gradient in enumerate(gradients):
                first[k] += np.float32(0.1) * (gradient - first[k])
                second[k] += np.float32(0.01) * (np.square(gradient) - second[k])
                moved = (first[k] / (1.0 - 0.9**step)) / (np.sqrt(second[k] / (1.0 - 0.99**step)) + 1e-8)
                layers[k][:, 1:] *= 1.0 - rate * np.float32(_DECAY)
                layers[k] -= rate * moved.astype(np.float32)
        return Network(into, out, subspaces)

    return fit
