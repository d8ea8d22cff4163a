"""A fixed bank of features of relief: what a patch of cloth looks like, in numbers that mean something."""

from collections.abc import Mapping
from itertools import pairwise
from typing import Final

import numpy as np
import numpy.typing as npt
from scipy import ndimage

Array = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]

# Waves over a patch's width at which the octaves of the spectra end.
_OCTAVES: Final = (1.5, 3.0, 6.0, 12.0)
# Degrees between the wave's direction and the compression at which the sectors end.
_SECTORS: Final = (0.0, 30.0, 60.0, 90.1)
_SECTOR_NAMES: Final = ("folds across the compression", "oblique folds", "folds along the compression")
# In widths of a patch: relief below it is flat to the eye.
_FLAT: Final = 1e-3
# Ridges are where the curvature across is at least this share of its root mean square over the patch.
_SHARP: Final = 1.0
# Numbers without a natural bound are cut off here.
_MOST: Final = 10.0
# Points that a line of crests is wide at most, and rows from the border in which an end is that of the patch.
_MOST_WIDTH: Final = 3
_MARGIN: Final = 4
# Steps to the eight neighbours, one after the other round the point.
_ROUND: Final = ((0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1))


def relief_features(relief: npt.ArrayLike, compression: npt.ArrayLike) -> Mapping[str, Array]:
    """Features of patches by name, (k,) each, all finite, whose names say what more of them means.

    Spectra by direction and octave, moments of the relief and its cross-sections, slopes and curvatures, how much of the compression
    the relief takes up (half of the mean square slope along it: the length that a section gains), ridge and valley lines with their ends and
    joints by the crossing number (Rutovitz 1966), and the compression itself.

    Args:
        relief: (k, n, n) heights in widths of a patch; the last axis runs along the main compression.
        compression: (k, 2) along that direction and across it.

    Raises:
        ValueError: For no patches, for patches that are not square or of less than nine points, for other shapes and for values that
            are not finite.
    """
    heights, pressed = np.asarray(relief, dtype=np.float64), np.asarray(compression, dtype=np.float64)
    if heights.ndim != 3 or not len(heights) or heights.shape[1] != heights.shape[2] or heights.shape[1] < 9:
        raise ValueError(f"relief must be (k, n, n) of at least one patch and nine points, not {heights.shape}")
    if pressed.shape != (len(heights), 2):
        raise ValueError(f"compression must be ({len(heights)}, 2), two numbers a patch, not {pressed.shape}")
    if not (np.isfinite(heights).all() and np.isfinite(pressed).all()):
        raise ValueError("relief and compression must be finite")
    step = 1.0 / (heights.shape[1] - 1)
    along, across = _gradient(heights, step)
    return {
        **_spectra(heights),
        **_moments(heights, along),
        **_slopes(along, across, pressed, step),
        **_lines(heights, step),
        "compression": pressed[:, 0],
        "compression across": pressed[:, 1],
    }


def _spectra(relief: Array) -> dict[str, Array]:
    size = relief.shape[1]
    window = np.hanning(size)[:, None] * np.hanning(size)
    power = np.square(np.abs(np.fft.fft2(relief * window))) / size**2 / np.square(window).sum()
    # Frequencies in waves over the patch, which is one interval shorter than the points' period.
    waves = np.fft.fftfreq(size) * (size - 1)
    u, v = np.meshgrid(waves, waves)
    number, angle = np.hypot(u, v), np.degrees(np.arctan2(np.abs(v), np.abs(u)))
    found = {}
    for name, (least, most) in zip(_SECTOR_NAMES, pairwise(_SECTORS), strict=True):
        for short, long in pairwise(_OCTAVES):
            part = (number >= short) & (number < long) & (angle >= least) & (angle < most)
            found[f"{name}, {short:g} to {long:g} in a patch"] = _log(np.sqrt(power[:, part].sum(axis=1)))
    return found


def _moments(relief: Array, slope: Array) -> dict[str, Array]:
    size = relief.std(axis=(1, 2))
    rows = relief.std(axis=2)
    return {
        "height": _log(size),
        "ridges higher than valleys": _skew(relief),
        "few high folds": _kurtosis(relief),
        "sections lean": np.abs(_skew(slope)),
        "sections differ along a fold": rows.std(axis=1) / np.maximum(rows.mean(axis=1), _FLAT),
        "share above the mean": (relief > 0.1 * size[:, None, None]).mean(axis=(1, 2)),
    }


def _slopes(along: Array, across: Array, compression: Array, step: float) -> dict[str, Array]:
    steep = np.hypot(along, across)
    curved = _gradient(along, step)[0] + _gradient(across, step)[1]
    taken = 0.5 * np.square(along).mean(axis=(1, 2))
    rms = np.sqrt(np.square(steep).mean(axis=(1, 2)))
    return {
        "slope along the compression": _log(np.sqrt(2.0 * taken)),
        "slope across the compression": _log(np.sqrt(np.square(across).mean(axis=(1, 2)))),
        "few steep places": _log(np.quantile(steep, 0.95, axis=(1, 2)) + _FLAT) - _log(rms + _FLAT),
        "curvature": _log(np.sqrt(np.square(curved).mean(axis=(1, 2)))),
        "ridges sharper than valleys": -_skew(curved),
        "few sharp folds": _kurtosis(curved),
        "compression taken up": _log(taken) - np.log10(np.maximum(compression[:, 0], 0.0) + 0.01),
        "flat share": (steep < 0.2 * rms[:, None, None] + _FLAT).mean(axis=(1, 2)),
    }


def _lines(relief: Array, step: float) -> dict[str, Array]:
    smooth = ndimage.gaussian_filter(relief, (0.0, 1.0, 1.0), mode="nearest")
    u, v = _gradient(smooth, step)
    (uu, uv), (_, vv) = _gradient(u, step), _gradient(v, step)
    mean, half = 0.5 * (uu + vv), np.hypot(0.5 * (uu - vv), uv)
    # Direction across the line, in which it bends most, for either sign.
    angle = 0.5 * np.arctan2(2.0 * uv, uu - vv)
    strength = _SHARP * np.sqrt(np.square(mean).mean(axis=(1, 2)) + np.square(half).mean(axis=(1, 2)))[:, None, None]
    # All but the two outermost rows.
    area = ((relief.shape[1] - 4) * step) ** 2
    found: dict[str, Array] = {}
    for name, sign, bend, across in (
        ("ridge", 1.0, half - mean, angle + np.pi / 2.0),
        ("valley", -1.0, mean + half, angle),
    ):
        line = _thinned(_crests(sign * smooth, across) & (bend > np.maximum(strength, 10.0 * _FLAT)))
        points = np.maximum(np.abs(np.cos(across)), np.abs(np.sin(across)))
        length = np.where(line, step / points, 0.0).sum(axis=(1, 2))
        ends, joints = _crossings(line)
        lengthy = np.maximum(length, 4.0 * step)
        inside = np.maximum(line.sum(axis=(1, 2)), 1)
        found |= {
            f"{name} length": length / area,
            f"{name} ends by length": np.minimum(ends * step / lengthy, _MOST),
            f"{name} joints by length": np.minimum(joints * step / lengthy, _MOST),
            f"{name}s lie across the compression": np.where(line, np.cos(2.0 * across), 0.0).sum(axis=(1, 2)) / inside,
            f"{name} height": _log(np.abs(np.where(line, smooth, 0.0).sum(axis=(1, 2)) / inside)),
        }
    return found


def _crests(heights: Array, across: Array) -> Mask:
    """Points higher than both places a step away across the line, read between neighbours; but for the two outermost rows."""
    shape = heights.shape[1]
    cosine, sine = np.abs(np.cos(across)), np.abs(np.sin(across))
    share = np.minimum(cosine, sine) / np.maximum(cosine, sine)
    steep, backward = sine > cosine, np.cos(across) * np.sin(across) < 0.0
    out = np.zeros(heights.shape, dtype=bool)
    inner = slice(2, shape - 2)

    def at(dv: int, du: int) -> Array:
        return heights[:, 2 + dv : shape - 2 + dv, 2 + du : shape - 2 + du]

    mix = share[:, inner, inner]
    for is_steep, (dv, du) in ((False, (0, 1)), (True, (1, 0))):
        for is_backward, (ddv, ddu) in ((False, (1, 1)), (True, (1, -1))):
            # Of the diagonal the end that is on the same side as the axis.
            side = 1 if is_steep or not is_backward else -1
            ahead = (1.0 - mix) * at(dv, du) + mix * at(side * ddv, side * ddu)
            back = (1.0 - mix) * at(-dv, -du) + mix * at(-side * ddv, -side * ddu)
            here = (steep[:, inner, inner] == is_steep) & (backward[:, inner, inner] == is_backward)
            out[:, inner, inner] |= here & (at(0, 0) > ahead) & (at(0, 0) >= back)
    return out


def _around(line: Mask) -> Mask:
    """(8, k, n, n) whether each of a point's neighbours is on a line, one after the other round it."""
    return np.stack([np.roll(line, (-dv, -du), axis=(1, 2)) for dv, du in _ROUND])


def _thinned(line: Mask) -> Mask:
    """Lines one point wide, by Zhang and Suen (1984) and without the corners of stairs; none is broken, and none is shortened by more than its width."""
    thin = line.copy()
    for _ in range(_MOST_WIDTH):
        for first, second in (((6, 0, 2), (0, 2, 4)), ((6, 0, 4), (6, 2, 4))):
            around = _around(thin)
            count = around.sum(axis=0)
            once = _crossed(around) == 1
            open_sides = ~around[list(first)].all(axis=0) & ~around[list(second)].all(axis=0)
            thin &= ~(once & (count >= 2) & (count <= 6) & open_sides)
    # The inner corners of stairs, without which the line still holds together.
    for corner in (0, 2, 4, 6):
        around = _around(thin)
        beyond = [(corner + turn) % 8 for turn in (4, 5, 6)]
        thin &= ~(around[corner] & around[(corner + 2) % 8] & ~around[beyond].any(axis=0))
    return thin


def _crossed(around: Mask) -> npt.NDArray[np.int64]:
    """How often a line leaves each point: the crossing number."""
    times: npt.NDArray[np.int64] = (around & ~np.roll(around, 1, axis=0)).sum(axis=0)
    return times


def _crossings(line: Mask) -> tuple[Array, Array]:
    """Ends and joints (k,) of lines one point wide, but for what is near the border."""
    around = _around(line)
    there = np.zeros(line.shape, dtype=bool)
    there[:, _MARGIN:-_MARGIN, _MARGIN:-_MARGIN] = line[:, _MARGIN:-_MARGIN, _MARGIN:-_MARGIN]
    crossed = _crossed(around)
    ends = there & (crossed == 1) & (around.sum(axis=0) <= 2)
    return ends.sum(axis=(1, 2)).astype(float), (there & (crossed >= 3)).sum(axis=(1, 2)).astype(float)


def _gradient(values: Array, step: float) -> tuple[Array, Array]:
    """Along the last axis, and along the one before."""
    return np.gradient(values, step, axis=2), np.gradient(values, step, axis=1)


def _log(values: Array) -> Array:
    """Of sizes that may be zero."""
    found: Array = np.log10(np.maximum(values, 0.0) + 0.1 * _FLAT)
    return found


def _skew(values: Array) -> Array:
    return _moment(values, 3)


def _kurtosis(values: Array) -> Array:
    return np.log10(np.maximum(_moment(values, 4), 1.0))


def _moment(values: Array, order: int) -> Array:
    """Standardised central moment over a patch, 0 where it is flat."""
    centred = values - values.mean(axis=(1, 2), keepdims=True)
    size = centred.std(axis=(1, 2))
    found = np.divide(
        (centred**order).mean(axis=(1, 2)), size**order, out=np.zeros(len(values)), where=size > 0.1 * _FLAT
    )
    clipped: Array = np.clip(found, -_MOST, _MOST**2)
    return clipped
