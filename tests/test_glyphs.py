"""Outlines of stretch and of reference triangles."""

import numpy as np
import pytest
import render_scenes as scenes

import pucker


class Sheet:
    """A sheet stretched along x and y, then turned."""

    def __init__(self, stretch, turn=0.0, cells=4):
        self.faces, self.rest = scenes.grid(cells)
        c, s = np.cos(turn), np.sin(turn)
        self.turn = np.array([[c, s, 0.0], [-s, c, 0.0], [0.0, 0.0, 1.0]])
        self.move(self.rest * [*stretch, 1.0] @ self.turn)

    def move(self, positions):
        mesh = pucker.Mesh(self.faces, len(self.rest))
        reference, self.frames = (pucker.local_frames(mesh, points) for points in (self.rest, positions))
        self.positions, self.reference = positions, reference.matrices
        self.stretch = pucker.stretch(reference.matrices, self.frames.matrices)

    @property
    def corners(self):
        return self.positions[self.faces]

    @property
    def ellipses(self):
        return pucker.stretch_ellipses(self.faces, self.positions, self.frames, self.stretch)

    @property
    def references(self):
        return pucker.reference_triangles(self.faces, self.positions, self.frames, self.stretch, self.reference)


def inscribed_radius(corners):
    sides = np.linalg.norm(corners - np.roll(corners, 1, axis=1), axis=2)
    area = 0.5 * np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1)
    return 2.0 * area / sides.sum(axis=1)


def distances_to_edges(points, corners, normals):
    """Signed distances (m, p, 3) of points (m, p, 3) in the planes of triangles to their three edges, inside positive."""
    along = np.roll(corners, -1, axis=1) - corners
    inward = np.cross(normals[:, None], along)
    inward /= np.linalg.norm(inward, axis=2, keepdims=True)
    return np.einsum("mpex,mex->mpe", points[:, :, None] - corners[:, None], inward)


def test_without_stretch_ellipses_are_circles_of_half_the_inscribed_radius_round_the_incentre():
    sheet = Sheet((1.0, 1.0), turn=0.4)
    centres = sheet.ellipses.mean(axis=1, keepdims=True)
    radii = np.linalg.norm(sheet.ellipses - centres, axis=2)
    inscribed = inscribed_radius(sheet.corners)
    np.testing.assert_allclose(radii, np.tile(0.5 * inscribed[:, None], radii.shape[1]))
    to_edges = distances_to_edges(centres, sheet.corners, sheet.frames.normals)[:, 0]
    np.testing.assert_allclose(to_edges, np.tile(inscribed[:, None], 3))


def test_axes_of_the_ellipses_are_the_stretches_along_their_directions():
    sheet = Sheet((1.5, 0.8))
    extent = 0.5 * np.ptp(sheet.ellipses, axis=1)
    radius = 0.5 * inscribed_radius(sheet.corners)
    np.testing.assert_allclose(extent, radius[:, None] * [1.5, 0.8, 0.0], atol=1e-12)


def test_ellipses_of_moderate_stretch_lie_in_their_triangles():
    sheet = Sheet((1.9, 0.6), turn=1.1)
    assert (distances_to_edges(sheet.ellipses, sheet.corners, sheet.frames.normals) > 0.0).all()


def test_reference_triangles_are_the_undeformed_ones_turned_with_the_cloth():
    sheet = Sheet((1.5, 0.8), turn=0.7)
    expected = sheet.rest[sheet.faces] @ sheet.turn
    shift = sheet.corners.mean(axis=1, keepdims=True) - expected.mean(axis=1, keepdims=True)
    np.testing.assert_allclose(sheet.references, expected + shift, atol=1e-12)


def test_reference_triangles_of_undeformed_cloth_are_the_mesh():
    sheet = Sheet((1.0, 1.0), turn=2.0)
    np.testing.assert_allclose(sheet.references, sheet.corners, atol=1e-12)


def test_triangles_without_area_have_neither():
    sheet = Sheet((1.0, 1.0), cells=2)
    flat = sheet.rest.copy()
    flat[:3] = flat[3:6]
    sheet.move(flat)
    left = int((sheet.frames.areas > 0.0).sum())
    assert 0 < left < len(sheet.faces)
    for found in (sheet.ellipses, sheet.references):
        assert len(found) == left
        assert np.isfinite(found).all()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"faces": [[0, 1, 99]]}, r"faces must lie in \[0, 25\), but faces\[0\] is"),
        ({"frames": Sheet((1.0, 1.0), cells=1).frames}, r"frames must have one entry a triangle: 32, got 2"),
        ({"positions": np.zeros((25, 2))}, r"positions must have shape \(any, 3\), got \(25, 2\)"),
        ({"reference": np.zeros((3, 2, 2))}, r"reference must have shape \(32, 2, 2\), got \(3, 2, 2\)"),
        ({"stretch": Sheet((1.0, 1.0), cells=1).stretch}, r"stretch must have one entry a triangle: 32, got 2"),
    ],
)
def test_what_does_not_fit_together_is_refused(change, message):
    sheet = Sheet((1.0, 1.0))
    names = ("faces", "positions", "frames", "stretch", "reference")
    arguments = {name: getattr(sheet, name) for name in names} | change
    with pytest.raises(ValueError, match=message):
        pucker.reference_triangles(**arguments)
