"""How high draped cloth is drawn: the formulas in NumPy, and the compute programs."""

import itertools
import threading
from time import monotonic

import numpy as np
import pytest
from computed_cloth import ShownCloth, apart
from draped_bodies import two_sleeves

import pucker
from pucker import drape
from pucker.examples import bending_sleeve

PICTURE_SIDE = 48
PARAMS = drape.Params(levels=2)


@pytest.fixture(scope="module")
def bent():
    """A state of a sleeve whose pit is pressed together."""
    return next(itertools.islice(pucker.run(bending_sleeve(), PARAMS.replace(gain=1.0)), 15, None))


def areas(faces, points):
    a, b, c = (points[faces[:, k]] for k in range(3))
    return np.cross(b - a, c - a)


def raised(faces, guide, normals, balanced, gain, pinned):
    """The formulas of the page, triangle by triangle."""
    heights = np.einsum("nd,nd->n", balanced - guide, normals)
    more = (gain - 1.0) * heights[:, None] * normals
    before, after = areas(faces, balanced), areas(faces, balanced + more)
    cosines = np.einsum("md,md->m", before, after)
    cosines /= np.linalg.norm(before, axis=1) * np.linalg.norm(after, axis=1)
    allowed = np.clip((cosines - 0.5) / 0.4, 0.0, 1.0)
    share = np.ones(len(guide))
    for corners, each in zip(faces, allowed, strict=True):
        share[corners] = np.minimum(share[corners], each)
    share[pinned] = 0.0
    kept = share[:, None] * more
    sums, rings = np.zeros_like(guide), np.zeros(len(guide))
    for corners in faces:
        sums[corners] += kept[corners].mean(axis=0)
        rings[corners] += 1.0
    sums[pinned] = 0.0
    return balanced + sums / rings[:, None], share


@pytest.mark.parametrize("gain", [1.3, 2.5])
def test_it_is_what_the_formulas_say(bent, gain):
    mesh = bent.detail.subdivision.fine
    guide, balanced = np.array(bent.guide), np.array(bent.balanced)
    normals = pucker.vertex_normals(mesh, guide)
    pinned = np.zeros(len(guide), dtype=bool)
    pinned[::7] = True
    found = drape.Height(mesh, gain, pinned=pinned).raise_(guide, normals, balanced)
    expected, share = raised(mesh.faces, guide, normals, balanced, gain, pinned)
    assert np.abs(found - expected).max() < 1e-6 * np.abs(balanced - guide).max()
    # The sleeve has both: folds that are raised all the way, and such as are not at all.
    assert np.mean(share == 1.0) > 0.3
    assert np.any(share[~pinned] < 0.5)


def test_a_run_draws_that_much_height():
    clip = bending_sleeve()
    *_, state = pucker.run(clip, PARAMS.replace(gain=1.7))
    mesh = state.detail.subdivision.fine
    normals = pucker.vertex_normals(mesh, state.guide)
    again = drape.Height(mesh, 1.7).raise_(state.guide, normals, state.balanced)
    assert np.abs(state.draped - again).max() < 1e-9


@pytest.mark.parametrize("gain", [1.3, 2.0, 4.0])
def test_it_turns_few_triangles_over_and_leaves_folds_high(bent, gain):
    mesh = bent.detail.subdivision.fine
    guide, balanced = np.array(bent.guide), np.array(bent.balanced)
    normals = pucker.vertex_normals(mesh, guide)
    heights = np.einsum("nd,nd->n", balanced - guide, normals)
    drawn = drape.Height(mesh, gain).raise_(guide, normals, balanced)

    def turned(points):
        return np.mean(np.einsum("md,md->m", areas(mesh.faces, balanced), areas(mesh.faces, points)) < 0.0)

    alone = turned(balanced + (gain - 1.0) * heights[:, None] * normals)
    assert alone > 0.0
    assert turned(drawn) < 0.5 * alone
    then = np.einsum("nd,nd->n", drawn - guide, normals)
    assert np.sqrt(np.mean(then**2) / np.mean(heights**2)) > 1.0 + 0.75 * (gain - 1.0)


@pytest.mark.usefixtures("no_gl_error")
@pytest.mark.parametrize("gain", [0.5, 1.0, 1.6])
def test_programs_raise_as_the_core_does(renderer, gain):
    clip = two_sleeves(frames=5)
    params = PARAMS.replace(levels=1, swing=0.0, memory=0.0, iterations=3, settling=1, tolerance=0.0, gain=gain)
    # Patches that stay on the guide, beside cloth that does not.
    pinned = np.unique(clip.mesh.faces[::40]).tolist()
    core = drape.Drape(clip.mesh, clip.positions[0], params, shared=pinned)
    run = drape.ComputedDrape(clip.mesh, clip.positions[0], params.replace(compute="gpu"), shared=pinned)
    shown = ShownCloth(renderer, clip.mesh)
    raised_by = 0.0
    for positions, time in zip(clip.positions, clip.times, strict=True):
        places, _ = shown.show(run.advance(positions, time))
        state = core.advance(positions, time)
        assert apart(places, state) < 2e-5
        raised_by = max(raised_by, np.abs(state.draped - state.balanced).max() / state.lengths.extent)
    assert (raised_by > 1e-3) == (gain != 1.0)


@pytest.mark.threads
def test_in_use_it_refuses_a_second_call(bent):
    mesh = bent.detail.subdivision.fine
    normals = pucker.vertex_normals(mesh, bent.guide)
    height = drape.Height(mesh, 1.3)
    told, end = [], monotonic() + 60.0

    def keep_busy():
        while not told and monotonic() < end:
            try:
                height.raise_(bent.guide, normals, bent.balanced)
            except pucker.Error as error:
                told.append(str(error))

    other = threading.Thread(target=keep_busy)
    other.start()
    keep_busy()
    other.join()
    assert told[0].endswith("is in use by another call: an object takes one call at a time")


def test_height_refuses_what_does_not_fit():
    mesh = bending_sleeve().mesh
    with pytest.raises(ValueError, match="gain must be finite and at least 0, got -1"):
        drape.Height(mesh, -1.0)
    with pytest.raises(ValueError, match="pinned"):
        drape.Height(mesh, 1.3, pinned=[True])
    height = drape.Height(mesh, 1.3)
    points = np.zeros((mesh.vertex_count, 3))
    for wrong in range(3):
        given = [points] * 3
        given[wrong] = points[1:]
        with pytest.raises(ValueError, match=("guide", "normals", "balanced")[wrong]):
            height.raise_(*given)
    assert np.array_equal(height.raise_(points, points, points), points)
