"""Agreement of two animated surfaces by band of wavelength: where folds of each size lie, how high they are, how they lag."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import igl
import numpy as np
import numpy.typing as npt
from scipy import sparse
from scipy.optimize import minimize_scalar
from scipy.sparse.linalg import factorized

import pucker
from pucker.areas import vertex_areas

from .agreement import correlation, rms

Array = npt.NDArray[np.float64]

# A vertex of no triangle keeps its value.
_LEAST_AREA = 1e-12
# Cloth that lags more than this forgets its guide within no clip.
_MOST_LAG = 100.0
# Share of the truth's size below which heights are rounding.
_NOTHING = 1e-12


def band_names(cutoffs: Sequence[float]) -> tuple[str, ...]:
    """Names of the bands between cut-offs, which are ascending, from the shortest waves to the longest: "below 4", "4 to 8"."""
    between = (f"{low:g} to {high:g}" for low, high in pairwise(cutoffs))
    return (f"below {cutoffs[0]:g}", *between, f"above {cutoffs[-1]:g}")


class Bands:
    """Splits values over a surface into bands of wavelength, which sum to the values.

    A low-pass with cut-off c keeps the share 1 / (1 + (c/λ)⁴) of a wave of length λ, half of one as long as the cut-off: the
    response of a Butterworth filter, on the cotangent Laplacian, so that it depends on lengths and not on the triangulation.
    It is the real part of one complex solve: 1 / (1 + x²) = Re 1 / (1 + i x), with x = (c/2π)² k². A band is the difference of
    two such, the first band what the least cut-off removes, the last what the greatest keeps.

    Attributes:
        cutoffs: (k,) wavelengths, ascending.
        areas: (n,) area that each vertex stands for.
    """

    def __init__(self, faces: npt.ArrayLike, positions: npt.ArrayLike, cutoffs: Sequence[float]) -> None:
        """The surface, `faces` (m, 3) and `positions` (n, 3), is the one that lengths are measured on: that of the cut pose.

        Raises ValueError for cut-offs that are not positive, finite and ascending.
        """
        self.cutoffs = np.array(cutoffs, dtype=np.float64)
        ordered = np.all(np.diff(self.cutoffs, prepend=0.0) > 0.0) and np.all(np.isfinite(self.cutoffs))
        if self.cutoffs.ndim != 1 or not self.cutoffs.size or not ordered:
            raise ValueError(f"cut-offs must be positive, finite and ascending, not {list(cutoffs)}")
        corners = np.ascontiguousarray(faces, dtype=np.int64)
        points = np.ascontiguousarray(positions, dtype=np.float64)
        self.areas = vertex_areas(corners, points)
        self._mass = np.maximum(self.areas, _LEAST_AREA * self.areas.mean())
        mass, stiffness = sparse.diags(self._mass), -igl.cotmatrix(points, corners)
        self._solves = [factorized((mass + 1j * (c / (2.0 * np.pi)) ** 2 * stiffness).tocsc()) for c in self.cutoffs]

    def __call__(self, values: npt.ArrayLike) -> Array:
        """Values (…, n) in each band, (k + 1, …, n), from the shortest waves to the longest.

        Raises ValueError for another number of vertices.
        """
        found = np.asarray(values, dtype=np.float64)
        if found.ndim == 0 or found.shape[-1] != len(self.areas):
            raise ValueError(f"values must be (…, {len(self.areas)}), one for each vertex, not {found.shape}")
        rows = found.reshape(-1, len(self.areas)).T * self._mass[:, None]
        kept = [found] + [solve(rows.astype(complex)).real.T.reshape(found.shape) for solve in self._solves]
        kept.append(np.zeros_like(found))
        return np.array([longer - shorter for longer, shorter in pairwise(kept)])


def heights(faces: npt.ArrayLike, guide: npt.ArrayLike, positions: npt.ArrayLike) -> Array:
    """How far `positions` (frames, n, 3) are from `guide` (frames, n, 3) along the guide's vertex normals, (frames, n).

    Both have the triangles `faces` (m, 3). Raises ValueError for shapes that differ.
    """
    base, found = np.asarray(guide, dtype=np.float64), np.asarray(positions, dtype=np.float64)
    _require_frames(base, found)
    mesh = pucker.Mesh(faces, base.shape[1])
    return np.array(
        [
            np.einsum("nd,nd->n", over - below, pucker.vertex_normals(mesh, below))
            for below, over in zip(base, found, strict=True)
        ]
    )


def lagging(guide: npt.ArrayLike, ratio: float) -> Array:
    """A surface that trails its guide, (frames, n, 3): x = (g + r x_last) / (1 + r), from the first frame of the guide.

    So does each vertex of cloth without stiffness that is held to the guide and dragged by the air, whose ratio of drag
    to hold in a frame is r. Raises ValueError for a ratio that is negative or not finite.
    """
    if not 0.0 <= ratio < np.inf:
        raise ValueError(f"the ratio of drag to hold must be at least 0 and finite, not {ratio}")
    found = np.array(guide, dtype=np.float64)
    for index in range(1, len(found)):
        found[index] = (found[index] + ratio * found[index - 1]) / (1.0 + ratio)
    return found


def fitted_lag(guide: npt.ArrayLike, positions: npt.ArrayLike, shares: npt.ArrayLike) -> float:
    """The ratio r with which `lagging(guide, r)` is nearest to `positions` in the mean square, weighted by `shares` (n,).

    The guide may begin before the positions (frames, n, 3), which are of its last frames. 0 where no lag is nearer than none.
    Raises ValueError for shapes that differ otherwise.
    """
    base, found = np.asarray(guide, dtype=np.float64), np.asarray(positions, dtype=np.float64)
    _require_frames(base[-len(found) :], found)

    def away(share: float) -> float:
        # In r / (1 + r), which is bounded and in which the distance is smooth.
        return rms(found - lagging(base, share / (1.0 - share))[-len(found) :], shares)

    most = _MOST_LAG / (1.0 + _MOST_LAG)
    share = float(minimize_scalar(away, bounds=(0.0, most), method="bounded", options={"xatol": 1e-6}).x)
    return share / (1.0 - share) if away(share) < away(0.0) else 0.0


@dataclass(frozen=True)
class BandAgreement:
    """How much two surfaces have in common in one band of wavelength.

    Attributes:
        shortest: Wavelength at which the band begins; 0 for the first.
        longest: Where it ends; infinite for the last.
        correlation: Of the heights over all frames, as `metrics.correlation`; 0 for a surface without heights in the band.
        pose: The same without the truth's mean over the frames: what depends on the pose.
        rms: Size of the heights over that of the truth's.
        share: Of the truth's mean square over all bands that this one holds.
    """

    shortest: float
    longest: float
    correlation: float
    pose: float
    rms: float
    share: float


def band_agreement(found: npt.ArrayLike, truth: npt.ArrayLike, bands: Bands) -> list[BandAgreement]:
    """Agreement in each band of heights `found` (frames, n) with those of the truth (frames, n).

    To take the lag out, subtract the heights of `lagging(guide, r)` from both, each with its own `fitted_lag`. NaN in a
    band in which the truth has nothing. Raises ValueError for shapes that differ.
    """
    each, true = np.asarray(found, dtype=np.float64), np.asarray(truth, dtype=np.float64)
    if each.shape != true.shape or each.ndim != 2:
        raise ValueError(f"heights must be two of one shape (frames, n), not {each.shape} and {true.shape}")
    split, expected = bands(each), bands(true)
    sizes = np.array([rms(band, bands.areas) for band in expected])
    total = float(np.square(sizes).sum())
    ends = [0.0, *bands.cutoffs, np.inf]
    rows = []
    for index, (one, other) in enumerate(zip(split, expected, strict=True)):
        mean = other.mean(axis=0)
        rows.append(
            BandAgreement(
                float(ends[index]),
                float(ends[index + 1]),
                _correlation(one, other, bands.areas, _NOTHING * sizes[index]),
                _correlation(one - mean, other - mean, bands.areas, _NOTHING * sizes[index]),
                rms(one, bands.areas) / float(sizes[index]) if sizes[index] > 0.0 else float("nan"),
                float(sizes[index]) ** 2 / total if total > 0.0 else float("nan"),
            )
        )
    return rows


def noise_like(values: npt.ArrayLike, bands: Bands, seed: int) -> Array:
    """Noise (frames, n) that has the size of `values` (frames, n) in each band and nothing else of them: a control.

    White over the area, split into the bands, each scaled; the bands of the result differ a little from those asked for,
    as the filters overlap. The same in all frames but for the size, as cloth that keeps its folds; `seed` chooses it.
    """
    parts = bands(values)
    white = np.random.default_rng(seed).normal(size=len(bands.areas)) / np.sqrt(np.maximum(bands.areas, 1e-300))
    out = np.zeros(parts.shape[1:])
    shares = bands.areas / bands.areas.sum()
    for part, noise in zip(parts, bands(white), strict=True):
        unit = noise / np.sqrt(shares @ np.square(noise))
        out += np.sqrt(np.square(part) @ shares)[:, None] * unit
    return out


def _correlation(one: Array, other: Array, shares: Array, nothing: float) -> float:
    """Of two details, of which what is no larger than `nothing` is rounding."""
    if rms(other, shares) <= nothing:
        return float("nan")
    return correlation(one, other, shares) if rms(one, shares) > nothing else 0.0


def _require_frames(one: Array, other: Array) -> None:
    if one.shape != other.shape or one.ndim != 3 or one.shape[2] != 3:
        raise ValueError(f"positions must be two of one shape (frames, n, 3), not {one.shape} and {other.shape}")
