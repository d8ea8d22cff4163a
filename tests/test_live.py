"""A live page: what it computes in a browser is what Python computes, and it says what it cannot do."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from page_browser import browser_page

import pucker
from pucker import byexample, drape, page, waves
from pucker.cli import cli
from pucker.method import method_of
from pucker.page import live

ROOT = Path(__file__).resolve().parents[1]
WASM = ROOT / "python/pucker/page/pucker.wasm"

needs_wasm = pytest.mark.skipif(not WASM.exists(), reason="no pucker.wasm; ./run wasm makes it")

_SEEN = "[...pucker.live.kept.get({frame}).positions]"


def size_of(clip):
    return np.ptp(clip.positions.reshape(-1, 3), axis=0).max()


def fine_of(clip, state, pieces):
    own = state.detail.own_mesh if hasattr(state.detail, "own_mesh") else None
    if own is not None:
        return np.asarray(state.detail.fine_positions)
    fine = pucker.Subdivision(clip.mesh, pieces)
    return state.detail.evaluate(fine.triangles, fine.barycentrics).positions


def wait_for(opened, frame):
    opened.page.locator(f"html[data-frame='{frame}']").wait_for(timeout=120000)


def computed(opened, frame):
    """Fine positions of a frame, from the page."""
    opened.page.evaluate(f"pucker.setFrame({frame})")
    wait_for(opened, frame)
    seen = opened.page.evaluate(_SEEN.format(frame=frame))
    return np.reshape(seen, (-1, 3)) + opened.page.evaluate("pucker.head.origin")


def worst(opened, clip, params, frames, pieces=4):
    """The largest distance from Python's run, as a share of the character's size."""
    away = []
    for state in pucker.run(clip, params):
        if state.frame in frames:
            expected = fine_of(clip, state, pieces)
            away.append(np.linalg.norm(computed(opened, state.frame) - expected, axis=1).max())
    return max(away) / size_of(clip)


@pytest.fixture(scope="module")
def walk(data_dir):
    return pucker.load(data_dir / "kimono_male.gltf", clip="Walk", parts=["Clothes"])


@pytest.fixture(scope="module")
def sleeve():
    return pucker.examples.bending_sleeve(frames=12)


@needs_wasm
@pytest.mark.parametrize("method", ["drape", "byexample"])
def test_a_character_moves_as_in_python(walk, data_dir, tmp_path, record_property, method):
    params = {
        "drape": drape.Params(levels=1),
        "byexample": byexample.Params(trained=str(data_dir / "kimono.pose.npz")),
    }[method]
    report = page.write(walk, tmp_path / "live.html", params=params, live=True)
    record_property("bytes", report.bytes)
    with browser_page() as opened:
        opened.open(tmp_path / "live.html")
        wait_for(opened, 0)
        assert worst(opened, walk, params, {0, 1, 9, 20}) < 1e-4
        assert opened.complaints == []


@needs_wasm
def test_dynamic_wrinkles_are_the_same(sleeve, tmp_path):
    params = pucker.Params(min_width=0.02)
    page.write(sleeve, tmp_path / "live.html", params=params, live=True, levels=4)
    with browser_page() as opened:
        opened.open(tmp_path / "live.html")
        assert worst(opened, sleeve, params, {0, 5, 11}) < 1e-4
        assert opened.complaints == []


@needs_wasm
def test_labels_and_paths_are_shown_as_they_are_computed(sleeve, tmp_path):
    params = pucker.Params(min_width=0.02)
    page.write(sleeve, tmp_path / "live.html", params=params, live=True, levels=2)
    state = next(state for state in pucker.run(sleeve, params) if state.frame == 5)
    pieces = []
    for points, heights in method_of(params).overlays()[1].curves(state, sleeve.mesh):
        line = np.column_stack([points, heights])
        pieces.append(np.hstack([line[:-1], line[1:]]))
    with browser_page() as opened:
        opened.open(tmp_path / "live.html", "split=0&show=labels")
        plain = opened.picture((200, 200)).astype(int)
        computed(opened, 5)
        labels, paths = opened.page.evaluate("['labels', 'paths'].map((name) => [...pucker.live.overlays[name]])")
        np.testing.assert_array_equal(np.reshape(labels, (-1, 4)), pucker.label_tints(state.labels))
        origin = np.tile([*opened.page.evaluate("pucker.head.origin"), 0.0], 2)
        np.testing.assert_allclose(np.reshape(paths, (-1, 8)) + origin, np.concatenate(pieces), rtol=0, atol=1e-6)
        # Colours of stretched and contracted triangles, and then lines over them.
        tinted = opened.picture((200, 200)).astype(int)
        assert np.ptp(tinted, axis=2).max() > np.ptp(plain, axis=2).max() + 50
        opened.page.get_by_label("paths").check()
        assert np.abs(opened.picture((200, 200)).astype(int) - tinted).max() > 50
        assert opened.complaints == []


@needs_wasm
def test_waves_are_the_same(walk, tmp_path):
    page.write(walk, tmp_path / "live.html", params=waves.Params(), live=True, levels=2)
    with browser_page() as opened:
        opened.open(tmp_path / "live.html")
        assert worst(opened, walk, waves.Params(), {0, 4, 8}, pieces=2) < 1e-4
        assert opened.complaints == []


@needs_wasm
def test_a_slider_changes_what_the_parameter_does_and_a_bad_value_is_told(sleeve, tmp_path):
    params = drape.Params(levels=1)
    page.write(sleeve, tmp_path / "live.html", params=params, live=True)
    with browser_page() as opened:
        opened.open(tmp_path / "live.html")
        opened.page.evaluate("document.getElementById('parameters').open = true")
        before = computed(opened, 2)
        slider = opened.page.locator("#parameters input[type=range][aria-label=gain]")
        slider.fill("2.5")
        opened.page.locator("#parameters input[name=levels]").fill("2")
        opened.page.locator("#parameters input[name=levels]").press("Enter")
        opened.page.locator("#status", has_text=f"{16 * len(sleeve.faces)} triangles").wait_for(timeout=60000)
        changed = params.replace(gain=2.5, levels=2)
        assert computed(opened, 2).shape != before.shape
        # Which way a sleeve buckles that is the same all round turns on the last bits: a frame later the two part.
        assert worst(opened, sleeve, changed, {1, 2}) < 1e-4
        opened.page.locator("#parameters input[name=levels]").fill("9")
        opened.page.locator("#parameters input[name=levels]").press("Enter")
        told = opened.page.locator("#refused", has_text="must lie in [-1, 6], got 9")
        told.wait_for(timeout=60000)
        assert worst(opened, sleeve, changed, {2}) < 1e-4


@needs_wasm
def test_only_a_live_page_may_run_webassembly(sleeve, tmp_path):
    page.write(sleeve, tmp_path / "live.html", params=drape.Params(levels=1), live=True)
    page.write(sleeve, tmp_path / "recorded.html", params=drape.Params(levels=1))
    assert "wasm-unsafe-eval" in (tmp_path / "live.html").read_text(encoding="utf-8")
    assert "wasm-unsafe-eval" not in (tmp_path / "recorded.html").read_text(encoding="utf-8")


@needs_wasm
@pytest.mark.parametrize(
    ("given", "triangles"), [([], 3840), (["--set", "levels=2"], 15360), (["--set", "levels=-1"], 61440)]
)
def test_the_command_drapes_no_more_live_than_a_browser_keeps_up_with(data_dir, tmp_path, given, triangles):
    words = ["page", str(data_dir / "kimono_male.gltf"), "--clip", "Walk", "--parts", "Clothes", "--fps", "4", "--live"]
    done = CliRunner().invoke(cli, [*words, *given, "--json", "-o", str(tmp_path / "live.html")], prog_name="pucker")
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["triangles"] == triangles
    assert ("taking --set levels=1, with which a browser keeps up" in done.stderr) == (not given)


@pytest.mark.parametrize("how", [[], ["--live"]])
def test_a_page_of_cloth_without_triangles_is_refused(how, tmp_path):
    np.savez(tmp_path / "none.npz", faces=np.zeros((0, 3), np.int32), positions=np.ones((2, 4, 3)), times=[0.0, 0.1])
    command = [sys.executable, "-c", "from pucker.cli import main; main()", "page", str(tmp_path / "none.npz"), *how]
    # A process of its own, which can be ended where it does not end by itself.
    done = subprocess.run(
        [*command, "--quiet", "-o", str(tmp_path / "none.html")],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 2
    assert (
        done.stderr
        == f"pucker: {tmp_path / 'none.npz'} has no triangle, at most points or lines, and only triangles wrinkle\n"
    )
    with pytest.raises(ValueError, match="a page needs cloth of at least one triangle, and none all has none"):
        pucker.page.write(pucker.load(tmp_path / "none.npz"), tmp_path / "none.html")


@needs_wasm
def test_without_webassembly_the_clip_plays_and_the_page_says_so(sleeve, tmp_path):
    page.write(sleeve, tmp_path / "live.html", params=drape.Params(levels=1), live=True)
    with browser_page() as opened:
        opened.page.add_init_script("delete globalThis.WebAssembly")
        opened.open(tmp_path / "live.html")
        assert opened.tells("state") == "ready"
        opened.page.evaluate("pucker.setFrame(5)")
        assert "no WebAssembly" in opened.page.inner_text("#status")
        assert opened.tells("frame") == "5"


def test_what_a_live_page_does_not_have_is_refused(sleeve, tmp_path, monkeypatch):
    to = tmp_path / "live.html"
    with pytest.raises(ValueError, match="states and edge_share cannot be given"):
        page.write(sleeve, to, live=True, edge_share=1.0)
    with pytest.raises(
        ValueError, match="a live page has no overlay ellipses: it computes tints of the method and paths"
    ):
        page.write(sleeve, to, live=True, overlays=["paths", "ellipses"])
    with pytest.raises(ValueError, match=r"cannot hold the file that params\.painting names, a\.npz"):
        page.write(sleeve, to, params=waves.Params(painting="a.npz"), live=True)
    with pytest.raises(ValueError, match=r"params\.compute = cpu alone, not gpu"):
        page.write(sleeve, to, params=waves.Params(compute="gpu"), live=True)
    monkeypatch.setattr(live, "__file__", str(tmp_path / "live.py"))
    with pytest.raises(pucker.Error, match=r"\./run wasm makes"):
        page.write(sleeve, to, params=drape.Params(levels=1), live=True)
    assert not to.exists()


@needs_wasm
@pytest.mark.skipif(shutil.which("node") is None, reason="no node")
def test_node_runs_the_module_as_it_is(tmp_path):
    script = tmp_path / "version.mjs"
    script.write_text(
        f"""import fs from "fs";
const nothing = new Proxy({{}}, {{get: () => () => 0}});
const {{instance}} = await WebAssembly.instantiate(fs.readFileSync({str(WASM)!r}), {{env: nothing, wasi_snapshot_preview1: nothing}});
instance.exports._initialize();
const text = (at) => {{
  const bytes = new Uint8Array(instance.exports.memory.buffer, at);
  return new TextDecoder().decode(bytes.slice(0, bytes.indexOf(0)));
}};
const error = instance.exports.malloc(512);
console.log(text(instance.exports.pucker_version()));
console.log(instance.exports.pucker_params_new(0, 0, error), text(error));
""",
        encoding="utf-8",
    )
    told = subprocess.run(["node", str(script)], capture_output=True, text=True, check=True).stdout.splitlines()
    assert told == [pucker.__version__, "1 method must not be NULL"]


@pytest.mark.parametrize("name", ["index.md", "gallery.md"])
def test_pages_of_the_documentation_drape_in_the_browser(tmp_path, name):
    """As their frames have it, computed by the kept page's own core."""
    text = (ROOT / "docs" / name).read_text(encoding="utf-8")
    ((frame, source),) = re.findall(r'(<iframe src="([^"#]*)[^>]*></iframe>)', text)
    (tmp_path / "_static").symlink_to(ROOT / "docs" / "_static")
    around = f'<!doctype html><html data-state="ready"><body>{frame}</body></html>'
    (tmp_path / "around.html").write_text(around, encoding="utf-8")
    assert (tmp_path / source).is_file()
    with browser_page() as opened:
        opened.open(tmp_path / "around.html")
        inner = opened.page.frames[1]
        inner.locator("html[data-state=ready]").wait_for(timeout=60000)
        inner.locator("html[data-frame]").wait_for(timeout=120000)
        assert inner.evaluate("pucker.live.kept.size") > 0
        fine = inner.evaluate("pucker.live.kept.get(0).positions.length") / 3
        assert fine > 4 * len(pucker.load(ROOT / "data" / "kimono_male.gltf", clip="Run", parts="Clothes").positions[0])
        if name == "index.md":
            # It plays: one frame after the other is computed.
            for _ in range(400):
                if inner.evaluate("pucker.live.kept.size") > 3:
                    break
                opened.page.wait_for_timeout(300)
            assert inner.evaluate("pucker.live.kept.size") > 3
        opened.page.wait_for_timeout(500)
        opened.page.screenshot(path=tmp_path / "page.png")
        assert opened.complaints == []
