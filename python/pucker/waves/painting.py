"""Wrinkles painted on a garment in its rest pose (Loviscach 2006, section 7), and the brush that paints them."""

import os
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt

from pucker._core import Error, Mesh, vertex_normals
from pucker.io.files import replacing

Floats = npt.NDArray[np.float64]

_FORMAT: Final = "pucker painting 1"
# A rest pose is the same if no vertex is farther away, as a share of its extent: as single precision leaves it.
_SAME: Final = 1e-5
# So far below 1 that blending's rounding does not reach it.
_LONGEST: Final = 1.0 - 1e-12


class Painting:
    """A vector p a vertex, across its wrinkle in the rest pose's tangent plane and shorter than 1, zero at first.

    `Crush.paint` says what waves make of it: those of cloth that was shortened along p before.

    Args:
        mesh: The Mesh.
        rest: (n, 3), the pose without wrinkles.

    Raises:
        ValueError: For a rest pose of another shape, or that is not finite.
    """

    def __init__(self, mesh: Mesh, rest: npt.ArrayLike) -> None:
        self._mesh = mesh
        self._rest = np.array(rest, dtype=np.float64)
        if self._rest.shape != (mesh.vertex_count, 3) or not np.isfinite(self._rest).all():
            raise ValueError(f"rest must be ({mesh.vertex_count}, 3) and finite, got shape {self._rest.shape}")
        self._normals = np.array(vertex_normals(mesh, self._rest))
        self._vectors = np.zeros_like(self._rest)
        self._past: list[Floats] = []
        self._whole = False
        a, b = np.asarray(mesh.edges).T
        self._ends, self._others = np.concatenate([a, b]), np.concatenate([b, a])

    @property
    def mesh(self) -> Mesh:
        """The Mesh that was given."""
        return self._mesh

    @property
    def vectors(self) -> Floats:
        """(n, 3): p of each vertex; a copy."""
        return self._vectors.copy()

    @contextmanager
    def together(self) -> Iterator[None]:
        """What is painted inside is undone together, as a drag of the mouse is."""
        if self._whole:
            yield
            return
        self._remember()
        self._whole = True
        try:
            yield
        finally:
            self._whole = False

    def stroke(
        self, triangle: int, barycentric: npt.ArrayLike, direction: npt.ArrayLike, *, radius: float, strength: float
    ) -> None:
        """Blends wrinkles across `direction` in, around a point of the mesh.

        A vertex takes them up by its share w = (1 - (d/radius)²)², d its distance from the point in the rest pose, if edges lead
        to it over vertices that are no farther away: p becomes (1 - w) p ± w strength t, t the direction in its tangent plane, of
        the sign that is nearer to p, as wrinkles across t and -t are the same. No vector gets longer than `strength` or than it
        was.

        Args:
            triangle: Its number.
            barycentric: (3,), the point in it.
            direction: (3,) in the rest pose; see `carried`.
            radius: In the unit of the rest pose.
            strength: In [0, 1).

        Raises:
            ValueError: For a triangle out of range, a point outside of it, a direction that is not finite or zero, a radius that is
                not finite and positive, and a strength outside of [0, 1). Nothing has changed then.
        """
        along = np.array(direction, dtype=np.float64)
        length = float(np.linalg.norm(along)) if along.shape == (3,) else np.nan
        if not (np.isfinite(length) and length > 0.0):
            raise ValueError(f"direction must be (3,), finite and not zero, got {direction!r}")
        if not 0.0 <= strength < 1.0:
            raise ValueError(f"strength must lie in [0, 1), got {strength:g}")
        share = self._shares(triangle, barycentric, radius)
        tangent = along / length - (self._normals @ (along / length))[:, None] * self._normals
        lengths = np.linalg.norm(tangent, axis=1)
        # Where the direction points out of the cloth it says nothing.
        share = np.where(lengths > 1e-6, share, 0.0)
        tangent /= np.where(lengths > 1e-6, lengths, 1.0)[:, None]
        sign = np.where(np.einsum("nd,nd->n", tangent, self._vectors) < 0.0, -1.0, 1.0)
        self._blend(share, min(strength, _LONGEST) * sign[:, None] * tangent)

    def erase(self, triangle: int, barycentric: npt.ArrayLike, *, radius: float, strength: float = 1.0) -> None:
        """Shortens vectors around a point to the share 1 - w `strength`, w as of `stroke`; raises what it does.

        `strength` lies in [0, 1].
        """
        if not 0.0 <= strength <= 1.0:
            raise ValueError(f"strength must lie in [0, 1], got {strength:g}")
        self._blend(strength * self._shares(triangle, barycentric, radius), np.zeros_like(self._vectors))

    def random(self, seed: int, *, strength: float = 0.5, smoothing: int = 4) -> None:
        """Paints everything anew at random: directions and lengths of a normal distribution, smoothed over neighbours.

        Args:
            seed: The same seed gives the same painting.
            strength: Length of the longest vector, in [0, 1).
            smoothing: How often each vertex takes the mean of itself and its neighbours.

        Raises:
            ValueError: For a strength outside of [0, 1) and a smoothing below 0. Nothing has changed then.
        """
        if not 0.0 <= strength < 1.0:
            raise ValueError(f"strength must lie in [0, 1), got {strength:g}")
        if smoothing < 0:
            raise ValueError(f"smoothing must be at least 0, got {smoothing}")
        drawn = np.random.default_rng(seed).normal(size=self._rest.shape)
        counts = 1.0 + np.bincount(self._ends, minlength=len(drawn))
        for _ in range(smoothing):
            sums = drawn.copy()
            np.add.at(sums, self._ends, drawn[self._others])
            drawn = sums / counts[:, None]
        drawn -= np.einsum("nd,nd->n", drawn, self._normals)[:, None] * self._normals
        longest = float(np.linalg.norm(drawn, axis=1).max(initial=0.0))
        self._take(drawn * (strength / longest if longest > 0.0 else 0.0))

    def clear(self) -> None:
        """Erases everything."""
        self._take(np.zeros_like(self._vectors))

    def undo(self) -> bool:
        """Takes the last change back; whether there was one."""
        if self._past:
            self._vectors = self._past.pop()
            return True
        return False

    def carried(self, triangle: int, positions: npt.ArrayLike, direction: npt.ArrayLike) -> Floats:
        """A direction (3,) seen in a frame, as it lies in the rest pose: the part of it in the triangle moves with the cloth.

        Args:
            triangle: Its number.
            positions: (n, 3) of the frame.
            direction: (3,) in the frame.

        Raises:
            ValueError: For a triangle out of range, and positions or a direction of another shape.
        """
        corners = self._corners(triangle)
        points, along = np.asarray(positions, dtype=np.float64), np.asarray(direction, dtype=np.float64)
        if points.shape != self._rest.shape or along.shape != (3,):
            raise ValueError(
                f"positions must be {self._rest.shape} and direction (3,), got {points.shape}, {along.shape}"
            )
        edges = (points[corners[1:]] - points[corners[0]]).T
        out: Floats = (self._rest[corners[1:]] - self._rest[corners[0]]).T @ (np.linalg.pinv(edges) @ along)
        return out

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the painting with the mesh it belongs to as an .npz, whole or not at all.

        Raises ValueError for another ending, and OSError if it cannot be written.
        """
        if Path(path).suffix != ".npz":
            raise ValueError(f"a painting is an .npz, not {Path(path).name}")
        with replacing(path) as temporary, temporary.open("wb") as file:
            np.savez(file, format=_FORMAT, faces=np.asarray(self._mesh.faces), rest=self._rest, vectors=self._vectors)

    @classmethod
    def load(cls, path: str | os.PathLike[str], mesh: Mesh, rest: npt.ArrayLike) -> "Painting":
        """The painting of a file that `save` has written for this mesh and rest pose.

        Raises:
            pucker.Error: For a file that is no painting.
            ValueError: For a painting of another mesh or rest pose, saying what differs.
        """
        try:
            with Path(path).open("rb") as file, np.lib.npyio.NpzFile(file, allow_pickle=False) as content:
                kind, faces, before, vectors = (content[name] for name in ("format", "faces", "rest", "vectors"))
        except FileNotFoundError:
            raise
        except (OSError, KeyError, ValueError, EOFError, NotImplementedError, zipfile.BadZipFile, zlib.error) as error:
            raise Error(f"{path} is no painting: {error}") from error
        if str(kind) != _FORMAT or vectors.ndim != 2 or vectors.shape != before.shape:
            raise Error(f"{path} is no painting: it is {str(kind)!r} with vectors of shape {vectors.shape}")
        out = cls(mesh, rest)
        if len(before) != len(out._rest) or not np.array_equal(faces, mesh.faces):
            raise ValueError(
                f"{path} was painted on another mesh, of {len(before)} vertices and {len(faces)} triangles, not of "
                f"{len(out._rest)} and {len(mesh.faces)} that are connected so"
            )
        apart = np.linalg.norm(before - out._rest, axis=1)
        if len(apart) and not apart.max() <= _SAME * float(np.ptp(out._rest, axis=0).max()):
            vertex = int(np.argmax(apart))
            raise ValueError(
                f"{path} was painted on another rest pose: vertex {vertex} is {apart[vertex]:g} away from there"
            )
        lengths = np.linalg.norm(vectors, axis=1)
        if not (lengths < 1.0).all():
            vertex = int(np.argmin(lengths < 1.0))
            raise Error(
                f"{path} is no painting: the vector of vertex {vertex} is {lengths[vertex]:g} long, not below 1"
            )
        out._vectors = np.array(vectors, dtype=np.float64)
        return out

    def __repr__(self) -> str:
        """How many vertices are painted."""
        return f"<Painting, {np.count_nonzero(self._vectors.any(axis=1))} of {len(self._vectors)} vertices>"

    def _corners(self, triangle: int) -> npt.NDArray[np.int64]:
        if not 0 <= triangle < len(self._mesh.faces):
            raise ValueError(f"triangle must lie in [0, {len(self._mesh.faces)}), got {triangle}")
        return np.asarray(self._mesh.faces[triangle], dtype=np.int64)

    def _shares(self, triangle: int, barycentric: npt.ArrayLike, radius: float) -> Floats:
        """The share (n,) by which each vertex takes up what is painted at a point."""
        corners = self._corners(triangle)
        weights = np.asarray(barycentric, dtype=np.float64)
        if weights.shape != (3,) or not (weights.min() >= -1e-5 and abs(weights.sum() - 1.0) <= 1e-5):
            raise ValueError(f"barycentric must be (3,), at least 0 and 1 in sum, got {barycentric!r}")
        if not (np.isfinite(radius) and radius > 0.0):
            raise ValueError(f"radius must be finite and above 0, got {radius:g}")
        distances = np.linalg.norm(self._rest - weights @ self._rest[corners], axis=1)
        near = distances < radius
        reached = np.zeros(len(near), dtype=bool)
        reached[corners] = near[corners]
        while True:
            wider = reached.copy()
            wider[self._others[reached[self._ends] & near[self._others]]] = True
            if (wider == reached).all():
                break
            reached = wider
        return np.where(reached, (1.0 - np.minimum(distances / radius, 1.0) ** 2) ** 2, 0.0)

    def _blend(self, share: Floats, target: Floats) -> None:
        self._take((1.0 - share)[:, None] * self._vectors + share[:, None] * target)

    def _take(self, vectors: Floats) -> None:
        if not self._whole:
            self._remember()
        self._vectors = vectors

    def _remember(self) -> None:
        self._past.append(self._vectors)
