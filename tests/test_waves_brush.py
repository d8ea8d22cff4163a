"""Painting on a view of waves with the mouse."""

import numpy as np
import pytest

import pucker
from pucker import waves
from pucker.examples import bending_sleeve
from pucker.notebook import View

SIZE = (120, 90)


@pytest.fixture
def view():
    made = View(bending_sleeve(frames=4), waves.Params(wavelength=0.1), size=SIZE, view="front")
    assert made.snapshot.frame == 0  # Nobody paints on what is not seen yet: the frame is waited for.
    yield made
    made.close()


def drag(view: View, way: tuple[int, int], *, modifiers: tuple[str, ...] = ()) -> None:
    for kind, share in (("pointer_down", 0), ("pointer_move", 0.5), ("pointer_up", 1)):
        x, y = (SIZE[k] // 2 + share * way[k] for k in (0, 1))
        view.canvas.handle_event({"type": kind, "x": x, "y": y, "button": 1, "modifiers": modifiers})


def test_a_drag_paints_across_its_way_and_the_view_takes_it_up(view):
    plain, camera = view.snapshot.state.waves.amplitudes.copy(), view.camera
    view.brush.on = True
    view.brush.radius = 0.2
    drag(view, (12, 0))
    assert view.camera == camera
    vectors = view.brush.painting.vectors
    painted = np.linalg.norm(vectors, axis=1)
    assert 0.3 < painted.max() < 1
    # Seen from the front, right is x; farther round the sleeve it is what remains in the tangent plane.
    clip = bending_sleeve(frames=4)
    front = (pucker.vertex_normals(clip.mesh, clip.positions[0])[:, 2] > 0.9) & (painted > 0.05)
    assert front.any()
    np.testing.assert_array_less(0.9 * painted[front], np.abs(vectors[front, 0]))
    np.testing.assert_allclose(vectors[:, 1], 0, atol=1e-9)
    assert view.snapshot.state.waves.amplitudes.max() > 10 * plain.max()
    again = waves.Painting.load(view.params.painting, view.brush.painting.mesh, bending_sleeve(frames=4).positions[0])
    np.testing.assert_array_equal(again.vectors, vectors)


def test_a_drag_is_undone_as_one_and_erased_by_the_eraser(view):
    view.brush.on = True
    drag(view, (0, 10))
    first = view.brush.painting.vectors
    drag(view, (14, 4))
    assert not np.array_equal(view.brush.painting.vectors, first)
    view.brush.undo()
    np.testing.assert_array_equal(view.brush.painting.vectors, first)
    view.brush.erase, view.brush.radius, view.brush.strength = True, 0.5, 0.99
    drag(view, (4, 4))
    assert np.linalg.norm(view.brush.painting.vectors, axis=1).sum() < 0.2 * np.linalg.norm(first, axis=1).sum()
    view.brush.random(4)
    assert np.count_nonzero(view.brush.painting.vectors.any(axis=1)) == len(first)


def test_the_camera_has_the_mouse_while_the_brush_is_off_or_shift_is_held(view):
    for on, modifiers in ((False, ()), (True, ("Shift",))):
        view.brush.on = on
        before = view.camera
        drag(view, (9, 3), modifiers=modifiers)
        assert view.camera != before
    assert not view.brush.painting.vectors.any()


def test_a_drag_beside_the_cloth_paints_nothing(view):
    view.brush.on = True
    for kind, x in (("pointer_down", 1), ("pointer_move", 3), ("pointer_up", 5)):
        view.canvas.handle_event({"type": kind, "x": x, "y": 2, "button": 1, "modifiers": ()})
    assert not view.brush.painting.vectors.any()


def test_a_view_goes_on_with_its_painting(tmp_path):
    clip = bending_sleeve(frames=4)
    painting = waves.Painting(clip.mesh, clip.positions[0])
    painting.random(1)
    painting.save(tmp_path / "sleeve.npz")
    made = View(clip, waves.Params(painting=str(tmp_path / "sleeve.npz")), size=SIZE)
    np.testing.assert_array_equal(made.brush.painting.vectors, painting.vectors)
    made.close()


def test_a_method_without_paint_has_no_brush():
    made = View(bending_sleeve(frames=4), size=SIZE)
    assert made.brush is None
    made.close()
