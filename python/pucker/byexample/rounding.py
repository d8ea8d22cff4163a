"""Numbers of a trained set as whole multiples of a step, and these as a file holds them."""

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from pucker._core import _byexample as byexample

Floats = npt.NDArray[np.float64]

# Of the multiples of a step, where it is for the caller to say.
LARGEST: Final = 32767
# And of those that planes of bytes hold.
_LARGEST_IN_PLANES: Final = (1 << 23) - 1


def multiples(values: Floats, step: float) -> npt.NDArray[np.int16]:
    """What values that are multiples of a positive step are multiples of, at most `LARGEST`."""
    return np.clip(np.rint(values / step), -LARGEST, LARGEST).astype(np.int16)


def check_multiples(name: str, values: Floats, step: float) -> None:
    """Raises ValueError for values that are no multiples of a step that is not 0."""
    if step and not np.array_equal(values, step * multiples(values, step)):
        raise ValueError(f"{name} must be whole multiples of {step:g}, {LARGEST} at most")


def rounded(values: Floats, largest: int) -> tuple[Floats, float]:
    """Multiples of a step, as many as `largest` at most, and the step; 0 if there is nothing but zeros."""
    step = float(np.abs(values).max(initial=0.0)) / largest
    return (step * multiples(values, step).astype(np.float64), step) if step else (values, 0.0)


def rounded_poses(poses: Floats) -> tuple[Floats, float]:
    """The poses (C, n, 3) as a file of a regression rounds them, and the step."""
    return rounded(poses, LARGEST)


def encoded(code: byexample.DetailCode, details: Floats, step: float) -> Floats:
    """(P, N, 3) whole multiples of what details are beyond the next coarser level.

    Raises ValueError for details that are not what multiples of the step stand for.
    """
    wholes = np.array([code.encode(detail, step) for detail in details])
    if not np.array_equal(details, [code.decode(each, step) for each in wholes]):
        raise ValueError(f"details must be what whole multiples of {step:g} beyond the next coarser level stand for")
    return wholes


def rounded_by_level(code: byexample.DetailCode, details: Floats, step: float) -> Floats:
    """The details (P, N, 3) that their multiples stand for."""
    return np.array([code.decode(code.encode(detail, step), step) for detail in details])


def rounded_coefficients(
    coefficients: Floats, steps: Floats, products: Floats | None
) -> tuple[Floats, tuple[float, ...]]:
    """Coefficients (R, K, P - 1) as multiples of these steps (P - 1,), or in single precision and no steps where multiples would be too large.

    With M = `products` (R, K, K) the sum of (x - x')ᵀ M (x - x') over coefficients x and rounded ones x' is kept small: with M = UᵀU each
    row takes on what those that were rounded before it leave in its own row of U (Babai 1986). None: each becomes the nearest.

    Raises numpy.linalg.LinAlgError for products that are not positive definite.
    """
    if not (steps > 0.0).all():
        return _single(coefficients), ()
    sides = None if products is None else np.linalg.cholesky(products).transpose(0, 2, 1)
    found = np.empty_like(coefficients)
    left = np.zeros_like(coefficients)
    for row in range(coefficients.shape[1] - 1, -1, -1):
        wanted = coefficients[:, row]
        if sides is not None:
            after = sides[:, row, None, row + 1 :] @ left[:, row + 1 :]
            wanted = wanted + after[:, 0] / sides[:, row, row, None]
        found[:, row] = np.rint(wanted / steps)
        left[:, row] = coefficients[:, row] - steps * found[:, row]
    if not np.abs(found).max(initial=0.0) <= _LARGEST_IN_PLANES:
        return _single(coefficients), ()
    return steps * found, tuple(steps.tolist())


def check_coefficients(coefficients: Floats, steps: tuple[float, ...]) -> None:
    """Raises ValueError for coefficients (R, K, P - 1) that are no multiples of steps (P - 1,), of which there may be none."""
    if not steps:
        return
    if len(steps) != coefficients.shape[2]:
        raise ValueError(
            f"there must be a step of the coefficients of each of {coefficients.shape[2]} details, not of {len(steps)}"
        )
    if not np.array_equal(coefficients, np.array(steps) * np.rint(coefficients / np.array(steps))):
        raise ValueError("the coefficients of each detail must be whole multiples of their step")


def planes_of(wholes: Floats) -> npt.NDArray[np.uint8]:
    """(planes, …): the bytes of whole numbers, the lowest first, of which 0, -1, 1, -2, … are 0, 1, 2, 3, …: near zero all but the first are
    zero, and of alike numbers alike, which deflates far better than whole numbers of two bytes.
    """
    numbers = wholes.astype(np.int64)
    folded = np.where(numbers < 0, -2 * numbers - 1, 2 * numbers)
    largest = int(folded.max(initial=0))
    count = max(1, (largest.bit_length() + 7) // 8)
    return np.stack([(folded >> 8 * plane & 255).astype(np.uint8) for plane in range(count)])


def stored(values: Floats, step: float) -> npt.NDArray[Any]:
    """What a file holds of values that are multiples of a step, or, with a step of 0, any numbers."""
    if step:
        return multiples(values, step)
    single = _single(values)
    return single.astype(np.float32) if np.array_equal(single, values) else values


def _single(values: Floats) -> Floats:
    with np.errstate(over="ignore"):
        return values.astype(np.float32).astype(np.float64)
