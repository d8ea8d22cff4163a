"""Numbers over frames or iterations."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
from matplotlib.figure import FigureBase

from .figure import INK, Floats, colour, drawn_in, plain_axes, real_array

if TYPE_CHECKING:
    import pucker


def energies(
    terms: "Mapping[str, npt.ArrayLike] | Sequence[pucker.PathEnergy]",
    *,
    x: npt.ArrayLike | None = None,
    name: str = "frame",
    log: bool = False,
    figure: FigureBase | None = None,
) -> FigureBase:
    """Terms of an energy, a curve each, over frames or iterations.

    Args:
        terms: Numbers (k,) by name, or k `PathEnergy`: their terms and the sum, which is dashed.
        x: (k,), what they are drawn over; by default 0, 1, 2, …
        name: What x is.
        log: A logarithmic axis, on which numbers that are not positive cannot be drawn.
        figure: What it is drawn into; by default a new one.

    Raises:
        ValueError: If lengths differ, and with `log` for a term of which no number is positive.
    """
    curves = terms if isinstance(terms, Mapping) else _terms_of(terms)
    arrays = {key: real_array(values, (None,), key) for key, values in curves.items()}
    lengths = {key: len(values) for key, values in arrays.items()}
    if len(set(lengths.values())) > 1:
        raise ValueError(f"the terms of an energy must have one length, not {lengths}")
    count = next(iter(lengths.values()), 0)
    places = np.arange(count) if x is None else real_array(x, (count,), "x")
    whole = drawn_in(figure, (6.4, 3.4))
    axes = plain_axes(whole.subplots(), x=name, y="energy")
    for number, (key, values) in enumerate(arrays.items()):
        if log and not (values > 0.0).any():
            raise ValueError(f"term {key} has no positive number to draw on a logarithmic axis")
        shade, line = (INK, "--") if key == "sum" else (colour(number), "-")
        axes.plot(places, values, marker=".", label=key, color=shade, linestyle=line)
    if log:
        axes.set_yscale("log", nonpositive="mask")
    axes.legend(frameon=False)
    return whole


def _terms_of(energies: "Sequence[pucker.PathEnergy]") -> dict[str, list[float]]:
    return {name: [getattr(energy, name) for energy in energies] for name in ("alignment", "motion", "shape", "sum")}


def stage_times(states: Sequence["pucker.State"], *, figure: FigureBase | None = None) -> FigureBase:
    """Wall clock of each stage, stacked, frame by frame, in milliseconds; the legend says the means.

    Args:
        states: Of consecutive frames.
        figure: What it is drawn into; by default a new one.

    Raises:
        ValueError: If there is none.
    """
    if len(states) == 0:
        raise ValueError("stage times need at least one state")
    stages = list(states[-1].seconds)
    # The first frame is the reference: later stages have not run there.
    times: Floats = 1e3 * np.array([[state.seconds.get(stage, 0.0) for state in states] for stage in stages])
    frames = [state.frame for state in states]
    whole = drawn_in(figure, (6.4, 3.6))
    axes = plain_axes(whole.subplots(), x="frame", y="time [ms]")
    names = [f"{stage}, {mean:.3f} ms" for stage, mean in zip(stages, times.mean(axis=1), strict=True)]
    axes.stackplot(frames, times, labels=names, colors=[colour(number) for number in range(len(stages))])
    axes.margins(x=0.0)
    handles, texts = axes.get_legend_handles_labels()
    # The order in which they are stacked, seen from above.
    whole.legend(handles[::-1], texts[::-1], frameon=False, fontsize="small", loc="outside right center")
    return whole
