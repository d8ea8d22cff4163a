"""Borders that the cloth shares with the rest of a character: wrinkles fade out there, and nowhere else."""

from pathlib import Path

import numpy as np
import pytest
from draped_bodies import two_sleeves
from motion import params_for

import pucker
from pucker.examples import bending_sleeve, folded_sheet, grid_faces

DATA = Path(__file__).resolve().parents[1] / "data"


def border_places(mesh: pucker.Mesh, shared: np.ndarray, count: int = 9) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Points on boundary edges: triangles (k,), barycentric coordinates (k, 3), and whether the edge is shared (k,)."""
    is_shared = np.isin(np.arange(mesh.vertex_count), shared)
    sides = mesh.triangle_edges
    alone = np.bincount(sides[sides >= 0], minlength=len(mesh.edges)) == 1
    triangles, barycentrics, on_shared = [], [], []
    for triangle, corner in np.argwhere((sides >= 0) & alone[sides]):
        ends = is_shared[mesh.edges[sides[triangle, corner]]]
        if ends.any() != ends.all():
            continue
        for u in np.linspace(0.0, 1.0, count):
            triangles.append(triangle)
            barycentrics.append(np.roll([1.0 - u, u, 0.0], corner))
            on_shared.append(ends.all())
    return np.array(triangles), np.array(barycentrics), np.array(on_shared)


def largest_offsets(clip: pucker.Clip, given: pucker.Params, shared: np.ndarray) -> tuple[float, float, float]:
    """The largest displacement of a frame on shared borders, on free ones and of any height, in L_min."""
    places = border_places(clip.mesh, shared)
    surface = pucker.WrinkledSurface(clip.mesh, given.shape.profile)
    wrinkler = pucker.Wrinkler(clip.mesh, given, shared=shared)
    most = np.zeros(3)
    for frame in clip:
        state = wrinkler.advance(frame.positions, frame.time)
        points = surface.evaluate(frame.positions, state.packed, *places[:2])
        moved = np.linalg.norm(points.displacements, axis=1)
        highest = max((wrinkle.knot_heights.max() for wrinkle in state.wrinkles), default=0.0)
        most = np.maximum(most, [moved[places[2]].max(initial=0), moved[~places[2]].max(initial=0), highest])
    return tuple(most / given.min_width)


@pytest.mark.parametrize(
    ("name", "clip_name", "parts"),
    [("kimono_male.gltf", "Run", ["Clothes", "Band"]), ("female_dress.fbx", "HumanArmature|Female_Run", ["Dress"])],
)
def test_borders_sewn_to_the_body_stay_where_they_are(name, clip_name, parts):
    clip = pucker.load(DATA / name, clip=clip_name, parts=parts)
    shared = clip.shared_vertices
    assert len(shared) > 10
    sewn, _, highest = largest_offsets(clip, params_for(clip), shared)
    assert sewn <= 1e-6 * highest
    # Short wrinkles, too, and hardly thinner for it, as high as takes up the cloth.
    short = {
        "tracing": {"min_length": 4.0, "bend": 0.0},
        "shape": {"border_fade": 0.0, "slenderness": 4.0, "aspect": 0.0},
    }
    sewn, _, _ = largest_offsets(clip, params_for(clip, **short), shared)
    assert sewn > 0.3
    sewn, _, _ = largest_offsets(clip, params_for(clip, verbatim=True), shared)
    assert sewn > 0.3


@pytest.mark.parametrize("scale", [1.0, 1000.0])
@pytest.mark.parametrize("sewn_side", [-1.0, 1.0])
def test_half_of_an_edge_is_sewn_and_the_other_free(scale, sewn_side):
    sheet = folded_sheet(24, 48)
    lower = sheet.mesh.faces[(sheet.positions[0][sheet.mesh.faces, 1] <= 1e-9).all(axis=1)]
    count = lower.max() + 1
    clip = pucker.Clip.from_arrays(lower, scale * sheet.positions[:, :count], sheet.times)
    places = clip.positions[0] / scale
    cut = places[:, 1] > -1e-9
    half = np.flatnonzero(cut & (sewn_side * (places[:, 0] - 0.5) >= -1e-9))
    assert (cut.sum(), len(half)) == (25, 13)
    given = pucker.Params.ridges().replace(min_width=0.03 * scale, shape={"aspect": 0.0})
    sewn, free, highest = largest_offsets(clip, given, half)
    assert sewn <= 1e-6 * highest
    assert free > 0.5


def squeezed(points: np.ndarray, frames: int = 20) -> np.ndarray:
    """Positions (frames, n, 3) of points that are brought closer along x, by 2 % of the first frame's a frame."""
    return points * np.stack([1.0 - 0.02 * np.arange(frames), *np.ones((2, frames))], axis=1)[:, None]


def grid(columns: int, rows: int) -> tuple[np.ndarray, np.ndarray]:
    """Coordinates of a grid's vertices, row by row, from 0 to 1 across it and along it."""
    y, x = np.mgrid[: rows + 1, : columns + 1]
    return x.ravel() / columns, y.ravel() / rows


def packed_sizes(mesh: pucker.Mesh, frames: np.ndarray, shared: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Places (k, 3) and sizes (k, 4) of all points of the last frame's packed wrinkles."""
    params = pucker.Params.ridges().replace(min_width=0.03)
    wrinkler = pucker.Wrinkler(mesh, params, shared=shared)
    for frame, positions in enumerate(frames):
        packed = wrinkler.advance(positions, frame / 30.0).packed
    return packed.points[:, :3] + packed.origin, packed.points[:, [3, 7, 12, 13]]


def test_another_layer_of_cloth_beside_the_border_keeps_its_wrinkles():
    across, along = grid(24, 48)
    mesh = pucker.Mesh(grid_faces(24, 48), across.size)
    # Folded in the middle: its far edge, which is free, comes to lie on the sewn one.
    folded = np.stack([across, 1.0 - np.abs(2.0 * along - 1.0), np.where(along > 0.5, 0.02, 0.0)], axis=1)
    sewn = np.flatnonzero(along == 0)
    places, faded = packed_sizes(mesh, squeezed(folded), sewn)
    _, plain = packed_sizes(mesh, squeezed(folded), sewn[:0])
    near = places[:, 1] < 0.04
    upper = places[:, 2] > 0.01
    assert (near & upper).sum() >= 3
    np.testing.assert_array_equal(faded[upper], plain[upper])
    assert (faded[near & ~upper] < plain[near & ~upper]).any(axis=1).all()


def test_between_two_borders_the_nearer_one_counts():
    across, along = grid(24, 24)
    mesh = pucker.Mesh(grid_faces(24, 24), across.size)
    frames = squeezed(np.stack([across, 0.25 * along, np.zeros_like(across)], axis=1))
    edges = [np.flatnonzero(along == end) for end in (0.0, 1.0)]
    (_, one), (_, other), (_, both) = (packed_sizes(mesh, frames, shared) for shared in (*edges, np.hstack(edges)))
    assert (one < other).any()
    assert (other < one).any()
    np.testing.assert_array_equal(both, np.minimum(one, other))


def test_far_from_the_border_nothing_changes():
    clip = pucker.load(DATA / "kimono_male.gltf", clip="Walk", parts=["Clothes", "Band"])
    given = params_for(clip)
    faded, plain = pucker.Wrinkler(clip, given), pucker.Wrinkler(clip.mesh, given, rest=clip.rest)
    changed = 0
    for frame in list(clip)[:20]:
        one, other = (wrinkler.advance(frame.positions, frame.time) for wrinkler in (faded, plain))
        assert one.wrinkles == other.wrinkles
        rows = (one.packed.points != other.packed.points).any(axis=1)
        border = frame.positions[clip.shared_vertices]
        distances = np.linalg.norm(one.packed.points[rows, None, :3] - border, axis=2).min(axis=1, initial=np.inf)
        edges = np.linalg.norm(np.diff(frame.positions[clip.mesh.edges], axis=1), axis=2)
        # A segment's middle, stored with its first point, lies half an edge further; so may the edge between two vertices.
        assert distances.max(initial=0.0) <= given.flat_width + 2 * edges.max()
        assert (one.packed.points[:, [7, 13]] <= other.packed.points[:, [7, 13]]).all()
        assert (one.packed.points[:, [3, 12]] <= other.packed.points[:, [3, 12]]).all()
        changed += rows.sum()
    assert changed > 10


def test_the_stage_by_hand_gives_the_same_bits():
    clip = pucker.load(DATA / "kimono_male.gltf", clip="Run", parts=["Clothes", "Band"])
    given = params_for(clip)
    run, packer = pucker.Wrinkler(clip, given), pucker.Packer(clip.mesh)
    border = pucker.SharedBorder(clip.mesh, clip.shared_vertices, clip.rest)
    for frame in list(clip)[:15]:
        state = run.advance(frame.positions, frame.time)
        field = pucker.CompressionField(clip.mesh, frame.positions, state.stretch)
        packed = border.fade_out(field, state.wrinkles, packer.pack(field, state.wrinkles), given)
        np.testing.assert_array_equal(packed.points, state.packed.points)
        np.testing.assert_array_equal(packed.overlaps, state.packed.overlaps)
    with pytest.raises(ValueError, match=r"packed must be of the wrinkles, which have 0 points, but it has \d+"):
        border.fade_out(field, [], packed, given)


@pytest.mark.parametrize("border_fade", [0.05, 0.4, 1.0, 3.0])
def test_the_border_stays_however_far_from_it_wrinkles_begin_to_fade(border_fade):
    clip = pucker.load(DATA / "kimono_male.gltf", clip="Run", parts=["Clothes", "Band"])
    given = params_for(clip, shape={"border_fade": border_fade})
    sewn, _, highest = largest_offsets(clip, given, clip.shared_vertices)
    assert sewn <= 1e-6 * highest


def test_a_restored_run_fades_out_where_the_saved_one_did():
    clip = pucker.load(DATA / "kimono_male.gltf", clip="Run", parts=["Clothes", "Band"])
    wrinkler = pucker.Wrinkler(clip, params_for(clip))
    frames = list(clip)
    for frame in frames[:10]:
        wrinkler.advance(frame.positions, frame.time)
    restored = pucker.Wrinkler.restore(wrinkler.save())
    one, other = (run.advance(frames[10].positions, frames[10].time) for run in (wrinkler, restored))
    np.testing.assert_array_equal(one.packed.points, other.packed.points)


def test_only_a_border_in_the_place_of_the_body_is_shared():
    clip = pucker.load(DATA / "kimono_male.gltf", clip="Run", parts=["Clothes", "Band"])
    shared = clip.positions[:, clip.shared_vertices]
    for place in np.moveaxis(shared, 1, 0)[::7]:
        gaps = np.linalg.norm(clip.body_positions - place[:, None], axis=2).max(axis=0)
        assert gaps.min() <= 1e-5 * clip.height
    alone = pucker.load(DATA / "tshirt_wind.zip")
    assert len(alone.shared_vertices) == 0


def test_a_shared_vertex_outside_the_mesh_is_refused():
    clip = bending_sleeve()
    with pytest.raises(ValueError, match=r"shared vertices must lie in \[0, \d+\), got 100000"):
        pucker.Wrinkler(clip.mesh, pucker.Params(), shared=[100000])


def test_what_lies_under_another_layer_does_not_come_through_it():
    clip = two_sleeves()
    half = clip.mesh.vertex_count // 2
    y = np.abs(clip.positions[0][:, 1])
    highest = np.zeros((2, 2))
    for k, fade in enumerate((0.0, 1.0)):
        params = params_for(clip).replace(shape={"border_fade": fade})
        wrinkler = pucker.Wrinkler(clip.mesh, params, rest=clip.positions[0])
        for frame in clip:
            detail = wrinkler.advance(frame.positions, frame.time).detail
            # The corners of triangles, but for those near the openings, where one sees in between the two.
            corners = np.argwhere(y[clip.mesh.faces] < 0.4)
            moved = np.linalg.norm(detail.evaluate(corners[:, 0], np.eye(3)[corners[:, 1]]).displacements, axis=1)
            inner = clip.mesh.faces[tuple(corners.T)] >= half
            highest[k] = np.maximum(highest[k], [moved[inner].max(), moved[~inner].max()])
    assert highest[0].min() > 0.1 * params.min_width
    np.testing.assert_array_equal(highest[1], [0.0, highest[0, 1]])


def test_a_border_refuses_another_rest():
    clip = two_sleeves(frames=2)
    with pytest.raises(ValueError, match="rest"):
        pucker.SharedBorder(clip.mesh, [], clip.positions[0][1:])
