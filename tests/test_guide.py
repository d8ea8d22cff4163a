"""The guide and the hysteresis in a run: stages by hand, saved runs, and paths that go on where cloth is less compressed."""

import numpy as np
import pytest
from motion import run

import pucker
from pucker.examples import bending_sleeve, squeezed_sheet

GUIDED = {"guide": {"rounds": 2, "narrowing": 0.5}, "tracing": {"hysteresis": 0.5}}


def sleeve_run(**values) -> tuple[pucker.Clip, pucker.Params, list[pucker.State]]:
    clip = bending_sleeve(frames=31)
    params = pucker.Params(min_width=0.01).replace(**values)
    return clip, params, run(pucker.Wrinkler(clip, params), clip)


def test_the_run_follows_the_guide():
    clip, params, states = sleeve_run(**GUIDED)
    guide = pucker.Guide(clip.mesh, params)
    for state, positions in zip(states, clip.positions, strict=True):
        found = guide.measure(state.reference, positions)
        for name in ("minimum", "maximum", "left", "right"):
            np.testing.assert_array_equal(getattr(found, name), getattr(state.stretch, name))
    assert max(len(state.wrinkles) for state in states) > 0


def test_verbatim_knows_nothing_of_it():
    plain, guided = (sleeve_run(verbatim=True, **values)[2] for values in ({}, GUIDED))
    for one, other in zip(plain, guided, strict=True):
        np.testing.assert_array_equal(one.packed.points, other.packed.points)


def test_a_restored_run_goes_on_with_the_same_bits():
    clip, params, states = sleeve_run(**GUIDED)
    wrinkler = pucker.Wrinkler(clip, params)
    for index in range(12):
        wrinkler.advance(clip.positions[index], clip.times[index])
    other = pucker.Wrinkler.restore(wrinkler.save())
    assert other.params == wrinkler.params
    for index in range(12, len(clip)):
        state = other.advance(clip.positions[index], clip.times[index])
        np.testing.assert_array_equal(state.stretch.minimum, states[index].stretch.minimum)
        np.testing.assert_array_equal(state.packed.points, states[index].packed.points)


def strip() -> tuple[pucker.Clip, np.ndarray]:
    """A sheet squeezed along x, more so in a strip across its middle: where in the strip a path runs along y."""
    clip = squeezed_sheet(12, 12, frames=2)
    rest = np.array(clip.positions[0])
    squeezed = rest.copy()
    squeezed[:, 0] /= np.where(np.abs(rest[:, 1] - 0.5) < 0.2, 1.3, 1.14)
    return clip, squeezed


def paths(hysteresis: float) -> list[pucker.Wrinkle]:
    clip, squeezed = strip()
    params = pucker.Params(threshold=1.2, min_width=0.02, tracing={"hysteresis": hysteresis, "bend": 0.0})
    reference = pucker.local_frames(clip.mesh, clip.positions[0]).matrices
    now = pucker.local_frames(clip.mesh, squeezed).matrices
    field = pucker.CompressionField(clip.mesh, squeezed, pucker.stretch(reference, now))
    tracer = pucker.Tracer(clip.mesh, params)
    found = [tracer.trace(seed, field) for seed in tracer.seed(field)]
    return [wrinkle for wrinkle in found if wrinkle is not None]


def test_paths_begin_above_the_threshold_and_go_on_below_it():
    short, whole = paths(0.0), paths(0.5)
    assert len(short) > 0
    assert len(whole) == len(short)
    assert sum(wrinkle.ends[0] == pucker.WalkEnd.below_threshold for wrinkle in short) > 0.8 * len(short)
    assert sum(wrinkle.ends[0] == pucker.WalkEnd.border for wrinkle in whole) > 0.8 * len(whole)
    assert max(wrinkle.length for wrinkle in short) < 0.7
    assert np.median([wrinkle.length for wrinkle in whole]) > 0.9
    # The lower threshold is 1.16 then, and what lies beyond the strip is squeezed to 1.14.
    assert [wrinkle.length for wrinkle in paths(0.2)] == [wrinkle.length for wrinkle in short]


@pytest.mark.parametrize("hysteresis", [-0.1, 1.1])
def test_a_share_outside_its_range_is_refused(hysteresis):
    with pytest.raises(ValueError, match=r"tracing\.hysteresis"):
        pucker.Params(tracing={"hysteresis": hysteresis, "bend": 0.0})
