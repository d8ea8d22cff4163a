"""Turning joints: affine matrices as a rotation, what it stretches, and a translation."""

from typing import Final

import numpy as np
import numpy.typing as npt

from pucker.quaternions import quaternions

Floats = npt.NDArray[np.float64]

# Below this sine of half an angle a rotation has no axis.
_NO_AXIS: Final = 1e-9


def widened(matrices: Floats, among: Floats, shares: Floats) -> Floats:
    """Each of matrices (k, 4, 4) turned so that its angle from the mean rotation of `among` (f, 4, 4) is `shares` (k,) times it."""
    mean = _mean(_quaternions(among)[0])
    turns, stretches = _quaternions(matrices)
    away = _product(mean * (1.0, -1.0, -1.0, -1.0), turns)
    return _matrices(_product(mean, _power(away, shares)), stretches, matrices[:, :3, 3])


def between(first: Floats, last: Floats, shares: Floats) -> Floats:
    """Matrices (k, J, 4, 4) on the way from `first` (J, 4, 4) to `last`, at shares (k,) of it: joints turn by the shorter way."""
    (one, before), (other, after) = _quaternions(first), _quaternions(last)
    away = _product(one * (1.0, -1.0, -1.0, -1.0), other)
    at = shares[:, None]
    turns = _product(one[None], _power(np.repeat(away[None], len(shares), axis=0), at))
    weight = at[..., None]
    moved = (1.0 - weight) * first[None, :, :3, 3] + weight * last[None, :, :3, 3]
    weight = weight[..., None]
    return _matrices(turns, (1.0 - weight) * before + weight * after, moved)


def _quaternions(matrices: Floats) -> tuple[Floats, Floats]:
    """Unit quaternions (…, 4), real part first, and what is left (…, 3, 3): the matrix is the rotation times it."""
    linear = matrices[..., :3, :3]
    # Of a mirror image the rotation is that of its negative, which is none, so that what is left mirrors alike for all of them.
    sides = np.where(np.linalg.det(linear) < 0.0, -1.0, 1.0)[..., None, None]
    left, _, right = np.linalg.svd(sides * linear)
    turn = left @ right
    rest = np.swapaxes(turn, -1, -2) @ linear
    return quaternions(turn), rest


def _mean(turns: Floats) -> Floats:
    """Of unit quaternions (f, 4), whichever of their signs they have (Markley et al. 2007)."""
    found: Floats = np.linalg.eigh(turns.T @ turns)[1][:, -1]
    return found


def _product(one: Floats, other: Floats) -> Floats:
    a, b, c, d = np.moveaxis(one, -1, 0)
    e, f, g, h = np.moveaxis(other, -1, 0)
    return np.stack(
        [
            a * e - b * f - c * g - d * h,
            a * f + b * e + c * h - d * g,
            a * g - b * h + c * e + d * f,
            a * h + b * g - c * f + d * e,
        ],
        axis=-1,
    )


def _power(turns: Floats, shares: Floats) -> Floats:
    """Rotations about the same axes by shares of their angles, each the smaller of the two that it can be seen as."""
    ahead = np.where(turns[..., :1] < 0.0, -turns, turns)
    sine = np.linalg.norm(ahead[..., 1:], axis=-1)
    half = np.arctan2(sine, ahead[..., 0]) * shares
    axes = ahead[..., 1:] / np.maximum(sine, _NO_AXIS)[..., None]
    return np.concatenate([np.cos(half)[..., None], np.sin(half)[..., None] * axes], axis=-1)


def _matrices(turns: Floats, stretches: Floats, translations: Floats) -> Floats:
    """(…, 4, 4)"""
    w, x, y, z = np.moveaxis(turns / np.linalg.norm(turns, axis=-1, keepdims=True), -1, 0)
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    rotation = np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)
    found = np.zeros((*rotation.shape[:-2], 4, 4))
    found[..., :3, :3] = rotation @ stretches
    found[..., :3, 3] = translations
    found[..., 3, 3] = 1.0
    return found
