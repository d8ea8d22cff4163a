"""Whether paths cross, by exact arithmetic and without the library: two segments of one triangle in its barycentric
coordinates, which know no rounding of the shape."""

from collections import defaultdict
from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations

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


def coordinates(faces: np.ndarray, wrinkle: pucker.Wrinkle, i: int, triangle: int) -> Point:
    """Of point i in the triangle: the shares of its first two vertices."""
    t, depth = Fraction(float(wrinkle.t[i])), Fraction(float(wrinkle.depth[i]))
    first, second = (int(v) for v in wrinkle.vertices[i])
    shares = {first: (1 - depth) * t, second: (1 - depth) * (1 - t)}
    if depth:
        shares[int(wrinkle.apex[i])] = depth
    corners = [int(v) for v in faces[triangle]]
    assert set(shares) <= set(corners), f"point {i} of {wrinkle} does not lie in triangle {triangle}"
    return shares.get(corners[0], Fraction(0)), shares.get(corners[1], Fraction(0))


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
    exact: dict[int, tuple[Point, Point]] = {}
    for triangle, *both in pairs:
        for place in both:
            wrinkle, i = wrinkles[places[place][0]], places[place][1]
            exact[place] = (
                coordinates(mesh.faces, wrinkle, i, triangle),
                coordinates(mesh.faces, wrinkle, i + 1, triangle),
            )
    ends = np.zeros((len(places), 2, 2))
    for place, points in exact.items():
        ends[place] = [[float(x) for x in point] for point in points]
    for number in np.flatnonzero(doubtful_or_met(ends, np.array(pairs)[:, 1:])):
        triangle, first, second = pairs[number]
        if segments_meet(*exact[first], *exact[second]):
            yield wrinkles[places[first][0]].id, wrinkles[places[second][0]].id, triangle
