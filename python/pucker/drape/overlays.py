"""What shows how the folds of a frame came about, drawn over it."""

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from pucker._core._drape import ComputedState, State, TriangleQuantity, legend_of, tints_of
from pucker.method import Overlay


class Tint(Overlay):
    """Triangles coloured by a quantity; `pucker.drape.tints_of` says how."""

    def __init__(self, what: TriangleQuantity) -> None:
        self.what = what
        # An overlay of each name, all of one class.
        self.name = what.name  # type: ignore[misc]

    def tints(self, state: Any, asked: Any) -> npt.NDArray[np.uint8]:  # noqa: ARG002
        """Colour (m, 4) of each triangle. Raises ValueError for a state of another method."""
        if isinstance(state, ComputedState):
            state = state.reference
        if not isinstance(state, State):
            # As overlays of other methods: what is asked for does not go with the parameters.
            raise ValueError(  # noqa: TRY004
                f"the overlay {self.name} needs a state of draped cloth, got {type(state).__name__}"
            )
        return tints_of(state, self.what)

    def legend(self) -> Sequence[tuple[str, tuple[float, float, float]]]:
        """The ends and the middle."""
        return legend_of(self.what)


OVERLAYS: Final = tuple(Tint(what) for what in TriangleQuantity)
