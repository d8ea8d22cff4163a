"""What all methods have in common: states, and the detail of a frame."""

from pathlib import Path

import numpy as np
import pytest

import pucker
import pucker.bake
import pucker.method
import pucker.metrics
from pucker.examples import bending_sleeve


@pytest.fixture(scope="module")
def bent():
    clip = bending_sleeve()
    wrinkler = pucker.Wrinkler(clip.mesh, pucker.Params(min_width=0.015))
    for index in range(16):
        state = wrinkler.advance(clip.positions[index], clip.times[index])
    return clip, wrinkler, state


def test_a_run_is_a_method_and_its_state_a_state(bent):
    _, wrinkler, state = bent
    assert isinstance(wrinkler, pucker.method.Method)
    assert isinstance(state, pucker.method.State)
    assert isinstance(state, pucker.State)
    assert wrinkler.name == "dynamic"
    assert list(state.seconds) == wrinkler.stages
    assert state.frame == 15


def test_the_detail_of_a_state_is_its_wrinkled_surface(bent):
    clip, _, state = bent
    fine = pucker.Subdivision(clip.mesh, 4)
    points = state.detail.evaluate(fine.triangles, fine.barycentrics)
    wanted = pucker.WrinkledSurface(clip.mesh).evaluate(
        state.positions, state.packed, fine.triangles, fine.barycentrics
    )
    np.testing.assert_array_equal(points.positions, wanted.positions)
    np.testing.assert_array_equal(points.normals, wanted.normals)
    np.testing.assert_allclose(points.positions - points.base, points.displacements, atol=1e-15)
    along = np.einsum("nd,nd->n", points.displacements, points.base_normals)
    np.testing.assert_allclose(points.offsets, along, atol=1e-15)
    assert points.offsets.max() > 0.003


def test_the_detail_of_a_state_says_where_it_is_and_how_fine(bent):
    clip, wrinkler, state = bent
    detail = state.detail
    np.testing.assert_array_equal(detail.reached, state.packed.triangles[:, 0] > 0)
    # A crease's ridge, between its valleys, is two thirds of its width.
    assert detail.feature_size == pytest.approx(2 / 3 * wrinkler.params.min_width)
    levels = detail.edge_levels(0.375 * 0.015)
    np.testing.assert_array_equal(levels, pucker.edge_levels(clip.mesh, state.positions, state.packed, 0.375 * 0.015))
    assert levels.max() > 1
    with pytest.raises(ValueError, match="target_edge must be finite and positive, got 0"):
        detail.edge_levels(0.0)


def test_draw_buffers_hold_the_packed_wrinkles(bent):
    _, _, state = bent
    packed, buffers = state.packed, state.detail.draw_buffers
    assert list(buffers) == ["Triangles", "Overlaps", "Points", "Samples", "Spheres"]
    assert buffers["Points"].tobytes() == packed.points.tobytes()
    # The triangles are written by a program: an entry of the overlaps names its own, in its low bits.
    entries, firsts = buffers["Overlaps"].view(np.uint32).reshape(-1, 2).T
    bits = pucker.PathDetail.OVERLAP_TRIANGLE_BITS
    counts = packed.triangles[:, 0]
    np.testing.assert_array_equal(entries & ((1 << bits) - 1), np.repeat(np.arange(len(counts)), counts))
    rows = np.concatenate([np.arange(start, start + count) for count, start in packed.triangles])
    np.testing.assert_array_equal(firsts, packed.overlaps[rows, 0])
    np.testing.assert_array_equal(entries >> bits, packed.overlaps[rows, 1] - packed.overlaps[rows, 0])


def test_a_detail_keeps_its_frame_alive():
    clip = bending_sleeve()
    wrinkler = pucker.Wrinkler(clip.mesh, pucker.Params(min_width=0.015))
    details = [wrinkler.advance(clip.positions[index], clip.times[index]).detail for index in range(6)]
    del wrinkler
    for index, detail in enumerate(details):
        np.testing.assert_array_equal(detail.positions, clip.positions[index])


@pytest.mark.parametrize("path", ["walk.gltf", Path("walk.gltf")])
@pytest.mark.parametrize(
    "call",
    [
        lambda clip: pucker.run(clip, pucker.drape.Params()),
        pucker.run,
        pucker.drape.cut_of,
        lambda clip: pucker.metrics.measure(clip, pucker.waves.Params()),
        lambda clip: pucker.bake.surface(clip, "walk.glb"),
    ],
)
def test_a_path_in_place_of_a_clip_is_told(call, path):
    with pytest.raises(TypeError, match=r"^a clip must be given, not the path 'walk\.gltf': pucker\.load reads it$"):
        call(path)
