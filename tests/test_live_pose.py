"""Joints of a live page's character, turned by its reader: what follows them is where Python has it."""

import numpy as np
import pytest
from page_browser import browser_page
from posing import points_of_body, posed
from test_live import WASM, computed, size_of, wait_for

import pucker
from pucker import drape, page

pytestmark = pytest.mark.skipif(not WASM.exists(), reason="no pucker.wasm; ./run wasm makes it")

TURNS = {"UpperArm.L": [20.0, -30.0, 45.0], "Torso": [0.0, 25.0, 10.0]}
ADDRESS = "turn=" + ";".join(f"{name}:{','.join(map(str, angles))}" for name, angles in TURNS.items())


@pytest.fixture(scope="module")
def walk(data_dir):
    return pucker.load(data_dir / "kimono_male.gltf", clip="Walk", parts=["Clothes"])


@pytest.fixture(scope="module")
def live_page(walk, tmp_path_factory):
    file = tmp_path_factory.mktemp("live") / "live.html"
    page.write(walk, file, params=drape.Params(levels=1), live=True)
    return file


def draped(clip, params, frames, times):
    """Python's run over posed frames, pairs of garment and body; fine positions of each."""
    cut = drape.cut_of(clip, params.cut)
    body = drape.Body(clip.body_weld[clip.body_faces], [each for _, each in frames], points_of_body(clip, cut.body))
    run = drape.Drape(clip.mesh, cut.pose, params, clip.shared_vertices, "", body)
    return [
        np.array(run.advance(garment, time).detail.fine_positions)
        for (garment, _), time in zip(frames, times, strict=True)
    ]


def taken(opened, frame):
    """Garment and body of a frame, from which the page computes."""
    return [
        np.reshape(opened.page.evaluate(f"[...pucker.live.frame({frame}).{part}]"), (-1, 3))
        for part in ("garment", "body")
    ]


def away(found, expected, clip):
    return np.linalg.norm(np.asarray(found) - expected, axis=1).max() / size_of(clip)


def drawn(opened, points):
    """What the page draws of garment ("coarsePoints") or body ("bodyPoints")."""
    seen = opened.page.evaluate(f"[...pucker.scene.{points}.positions]")
    return np.reshape(seen, (-1, 3)) + opened.page.evaluate("pucker.head.origin")


def choose(opened, joint):
    opened.page.evaluate("document.getElementById('pose').open = true")
    opened.page.select_option("#joint", label=joint)


def wait_until(opened, what):
    for _ in range(600):
        if opened.page.evaluate(what):
            return
        opened.page.wait_for_timeout(100)
    raise AssertionError(what)


def test_wrinkles_on_a_posed_clip_are_those_of_python(walk, live_page):
    with browser_page() as opened:
        opened.open(live_page, ADDRESS)
        frames = [taken(opened, frame) for frame in range(6)]
        expected = draped(walk, drape.Params(levels=1), frames, walk.times[:6])
        for frame in (0, 1, 5):
            # The cloth is that of Python for the same positions; it may turn on less than the 1e-7 by which these differ.
            garment, body = posed(walk, frame, TURNS)
            assert away(frames[frame][0], garment, walk) < 1e-7
            assert away(frames[frame][1], points_of_body(walk, body), walk) < 1e-7
            assert away(computed(opened, frame), expected[frame], walk) < 1e-6
            assert away(drawn(opened, "coarsePoints"), garment, walk) < 1e-7
            assert away(drawn(opened, "bodyPoints"), points_of_body(walk, body), walk) < 1e-7
        assert away(drawn(opened, "coarsePoints"), walk.positions[5], walk) > 0.1
        assert opened.complaints == []


def test_a_slider_turns_a_joint_and_the_cloth_follows(walk, live_page):
    params = drape.Params(levels=1)
    with browser_page() as opened:
        opened.open(live_page)
        wait_for(opened, 0)
        still = taken(opened, 0)
        choose(opened, "LowerArm.R")
        opened.page.get_by_label("turn about z").fill("40")
        wait_until(opened, "pucker.settling === 0")
        turned = taken(opened, 0)
        assert away(turned[0], posed(walk, 0, {"LowerArm.R": [0.0, 0.0, 40.0]})[0], walk) < 1e-7
        # Time goes on while the clip stands: the frame as it came, then 20 times as it was turned.
        times = (walk.times[-1] - walk.times[0]) / (len(walk) - 1) * np.arange(21) + walk.times[0]
        expected = draped(walk, params, [still, *[turned] * 20], times)
        assert away(computed(opened, 0), expected[-1], walk) < 1e-6
        opened.page.get_by_text("reset joint").click()
        wait_until(opened, "pucker.settling === 0")
        np.testing.assert_array_equal(taken(opened, 0)[0], walk.positions[0])
        assert opened.complaints == []


def test_a_joint_that_is_dragged_follows_the_pointer(live_page):
    with browser_page() as opened:
        opened.open(live_page, "split=0&pose")
        wait_for(opened, 0)
        wait_until(opened, "!document.getElementById('joints').hidden")

        def place(name):
            box = opened.page.locator(f"#joints i[title='{name}']").bounding_box()
            return np.array([box["x"] + 0.5 * box["width"], box["y"] + 0.5 * box["height"]])

        upper, hand = place("UpperArm.L"), place("LowerArm.L")
        to = upper + np.array([[0.0, 1.0], [-1.0, 0.0]]) @ (hand - upper)
        opened.page.mouse.move(*hand)
        opened.page.mouse.down()
        opened.page.mouse.move(*(0.5 * (hand + to)))
        opened.page.mouse.move(*to)
        opened.page.mouse.up()
        wait_until(opened, "pucker.settling === 0")
        assert opened.page.evaluate("document.getElementById('joint').selectedOptions[0].text") == "UpperArm.L •"
        np.testing.assert_allclose(place("UpperArm.L"), upper, atol=1.0)
        found, wished = place("LowerArm.L") - upper, to - upper
        # Perspective lengthens or shortens what turns about the line of sight.
        assert found @ wished > 0.999 * np.linalg.norm(found) * np.linalg.norm(wished)
        assert opened.complaints == []


def test_a_joint_of_the_address_that_there_is_not_is_told(live_page):
    with browser_page() as opened:
        opened.open(live_page, "turn=Torso:0,0,9;Tail:0,0,10")
        wait_for(opened, 0)
        assert opened.page.inner_text("#refused") == "there is no joint Tail"
        assert not opened.page.evaluate("pucker.live.pose.turned")


def test_what_has_no_skin_offers_no_joints(tmp_path):
    page.write(
        pucker.examples.bending_sleeve(frames=3), tmp_path / "live.html", params=drape.Params(levels=1), live=True
    )
    with browser_page() as opened:
        opened.open(tmp_path / "live.html")
        wait_for(opened, 0)
        assert not opened.page.locator("#pose").is_visible()
        assert opened.complaints == []


def test_a_skin_takes_little_room(walk, live_page, tmp_path, monkeypatch):
    monkeypatch.setattr("pucker.page.live.write_skin", lambda *_: None)
    page.write(walk, tmp_path / "without.html", params=drape.Params(levels=1), live=True)
    assert live_page.stat().st_size - (tmp_path / "without.html").stat().st_size < 60_000
