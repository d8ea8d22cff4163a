"""The balance of a guide's cloth as nodes of a graph: what `drape::Balance` computes, without its loops."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from pucker._core._byexample import GuideCloth, LoopSubdivision, sharp_corners
from pucker.onnx_graph import Floats, Graph, listed, padded, padded_dense

from .graph_nodes import Frames, Surface, areas, corners_of, sewing, sewn, subdivided

if TYPE_CHECKING:
    import pucker

# As in drape::Height: cosines up to which nothing is added, and from which on all.
_NOTHING: Final = 0.5
_ALL: Final = 0.9
# As in drape::Balance.
_SHEET: Final = 1.3
_MOST_COTANGENT: Final = 4.0
_LEAST_AREA: Final = 1e-3
_STIFFEST: Final = 1e12
_STIFFEST_BEND: Final = 1e9
_OWN_BLOCKS: Final = 0.3
_LEAST_ACROSS: Final = 0.1
_ENOUGH: Final = 2e-4
_SHORTER: Final = 0.7
_LEAST_SCALE: Final = 0.2
_PAIRS: Final = 3
_LEAST_LENGTH: Final = 1e-18
# Steps of which the longest is taken that leads downwards; none where none does.
_TRIED: Final = (1.0, 0.5, 0.25, 0.125)
# Energies are rounded by as much, as a share of them.
_ROUNDING: Final = 4e-7
# A vertex that the frame before lifted to its plane lies there but for rounding, and counts as not below it.
_ON_PLANE: Final = 1e-6
# Share of shared corners from which a vertex comes from them alone.
_FIXED: Final = 1.0 - 1e-9
# Of a frame without duration, in seconds.
_SHORTEST: Final = 1e-6


class _Stiffness:
    """How stiff cloth of a mesh is, of its vertices (n,): as `drape::Sheet`."""

    def __init__(self, mesh: "pucker.Mesh", cut: Floats, fold_sizes: Floats, wavelengths: Floats) -> None:
        self.cotangents, self.areas = _cotangents(mesh, cut)
        spread = np.maximum(self.areas, _LEAST_AREA * self.areas.mean())
        hold = _SHEET / np.square(fold_sizes)
        self.hold = np.minimum(hold * spread, _STIFFEST)
        self.bend = np.minimum(hold * (wavelengths / (2.0 * np.pi)) ** 4 / spread, _STIFFEST_BEND)
        sums, self.diagonal, self.springs = np.zeros((3, mesh.vertex_count))
        for (a, b), cotangent in zip(mesh.edges.tolist(), self.cotangents, strict=True):
            for vertex, other in ((a, b), (b, a)):
                self.springs[vertex] += 0.5
                sums[vertex] += cotangent
                self.diagonal[vertex] += cotangent**2 * self.bend[other]
        self.diagonal += sums**2 * self.bend
        self.own = self.springs + self.diagonal


class _Sheet:
    """What of a guide's cloth does not change; lengths in units of about an edge, of vertices (1, N), of their edges (D, N)."""

    def __init__(self, coarse: "pucker.Mesh", cloth: GuideCloth, shared: Sequence[int]) -> None:
        params, lengths = cloth.params, cloth.on(coarse, shared).lengths
        self.loop = LoopSubdivision(coarse, params.levels, sharp_corners(coarse, cloth.cut))
        self.mesh = mesh = self.loop.fine
        drawn = sewing(self.loop.barycentrics, shared)[:, None]
        at = (1.0 - drawn) * (self.loop.matrix @ cloth.cut) + drawn * (self.loop.barycentrics @ cloth.cut)
        sheet = _Stiffness(mesh, at, lengths.fold_sizes, lengths.wavelengths)
        edges = mesh.edges
        cut = np.linalg.norm(at[edges[:, 1]] - at[edges[:, 0]], axis=1)
        cut /= lengths.tightness[edges].mean(axis=1)
        of: list[list[int]] = [[] for _ in range(mesh.vertex_count)]
        others: list[list[int]] = [[] for _ in range(mesh.vertex_count)]
        for number, (a, b) in enumerate(edges.tolist()):
            for vertex, other in ((a, b), (b, a)):
                of[vertex].append(number)
                others[vertex].append(other)

        self.unit = 2.0 ** int(np.frexp(np.sqrt(np.square(cut).mean()))[1])
        others_of, there = listed(others, np.arange(mesh.vertex_count))
        numbers, _ = listed(of, np.zeros(mesh.vertex_count))
        self.others, self.there = others_of.T, there.T
        self.cotangents = self.there * sheet.cotangents[numbers.T]
        self.cut = np.where(self.there > 0.0, cut[numbers.T] / self.unit, 1.0)
        self.hold = sheet.hold[None]
        self.bend = sheet.bend[None]
        self.diagonal = sheet.diagonal[None]
        self.own = sheet.own[None]
        self.areas = (3.0 * sheet.areas / np.square(lengths.tightness) / self.unit**2)[None]
        self.free = np.where((sheet.springs > 0.0) & (drawn[:, 0] < _FIXED), 1.0, 0.0)[None]
        self.depth = params.depth * lengths.extent / self.unit
        self.params = params
        self.below = None
        if params.levels:
            count = coarse.vertex_count
            self.below = _Stiffness(coarse, cloth.cut, lengths.fold_sizes[:count], lengths.wavelengths[:count])
            columns, entries = padded(self.loop.matrix)
            matrix = np.zeros((mesh.vertex_count, count))
            np.add.at(matrix, (np.arange(mesh.vertex_count)[:, None], columns), entries)
            self._transposed = padded_dense(matrix.T)
            self.inverse = np.linalg.inv(matrix.T @ matrix)

    def down(self, graph: Graph, fine: str) -> str:
        """(3, n): Wᵀ of (3, N), of subdivided cloth."""
        return graph.turned(graph.gathered(graph.turned(fine), *self._transposed, 3))


def _cotangents(mesh: "pucker.Mesh", cut: Floats) -> tuple[Floats, Floats]:
    """Of the edges, in [0, 4], half the sum of both sides; and of the vertices a third of their triangles' areas."""
    numbers = {tuple(sorted(edge)): number for number, edge in enumerate(mesh.edges.tolist())}
    cotangents, areas = np.zeros(len(mesh.edges)), np.zeros(mesh.vertex_count)
    for corners in mesh.faces.tolist():
        if len(set(corners)) < 3:
            continue
        for k in range(3):
            one, other, apex = corners[k], corners[(k + 1) % 3], corners[(k + 2) % 3]
            a, b = cut[one] - cut[apex], cut[other] - cut[apex]
            area = float(np.linalg.norm(np.cross(a, b)))
            if area > 0.0:
                cotangents[numbers[min(one, other), max(one, other)]] += float(a @ b) / area / 2.0
            areas[one] += area / 6.0
    return np.clip(cotangents, 0.0, _MOST_COTANGENT), areas


@dataclass(frozen=True)
class _Aim:
    """Names of what a frame sets: see `Balance::aim`."""

    normals: str
    along: str
    length: str
    over: str
    hold: str
    target: str
    below: str | None
    """(1, n) by which the coarse level's stiffness is divided; none for cloth that is not subdivided."""


@dataclass(frozen=True)
class _Place:
    """Where the cloth is, or which way it goes: `away` (…, 3, n), from vertices to neighbours (…, 3, D, n), curvature (…, 3, n)."""

    away: str
    apart: str
    curve: str


class _Balance:
    def __init__(self, graph: Graph, sheet: _Sheet, aim: _Aim) -> None:
        self.graph, self.sheet, self.aim = graph, sheet, aim
        self.free = graph.constant(sheet.free)
        self.bend = graph.constant(sheet.bend)
        self.cotangents = graph.constant(sheet.cotangents)

    def _apart(self, values: str) -> str:
        return self.graph.sub(self.graph.rows(values, self.sheet.others, -1), self.graph.expanded(values, -2))

    def _curvature(self, apart: str) -> str:
        return self.graph.total(self.graph.mul(self.cotangents, apart), -2)

    def place(self, away: str) -> _Place:
        apart = self._apart(away)
        return _Place(away, apart, self._curvature(apart))

    def _gone(self, place: _Place, step: str, way: _Place) -> _Place:
        """Some steps (T, 1, 1) on a way; all of it is linear."""
        graph = self.graph
        return _Place(
            graph.add(place.away, graph.mul(step, way.away)),
            graph.add(place.apart, graph.mul(graph.expanded(step, -1), way.apart)),
            graph.add(place.curve, graph.mul(step, way.curve)),
        )

    def _springs(self, apart: str) -> tuple[str, str, str]:
        """Of each spring where it leads, how long it is, and by how much longer than at rest."""
        graph, aim = self.graph, self.aim
        way = graph.add(aim.along, apart)
        length = graph.length(way, -3)
        # |g + d| - |g| = d·(2 g + d) / (|g + d| + |g|), without cancelling.
        longer = graph.dot(apart, graph.add(aim.along, way), -3)
        stretch = graph.div(longer, graph.at_least(graph.add(length, aim.length), _LEAST_LENGTH))
        return way, length, graph.add(aim.over, stretch)

    def _below(self, away: str) -> str:
        graph = self.graph
        inside = graph.shifted(graph.dot(away, self.aim.normals, -2), self.sheet.depth)
        return graph.node("Min", inside, graph.constant(np.float32(0.0)))

    def energy(self, place: _Place) -> str:
        """(…, 1, 1): twice the energy."""
        graph, aim = self.graph, self.aim
        pulled = graph.sub(place.away, aim.target)
        held = graph.dot(pulled, graph.mul(aim.hold, pulled), -2)
        below = self._below(place.away)
        bent = graph.mul(self.bend, graph.dot(place.curve, place.curve, -2))
        _, _, over = self._springs(place.apart)
        # Each spring is there at both ends.
        strained = graph.scaled(graph.node("Squeeze", graph.dot(over, over, -2), graph.constant([-2])), 0.5)
        each = graph.add(graph.add(held, graph.mul(below, below)), graph.add(bent, strained))
        return graph.total(each, -2, -1, keep=True)

    def gradient(self, place: _Place) -> str:
        """(3, n): half of it."""
        graph, aim = self.graph, self.aim
        force = graph.mul(aim.hold, graph.sub(place.away, aim.target))
        back = graph.mul(self._below(place.away), aim.normals)
        way, length, over = self._springs(place.apart)
        drawn = graph.total(graph.mul(graph.div(over, graph.at_least(length, _LEAST_LENGTH)), way), -2)
        bent = self._curvature(self._apart(graph.mul(self.bend, place.curve)))
        return graph.mul(self.free, graph.add(graph.sub(graph.add(force, back), drawn), bent))

    def blocks(self, place: _Place) -> str:
        """(3, 3, n): what makes a step of a gradient, by each vertex' own block and its diagonal."""
        graph, sheet, aim = self.graph, self.sheet, self.aim
        identity = np.eye(3)

        def outer(vectors: str) -> str:
            return graph.mul(graph.expanded(vectors, 0), graph.expanded(vectors, 1))

        own = graph.add(aim.hold, graph.constant(sheet.diagonal))
        inside = graph.truth("Less", self._below(place.away), graph.constant(np.float32(-_ON_PLANE)))
        whole = graph.add(graph.mul(graph.constant(identity[:, :, None]), own), graph.mul(inside, outer(aim.normals)))
        way, length, over = self._springs(place.apart)
        square = graph.at_least(graph.mul(length, length), _LEAST_LENGTH**2)
        across = graph.at_least(graph.div(over, graph.at_least(length, _LEAST_LENGTH)), _LEAST_ACROSS)
        along = graph.div(graph.sub(graph.constant(np.float32(1.0)), across), square)
        stiff = graph.add(graph.mul(along, outer(way)), graph.mul(graph.constant(identity[:, :, None, None]), across))
        whole = graph.add(whole, graph.total(graph.mul(stiff, graph.constant(sheet.there)), -2))
        # By cofactors; it is symmetric.
        first, second, third = (graph.node("Squeeze", graph.rows(whole, [k]), graph.constant([0])) for k in range(3))
        cofactors = [graph.cross(second, third), graph.cross(third, first), graph.cross(first, second)]
        rows = graph.node("Concat", *(graph.expanded(each, 0) for each in cofactors), axis=0)
        determinant = graph.dot(first, cofactors[0])
        # Without a positive one there is no such block.
        some = graph.truth("Greater", determinant, graph.constant(np.float32(0.0)))
        inverse = graph.mul(graph.scaled(graph.over(some, determinant), _OWN_BLOCKS), rows)
        stiffness = graph.at_least(graph.add(graph.constant(sheet.own), aim.hold), _LEAST_LENGTH)
        return graph.add(inverse, graph.div(graph.constant(identity[:, :, None]), stiffness))

    def _preconditioned(self, blocks: str, left: str) -> str:
        """(3, n) what the vertices' own blocks make of a gradient, and the coarse level."""
        graph, sheet = self.graph, self.sheet
        way = graph.total(graph.mul(blocks, graph.expanded(left, 0)), 1)
        if self.aim.below is None:
            return way
        down = graph.mul(self.aim.below, sheet.down(graph, left))
        return graph.add(way, subdivided(graph, sheet.loop.matrix, down))

    def solved(self, away: str, steps: int, moves: str | None) -> str:
        """(3, n) after steps of L-BFGS; where `moves` (1,) is 0 it stays."""
        graph = self.graph
        tried = np.reshape(_TRIED, (-1, 1, 1))
        place = self.place(away)
        now, gradient, blocks = self.energy(place), self.gradient(place), self.blocks(place)
        scale = graph.constant(np.ones((1, 1)))
        pairs: list[
            tuple[str, str, str]
        ] = []  # steps, changes, and 1 over their product, 0 for a pair that does not count

        def product(a: str, b: str) -> str:
            return graph.total(graph.mul(a, b), 0, 1, keep=True)

        for _ in range(steps):
            left, shares = gradient, []
            for step, change, inverse in pairs:
                shares.append(graph.mul(inverse, product(step, left)))
                left = graph.sub(left, graph.mul(shares[-1], change))
            way = self._preconditioned(blocks, left)
            way = graph.mul(graph.mul(self.free, scale), way)
            for (step, change, inverse), share in zip(pairs[::-1], shares[::-1], strict=True):
                back = graph.mul(inverse, product(change, way))
                way = graph.add(way, graph.mul(graph.sub(share, back), step))
            way = graph.node("Neg", way)

            slope, along_way = product(way, gradient), self.place(way)
            then = self.energy(self._gone(place, graph.constant(tried), along_way))
            allowed = graph.add(graph.scaled(now, 1.0 + _ROUNDING), graph.mul(graph.constant(_ENOUGH * tried), slope))
            downwards = graph.truth("LessOrEqual", then, allowed)
            taken = graph.node("ReduceMax", graph.mul(downwards, graph.constant(tried)), axes=[0], keepdims=0)
            taken = taken if moves is None else graph.mul(taken, moves)
            place = self._gone(place, taken, along_way)
            now, next_gradient = self.energy(place), self.gradient(place)
            step, change = graph.mul(taken, way), graph.sub(next_gradient, gradient)
            gradient = next_gradient
            along = product(step, change)
            counts = graph.truth("Greater", along, graph.constant(np.float32(0.0)))
            newest = (step, change, graph.over(counts, along))
            pairs = [newest, *((s, y, graph.mul(inverse, counts)) for s, y, inverse in pairs)][:_PAIRS]
            whole = graph.truth("GreaterOrEqual", taken, graph.constant(np.float32(1.0)))
            shorter = graph.shifted(graph.scaled(whole, 1.0 - _SHORTER), _SHORTER)
            scale = graph.at_least(graph.mul(scale, shorter), _LEAST_SCALE)
        return place.away

    def lifted(self, away: str) -> str:
        """(3, n) no deeper inside than it may lie."""
        return self.graph.sub(away, self.graph.mul(self._below(away), self.aim.normals))


def _higher(graph: Graph, sheet: _Sheet, surface: Surface, away: str) -> str:
    """(3, n) as high over the guide as the gain says: as `drape::Height`."""
    gain, mesh = sheet.params.gain, sheet.mesh
    added = graph.mul(graph.scaled(graph.dot(away, surface.normals, -2), gain - 1.0), surface.normals)
    if gain > 1.0:
        place = graph.add(surface.places, away)
        before, after = areas(graph, mesh, place), areas(graph, mesh, graph.add(place, added))
        cosines = graph.over(graph.dot(before, after), graph.mul(graph.length(before), graph.length(after)))
        shares = graph.scaled(graph.shifted(cosines, -_NOTHING), 1.0 / (_ALL - _NOTHING))
        shares = graph.node("Min", graph.at_least(shares, 0.0), graph.constant(np.float32(1.0)))
        added = graph.mul(graph.mul(surface.least_at_vertices(shares), graph.constant(sheet.free)), added)
        first, second, third = corners_of(graph, mesh, added)
        means = graph.scaled(graph.add(graph.add(first, second), third), 1.0 / 3.0)
        added = graph.mul(surface.means_at_vertices(means), graph.constant(sheet.free))
    return graph.add(away, added)


def _aim(graph: Graph, sheet: _Sheet, surface: Surface, weight: str | None, target: str) -> _Aim:
    """`weight` (1,) of hold and pulls together; none for that of the hold."""
    params = sheet.params
    hold, below = graph.constant(sheet.hold), None
    if sheet.below is not None:
        below = graph.constant(sheet.below.hold[None])
        below = graph.add(below if weight is None else graph.mul(below, weight), graph.constant(sheet.below.own[None]))
        below = graph.div(graph.constant(np.float32(1.0)), graph.at_least(below, _LEAST_LENGTH))
    if weight is not None:
        hold = graph.node("Min", graph.mul(hold, weight), graph.constant(np.float32(_STIFFEST)))
    along = graph.sub(graph.rows(surface.places, sheet.others, 1), graph.expanded(surface.places, 1))
    now = graph.length(along)
    areas = surface.at_vertices(graph.scaled(graph.length(surface.areas), 0.5), 1)
    known = (sheet.areas > 0.0).astype(np.float64)
    squeezed = graph.add(graph.over(graph.constant(sheet.areas), areas), graph.constant(1.0 - known))
    around = graph.add(graph.expanded(squeezed, 1), graph.rows(squeezed, sheet.others, 1))
    cut = graph.constant(sheet.cut)
    across = graph.at_least(graph.div(graph.mul(graph.scaled(around, 0.5), now), cut), 1.0)
    most = graph.at_least(graph.div(graph.constant(np.float32(params.compression)), across), 1.0)
    crept = graph.add(cut, graph.scaled(graph.at_least(graph.sub(now, cut), 0.0), params.creep))
    rest = graph.node("Min", crept, graph.mul(most, now))
    return _Aim(surface.normals, along, now, graph.sub(now, rest), hold, target, below)


def balanced(
    graph: Graph, mesh: "pucker.Mesh", cloth: GuideCloth, shared: Sequence[int], guide: str, *, first: bool
) -> tuple[str, str]:
    """The cloth (3, n) on a guide (3, n), by its gain, and how far it is from it, (3, n) in the guide's frames; adds the output
    `cloth_next` and, but for the first frame, inputs.

    Args:
        graph: Gets the nodes; of a frame that is not the first it has the input `seconds`.
        mesh: The feature mesh.
        cloth: Of the guide.
        shared: Vertices that stay on the guide.
        guide: (3, n).
        first: Whether nothing was before.
    """
    sheet = _Sheet(mesh, cloth, shared)
    count, params, loop = sheet.mesh.vertex_count, cloth.params, sheet.loop
    coarse = graph.scaled(guide, 1.0 / sheet.unit)
    smooth = subdivided(graph, loop.matrix, coarse) if params.levels else coarse
    places = sewn(graph, loop.barycentrics, shared, coarse, smooth) if params.levels else coarse
    surface = Surface(graph, sheet.mesh, places)
    frames: Frames = surface.frames()
    weight = moves = None
    if first:
        away = target = graph.constant(np.zeros((3, count)))
        steps = params.iterations * params.settling
    else:
        passed = graph.at_least("seconds", _SHORTEST)
        pull = graph.div(graph.constant(np.float32(params.memory)), passed)
        weight = graph.shifted(pull, 1.0)
        carried = frames.turned(graph.scaled(graph.turned(graph.input("cloth", count, 3)), 1.0 / sheet.unit))
        away = graph.mul(carried, graph.constant(sheet.free))
        target = graph.mul(graph.div(pull, weight), carried)
        moves, steps = graph.truth("Greater", "seconds", graph.constant(np.float32(0.0))), params.iterations
    balance = _Balance(graph, sheet, _aim(graph, sheet, surface, weight, target))
    away = balance.lifted(balance.solved(away, steps, moves))
    local = graph.scaled(frames.local(away), sheet.unit)
    graph.output("cloth_next", graph.turned(local), count, 3)
    away = _higher(graph, sheet, surface, away)
    if not params.levels:
        return graph.scaled(graph.add(places, away), sheet.unit), graph.scaled(frames.local(away), sheet.unit)
    # As far as it is from the smooth surface itself, whose fit are the coarse positions.
    beyond = sheet.down(graph, graph.sub(graph.add(places, away), smooth))
    fitted = graph.node("MatMul", beyond, graph.constant(sheet.inverse))
    kept = np.ones((1, mesh.vertex_count))
    kept[:, list(shared)] = 0.0
    moved = graph.scaled(graph.mul(fitted, graph.constant(kept)), sheet.unit)
    return graph.add(guide, moved), Surface(graph, mesh, guide).frames().local(moved)
