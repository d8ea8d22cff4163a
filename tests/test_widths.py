"""The smallest width of a wrinkle: a share of the clip's height, or a length in the clip's unit; never a guess."""

import pickle

import numpy as np
import pytest

import pucker
from pucker import bake, metrics
from pucker.examples import bending_sleeve

CLIP = bending_sleeve()


def scaled(clip: pucker.Clip, factor: float) -> pucker.Clip:
    """The same clip in another unit of length."""
    return pucker.Clip.from_arrays(clip.faces, clip.positions * factor, clip.times, weld=False)


def paths(state: pucker.State) -> list[tuple[int, list[float], list[list[int]]]]:
    """Where the wrinkles of a state run, without any length."""
    return [(wrinkle.id, wrinkle.t.tolist(), wrinkle.vertices.tolist()) for wrinkle in state.wrinkles]


@pytest.mark.parametrize("factor", [1.0 / 128.0, 64.0])
def test_a_clip_in_another_unit_has_the_same_wrinkles(factor):
    found = 0
    for one, other in zip(pucker.run(CLIP), pucker.run(scaled(CLIP, factor)), strict=True):
        assert paths(one) == paths(other)
        for wrinkle, same in zip(one.wrinkles, other.wrinkles, strict=True):
            np.testing.assert_allclose(same.widths, factor * wrinkle.widths, rtol=1e-9)
            np.testing.assert_allclose(same.heights, factor * wrinkle.heights, rtol=1e-9, atol=1e-12 * factor)
        found += len(one.wrinkles)
    assert found > 100


@pytest.mark.parametrize("factor", [0.01, 50.0])
def test_the_kimono_in_another_unit_has_as_many_wrinkles(data_dir, factor):
    loaded = pucker.load(data_dir / "kimono_male.gltf", clip="Walk", parts=["Clothes", "Band"])
    clip = pucker.Clip.from_arrays(loaded.faces, loaded.positions, loaded.times, weld=False)
    params = pucker.Params.ridges().replace(tracing={"min_length": 4.0})
    counts, others = (
        [len(state.wrinkles) for state in pucker.run(one, params)] for one in (clip, scaled(clip, factor))
    )
    assert max(counts) > 50
    # The factor is no power of two: a wrinkle at the edge of a threshold may fall to its other side.
    assert np.abs(np.subtract(counts, others)).max() <= 2


def test_a_wrinkler_over_a_clip_tells_both_widths():
    params = pucker.Wrinkler(CLIP).params
    assert params.relative_width == pucker.Params().relative_width
    assert params.min_width == params.relative_width * CLIP.height
    assert f"min_width={params.min_width!r}, relative_width={params.relative_width!r}" in repr(params)
    given = pucker.Wrinkler(CLIP, pucker.Params(min_width=0.02)).params
    assert (given.min_width, given.relative_width) == (0.02, 0.02 / CLIP.height)


def test_a_bare_mesh_must_be_given_a_width():
    sentence = "params.min_width must be given where there is no clip of whose height it is params.relative_width"
    for make in (
        lambda params: pucker.Wrinkler(CLIP.mesh, params),
        lambda params: pucker.Tracer(CLIP.mesh, params),
        lambda params: pucker.Persistence(CLIP.mesh, params),
        pucker.Shaper,
        lambda params: params.flat_width,
    ):
        with pytest.raises(ValueError, match=sentence):
            make(pucker.Params())
        make(pucker.Params(min_width=0.02))


def test_stages_without_a_length_need_no_width():
    frames = [pucker.local_frames(CLIP.mesh, CLIP.positions[k]).matrices for k in (0, 1)]
    stretch = pucker.stretch(*frames)
    costs = pucker.label_costs(stretch.minimum, stretch.maximum, pucker.Params())
    found = []
    for params in (pucker.Params(), pucker.Params(min_width=0.3)):
        labels = pucker.Labeller(CLIP.mesh, params).step(costs)
        shape = pucker.ReferenceShape(CLIP.mesh, frames[0], params)
        shape.step(labels, frames[1], 1 / 30)
        found.append((labels.tobytes(), shape.matrices.tobytes()))
    assert found[0] == found[1]


@pytest.mark.parametrize("height", [0.0, -1.0, np.nan, np.inf])
def test_there_is_no_share_of_no_height(height):
    with pytest.raises(ValueError, match="must be given for a clip without height"):
        pucker.Params().for_height(height)
    assert pucker.Params(min_width=0.1).for_height(height).min_width == 0.1


def test_a_width_that_is_not_given_is_none_in_every_form():
    params = pucker.Params()
    assert params.min_width is None
    assert params.to_dict()["min_width"] is None
    assert "min_width" not in params.to_toml()
    assert pucker.Params.from_toml(params.to_toml()) == params
    assert pickle.loads(pickle.dumps(params)) == params
    assert params.replace(min_width=0.5).replace(min_width=None) == params
    (field,) = (field for field in params.fields() if field.name == "min_width")
    assert (field.default, field.low, field.high, field.low_included) == (None, 1e-30, 1e30, True)
    with pytest.raises(ValueError, match=r"params\.min_width must be a number or None, got 'wide'"):
        pucker.Params(min_width="wide")


def test_saved_runs_keep_a_width():
    wrinkler = pucker.Wrinkler(CLIP, pucker.Params(threshold=1.1))
    for positions, time in zip(CLIP.positions[:12], CLIP.times, strict=False):
        wrinkler.advance(positions, time)
    again = pucker.Wrinkler.restore(wrinkler.save())
    assert again.params == wrinkler.params
    assert again.save() == wrinkler.save()


def test_a_run_saved_by_another_version_is_refused_with_it():
    saved = bytearray(pucker.Wrinkler(CLIP).save())
    line = bytes(saved[: saved.index(b"\n")])
    with pytest.raises(pucker.Error, match=r"of another version of pucker: they begin with 'pucker run 1', not with"):
        pucker.Wrinkler.restore(bytes(saved).replace(line, b"pucker run 1", 1))


def test_measures_and_bakes_take_shares(tmp_path):
    wide = pucker.Params(relative_width=0.02)
    absolute = pucker.Params(min_width=0.02 * CLIP.height)
    one, other = (metrics.measure(CLIP, params).summary for params in (wide, absolute))
    assert one == pytest.approx(other, nan_ok=True)
    reports = [bake.surface(CLIP, tmp_path / f"{k}.npz", params=p) for k, p in enumerate((wide, absolute))]
    assert reports[0].triangles == reports[1].triangles
