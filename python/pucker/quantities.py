"""What states of any method know of their triangles, vertices and paths: numbers by name."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final, Literal

import numpy as np
import numpy.typing as npt

from pucker._core import CompressionField, Mesh, did_you_mean, sample_curve

Floats = npt.NDArray[np.float64]
Place = Literal["triangles", "vertices", "paths"]

# Parts of a state that hold numbers of its triangles or vertices.
_PARTS: Final = ("stretch", "motion", "waves", "surface")


@dataclass(frozen=True)
class Quantity:
    """A number for each triangle (m,), vertex (n,) or path (k,) of a state."""

    name: str
    on: Place
    values: Floats


def live_paths(state: Any) -> list[Any]:
    """The wrinkles that are drawn; none of methods that have no paths."""
    return [wrinkle for wrinkle in getattr(state, "wrinkles", ()) if not wrinkle.gone]


def paths_of(state: Any) -> list[Floats]:
    """The curves (k, 3) of `live_paths`, as they are drawn."""
    paths = live_paths(state)
    if not paths:
        return []
    mesh = Mesh(state.detail.faces, len(state.detail.positions))
    field = CompressionField(mesh, state.detail.positions, state.stretch)
    return [sample_curve(field, path).points for path in paths]


def quantities_of(state: Any) -> list[Quantity]:
    """All that a state has: what it and its parts hold for each triangle or vertex, of two of a name that of the first."""
    found: dict[str, Quantity] = {}
    for name, value in _numbers(state):
        on = _place(state, value)
        if on is not None:
            found.setdefault(name, Quantity(name, on, value))
    paths = live_paths(state)
    for name in ("age", "length"):
        if paths:
            found.setdefault(name, Quantity(name, "paths", np.array([getattr(path, name) for path in paths])))
    for name in ("widths", "heights"):
        if paths:
            most = np.array([float(np.max(getattr(path, f"knot_{name}"))) for path in paths])
            found.setdefault(name[:-1], Quantity(name[:-1], "paths", most))
    return list(found.values())


def quantity_of(state: Any, name: str) -> Quantity:
    """The quantity of a name. Raises ValueError for one that the state has not, listing those it has."""
    known = {quantity.name: quantity for quantity in quantities_of(state)}
    if name not in known:
        raise ValueError(f"the state has no {name!r}{did_you_mean(name, list(known))}; there are {', '.join(known)}")
    return known[name]


def placed(state: Any, values: npt.ArrayLike, name: str, on: Place | None) -> Quantity:
    """Numbers from elsewhere as a quantity; their count says of what they are unless `on` does.

    Raises ValueError for numbers that are not finite, of another count than there are triangles, vertices or paths, or, without
    `on`, of a count that several of these have.
    """
    array = np.asarray(values, dtype=np.float64)
    counts = _counts(state)
    places = [place for place, count in counts.items() if array.shape == (count,)]
    if on is not None:
        places = [place for place in places if place == on]
    if not places:
        told = ", ".join(f"{count} {place}" for place, count in counts.items() if on in (None, place))
        raise ValueError(f"{name} must have a number for each of {told}, not shape {array.shape}")
    if len(places) > 1:
        told = " and ".join(places)
        raise ValueError(f"{name} has {len(array)} numbers, and there are as many {told}: say on= which they are of")
    if not np.isfinite(array).all():
        raise ValueError(f"{name} must be finite, but number {np.flatnonzero(~np.isfinite(array))[0]} is not")
    return Quantity(name, places[0], array)


def _counts(state: Any) -> dict[Place, int]:
    detail = state.detail
    return {"triangles": len(detail.faces), "vertices": len(detail.positions), "paths": len(live_paths(state))}


def _numbers(state: Any) -> Iterator[tuple[str, Floats]]:
    # Of waves on the GPU the processor has what their reference holds.
    if hasattr(getattr(state, "reference", None), "detail"):
        state = state.reference
    for owner in (state, *(getattr(state, part) for part in _PARTS if hasattr(state, part))):
        for name in dir(owner):
            if not name.startswith("_") and name != "positions":
                value = getattr(owner, name)
                if isinstance(value, np.ndarray) and value.ndim == 1 and value.dtype.kind in "iuf":
                    yield name, value.astype(np.float64)


def _place(state: Any, values: Floats) -> Place | None:
    if not np.isfinite(values).all():
        return None
    counts = _counts(state)
    triangles, vertices = (len(values) == counts[place] for place in ("triangles", "vertices"))
    if triangles and vertices:
        from pucker.method import method_of_state  # noqa: PLC0415 - before the core has its names

        return method_of_state(state).numbers_on
    return "triangles" if triangles else "vertices" if vertices else None
