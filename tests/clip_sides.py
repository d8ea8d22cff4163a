"""What the tests of clips share."""

import numpy as np
from numpy.typing import NDArray

Index = NDArray[np.int32]

FEMALE = "HumanArmature|Female_"


def sides(faces: Index) -> Index:
    """The three edges of each triangle."""
    return np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]])
