"""Meshes with wrinkles made in code, and the drawing's formulas written a second time in NumPy, in double precision."""

import itertools
from dataclasses import dataclass

import numpy as np
from scipy.interpolate import CubicHermiteSpline, PchipInterpolator

import pucker

SAMPLES = 8
PROFILES = ("quartic", "sinusoidal", "arcs", "bspline", "wave", "crease")
# Of those that overlap the mean counts, not the largest.
WITH_VALLEYS = ("wave", "crease")


@dataclass
class Packed:
    triangles: np.ndarray
    overlaps: np.ndarray
    points: np.ndarray


def grid(cells, size=1.0):
    """A square of the plane z = 0 round the origin, facing +z."""
    axis = np.linspace(-0.5 * size, 0.5 * size, cells + 1)
    x, y = np.meshgrid(axis, axis)
    a = (np.arange(cells)[:, None] * (cells + 1) + np.arange(cells)).ravel()
    faces = np.concatenate([np.stack([a, a + 1, a + cells + 2], 1), np.stack([a, a + cells + 2, a + cells + 1], 1)])
    return faces, np.stack([x.ravel(), y.ravel(), np.zeros(x.size)], axis=1)


def icosphere(subdivisions):
    """A closed mesh on the unit sphere, facing outwards."""
    g = (1 + 5**0.5) / 2
    positions = [(-1, g, 0), (1, g, 0), (-1, -g, 0), (1, -g, 0), (0, -1, g), (0, 1, g)]
    positions += [(0, -1, -g), (0, 1, -g), (g, 0, -1), (g, 0, 1), (-g, 0, -1), (-g, 0, 1)]
    faces = [(0, 11, 5), (0, 5, 1), (0, 1, 7), (0, 7, 10), (0, 10, 11), (1, 5, 9), (5, 11, 4), (11, 10, 2), (10, 7, 6)]
    faces += [(7, 1, 8), (3, 9, 4), (3, 4, 2), (3, 2, 6), (3, 6, 8), (3, 8, 9), (4, 9, 5), (2, 4, 11), (6, 2, 10)]
    faces += [(8, 6, 7), (9, 8, 1)]
    positions = [np.array(p) / np.linalg.norm(p) for p in positions]
    for _ in range(subdivisions):
        middles, finer = {}, []

        def middle(a, b, middles=middles):
            key = (min(a, b), max(a, b))
            if key not in middles:
                point = positions[a] + positions[b]
                middles[key] = len(positions)
                positions.append(point / np.linalg.norm(point))
            return middles[key]

        for a, b, c in faces:
            ab, bc, ca = middle(a, b), middle(b, c), middle(c, a)
            finer += [(a, ab, ca), (b, bc, ab), (c, ca, bc), (ab, bc, ca)]
        faces = finer
    return np.array(faces), np.array(positions)


def path(positions, normals, width, height):
    """Rows of packed points for a polyline; flat and wide at its ends, narrow and `height` high in the middle."""
    positions = np.asarray(positions, dtype=np.float64)
    segments = np.diff(positions, axis=0)
    lengths = np.linalg.norm(segments, axis=1)
    unit = segments / lengths[:, None]
    direction = np.vstack([unit[:1], unit[:-1] + unit[1:], unit[-1:]])
    direction /= np.linalg.norm(direction, axis=1)[:, None]
    arc = np.concatenate([[0.0], np.cumsum(lengths)])
    at_points = arc / arc[-1]
    at_middles = np.append(0.5 * (at_points[1:] + at_points[:-1]), 1.0)
    rows = np.zeros((len(positions), 16))
    rows[:, 0:3] = positions
    rows[:, 4:7] = np.vstack([np.broadcast_to(normals, segments.shape), np.broadcast_to(normals, segments.shape)[-1:]])
    rows[:, 8:11] = direction
    rows[:, 11] = arc
    rows[:, 3], rows[:, 12] = (width * (1.0 + 0.6 * (2.0 * u - 1.0) ** 2) for u in (at_points, at_middles))
    rows[:, 7], rows[:, 13] = (height * (1.0 - (2.0 * u - 1.0) ** 2) for u in (at_points, at_middles))
    rows[-1, 12:14] = 0.0
    return rows.astype(np.float32)


def flat_path(x, y, width, height):
    """A path in the plane z = 0."""
    x, y = np.broadcast_arrays(x, y)
    return path(np.stack([x, y, np.zeros(x.shape)], axis=1), (0.0, 0.0, 1.0), width, height)


def section_path(faces, positions, axis, width, height, share=0.45):
    """Part of the cut of a sphere-like mesh with the plane through the origin perpendicular to `axis`."""
    axis = np.asarray(axis) / np.linalg.norm(axis)
    side = positions @ axis
    first = np.cross(axis, [0.3, 0.5, 0.8])
    first /= np.linalg.norm(first)
    second = np.cross(axis, first)
    corners = {}
    for triangle, face in enumerate(faces):
        for a, b in ((face[k], face[(k + 1) % 3]) for k in range(3)):
            if side[a] * side[b] < 0.0:
                low, high = min(a, b), max(a, b)
                point = positions[low] + side[low] / (side[low] - side[high]) * (positions[high] - positions[low])
                corners.setdefault((low, high), (point, []))[1].append(triangle)
    crossings = sorted(corners.values(), key=lambda item: np.arctan2(item[0] @ second, item[0] @ first))
    crossings = crossings[: max(4, int(share * len(crossings)))]
    points = np.array([point for point, _ in crossings])
    normals = []
    for (_, left), (_, right) in itertools.pairwise(crossings):
        (triangle,) = set(left) & set(right)
        a, b, c = positions[faces[triangle]]
        normal = np.cross(b - a, c - a)
        normals.append(normal / np.linalg.norm(normal))
    return path(points, np.array(normals), width, height)


def wrinkle(surface, packed, smallest_width=None, profile="bspline"):
    """Puts packed wrinkles over a surface of the renderer."""
    mesh, positions = surface.content.mesh, surface.content.positions
    surface.set_detail(
        pucker.PathDetail(mesh, positions, packed, smallest_width, profile=pucker.Profile.__members__[profile])
    )


def pack_everywhere(triangle_count, paths):
    """Every path overlaps every triangle."""
    ends = np.cumsum([len(rows) for rows in paths])
    overlaps = [(end - len(rows), end - 1) for rows, end in zip(paths, ends, strict=True)]
    triangles = np.tile([len(overlaps), 0], (triangle_count, 1))
    return Packed(triangles.astype(np.uint32), np.array(overlaps, np.uint32), np.concatenate(paths))


def pack_where_reached(faces, positions, paths):
    """A path overlaps the triangles that lie within half its width of its refined curve, and a little more."""
    lists = [[] for _ in faces]
    start = 0
    for rows in paths:
        samples = refine(rows)
        reached = _distances(samples[:, :3], positions[faces]) < 0.51 * samples[:, 3].max()
        for triangle in np.flatnonzero(reached.any(axis=0)):
            at = np.flatnonzero(reached[:, triangle])
            first, last = max(at[0] - 1, 0) // SAMPLES, -(-(at[-1] + 1) // SAMPLES)
            lists[triangle].append((start + first, start + min(max(last, first + 1), len(rows) - 1)))
        start += len(rows)
    counts = np.array([len(item) for item in lists])
    triangles = np.stack([counts, np.cumsum(counts) - counts], axis=1).astype(np.uint32)
    overlaps = np.array([entry for item in lists for entry in item], np.uint32).reshape(-1, 2)
    return Packed(triangles, overlaps, np.concatenate(paths))


def _distances(points, triangles):
    """Upper bounds of the distances (k, m) of points to triangles: to a fine lattice of points on each."""
    u = np.array([(i / 12, j / 12, (12 - i - j) / 12) for i in range(13) for j in range(13 - i)])
    lattice = np.einsum("lk,mkd->mld", u, triangles)
    return np.stack([np.linalg.norm(lattice - point, axis=2).min(axis=1) for point in points])


def refine(rows):
    """Samples ((k − 1) · SAMPLES + 1, 8) of one path: position, width, direction, height."""
    rows = rows.astype(np.float64)
    arc = rows[:, 11]
    knots = np.sort(np.concatenate([arc, 0.5 * (arc[1:] + arc[:-1])]))
    width, height = np.empty(len(knots)), np.empty(len(knots))
    width[::2], width[1::2] = rows[:, 3], rows[:-1, 12]
    height[::2], height[1::2] = rows[:, 7], rows[:-1, 13]
    t = np.arange(SAMPLES) / SAMPLES
    positions, at = [], []
    for a, b in itertools.pairwise(rows):
        span = b[:3] - a[:3]
        size = np.linalg.norm(span)
        tangents = [d - (d @ a[4:7]) * a[4:7] for d in (a[8:11], b[8:11])]
        p1, p2 = (
            end + sign * size / 3 * tangent / np.linalg.norm(tangent)
            for end, sign, tangent in zip((a[:3], b[:3]), (1, -1), tangents, strict=True)
        )
        weights = np.stack([(1 - t) ** 3, 3 * (1 - t) ** 2 * t, 3 * (1 - t) * t**2, t**3], axis=1)
        positions.append(weights @ np.stack([a[:3], p1, p2, b[:3]]))
        at.append(a[11] + t * (b[11] - a[11]))
    positions = np.vstack([*positions, rows[-1:, :3]])
    at = np.append(np.concatenate(at), arc[-1])
    pieces = np.diff(positions, axis=0)
    pieces /= np.linalg.norm(pieces, axis=1)[:, None]
    direction = np.vstack([pieces[:1], pieces[:-1] + pieces[1:], pieces[-1:]])
    direction /= np.linalg.norm(direction, axis=1)[:, None]
    direction[::SAMPLES] = rows[:, 8:11]
    sizes = [level_at_ends(knots, values)(at)[:, None] for values in (width, height)]
    return np.hstack([positions, sizes[0], direction, sizes[1]])


def level_at_ends(knots, values):
    """Monotone interpolation that ends level."""
    slopes = PchipInterpolator(knots, values).derivative()(knots)
    slopes[[0, -1]] = 0.0
    return CubicHermiteSpline(knots, values, slopes)


def profile(kind, x, w, h):
    """Cross-section at distance x from the path, w half the width; arcs for h <= w."""
    with np.errstate(divide="ignore", invalid="ignore"):
        radius = (w**2 + h**2) / (4 * h)
        u = 1.5 * x / w
        value = {
            "quartic": h * (1 - (x / w) ** 2) ** 2,
            "sinusoidal": 0.5 * h * (1 + np.cos(np.pi * x / w)),
            "arcs": np.where(
                x <= 0.5 * w, h - radius + np.sqrt(radius**2 - x**2), radius - np.sqrt(radius**2 - (w - x) ** 2)
            ),
            "wave": 0.5 * h * (np.cos(np.pi * x / w) + np.cos(2 * np.pi * x / w)),
            "crease": -0.5 * h * (np.cos(np.pi * x / w) + np.cos(2 * np.pi * x / w)),
            "bspline": np.where(u <= 0.5, 4 / 3 * h * (0.75 - u**2), 2 / 3 * h * (1.5 - u) ** 2),
        }[kind]
    return np.where((x < w) & (h > 0), value, 0.0)


def path_offset(points, samples, kind):
    """Offset (k,) of points by one refined path: the nearest projection that is wide enough counts; its ends are round."""
    return path_section(points, samples, kind)[0]


def path_section(points, samples, kind):
    """Offset (k,) of points by one refined path, and how near they are to it, h(1 − x²/w²)²."""
    nearest = np.full(len(points), np.inf)
    offset, nearness = np.zeros((2, len(points)))
    pieces = np.linalg.norm(np.diff(samples[:, :3], axis=0), axis=1)
    starts = np.concatenate([[0.0], np.cumsum(pieces)])
    width, height = (level_at_ends(starts, samples[:, column]) for column in (3, 7))
    for a, b, start, piece in zip(samples[:-1], samples[1:], starts[:-1], pieces, strict=True):
        z, turn, back = b[:3] - a[:3], b[4:7] - a[4:7], a[:3] - points
        quadratic, linear, constant = z @ turn, z @ a[4:7] + back @ turn, back @ a[4:7]
        with np.errstate(divide="ignore", invalid="ignore"):
            q = -0.5 * (linear + np.where(linear < 0, -1, 1) * np.sqrt(linear**2 - 4 * quadratic * constant))
            roots = (constant / q, q / quadratic if quadratic != 0 else np.full(len(points), np.nan))
        for root in roots:
            inside = (root >= -1e-9) & (root <= 1 + 1e-9)
            along = np.where(inside, np.clip(root, 0, 1), 0.0)
            x = np.linalg.norm(points - a[:3] - along[:, None] * z, axis=1)
            w = 0.5 * (a[3] + along * (b[3] - a[3]))
            better = inside & (x < w) & (x < nearest)
            nearest = np.where(better, x, nearest)
            at = start + along * piece
            offset = np.where(better, profile(kind, x, 0.5 * width(at), height(at)), offset)
            nearness = np.where(better, profile("quartic", x, 0.5 * width(at), height(at)), nearness)
    for end, outward in ((samples[0], -1), (samples[-1], 1)):
        off = points - end[:3]
        round_end = profile(kind, np.linalg.norm(off, axis=1), 0.5 * end[3], end[7])
        near_end = profile("quartic", np.linalg.norm(off, axis=1), 0.5 * end[3], end[7])
        nearer = near_end > nearness if kind in WITH_VALLEYS else round_end > offset
        counts = (outward * (off @ end[4:7]) > 0) & nearer
        offset, nearness = np.where(counts, round_end, offset), np.where(counts, near_end, nearness)
    return offset, nearness


def surface_offset(points, paths, kind):
    """Offset (k,) of points by several paths: the largest; of those with valleys the mean, weighted by nearness."""
    offsets, nearness = np.moveaxis([path_section(points, refine(rows), kind) for rows in paths], 1, 0)
    if kind not in WITH_VALLEYS:
        return offsets.max(axis=0)
    whole = nearness.sum(axis=0)
    return (nearness * offsets).sum(axis=0) / np.where(whole > 0.0, whole, 1.0)


def displaced_normals(points, paths, kind):
    """Unit normals of the displaced plane by central differences of the formulas."""
    step = 1e-6
    along_x, along_y = (
        (surface_offset(points + shift, paths, kind) - surface_offset(points - shift, paths, kind)) / (2 * step)
        for shift in (np.array([step, 0, 0]), np.array([0, step, 0]))
    )
    normals = np.stack([-along_x, -along_y, np.ones(len(points))], axis=1)
    return normals / np.linalg.norm(normals, axis=1)[:, None]


def degrees_between(a, b):
    """Angles (k,) between unit vectors."""
    return np.degrees(2.0 * np.arcsin(np.clip(0.5 * np.linalg.norm(np.subtract(a, b), axis=-1), 0.0, 1.0)))


def places_of(points, faces, positions):
    """The triangle (k,) that each point lies in, and its barycentric coordinates (k, 3) there."""
    a, b, c = np.moveaxis(positions[faces], 1, 0)
    u, v = b - a, c - a
    normal = np.cross(u, v)
    square = (normal**2).sum(axis=1)
    off = points[:, None] - a
    y = (np.cross(off, v) * normal).sum(axis=2) / square
    z = (np.cross(u, off) * normal).sum(axis=2) / square
    distance = np.abs((off * normal).sum(axis=2)) / np.sqrt(square)
    coordinates = np.stack([1.0 - y - z, y, z], axis=2)
    outside = np.maximum(-coordinates.min(axis=2), 0.0)
    triangle = np.argmin(np.where(outside > 1e-4, np.inf, distance), axis=1)
    inside = np.maximum(coordinates[np.arange(len(points)), triangle], 0.0)
    return triangle, inside / inside.sum(axis=1)[:, None]


def shared_edge_points(captured, faces):
    """Points on edges, by edge and by exact place along it."""
    found = {}
    for k, on_edge in enumerate((captured.barycentric == 0.0).T):
        for index in np.flatnonzero(on_edge):
            face = faces[captured.triangle[index]]
            a, b = int(face[(k + 1) % 3]), int(face[(k + 2) % 3])
            at = {a: captured.barycentric[index, (k + 1) % 3], b: captured.barycentric[index, (k + 2) % 3]}
            key = (min(a, b), max(a, b), float(at[min(a, b)]))
            found.setdefault(key, set()).add((int(captured.triangle[index]), captured.position[index].tobytes()))
    return found


def sphere_scene(count=5, subdivisions=2):
    """A ball with paths that are cuts of it with planes."""
    faces, positions = icosphere(subdivisions)
    random = np.random.default_rng(7)
    paths = [section_path(faces, positions, random.normal(size=3), 0.12, 0.05) for _ in range(count)]
    return faces, positions, paths


def constant_path(points, width, height):
    """A path as wide and high at its ends as elsewhere."""
    rows = path(points, (0.0, 0.0, 1.0), width, height)
    rows[:, 3], rows[:, 7] = width, height
    rows[:-1, 12], rows[:-1, 13] = width, height
    return rows


def hairpin():
    """Two legs a tenth apart and the half circle that joins them, mirrored in y: the line between them is a medial axis."""
    angle = np.linspace(-0.5, 0.5, 9) * np.pi
    bend = np.stack([0.2 + 0.05 * np.cos(angle), 0.05 * np.sin(angle)], axis=1)
    leg = np.stack([np.linspace(-0.31, 0.15, 7), np.full(7, -0.05)], axis=1)
    return np.pad(np.concatenate([leg, bend, leg[::-1] * [1.0, -1.0]]), ((0, 0), (0, 1)))


_STRAIGHT = flat_path(np.linspace(-0.37, 0.41, 9), 0.043, 0.11, 0.04)
_WAVE_X = np.linspace(-0.4, 0.4, 11)
_WAVE = flat_path(_WAVE_X, 0.13 * np.sin(7.0 * _WAVE_X), 0.09, 0.03)
_UPRIGHT = flat_path(0.07, np.linspace(-0.39, 0.4, 11), 0.07, 0.035)
_BLUNT = constant_path(np.array([[-0.2713, 0.031, 0.0], [0.043, 0.052, 0.0], [0.2377, 0.017, 0.0]]), 0.12, 0.05)
# Wrinkles on the unit square `grid`.
PATHS = {
    "straight": [_STRAIGHT],
    "curved": [_WAVE],
    "crossing": [_WAVE, _UPRIGHT],
    "ends": [_BLUNT],
    "medial axis": [constant_path(hairpin(), 0.16, 0.05)],
}
