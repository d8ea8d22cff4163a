"""Every clip of every example file from its first frame to its last, with the invariants checked in each frame."""

from pathlib import Path

import pytest
from motion import expect_valid, params_for

import pucker

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
    wrinkler = pucker.Wrinkler(clip.mesh, params_for(clip, persistence={"method": method}))
    for frame in clip:
        state = wrinkler.advance(frame.positions, frame.time)
        expect_valid(clip.mesh, state, frame.positions)
    assert pucker.Wrinkler.restore(wrinkler.save()).wrinkles == wrinkler.wrinkles


@pytest.mark.parametrize(
    ("name", "clip_name", "least"),
    [("kimono_male.gltf", "Walk", 10), ("kimono_male.gltf", "Run", 10), ("female_dress.fbx", "*Run", 3)],
)
def test_a_character_in_motion_has_wrinkles(name, clip_name, least):
    (full_name,) = (n for n in pucker.inspect(DATA / name).clips if Path(n).match(clip_name) or n == clip_name)
    clip = pucker.load(DATA / name, clip=full_name, parts=PARTS[name])
    wrinkler = pucker.Wrinkler(clip.mesh, params_for(clip))
    counts = [len(wrinkler.advance(frame.positions, frame.time).wrinkles) for frame in clip]
    assert max(counts) >= least


def test_a_character_that_stops_comes_to_rest_bit_for_bit():
    clip = pucker.load(DATA / "kimono_male.gltf", clip="Walk", parts=PARTS["kimono_male.gltf"])
    wrinkler = pucker.Wrinkler(clip.mesh, params_for(clip))
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
