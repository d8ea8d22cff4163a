"""A reader's own character on a live page: dropped or chosen, it wrinkles as in Python; what cannot be taken is told."""

import base64
import json

import numpy as np
import pytest
from gltf_packed import glb, opened, packed
from page_browser import browser_page
from picture_check import assert_same_picture
from posing import points_of_body, posed
from test_io_morphs import morphing
from test_live import WASM, computed, wait_for, worst
from test_live_pose import away, choose, drawn, taken, wait_until
from test_vrm import JAPANESE, VROID

import pucker
from pucker import byexample, drape, names, page

pytestmark = pytest.mark.skipif(not WASM.exists(), reason="no pucker.wasm; ./run wasm makes it")

_TRANSFER = """([name, text]) => {
  const transfer = new DataTransfer();
  transfer.items.add(new File([Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0))], name));
  return transfer;
}"""


@pytest.fixture(scope="module")
def kimono(data_dir, tmp_path_factory):
    file = tmp_path_factory.mktemp("own") / "kimono.glb"
    file.write_bytes(packed(data_dir / "kimono_male.gltf"))
    return file


@pytest.fixture(scope="module")
def sleeve_page(tmp_path_factory):
    """Of another clip, with parameters that are not the usual ones."""
    file = tmp_path_factory.mktemp("live") / "sleeve.html"
    params = drape.Params(levels=1, gain=1.5)
    page.write(pucker.examples.bending_sleeve(frames=4), file, params=params, live=True)
    return file, params


def after(browser, act):
    """Waits until what `act` begins has ended; what the page tells then."""
    count = int(browser.tells("own") or 0)
    act()
    browser.page.locator(f"html[data-own='{count + 1}']").wait_for(timeout=60000)
    return browser.page.inner_text("#own_told")


def drop(browser, name, content):
    """Drops a file onto the page."""
    transfer = browser.page.evaluate_handle(_TRANSFER, [name, base64.b64encode(content).decode()])
    return after(browser, lambda: browser.page.dispatch_event("canvas", "drop", {"dataTransfer": transfer}))


def chosen(browser):
    """Names of the parts that are cloth."""
    boxes = browser.page.locator("#own_parts input:checked")
    return [box.get_attribute("name") for box in boxes.all()]


def show(browser, clip=None, parts=None):
    if clip is not None:
        browser.page.select_option("#own_clip", label=clip)
    for box in browser.page.locator("#own_parts input").all() if parts is not None else ():
        box.set_checked(box.get_attribute("name") in parts)
    told = after(browser, lambda: browser.page.click("#own_show"))
    browser.page.evaluate("pucker.play(false)")
    return told


def test_a_dropped_character_wrinkles_as_in_python(sleeve_page, kimono):
    file, params = sleeve_page
    with browser_page() as browser:
        browser.open(file)
        wait_for(browser, 0)
        assert drop(browser, "kimono.glb", kimono.read_bytes()) == ""
        assert browser.page.evaluate("document.getElementById('file').files[0].name") == "kimono.glb"
        # The page goes on with its own clip until the other one is asked for.
        assert browser.page.inner_text("#title") == "arrays"
        assert chosen(browser) == ["Clothes", "Band"]
        # The band lies so close to the clothes that the last bits say on which side its edges come to rest.
        assert show(browser, "Walk", ["Clothes"]) == ""
        assert browser.page.inner_text("#title") == "kimono Walk"
        walk = pucker.load(kimono, clip="Walk", parts=["Clothes"])
        assert worst(browser, walk, params, {0, 1, 9}) < 1e-4
        browser.page.evaluate("pucker.setFrame(9)")
        assert away(drawn(browser, "coarsePoints"), walk.positions[9], walk) < 1e-6
        assert away(drawn(browser, "bodyPoints"), points_of_body(walk, walk.body_positions[9]), walk) < 1e-6
        # Another clip, from the beginning.
        assert show(browser, "Run", ["Clothes"]) == ""
        run = pucker.load(kimono, clip="Run", parts=["Clothes"])
        assert worst(browser, run, params, {0, 2}) < 1e-4
        assert [url for url in browser.asked if not url.startswith(("file:", "data:", "about:"))] == []
        assert browser.complaints == []


def test_a_chosen_file_wrinkles_by_keyboard_with_a_changed_parameter(data_dir, tmp_path):
    params = pucker.Params(min_width=0.1)
    page.write(pucker.examples.bending_sleeve(frames=3), tmp_path / "live.html", params=params, live=True, levels=2)
    with browser_page() as browser:
        browser.open(tmp_path / "live.html")
        wait_for(browser, 0)
        browser.page.evaluate("document.getElementById('own').open = true")
        told = after(browser, lambda: browser.page.set_input_files("#file", data_dir / "mage.glb"))
        assert told == ""
        assert chosen(browser) == ["Mage_Cape"]
        browser.page.evaluate("document.getElementById('parameters').open = true")
        browser.page.locator("#parameters input[name=threshold]").first.fill("1.1")
        browser.page.locator("#parameters input[name=threshold]").first.press("Enter")
        browser.page.select_option("#own_clip", label="Sit_Floor_Down")
        browser.page.locator("#own_parts input[name=Mage_Body]").press("Space")
        browser.page.locator("#own_show").focus()
        assert after(browser, lambda: browser.page.keyboard.press("Enter")) == ""
        browser.page.evaluate("pucker.play(false)")
        clip = pucker.load(data_dir / "mage.glb", clip="Sit_Floor_Down", parts=["Mage_Body", "Mage_Cape"])
        assert worst(browser, clip, params.replace(threshold=1.1), {0, 8, 15}, pieces=2) < 1e-4
        assert browser.complaints == []


@pytest.mark.parametrize(
    ("name", "clip", "parts"), [("kimono_male.gltf", "Walk", "Clothes"), ("mage.glb", "Idle", "Mage_Body")]
)
def test_it_looks_as_on_a_page_that_python_wrote(data_dir, tmp_path, name, clip, parts):
    """Colours, textures, normals and view, of the same character before and after it was dropped."""
    page.write(
        pucker.load(data_dir / name, clip=clip, parts=parts),
        tmp_path / "live.html",
        params=drape.Params(levels=1),
        live=True,
    )
    with browser_page() as browser:
        browser.open(tmp_path / "live.html")
        computed(browser, 4)
        before = browser.picture((400, 400))
        drop(browser, name, packed(data_dir / name))
        show(browser, clip, [parts])
        computed(browser, 4)
        assert_same_picture(browser.picture((400, 400)), before, limit=4, share=0.002)


def test_parameters_and_overlays_are_those_of_the_page(data_dir, tmp_path):
    """Also where all of a character is cloth, and changed after it was dropped."""
    params = pucker.Params(min_width=0.1)
    page.write(pucker.examples.bending_sleeve(frames=3), tmp_path / "live.html", params=params, live=True, levels=1)
    with browser_page() as browser:
        browser.open(tmp_path / "live.html", "show=labels")
        wait_for(browser, 0)
        drop(browser, "kimono_male.gltf", (data_dir / "kimono_male.gltf").read_bytes())
        browser.page.evaluate("document.getElementById('parameters').open = true")
        browser.page.evaluate(
            "document.querySelectorAll('#parameters details').forEach((group) => (group.open = true))"
        )
        assert show(browser, "Idle", ["Skin", "Clothes", "Band", "Face"]) == ""
        clip = pucker.load(data_dir / "kimono_male.gltf", clip="Idle")
        for name, value in {"threshold": "1.1", "min_width": "0.15"}.items():
            field = browser.page.locator(f"#parameters input[name={name}]").first
            field.fill(value)
            field.press("Enter")
            wait_until(browser, f"pucker.live.values.{name} === '{value}'")
        changed = params.replace(threshold=1.1, min_width=0.15)
        assert worst(browser, clip, changed, {0, 6}, pieces=1) < 1e-4
        assert browser.page.evaluate("pucker.scene.body === undefined")
        state = next(state for state in pucker.run(clip, changed) if state.frame == 6)
        labels = browser.page.evaluate("[...pucker.live.overlays.labels]")
        np.testing.assert_array_equal(np.reshape(labels, (-1, 4)), pucker.label_tints(state.labels))
        assert browser.complaints == []


def test_what_morph_targets_move_has_no_joints_to_turn(sleeve_page, tmp_path, rng):
    file = morphing(tmp_path / "sheet.gltf", rng, skinned=True)
    with browser_page() as browser:
        browser.open(sleeve_page[0])
        wait_for(browser, 0)
        drop(browser, "sheet.gltf", file.read_bytes())
        assert show(browser, "flap") == ""
        computed(browser, 3)
        sheet = pucker.load(file)
        assert away(drawn(browser, "coarsePoints"), sheet.positions[3], sheet) < 1e-6
        assert not browser.page.is_visible("#pose")


def test_pictures_that_a_file_does_not_hold_are_told(sleeve_page, data_dir):
    content = (data_dir / "mage.glb").read_bytes()
    size = int.from_bytes(content[12:16], "little")
    tree = json.loads(content[20 : 20 + size])
    tree["images"] = [{"uri": "mage.png"}]
    with browser_page() as browser:
        browser.open(sleeve_page[0])
        wait_for(browser, 0)
        drop(browser, "mage.glb", glb(tree, content[28 + size :]))
        assert show(browser, "Idle") == "mage.glb does not hold 1 of its pictures, without which it is plain"
        assert browser.page.inner_text("#title") == "mage Idle"


def test_its_joints_can_be_turned_and_without_a_clip_it_stands(sleeve_page, data_dir, tmp_path):
    """An avatar of VRM 0, whose mesh faces the other way than it does."""
    tree, content = opened(data_dir / "kimono_male.gltf")
    tree |= {"extensions": {"VRM": {"specVersion": "0.0"}}, "extensionsUsed": ["VRM"]}
    (tmp_path / "kimono.vrm").write_bytes(glb(tree, content))
    walk = pucker.load(tmp_path / "kimono.vrm", clip="Walk", parts="Clothes")
    with browser_page() as browser:
        browser.open(sleeve_page[0])
        wait_for(browser, 0)
        drop(browser, "kimono.vrm", glb(tree, content))
        show(browser, "Walk", ["Clothes"])
        choose(browser, "LowerArm.R")
        browser.page.get_by_label("turn about z").fill("40")
        wait_until(browser, "pucker.settling === 0")
        garment, body = posed(walk, 0, {"LowerArm.R": [0.0, 0.0, 40.0]})
        found = taken(browser, 0)
        assert away(found[0], garment, walk) < 1e-6
        assert away(found[1], points_of_body(walk, body), walk) < 1e-6
        del tree["animations"]
        told = drop(browser, "still.glb", glb(tree, content))
        assert told == "still.glb has no animation, so it stands in its bind pose; its joints can be turned"
        show(browser, None, ["Clothes"])
        computed(browser, 0)
        assert browser.page.inner_text("#title") == "still bind pose"
        still = taken(browser, 0)[0]
        assert np.ptp(still, axis=0) == pytest.approx(np.ptp(walk.rest, axis=0), rel=1e-5)
        choose(browser, "UpperArm.L")
        browser.page.get_by_label("turn about x").fill("-60")
        wait_until(browser, "pucker.settling === 0")
        assert away(taken(browser, 0)[0], still, walk) > 0.1
        assert browser.complaints == []


def test_what_cannot_be_taken_is_told_and_the_page_goes_on(sleeve_page, kimono):
    file, params = sleeve_page
    sleeve = pucker.examples.bending_sleeve(frames=4)
    with browser_page() as browser:
        browser.open(file)
        assert drop(browser, "notes.txt", b"no character") == "notes.txt is no GLB file: it does not begin with glTF"
        assert drop(browser, "half.glb", kimono.read_bytes()[:5000]).startswith("half.glb is truncated: a chunk of ")
        assert worst(browser, sleeve, params, {0, 1}) < 1e-4
        assert drop(browser, "kimono.glb", kimono.read_bytes()) == ""
        assert (
            show(browser, "Walk", []) == "kimono.glb would have no cloth: choose at least one part that has triangles"
        )
        assert show(browser, "Walk", ["Clothes"]) == ""
        drop(browser, "notes.txt", b"no character")
        walk = pucker.load(kimono, clip="Walk", parts=["Clothes"])
        assert worst(browser, walk, params, {0, 1}) < 1e-4
        assert browser.page.inner_text("#title") == "kimono Walk"
        assert browser.complaints == []


def test_a_set_that_was_trained_for_another_garment_is_told(data_dir, tmp_path, kimono):
    params = byexample.Params(trained=str(data_dir / "kimono.pose.npz"))
    walk = pucker.load(data_dir / "kimono_male.gltf", clip="Walk", parts="Clothes", fps=10)
    page.write(walk, tmp_path / "live.html", params=params, live=True)
    with browser_page() as browser:
        browser.open(tmp_path / "live.html")
        computed(browser, 2)
        drop(browser, "mage.glb", (data_dir / "mage.glb").read_bytes())
        told = show(browser, "Walking_A", ["Mage_Cape"])
        assert told.startswith("the set was trained on a mesh of 522 vertices, not 56")
        assert worst(browser, walk, params, {0, 2}) < 1e-4
        drop(browser, "kimono.glb", kimono.read_bytes())
        assert show(browser, "Run", ["Clothes"]) == ""
        run = pucker.load(kimono, clip="Run", parts=["Clothes"])
        assert worst(browser, run, params, {0, 5}) < 1e-4


def test_names_tell_cloth_as_in_python(sleeve_page):
    parts = [
        *VROID,
        *VROID.values(),
        *JAPANESE.values(),
        "Mage_Cape",
        "SteelHelmet",
        "joint_01",
        "T-Shirt",
        "靴下",
        "BodyArmour",
    ]
    clips = ["Death_A", "Armature|JumpLand", "Walk", "Idle", "HitReact", "Rolling"]
    with browser_page() as browser:
        browser.open(sleeve_page[0])
        found = browser.page.evaluate(
            """([parts, clips]) => {
              const {names} = pucker.dropping;
              return [parts.map((name) => [names.isBody(name), names.isCloth(name)]), clips.map((name) => names.clip([{name, duration: 1}, {name: "Idle", duration: 1}]).name)];
            }""",
            [parts, clips],
        )
        assert found[0] == [[names.is_body(name), names.is_cloth(name)] for name in parts]
        assert found[1] == ["Idle" if names.is_unusual(name) else name for name in clips]
        lists = [["Skin", "Coat"], ["Face", "Metal", "Mantle"], ["Face", "Metal"], ["Face"]]
        cloth = browser.page.evaluate("(lists) => lists.map((names) => pucker.dropping.names.cloth(names))", lists)
        assert cloth == [["Coat"], ["Mantle"], ["Metal"], ["Face"]]
