"""The figure that all plots are drawn in, and what they have in common."""

import os
from io import BytesIO
from pathlib import Path
from typing import Any, Final

import matplotlib.figure
import numpy as np
import numpy.typing as npt
from matplotlib import rcParams
from matplotlib.axes import Axes
from matplotlib.figure import FigureBase

from pucker.io.files import replacing

Floats = npt.NDArray[np.float64]

INK: Final = "#3a3a40"
FAINT: Final = "#b9bac0"
# Okabe and Ito's colours, which most colour-blind readers tell apart.
COLOURS: Final = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#7f7f7f")


class Figure(matplotlib.figure.Figure):
    """A matplotlib figure that a notebook shows as the value of a cell; `savefig` writes it to a file."""

    def __init__(self, figsize: tuple[float, float] = (6.4, 4.0), **options: Any) -> None:
        super().__init__(figsize=figsize, **({"layout": "constrained"} | options))

    def savefig(self, fname: Any, **options: Any) -> None:
        """Writes the figure to a file, which appears when it is complete; arguments are those of matplotlib."""
        if not isinstance(fname, str | os.PathLike):
            super().savefig(fname, **options)
            return
        path = Path(fname)
        kind = options.pop("format", None) or path.suffix[1:] or rcParams["savefig.format"]
        content = BytesIO()
        super().savefig(content, format=kind, **options)
        with replacing(path if path.suffix else path.with_suffix(f".{kind}")) as temporary:
            temporary.write_bytes(content.getbuffer())

    def _repr_png_(self) -> bytes:
        with BytesIO() as file:
            self.savefig(file, format="png")
            return file.getvalue()


def drawn_in(figure: FigureBase | None, size: tuple[float, float]) -> FigureBase:
    """`figure`, or a new one of `size` inches."""
    return Figure(size) if figure is None else figure


def plain_axes(axes: Axes, *, x: str = "", y: str = "") -> Axes:
    """The axes with labels, without a frame at the top and the right, over a faint grid."""
    axes.set_xlabel(x)
    axes.set_ylabel(y)
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(color=FAINT, linewidth=0.5, alpha=0.5)
    axes.set_axisbelow(True)
    return axes


def colour(number: int) -> str:
    """The colour of the number-th of several series."""
    return COLOURS[number % len(COLOURS)]


def real_array(values: npt.ArrayLike, shape: tuple[int | None, ...], name: str) -> Floats:
    """The values as float64; ValueError unless their shape is `shape`, where None stands for any length."""
    array = np.asarray(values, dtype=np.float64)
    if array.ndim != len(shape) or any(want not in (None, have) for want, have in zip(shape, array.shape, strict=True)):
        wanted = ", ".join("any" if length is None else str(length) for length in shape)
        raise ValueError(f"{name} must have shape ({wanted}), not {array.shape}")
    return array
