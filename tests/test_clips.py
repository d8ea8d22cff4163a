"""Every clip of every example file from its first frame to its last, with the invariants checked in each frame."""

import pickle
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from motion import expect_valid, params_for

import pucker
from pucker._core.sources import pack_clip, read_clip
from pucker.examples import bending_sleeve

DATA = Path(__file__).resolve().parents[1] / "data"

# The cloth of each file.
PARTS: dict[str, list[str] | None] = {
    "kimono_male.gltf": ["Clothes", "Band"],
    "mage.glb": ["Mage_Body", "Mage_ArmLeft", "Mage_ArmRight", "Mage_Cape"],
    "female_dress.fbx": ["Dress"],
    "cowboy.dae": [
        f"joint:{joint}" for joint in ("Torso", "Chest", "Upper_Arm_*", "Lower_Arm_*", "Upper_Leg_*", "Lower_Leg_*")
    ],
    "kyonshi_lower.md3": ["l_lower", "l_dress"],
    "kyonshi_upper.md3": ["u_torso", "u_sleeve"],
    "tshirt_wind.zip": None,
}

# Two short clips of different formats run by default, all others with the slow tests.
QUICK = {("kimono_male.gltf", "Walk"), ("kyonshi_lower.md3", None)}


def cases() -> list:
    out = []
    for name, parts in PARTS.items():
        clips = list(pucker.inspect(DATA / name).clips) or [None]
        for clip in clips:
            marks = [] if (name, clip) in QUICK else [pytest.mark.slow]
            out.append(pytest.param(name, clip, parts, marks=marks, id=f"{name} {clip}"))
    return out


@pytest.mark.parametrize(("name", "clip_name", "parts"), cases())
@pytest.mark.parametrize("method", ["edges", "projection"])
def test_every_frame_of_the_clip_keeps_the_invariants(name, clip_name, parts, method):
    clip = pucker.load(DATA / name, clip=clip_name, parts=parts)
    wrinkler = pucker.Wrinkler(clip, params_for(clip, persistence={"method": method}))
    for frame in clip:
        state = wrinkler.advance(frame.positions, frame.time)
        expect_valid(clip.mesh, state, frame.positions)
    assert pucker.Wrinkler.restore(wrinkler.save()).wrinkles == wrinkler.wrinkles


def heights_on_edges(wrinkle: pucker.Wrinkle) -> dict[tuple[int, int], float]:
    """Height of the wrinkle where it crosses each mesh edge that it crosses once."""
    on_edge = wrinkle.depth == 0
    crossed = [(a, b) for a, b in wrinkle.vertices[on_edge].tolist()]
    times = Counter(crossed)
    return {edge: height for edge, height in zip(crossed, wrinkle.heights[on_edge], strict=True) if times[edge] == 1}


def height_steps(clip: pucker.Clip, given: pucker.Params) -> np.ndarray:
    """By how much the height of each living wrinkle changes from frame to frame where it crosses one and the same edge, as a
    share of what the rate of heights allows."""
    wrinkler = pucker.Wrinkler(clip, given)
    before: dict[int, dict[tuple[int, int], float]] = {}
    steps, time = [], 0.0
    for frame in clip:
        state = wrinkler.advance(frame.positions, frame.time)
        now = {w.id: heights_on_edges(w) for w in state.wrinkles if w.alive}
        allowed = given.shape.height_rate * given.min_width * (frame.time - time)
        for number in now.keys() & before.keys():
            old, new = before[number], now[number]
            steps += [abs(new[edge] - old[edge]) / allowed for edge in old.keys() & new.keys()]
        before, time = now, frame.time
    return np.array(steps)


@pytest.mark.parametrize(("name", "clip_name", "parts"), cases())
def test_no_height_jumps_where_a_wrinkle_crosses_an_edge(name, clip_name, parts):
    clip = pucker.load(DATA / name, clip=clip_name, parts=parts)
    assert height_steps(clip, params_for(clip)).max(initial=0.0) <= 1.05
    # Points that move in space also slide along their path, with their sizes.
    walked = height_steps(clip, params_for(clip, persistence={"method": "projection"}))
    assert np.count_nonzero(walked > 1.05) <= 1e-3 * len(walked) + 3


@pytest.mark.parametrize(
    ("name", "clip_name", "least"),
    [("kimono_male.gltf", "Walk", 10), ("kimono_male.gltf", "Run", 10), ("female_dress.fbx", "*Run", 3)],
)
def test_a_character_in_motion_has_wrinkles(name, clip_name, least):
    (full_name,) = (n for n in pucker.inspect(DATA / name).clips if Path(n).match(clip_name) or n == clip_name)
    clip = pucker.load(DATA / name, clip=full_name, parts=PARTS[name])
    wrinkler = pucker.Wrinkler(clip, params_for(clip))
    counts = [len(wrinkler.advance(frame.positions, frame.time).wrinkles) for frame in clip]
    assert max(counts) >= least


def test_a_character_that_stops_comes_to_rest_bit_for_bit():
    clip = pucker.load(DATA / "kimono_male.gltf", clip="Walk", parts=PARTS["kimono_male.gltf"])
    wrinkler = pucker.Wrinkler(clip, params_for(clip))
    stop, previous, changed = 20, None, 0
    for frame in range(stop + 120):
        state = wrinkler.advance(clip.positions[min(frame, stop)], frame / 30)
        now = [(w.id, w.alive, w.points.tobytes(), w.knot_widths.tobytes(), w.knot_heights.tobytes())
               for w in state.wrinkles]  # fmt: skip
        if now != previous:
            changed = frame
        previous = now
    assert previous
    assert changed < stop + 60


@pytest.mark.parametrize(
    ("name", "clip", "parts"), [("kimono_male.gltf", "Walk", ["Clothes"]), ("mage.glb", "Walking_A", None)]
)
def test_a_clip_is_handed_over_as_it_is(name, clip, parts, data_dir, tmp_path):
    file, loaded = tmp_path / "clip.npz", pucker.load(data_dir / name, clip=clip, parts=parts)
    file.write_bytes(pack_clip(loaded))
    assert pickle.dumps(read_clip(file)) == pickle.dumps(loaded)


def test_what_is_no_clip_is_refused(data_dir, tmp_path):
    file = tmp_path / "clip.npz"
    content = pack_clip(bending_sleeve())
    file.write_bytes(content[: len(content) // 2])
    with pytest.raises(pucker.Error, match=r"clip\.npz: is truncated or damaged"):
        read_clip(file)
    file.write_bytes(content)
    with np.load(file) as archive:
        arrays = dict(archive)
    for change, told in (
        ({"positions": arrays["positions"][:-3]}, "positions"),
        ({"garment.faces": arrays["garment.faces"] + 100000}, r"\[0, "),
        ({"name": np.float64(3)}, "name is no text"),
        ({"parts.sizes": np.array([9])}, "parts is shorter than its parts"),
    ):
        np.savez(file, **(arrays | change))
        with pytest.raises(pucker.Error, match=rf"clip\.npz is no clip of pucker: .*{told}"):
            read_clip(file)
    np.savez(file, **{key: value for key, value in arrays.items() if key != "times"})
    with pytest.raises(pucker.Error, match="times is missing"):
        read_clip(file)


def test_other_texture_coordinates_split_vertices_where_they_differ(rng):
    clip = pucker.load(DATA / "mage.glb", clip="Walking_A", parts=["Mage_Body"])
    same = clip.with_texture(clip.uv[clip.stored_faces])
    np.testing.assert_array_equal(same.uv[same.stored_faces], clip.uv[clip.stored_faces])
    np.testing.assert_array_equal(same.weld[same.stored_faces], clip.weld[clip.stored_faces])
    corners = rng.random((len(clip.faces), 3, 2))
    other = clip.with_texture(corners)
    np.testing.assert_array_equal(other.uv[other.stored_faces], corners)
    assert len(other.uv) == 3 * len(clip.faces)
    np.testing.assert_array_equal(other.faces, clip.faces)
    np.testing.assert_array_equal(other.positions, clip.positions)
    np.testing.assert_array_equal(other.rest, clip.rest)
    with pytest.raises(ValueError, match="corners must have shape"):
        clip.with_texture(corners[1:])
    with pytest.raises(ValueError, match="must be finite"):
        clip.with_texture(np.full_like(corners, np.nan))
