"""How different pictures look."""

import numpy as np
import numpy.typing as npt

from pucker.extras import needing


def flip(reference: npt.ArrayLike, picture: npt.ArrayLike) -> float:
    """Mean FLIP error of a picture against a reference, in [0, 1]: what a viewer sees who flips between them.

    Both are (height, width, 3), sRGB, in 0 to 255 as uint8 or else in [0, 1]; 67 pixels a degree, as on a desk (Andersson et
    al. 2020, package flip-evaluator). Raises ValueError for pictures of different size.
    """
    with needing("metrics", "FLIP"):
        import flip_evaluator  # noqa: PLC0415 - of all measures only this needs it

    one, other = (_shares(each) for each in (reference, picture))
    if one.shape != other.shape or one.ndim != 3 or one.shape[2] != 3:
        raise ValueError(f"pictures must be two of one shape (height, width, 3), not {one.shape} and {other.shape}")
    return float(flip_evaluator.evaluate(one, other, "LDR", applyMagma=False)[1])


def _shares(picture: npt.ArrayLike) -> npt.NDArray[np.float32]:
    values = np.asarray(picture)
    scale = 255.0 if values.dtype == np.uint8 else 1.0
    return np.ascontiguousarray(values / scale, dtype=np.float32)
