"""What the additions to the theses' method are worth: each one against `verbatim` on the same clip."""

from collections.abc import Iterator

import numpy as np
import pytest
from motion import params_for, run

import pucker
from pucker.examples import bending_sleeve


def agreement(angle: float, fps: int, *, verbatim: bool) -> float:
    """Share of equal labels in the frames that a bending sleeve has in common with one of 60 frames a second.

    Triangles that rest in both say nothing: they are left out.
    """
    labels = []
    for rate in (fps, 60):
        clip = bending_sleeve(frames=rate + 1, fps=float(rate), angle=angle)
        states = run(pucker.Wrinkler(clip.mesh, params_for(clip, verbatim=verbatim)), clip)
        labels.append(np.array([state.labels for state in states])[:: rate // 15])
    coarse, fine = labels
    active = (coarse != 1) | (fine != 1)
    return float((coarse == fine)[active].mean())


@pytest.mark.parametrize("angle", [1.2, 1.6, 2.2])
@pytest.mark.parametrize("fps", [15, 30])
def test_labels_depend_less_on_the_frame_rate_than_verbatim_ones(angle, fps):
    ours, verbatim = (agreement(angle, fps, verbatim=verbatim) for verbatim in (False, True))
    assert ours > 0.75
    assert ours > verbatim + 0.3


def spun(clip: pucker.Clip, rate: float) -> Iterator[tuple[np.ndarray, float, np.ndarray]]:
    """Frames of the clip turned as a whole about a slanting axis at `rate` radians a second: positions, time, turn."""
    axis = np.array([1.0, 2.0, 2.0]) / 3.0
    cross = np.cross(np.eye(3), axis)
    for frame in clip:
        angle = rate * frame.time
        turn = np.eye(3) + np.sin(angle) * cross + (1 - np.cos(angle)) * cross @ cross
        yield frame.positions @ turn, frame.time, turn


def uneven_sleeve() -> pucker.Clip:
    """A sleeve without symmetry, which would leave it to rounding which of two like triangles comes first."""
    clip = bending_sleeve()
    uneven = 0.002 * np.random.default_rng(5).normal(size=clip.positions[0].shape)
    return pucker.Clip.from_arrays(clip.faces, clip.positions + uneven, clip.times, weld=False)


def drift(*, verbatim: bool) -> float:
    """Largest distance between paths of the clip and of the clip that spins, turned back; wrinkles of both only."""
    clip = uneven_sleeve()
    params = params_for(clip, verbatim=verbatim)
    still, spinning = pucker.Wrinkler(clip.mesh, params), pucker.Wrinkler(clip.mesh, params)
    largest, compared = 0.0, 0
    for frame, (positions, time, turn) in zip(clip, spun(clip, 6.0), strict=True):
        others = {wrinkle.id: wrinkle for wrinkle in spinning.advance(positions, time).wrinkles}
        for wrinkle in still.advance(frame.positions, frame.time).wrinkles:
            other = others.get(wrinkle.id)
            if other is not None and len(other.points) == len(wrinkle.points):
                compared += 1
                largest = max(largest, np.linalg.norm(other.points @ turn.T - wrinkle.points, axis=1).max())
    assert compared > 30
    return largest / clip.height


def test_a_clip_that_spins_as_a_whole_has_the_same_paths_but_not_verbatim():
    assert drift(verbatim=False) < 1e-9
    assert drift(verbatim=True) > 1e-3


def appearing_and_vanishing(given: pucker.Params, clip: pucker.Clip) -> tuple[list[float], list[float]]:
    """Heights at which wrinkles are first seen, and at which they are last seen if nothing of them goes on."""
    first, last = [], []
    wrinkler = pucker.Wrinkler(clip.mesh, given)
    before: dict[int, pucker.Wrinkle] = {}
    for frame in clip:
        now = {w.id: w for w in wrinkler.advance(frame.positions, frame.time).wrinkles}
        parts = [w for w in now.values() if w.id not in before and w.age > 0]
        first += [w.knot_heights.max() for w in now.values() if w.id not in before and w.age == 0]
        for wrinkle in before.values():
            if wrinkle.id not in now:
                heir = max((w.knot_heights.max() for w in parts if w.age > wrinkle.age), default=0.0)
                last.append(max(0.0, wrinkle.knot_heights.max() - heir))
            elif not wrinkle.alive:
                later = now[wrinkle.id]
                assert not later.alive
                np.testing.assert_array_equal(later.t, wrinkle.t)
                np.testing.assert_array_equal(later.knot_widths, wrinkle.knot_widths)
                last.append((wrinkle.knot_heights - later.knot_heights).max())
        before = now
    return first, last


def test_nothing_appears_or_vanishes_faster_than_the_stated_rate_but_verbatim_it_does():
    clip = bending_sleeve(frames=46)
    given = params_for(clip)
    most = given.shape.height_rate * given.min_width / 30 * (1 + 1e-9)
    first, last = appearing_and_vanishing(given, clip)
    assert len(first) > 5
    assert len(last) > 5
    assert max(first) <= most
    assert max(last) <= most
    first, last = appearing_and_vanishing(given.replace(verbatim=True), clip)
    assert max(first) > 2 * most
    assert max(last) > 2 * most
