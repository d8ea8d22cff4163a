"""What is drawn over a frame of draped cloth: its numbers against NumPy's, and its colours."""

import numpy as np
import pytest

import pucker
from pucker import drape, render
from pucker.examples import bending_sleeve, squeezed_sheet

SHEET = squeezed_sheet(8, 8, compression=1.25)
PARAMS = drape.Params(levels=1, iterations=20)


@pytest.fixture(scope="module")
def states() -> list[drape.State]:
    return list(pucker.run(SHEET, PARAMS))


def test_strains_are_those_of_the_edges(states):
    state = states[len(states) // 2]
    fine, source = state.detail.subdivision.fine, state.detail.own_mesh.source
    cut = states[0].guide
    for what, places in ((drape.Told.strain_before, state.guide), (drape.Told.strain_after, state.draped)):
        now, before = (np.linalg.norm(x[fine.edges[:, 0]] - x[fine.edges[:, 1]], axis=1) for x in (places, cut))
        of_faces = (now / before - 1.0)[fine.triangle_edges].mean(axis=1)
        wanted = np.bincount(source, of_faces) / np.bincount(source)
        np.testing.assert_allclose(drape.told_of(state, what), wanted, atol=1e-12)
    # What the guide has lost of its length, the cloth has taken back by folding.
    before, after = (drape.told_of(state, drape.Told(what)) for what in ("strain_before", "strain_after"))
    assert np.abs(before).mean() > 1.5 * np.abs(after).mean()


def test_lengths_and_hold_are_shares(states):
    state = states[len(states) // 2]
    lengths, fine = state.lengths, state.detail.subdivision.fine
    source = state.detail.own_mesh.source
    away = np.linalg.norm(state.draped - state.guide, axis=1)
    for what, values in (
        ("fold_sizes", lengths.fold_sizes / lengths.extent),
        ("wavelengths", lengths.wavelengths / lengths.extent),
        ("hold", away / lengths.fold_sizes),
    ):
        wanted = np.bincount(source, values[fine.faces].mean(axis=1)) / np.bincount(source)
        np.testing.assert_allclose(drape.told_of(state, drape.Told(what)), wanted, rtol=1e-9)
    with pytest.raises(ValueError, match="strain_before, strain_after, fold_sizes, wavelengths, hold"):
        drape.Told("speed")


def test_colours_tell_shorter_from_longer(states):
    squeezed = drape.tints_of(states[len(states) // 2], drape.Told.strain_before).astype(int)
    still = drape.tints_of(states[0], drape.Told.strain_before)
    assert squeezed.shape == (len(SHEET.faces), 4)
    np.testing.assert_array_equal(still, np.broadcast_to([150, 150, 150, 150], still.shape))
    # Red where it is squeezed.
    assert (squeezed[:, 0] - squeezed[:, 2]).max() > 50
    words = [name for name, _ in drape.legend_of(drape.Told.strain_before)]
    assert words == ["a fifth shorter", "as cut", "a fifth longer"]


@pytest.mark.parametrize("name", ["strain_before", "strain_after", "fold_sizes", "wavelengths", "hold"])
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
