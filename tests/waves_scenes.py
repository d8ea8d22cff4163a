"""Flat cloth squeezed by known maps, and the measures of the waves on it."""

from dataclasses import dataclass

import numpy as np
from scipy.sparse import coo_array, diags_array

import pucker
from pucker import waves


def squeeze(ratio: float, angle: float = 0.0) -> np.ndarray:
    """The map (3, 3) that squeezes the plane z = 0 to `ratio` along the direction at `angle`."""
    along = np.array([np.cos(angle), np.sin(angle), 0.0])
    return np.eye(3) - (1 - ratio) * np.outer(along, along)


@dataclass
class Relaxed:
    """The stages by hand on one mesh."""

    mesh: pucker.Mesh
    rest: np.ndarray
    wavelength: float
    relax: waves.Relax
    crush: waves.Crush

    @classmethod
    def of(cls, mesh: pucker.Mesh, rest: np.ndarray, wavelength: float, seed: int = 0, **params: object) -> "Relaxed":
        return cls(
            mesh,
            rest,
            wavelength,
            waves.Relax(mesh, waves.RelaxParams(**params), seed),
            waves.Crush(mesh, rest, wavelength, waves.CrushParams(threshold=1)),
        )

    def prepare(self, positions: np.ndarray) -> waves.PlaneWaves:
        planes = self.crush.step(positions)
        self.relax.prepare(planes, positions)
        return planes


def normalised_matrix(mesh: pucker.Mesh, relax: waves.Relax) -> tuple[object, np.ndarray]:
    """The real symmetric matrix (2n, 2n) whose smallest eigenvector holds the phases of least error, and its degrees."""
    a, b = mesh.edges.T
    weights = relax.influences[a] * relax.influences[b]
    angles, signs = 2 * np.pi * relax.offsets, relax.signs
    count = mesh.vertex_count
    degree = np.bincount(a, weights, count) + np.bincount(b, weights, count)
    root = np.sqrt(np.where(degree > 0, degree, 1))
    scaled = weights / (root[a] * root[b])
    transport = {
        (0, 0): np.cos(angles),
        (0, 1): -np.sin(angles) * signs,
        (1, 0): np.sin(angles),
        (1, 1): np.cos(angles) * signs,
    }
    half = sum(
        coo_array((-scaled * block, (2 * a + i, 2 * b + j)), shape=(2 * count, 2 * count))
        for (i, j), block in transport.items()
    )
    return (half + half.T + diags_array(np.ones(2 * count))).tocsr(), degree


def field_on_grid(state: waves.State, mesh: pucker.Mesh, samples: int = 96) -> tuple[np.ndarray, np.ndarray]:
    """Heights (samples, samples) over the box of a flat sheet's positions in the plane z = 0, and the box's size (2,)."""
    flat = np.asarray(state.positions)[:, :2]
    low, high = flat.min(axis=0), flat.max(axis=0)
    centre = (np.arange(samples) + 0.5) / samples
    x, y = np.meshgrid(low[0] + centre * (high - low)[0], low[1] + centre * (high - low)[1])
    points = np.stack([x.ravel(), y.ravel()], axis=1)
    corners = flat[mesh.faces]
    edges = np.stack([corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]], axis=2)
    inverse = np.linalg.inv(edges)
    place = np.full(len(points), -1)
    at = np.zeros((len(points), 3))
    for t in range(len(mesh.faces)):
        local = (points - corners[t, 0]) @ inverse[t].T
        coordinates = np.stack([1 - local.sum(axis=1), *local.T], axis=1)
        inside = (coordinates.min(axis=1) >= -1e-9) & (place < 0)
        place[inside], at[inside] = t, coordinates[inside]
    assert (place >= 0).all()
    at = np.maximum(at, 0)
    at /= at.sum(axis=1)[:, None]
    heights = state.detail.evaluate_field(place, at).heights
    return np.asarray(heights).reshape(samples, samples), high - low


def strongest_wave(heights: np.ndarray, size: np.ndarray, padding: int = 8) -> np.ndarray:
    """Wave vector (2,), in cycles per length, of the strongest peak of the field's Fourier transform; its sign is free."""
    rows, columns = heights.shape
    window = np.hanning(rows)[:, None] * np.hanning(columns)[None, :]
    spectrum = np.abs(np.fft.rfft2((heights - heights.mean()) * window, (padding * rows, padding * columns)))
    row, column = np.unravel_index(np.argmax(spectrum), spectrum.shape)
    fy = np.fft.fftfreq(padding * rows, size[1] / rows)[row]
    fx = np.fft.rfftfreq(padding * columns, size[0] / columns)[column]
    return np.array([fx, fy])
