"""Whether paths cross, by exact arithmetic and without the library: two segments of one triangle in its barycentric
coordinates, which know no rounding of the shape."""

from collections import defaultdict
from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np

import pucker

# Coordinates lie in [0, 1], so orientations by floating point are off by a few units of 1e-16.
DOUBT = 1e-12

Point = tuple[Fraction, Fraction]


def orientation(a: Point, b: Point, c: Point) -> Fraction:
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def segments_meet(a: Point, b: Point, c: Point, d: Point) -> bool:
    """Whether the closed segments ab and cd have a point in common."""
    sides = orientation(c, d, a), orientation(c, d, b), orientation(a, b, c), orientation(a, b, d)
    if any(sides):
        return sides[0] * sides[1] <= 0 and sides[2] * sides[3] <= 0
    return all(max(min(a[k], b[k]), min(c[k], d[k])) <= min(max(a[k], b[k]), max(c[k], d[k])) for k in (0, 1))


def coordinates(
    faces: np.ndarray, wrinkle: pucker.Wrinkle, i: int, triangle: int, number: Callable[[float], Any] = Fraction
) -> Any:
    """Of point i in the triangle: the shares of its first two vertices, computed in numbers of one kind."""
    t, depth = number(float(wrinkle.t[i])), number(float(wrinkle.depth[i]))
    first, second = (int(v) for v in wrinkle.vertices[i])
    shares = {first: (1 - depth) * t, second: (1 - depth) * (1 - t)}
    if depth:
        shares[int(wrinkle.apex[i])] = depth
    corners = [int(v) for v in faces[triangle]]
    assert set(shares) <= set(corners), f"point {i} of {wrinkle} does not lie in triangle {triangle}"
    return shares.get(corners[0], number(0)), shares.get(corners[1], number(0))


def doubtful_or_met(ends: np.ndarray, pairs: np.ndarray) -> np.ndarray:
    """(p,) of the pairs of segments (s, 2, 2): not certainly apart by floating point."""
    a, b, c, d = (ends[pairs[:, side], end] for side in (0, 1) for end in (0, 1))

    def side(p: np.ndarray, q: np.ndarray, r: np.ndarray) -> np.ndarray:
        return (q - p)[:, 0] * (r - p)[:, 1] - (q - p)[:, 1] * (r - p)[:, 0]

    def apart(first: np.ndarray, second: np.ndarray) -> np.ndarray:
        return (np.sign(first) == np.sign(second)) & (np.minimum(abs(first), abs(second)) > DOUBT)

    return ~apart(side(c, d, a), side(c, d, b)) & ~apart(side(a, b, c), side(a, b, d))


def meetings(mesh: pucker.Mesh, wrinkles: list[pucker.Wrinkle]) -> Iterator[tuple[int, int, int]]:
    """Ids of two paths that cross or touch, or of one that does so itself, with the triangle where they do."""
    places: list[tuple[int, int]] = []  # wrinkle and segment
    by_triangle = defaultdict(list)
    for number, wrinkle in enumerate(wrinkles):
        for i, triangle in enumerate(wrinkle.triangles):
            by_triangle[int(triangle)].append(len(places))
            places.append((number, i))
    pairs = [
        (triangle, first, second)
        for triangle, inside in by_triangle.items()
        for first, second in combinations(inside, 2)
        if places[first][0] != places[second][0] or abs(places[first][1] - places[second][1]) > 1
    ]
    if not pairs:
        return

    def segment(place: int, number: Callable[[float], Any]) -> tuple[Any, Any]:
        wrinkle, i = wrinkles[places[place][0]], places[place][1]
        triangle = int(wrinkle.triangles[i])
        first, last = (coordinates(mesh.faces, wrinkle, k, triangle, number) for k in (i, i + 1))
        return first, last

    ends = np.zeros((len(places), 2, 2))
    for place in {place for _, *both in pairs for place in both}:
        ends[place] = segment(place, float)
    for number in np.flatnonzero(doubtful_or_met(ends, np.array(pairs)[:, 1:])):
        triangle, first, second = pairs[number]
        if segments_meet(*segment(first, Fraction), *segment(second, Fraction)):
            yield wrinkles[places[first][0]].id, wrinkles[places[second][0]].id, triangle
