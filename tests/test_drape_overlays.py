"""What is drawn over a frame of draped cloth: its numbers against NumPy's, and its colours."""

import pickle

import numpy as np
import pytest
import render_scenes as scenes

import pucker
from pucker import drape, render
from pucker.examples import bending_sleeve, grid_faces, squeezed_sheet

SHEET = squeezed_sheet(8, 8, compression=1.25)
PARAMS = drape.Params(levels=1, iterations=20)


def sheet(size: float = 3.0, height: float = 1.05, count: int = 12):
    """A flat sheet above a ball: mesh and positions."""
    row, column = (index.ravel() / count for index in np.mgrid[: count + 1, : count + 1])
    flat = np.stack([size * (column - 0.5), np.full(row.size, height), size * (0.5 - row)], axis=1)
    return pucker.Mesh(grid_faces(count, count), len(flat)), flat


@pytest.fixture(scope="module")
def states() -> list[drape.State]:
    return list(pucker.run(SHEET, PARAMS))


def test_strains_are_those_of_the_edges(states):
    state = states[len(states) // 2]
    fine, source = state.detail.subdivision.fine, state.detail.own_mesh.source
    cut = states[0].guide
    for what, places in (
        (drape.TriangleQuantity.strain_before, state.guide),
        (drape.TriangleQuantity.strain_after, state.balanced),
    ):
        now, before = (np.linalg.norm(x[fine.edges[:, 0]] - x[fine.edges[:, 1]], axis=1) for x in (places, cut))
        of_faces = (now / before - 1.0)[fine.triangle_edges].mean(axis=1)
        wanted = np.bincount(source, of_faces) / np.bincount(source)
        np.testing.assert_allclose(drape.triangle_values(state, what), wanted, atol=1e-12)
    # What the guide has lost of its length, the cloth has taken back by folding.
    before, after = (
        drape.triangle_values(state, drape.TriangleQuantity(what)) for what in ("strain_before", "strain_after")
    )
    assert np.abs(before).mean() > 1.5 * np.abs(after).mean()


def test_lengths_and_hold_are_shares(states):
    state = states[len(states) // 2]
    lengths, fine = state.lengths, state.detail.subdivision.fine
    source = state.detail.own_mesh.source
    away = np.linalg.norm(state.balanced - state.guide, axis=1)
    for what, values in (
        ("fold_sizes", lengths.fold_sizes / lengths.extent),
        ("wavelengths", lengths.wavelengths / lengths.extent),
        ("hold", away / lengths.fold_sizes),
        ("hold_force", away * lengths.extent / lengths.fold_sizes**2),
        ("residual", state.residuals),
    ):
        wanted = np.bincount(source, values[fine.faces].mean(axis=1)) / np.bincount(source)
        np.testing.assert_allclose(drape.triangle_values(state, drape.TriangleQuantity(what)), wanted, rtol=1e-6)
    with pytest.raises(
        ValueError, match="strain_before, strain_after, fold_sizes, wavelengths, hold, hold_force, contact, residual"
    ):
        drape.TriangleQuantity("speed")


def test_residuals_are_what_the_gradient_leaves():
    params = PARAMS.replace(depth=10.0, iterations=3, settling=1)
    balance = drape.Balance(SHEET.mesh, SHEET.positions[0], params)
    balance.aim(SHEET.positions[len(SHEET) // 2])
    state = drape.Drape(SHEET.mesh, SHEET.positions[0], params).advance(SHEET.positions[len(SHEET) // 2], 0.0)
    _, gradient = balance.evaluate(state.balanced)
    cut = balance.subdivision.matrix @ SHEET.positions[0]
    edges = balance.subdivision.fine.edges
    length = np.sqrt(np.square(cut[edges[:, 0]] - cut[edges[:, 1]]).sum(axis=1).mean())
    wanted = np.linalg.norm(gradient, axis=1) / length
    assert wanted.max() > 1e-3
    np.testing.assert_allclose(state.residuals, wanted, atol=1e-5)
    # A run that goes on has less left over.
    long = drape.Drape(SHEET.mesh, SHEET.positions[0], params.replace(iterations=300))
    assert long.advance(SHEET.positions[len(SHEET) // 2], 0.0).residuals.max() < 0.1 * state.residuals.max()


def test_what_lies_on_the_body_is_told():
    faces, points = scenes.icosphere(3)
    mesh, flat = sheet()
    run = drape.Drape(mesh, flat, drape.Params(levels=2, thickness=0.0), body=drape.Body(faces, np.array([points] * 3)))
    for k in range(3):
        state = run.advance(flat - [0.0, 0.05 * k, 0.0], 0.1 * k)
    room = 0.003 * 3.0
    near = np.linalg.norm(state.balanced, axis=1) < 1.0 + 1.5 * room
    lies = state.on_body.astype(bool)
    # The ball's facets lie within it by less than a hundredth.
    assert lies.sum() > 20
    assert near[lies].all()
    assert np.linalg.norm(state.balanced[~lies], axis=1).min() > 0.99 + room
    source, fine = state.detail.own_mesh.source, state.detail.subdivision.fine
    wanted = np.bincount(source, lies[fine.faces].mean(axis=1)) / np.bincount(source)
    np.testing.assert_allclose(drape.triangle_values(state, drape.TriangleQuantity.contact), wanted, rtol=1e-9)
    again = pickle.loads(pickle.dumps(run)).state
    np.testing.assert_array_equal(again.on_body, state.on_body)
    np.testing.assert_array_equal(again.residuals, state.residuals)
    assert drape.legend_of(drape.TriangleQuantity.contact)[1][0] == "on the body"


def test_colours_tell_shorter_from_longer(states):
    squeezed = drape.tints_of(states[len(states) // 2], drape.TriangleQuantity.strain_before).astype(int)
    still = drape.tints_of(states[0], drape.TriangleQuantity.strain_before)
    assert squeezed.shape == (len(SHEET.faces), 4)
    np.testing.assert_array_equal(still, np.broadcast_to([150, 150, 150, 150], still.shape))
    # Red where it is squeezed.
    assert (squeezed[:, 0] - squeezed[:, 2]).max() > 50
    words = [name for name, _ in drape.legend_of(drape.TriangleQuantity.strain_before)]
    assert words == ["a fifth shorter", "as cut", "a fifth longer"]


@pytest.mark.parametrize(
    "name", ["strain_before", "strain_after", "fold_sizes", "wavelengths", "hold", "hold_force", "residual"]
)
def test_they_are_drawn_and_belong_to_no_other_method(states, name):
    frame = len(states) // 2
    with render.ClipRenderer(SHEET, (120, 120), params=PARAMS) as film:
        plain = film.frame(frame, states[frame]).astype(int)
        tinted = film.frame(frame, states[frame], overlays=[name]).astype(int)
    assert (np.abs(plain - tinted).max(axis=2) > 8).mean() > 0.05
    sleeve = bending_sleeve()
    other = next(pucker.run(sleeve, pucker.Params(relative_width=0.02)))
    with (
        render.ClipRenderer(sleeve, (64, 64)) as film,
        pytest.raises(ValueError, match=f"the overlay {name} needs a state of draped cloth, got State"),
    ):
        film.frame(0, other, overlays=[name])
