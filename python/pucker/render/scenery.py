"""What a camera that shows the whole character leaves out of its picture: a ground, a sky, a backdrop."""

from typing import Final

import numpy as np
import numpy.typing as npt

from pucker._core import Clip, Skin

Floats = npt.NDArray[np.float64]
Wholes = npt.NDArray[np.int64]
Chosen = npt.NDArray[np.bool_]

# Of the garment's size: what moves less stands still, however the file rounds.
_STILL: Final = 1e-4


def scenery_of(clip: Clip) -> Chosen:
    """Which stored vertices of the body are scenery, (nb,) bool, as of a ground that is many times as wide as the character.

    A connected piece of the body is scenery if it stands still in all frames, has no vertex that several joints move, is not
    sewn to the garment, and reaches farther from the box round the character than that box's diagonal. The box is that of the
    garment and of all pieces that move, that joints blend or that are sewn on. So a seat, a plinth, a wall at the character's
    back and a second character are none.
    """
    count = clip.body_positions.shape[1]
    garment = np.reshape(clip.positions, (-1, 3))
    if not count or not len(garment):
        return np.zeros(count, dtype=bool)
    box = np.stack([garment.min(axis=0), garment.max(axis=0)])
    low, high = clip.body_positions.min(axis=0), clip.body_positions.max(axis=0)
    # The character is no smaller than its garment.
    if not _far(low, high, box).any():
        return np.zeros(count, dtype=bool)
    own = ((high - low).max(axis=1) > _STILL * np.linalg.norm(box[1] - box[0])) | _blended(clip) | _sewn(clip)
    pieces = _pieces(clip.body_weld, clip.body_faces)
    own = _any_of(own, pieces)
    box = np.stack([low[own].min(axis=0, initial=np.inf), high[own].max(axis=0, initial=-np.inf)])
    box = np.stack([np.minimum(box[0], garment.min(axis=0)), np.maximum(box[1], garment.max(axis=0))])
    return ~own & _any_of(_far(low, high, box), pieces)


def _far(low: Floats, high: Floats, box: Floats) -> Chosen:
    """Which of the boxes from `low` to `high`, (n, 3) each, reach farther from a box than its diagonal."""
    reach = np.linalg.norm(np.maximum(np.maximum(box[0] - low, high - box[1]), 0.0), axis=1)
    found: Chosen = reach > np.linalg.norm(box[1] - box[0])
    return found


def _blended(clip: Clip) -> Chosen:
    """Which stored vertices of the body several joints move."""
    skin: Skin | None = clip.body_skin
    if skin is None:
        return np.zeros(clip.body_positions.shape[1], dtype=bool)
    found: Chosen = np.diff(skin.first) > 1
    return found


def _sewn(clip: Clip) -> Chosen:
    """Which stored vertices of the body are in the place of one that the garment shares with it."""
    row = np.dtype((np.void, 3 * np.dtype(np.float64).itemsize))
    body, seam = (
        np.ascontiguousarray(points + 0.0).view(row).ravel()
        for points in (clip.body_positions[0], clip.positions[0][clip.shared_vertices])
    )
    return np.isin(body, seam)


def _pieces(weld: npt.NDArray[np.int32], faces: npt.NDArray[np.int32]) -> Wholes:
    """The number of the connected piece that each stored vertex is of, less than their number."""
    names = np.arange(int(weld.max()) + 1)
    ends = np.concatenate([weld[faces[:, [0, 1]]], weld[faces[:, [1, 2]]]])
    while True:
        found = names[ends]
        smaller = found.min(axis=1)
        if (found == smaller[:, None]).all():
            return names[weld]
        # The name of each end, and all that have it, get the smaller one.
        np.minimum.at(names, found.ravel(), np.repeat(smaller, 2))
        while (names[names] != names).any():
            names = names[names]


def _any_of(chosen: Chosen, pieces: Wholes) -> Chosen:
    """All of each piece of which some is chosen."""
    found: Chosen = (np.bincount(pieces[chosen], minlength=int(pieces.max()) + 1) > 0)[pieces]
    return found
