import itertools

import numpy as np
import pytest
from motion import sheet, tube
from render_scenes import path_offset, refine

import pucker
from pucker.examples import bending_sleeve, squeezed_sheet

SLEEVE = {"min_width": 0.015, "tracing": {"bend": 0.0}}


def packed_at(clip: pucker.Clip, frame: int, **params: object) -> tuple[pucker.State, np.ndarray]:
    """The state after `frame` frames, and the positions there."""
    wrinkler = pucker.Wrinkler(clip.mesh, pucker.Params.ridges().replace(**params))
    for entry in itertools.islice(clip, frame + 1):
        state = wrinkler.advance(entry.positions, entry.time)
    return state, entry.positions


# Bent so far that the cloth is compressed, but not so far that its layers come closer than a wrinkle is wide.
@pytest.fixture(
    scope="module",
    params=[
        lambda: bending_sleeve(10, 16, angle=1.2),
        lambda: bending_sleeve(14, 24, angle=0.9),
        lambda: squeezed_sheet(5, 5),
        lambda: squeezed_sheet(9, 9),
    ],
    ids=["coarse sleeve", "fine sleeve", "coarse sheet", "fine sheet"],
)
def scene(request):
    clip = request.param()
    return clip, *packed_at(clip, 15, **SLEEVE)


def field_of(clip: pucker.Clip, state: pucker.State, positions: np.ndarray) -> pucker.CompressionField:
    return pucker.CompressionField(clip.mesh, positions, state.stretch)


def paths_of(state: pucker.State) -> list[np.ndarray]:
    ends = np.cumsum([len(wrinkle.points) for wrinkle in state.wrinkles])
    return np.split(state.packed.points, ends[:-1])


def lists(packed: pucker.PackedWrinkles) -> list[np.ndarray]:
    """The (first, last) entries of each triangle."""
    return [packed.overlaps[start : start + count] for count, start in packed.triangles.astype(int)]


def test_sizes_follow_the_wrinkles(scene):
    clip, state, _ = scene
    packed = state.packed
    assert packed.triangles.shape == (clip.mesh.triangle_count, 2)
    assert packed.points.nbytes == 64 * sum(len(wrinkle.points) for wrinkle in state.wrinkles)
    assert packed.overlaps.nbytes == 8 * packed.triangles[:, 0].sum()
    assert (packed.triangles.dtype, packed.overlaps.dtype, packed.points.dtype) == (np.uint32, np.uint32, np.float32)


def test_points_are_those_of_the_wrinkles(scene):
    clip, state, positions = scene
    field = field_of(clip, state, positions)
    assert len(state.wrinkles) > 2
    for wrinkle, rows in zip(state.wrinkles, paths_of(state), strict=True):
        curve = pucker.path_curve(field, wrinkle)
        normals = np.vstack([curve.normals, curve.normals[-1:]])
        for columns, values in [
            (slice(0, 3), curve.points),
            (3, wrinkle.widths),
            (slice(4, 7), normals),
            (7, wrinkle.heights),
            (slice(8, 11), curve.tangents),
            (11, curve.arc_lengths),
            (12, np.append(wrinkle.knot_widths[1::2], 0)),
            (13, np.append(wrinkle.knot_heights[1::2], 0)),
        ]:
            np.testing.assert_array_equal(rows[:, columns], values.astype(np.float32))


def test_packing_by_hand_gives_the_same_bits(scene):
    clip, state, positions = scene
    packed = pucker.Packer(clip.mesh).pack(field_of(clip, state, positions), state.wrinkles)
    for name in ("triangles", "overlaps", "points"):
        np.testing.assert_array_equal(getattr(packed, name), getattr(state.packed, name))


def test_every_displaced_point_lies_in_a_triangle_that_lists_its_wrinkle(scene):
    """The drawing's projection in NumPy, over whole wrinkles, at points all over every triangle."""
    clip, state, positions = scene
    steps = 3
    weights = np.array([(i, j, steps - i - j) for i in range(steps + 1) for j in range(steps + 1 - i)]) / steps
    points = np.einsum("lk,mkd->mld", weights, positions[clip.mesh.faces])
    ranges = lists(state.packed)
    first = displaced = 0
    for rows in paths_of(state):
        last = first + len(rows) - 1
        if rows[:, [7, 13]].max() > 0:
            offset = path_offset(points.reshape(-1, 3), refine(rows), "bspline").reshape(points.shape[:2]).max(axis=1)
            for triangle in np.flatnonzero(offset > 1e-7):
                displaced += 1
                entries = ranges[triangle]
                assert ((entries[:, 0] >= first) & (entries[:, 1] <= last)).sum() == 1, f"triangle {triangle}"
        first = last + 1
    assert displaced > 50


def test_leaving_out_the_rest_of_a_wrinkle_changes_no_offset(scene):
    """In a triangle, the part of a wrinkle that it lists displaces as the whole wrinkle does."""
    clip, state, positions = scene
    centres = positions[clip.mesh.faces].mean(axis=1)
    paths = paths_of(state)
    starts = np.cumsum([0, *map(len, paths)])
    listing: dict[tuple[int, int], list[int]] = {}
    for triangle, entries in enumerate(lists(state.packed)):
        for first, last in entries.tolist():
            listing.setdefault((first, last), []).append(triangle)
    refined = [refine(rows) for rows in paths]
    for (first, last), triangles in listing.items():
        wrinkle = np.searchsorted(starts, first, side="right") - 1
        part = refined[wrinkle][8 * (first - starts[wrinkle]) : 8 * (last - starts[wrinkle]) + 1]
        np.testing.assert_allclose(
            path_offset(centres[triangles], part, "bspline"),
            path_offset(centres[triangles], refined[wrinkle], "bspline"),
            rtol=0,
            atol=1e-12,
        )
    assert sum(map(len, listing.values())) > 50


def test_views_cannot_be_written_and_outlive_the_state():
    state, _ = packed_at(bending_sleeve(8, 12), 15, **SLEEVE)
    points = state.packed.points
    copy = points.copy()
    del state
    np.testing.assert_array_equal(points, copy)
    with pytest.raises(ValueError, match="read-only"):
        points[0, 0] = 1


def test_no_wrinkles_pack_to_empty_buffers(rng):
    shape = sheet(rng)
    packed = pucker.Packer(shape.mesh).pack(shape.field(shape.rest), [])
    np.testing.assert_array_equal(packed.triangles, np.zeros((128, 2)))
    assert packed.overlaps.shape == (0, 2)
    assert packed.points.shape == (0, 16)


@pytest.mark.parametrize(
    ("faces", "positions"),
    [
        (np.zeros((0, 3), int), np.zeros((0, 3))),
        ([[0, 1, 2]], [[0, 0, 0], [1, 0, 0], [0, 1, 0]]),
        ([[0, 1, 2], [2, 1, 3]], np.ones((4, 3))),
    ],
    ids=["empty", "one triangle", "no area"],
)
def test_meshes_that_hardly_are_run_through_all_stages(faces, positions):
    positions = np.array(positions, dtype=float)
    wrinkler = pucker.Wrinkler(pucker.Mesh(faces, len(positions)), pucker.Params(min_width=0.05))
    for frame in range(5):
        state = wrinkler.advance(positions * [1 - 0.1 * frame, 1, 1], frame / 30)
    assert state.packed.triangles.shape == (len(faces), 2)
    assert np.isfinite(state.packed.points).all()


def test_a_flat_wrinkle_is_packed_but_overlaps_nothing(rng):
    shape = tube()
    field = shape.field(shape.rest * [1, 1, 0.6])
    tracer = pucker.Tracer(shape.mesh, pucker.Params(min_width=0.02))
    wrinkle = next(filter(None, (tracer.trace(seed, field) for seed in tracer.seed(field))))
    packed = pucker.Packer(shape.mesh).pack(field, [wrinkle])
    assert len(packed.points) == len(wrinkle.points)
    assert packed.overlaps.shape == (0, 2)
    assert packed.triangles[:, 0].sum() == 0


def test_a_field_or_wrinkle_of_another_mesh_is_refused(rng):
    shape, other = tube(), sheet(rng, 2)
    field = shape.field(shape.rest * [1, 1, 0.6])
    tracer = pucker.Tracer(shape.mesh, pucker.Params(min_width=0.02))
    wrinkle = next(filter(None, (tracer.trace(seed, field) for seed in tracer.seed(field))))
    with pytest.raises(
        ValueError, match="the field must be of the mesh the packer was made for, got one of 9 vertices"
    ):
        pucker.Packer(shape.mesh).pack(other.field(other.rest), [])
    with pytest.raises(ValueError, match=r"must lie in|does not lie in"):
        pucker.Packer(other.mesh).pack(other.field(other.rest), [wrinkle])
