"""What can be drawn over a frame of a clip to show how its detail came about."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Final, final

import numpy as np
import numpy.typing as npt

from pucker._core import did_you_mean
from pucker._core.draw import Lines
from pucker.method import MethodType, Overlay, methods


@final
@dataclass(frozen=True, init=False)
class Overlays:
    """What is drawn over a frame; each alone or with others.

    Attributes:
        reached: Tints the triangles that detail reaches, the more strongly the more of it.
        wireframe: The mesh's edges.
        tessellation: Edges of the tessellated triangles, one pixel wide and the fainter the finer they are; there are
            none in modes without displacement.
        of_methods: Further ones by name: those that the methods have, see `Overlay` there, as
            `pucker.dynamic.overlays`; and of any method `tints` (m, 4) of triangles and `marks`, a sequence of `Lines`,
            or functions that give those of a state.

    Where lines are drawn, True stands for their usual width and a number for a width in pixels.

    Raises:
        ValueError: For a name there is not.
    """

    reached: bool
    wireframe: bool | float
    tessellation: bool
    of_methods: Mapping[str, Any]

    def __init__(
        self, *, reached: bool = False, wireframe: bool | float = False, tessellation: bool = False, **of_methods: Any
    ) -> None:
        known = _of_methods()
        for name in of_methods:
            if name not in known:
                raise ValueError(f"overlays must be of {', '.join([*_EVERYWHERE, *known])}, not {name!r}")
        asked = {name: value for name, value in of_methods.items() if value is not False}
        for name, value in zip((*_EVERYWHERE, "of_methods"), (reached, wireframe, tessellation, asked), strict=True):
            object.__setattr__(self, name, value)

    # With it, a checker of types would take this for anything else too.
    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            if name.startswith("_") or name not in _of_methods():
                raise AttributeError(f"there is no overlay {name!r}")
            return self.of_methods.get(name, False)

    def replace(self, **asked: Any) -> "Overlays":
        """The same with some replaced."""
        old = {name: getattr(self, name) for name in _EVERYWHERE}
        return Overlays(**(old | dict(self.of_methods) | asked))

    @classmethod
    def names(cls, method: MethodType | None = None) -> list[str]:
        """Names of all overlays, or of those that a method has, but for those that need data which no name brings along."""
        own = _of_methods() if method is None else {overlay.name: overlay for overlay in method.overlays()}
        return [*_EVERYWHERE, *(name for name, overlay in own.items() if overlay.named)]

    @classmethod
    def of(cls, asked: "Overlays | Collection[str]", method: MethodType | None = None) -> "Overlays":
        """Overlays, or those whose names are given, one or several; of all methods or of one.

        Raises:
            ValueError: For a name there is not, and for one that is given twice.
        """
        if isinstance(asked, Overlays):
            return asked
        names = cls.names()
        chosen: dict[str, Any] = {}
        for name in (asked,) if isinstance(asked, str) else asked:
            if name not in names:
                raise ValueError(f"overlays must be of {', '.join(names)}, not {name!r}{did_you_mean(name, names)}")
            if name in chosen:
                raise ValueError(f"overlays must differ by name, but {name!r} is given twice")
            if method is not None and name not in (own := cls.names(method)):
                raise ValueError(f"overlays of {method.name} must be of {', '.join(own)}, not {name!r}")
            chosen[name] = True
        return cls(**chosen)

    @property
    def strokes(self) -> bool | float:
        """The width of the lines that the method's own shaders draw."""
        widths = [value for overlay, value in self._asked() if overlay.strokes]
        return widths[0] if widths else False

    def tints(self, state: Any) -> npt.NDArray[np.uint8] | None:
        """Colour (m, 4) of each triangle, sRGB with the share as alpha; None if no overlay tints."""
        tints = [overlay.tints(state, value) for overlay, value in self._asked()]
        return next((found for found in tints if found is not None), None)

    def lines(self, state: Any, faces: npt.NDArray[np.integer], positions: npt.NDArray[np.floating]) -> list[Lines]:
        """The lines of the methods' overlays on a mesh (m, 3) with positions (n, 3)."""
        return [group for overlay, value in self._asked() for group in overlay.lines(state, value, faces, positions)]

    def _asked(self) -> list[tuple[Overlay, Any]]:
        known = _of_methods()
        return [(known[name], self.of_methods[name]) for name in known if name in self.of_methods]


class Tints(Overlay):
    """Colours (m, 4) of triangles, or a function that gives those of a state."""

    name: ClassVar[str] = "tints"
    named: ClassVar[bool] = False

    def tints(self, state: Any, asked: Any) -> npt.NDArray[np.uint8] | None:
        """The colours."""
        found: npt.NDArray[np.uint8] | None = asked(state) if callable(asked) else asked
        return found


class Marks(Overlay):
    """Lines in space, or a function that gives those of a state on a mesh (m, 3) with positions (n, 3)."""

    name: ClassVar[str] = "marks"
    named: ClassVar[bool] = False

    def lines(
        self, state: Any, asked: Any, faces: npt.NDArray[np.integer], positions: npt.NDArray[np.floating]
    ) -> Sequence[Lines]:
        """The lines."""
        found: Sequence[Lines] = asked(state, faces, positions) if callable(asked) else asked
        return found


_OF_DATA: Final = (Tints(), Marks())
_EVERYWHERE: Final = ("reached", "wireframe", "tessellation")


def _of_methods() -> dict[str, Overlay]:
    found: dict[str, Overlay] = {}
    for overlay in (*_OF_DATA, *(o for method in methods().values() for o in method.overlays())):
        if overlay.name in (*_EVERYWHERE, *found):
            raise ValueError(f"overlays must differ by name, but two are called {overlay.name!r}")
        found[overlay.name] = overlay
    return found


def line_width(asked: bool | float, usual: float) -> float:
    """Width in pixels: True stands for the usual one, False for none."""
    return usual if asked is True else float(asked)
