"""A page: what its numbers come to, what it shows in a browser, and what it refuses."""

import base64
import io
import re
import zlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from page_browser import browser_page
from picture_check import assert_same_picture
from PIL import Image

import pucker
from pucker import page
from pucker.page.appearance import as_url
from pucker.page.clip import check_coarse
from pucker.page.content import Coarse, Content
from pucker.page.numbers import COARSE_STEPS, FINE_STEPS, Archive, octahedral, unit_vectors
from pucker.page.surface import WEIGHT_STEPS, frames_at
from pucker.render import ClipRenderer, Style

SIZE = (480, 480)
# A page has the light of all pictures, without shadows and weave.
PAGE_STYLE = Style(shadows=False, occlusion=False, fabric=False)


def angles(a, b):
    """Degrees between unit vectors."""
    return np.degrees(np.arccos(np.clip((a * b).sum(axis=-1), -1.0, 1.0)))


def array_of(table, content):
    """The array of an entry of `Archive.table`, as archive.js finds it."""
    shape = tuple(table["shape"])
    count = int(np.prod(shape))
    part = content[table["at"] : table["at"] + count * table["width"]]
    if table["coding"] == "f4":
        return np.frombuffer(part, "<f4").reshape(shape)
    planes = np.frombuffer(part, np.uint8).reshape(table["width"], count).astype(np.int64)
    positive = sum((plane << (8 * place) for place, plane in enumerate(planes)), np.zeros(count, np.int64))
    differences = np.where(positive & 1, -((positive + 1) >> 1), positive >> 1).reshape(shape)
    return np.cumsum(differences, axis=0)


def decoded(arrays, faces, quantum, frame):
    """Positions and unit normals of the fine vertices of a frame, as surface.js finds them."""
    vertices = arrays["corner_vertices"]
    sizes, numbers = arrays["pattern_sizes"], arrays["patterns"]
    starts = np.concatenate([[0], np.cumsum(sizes[:, 0])])
    pairs = np.concatenate([arrays["pattern_weights"][starts[p] : starts[p + 1]] for p in numbers])
    weights = np.column_stack([WEIGHT_STEPS - pairs.sum(axis=1), pairs]) / WEIGHT_STEPS
    triangles = np.repeat(np.arange(len(numbers)), sizes[numbers, 0])
    own = np.unique(vertices, return_index=True)[1]
    corners = faces[triangles[own]]
    coarse = quantum * arrays["positions"][frame][corners]
    frames = frames_at(coarse, unit_vectors(arrays["normals"][frame], COARSE_STEPS)[corners], weights[own])
    base = np.einsum("kc,kcd->kd", weights[own], coarse)
    positions = base + quantum * np.einsum("kad,ak->kd", frames, arrays["offsets"][frame])
    local = unit_vectors(arrays["detail_normals"][frame].T, FINE_STEPS)
    return positions, np.einsum("kad,ka->kd", frames, local[:, [2, 0, 1]])


@given(arrays.arrays(np.int64, st.tuples(st.integers(0, 5), st.integers(0, 4)), elements=st.integers(-(2**29), 2**29)))
def test_whole_numbers_come_back(values):
    archive = Archive()
    archive.add_wholes("before", np.arange(3))
    archive.add_wholes("values", values)
    content = zlib.decompress(archive.deflated())
    assert np.array_equal(array_of(archive.table["values"], content), values)


@pytest.mark.parametrize(("steps", "most"), [(127, 1.0), (2047, 0.07)])
def test_octahedral_normals_are_right_to_their_steps(rng, steps, most):
    axes = np.concatenate([np.eye(3), -np.eye(3)])
    normals = rng.normal(size=(20000, 3))
    normals = np.concatenate([normals / np.linalg.norm(normals, axis=1)[:, None], axes])
    found = unit_vectors(octahedral(normals, steps), steps)
    assert angles(found, normals).max() < most
    assert np.allclose(found[-6:], axes)


def moved(clip, way=(0.0, 0.0, 0.0), scale=1.0):
    """A clip elsewhere, and in another unit of length."""
    return pucker.Clip.from_arrays(clip.faces, scale * (clip.positions + way), clip.times, weld=False)


def sleeve():
    return pucker.examples.bending_sleeve()


PARAMS = {"dynamic": pucker.Params(relative_width=0.02), "waves": pucker.waves.Params()}


@pytest.mark.parametrize(
    ("method", "way", "scale"),
    [
        ("dynamic", (0.0, 0.0, 0.0), 1.0),
        ("dynamic", (500.0, 0.0, -300.0), 1.0),
        ("dynamic", (0.0, 0.0, 0.0), 1e-3),
        pytest.param("waves", (0.0, 0.0, 0.0), 1.0, marks=pytest.mark.slow),
    ],
)
def test_the_fine_surface_is_right_to_two_steps_and_a_degree(method, way, scale):
    clip = moved(sleeve(), way, scale)
    states = list(pucker.run(clip, PARAMS[method]))[:12]
    most = np.max(
        [clip.mesh.edge_levels(p, 0.5 * s.detail.feature_sizes) for p, s in zip(clip.positions, states, strict=False)],
        axis=0,
    )
    fine = pucker.Subdivision(clip.mesh, most)
    content = Content(clip, fine, body=True)
    for index, state in enumerate(states):
        content.take(index, state)
    archive = Archive()
    told = content.write(archive)
    deflated = zlib.decompress(archive.deflated())
    kept = {name: array_of(entry, deflated) for name, entry in archive.table.items()}
    assert len(fine.faces) > 4 * len(clip.faces)
    assert told["quantum"] == pytest.approx(np.ptp(clip.positions, axis=1).max() / 16384)
    for index, state in enumerate(states):
        positions, normals = decoded(kept, clip.faces, told["quantum"], index)
        true = state.detail.evaluate(fine.triangles, fine.barycentrics)
        away = np.linalg.norm(positions + content.coarse.origin - true.positions, axis=1)
        assert away.max() <= 2.0 * told["quantum"]
        assert angles(normals, true.normals).max() < 1.0


@pytest.fixture(scope="module")
def walk(data_dir):
    return pucker.load(data_dir / "kimono_male.gltf", clip="Walk", parts=["Clothes", "Band"])


@pytest.fixture(scope="module")
def written(walk, tmp_path_factory):
    path = tmp_path_factory.mktemp("page") / "walk.html"
    return path, page.write(walk, path, title="A walk <b> & more")


def test_the_walk_takes_less_than_ten_megabytes(written, walk, record_property):
    path, report = written
    record_property("bytes", report.bytes)
    assert report.bytes == path.stat().st_size < 10e6
    assert report.frames == len(walk)
    assert report.edge_share in page.SHARES
    text = path.read_text(encoding="utf-8")
    assert "<title>A walk &lt;b&gt; &amp; more</title>" in text
    assert "Permission is hereby granted, free of charge" in text
    assert not re.search(r"""(?:src|href)=["']?https?:""", text)


def test_the_same_clip_gives_the_same_bytes(tmp_path):
    clip = sleeve()
    for name in ("a.html", "b.html"):
        page.write(clip, tmp_path / name, params=PARAMS["dynamic"], levels=2)
    assert (tmp_path / "a.html").read_bytes() == (tmp_path / "b.html").read_bytes()


def test_it_draws_what_all_pictures_show_and_plays_and_wipes_without_a_network(written, walk):
    path, _ = written
    states = list(pucker.run(walk))
    with browser_page() as opened, ClipRenderer(walk, SIZE, focus="all", style=PAGE_STYLE) as renderer:
        opened.open(path, "frame=20&split=0")
        assert opened.tells("state") == "ready"
        assert opened.page.inner_text("h1") == "A walk <b> & more"
        count = sum(not wrinkle.gone for wrinkle in states[20].wrinkles)
        assert opened.page.inner_text("#status") == f"frame 20, {walk.times[20]:.3f} s, {count} wrinkles"
        for split, state in ((0.0, states[20]), (1.0, None)):
            opened.page.evaluate(f"pucker.setSplit({split})")
            assert_alike(opened.picture(SIZE), renderer.frame(20, state))
        opened.page.evaluate("pucker.setSplit(0)")
        plain = opened.picture(SIZE)
        for name, least in (("labels", 2.0), ("paths", 0.2), ("wireframe", 0.5)):
            opened.page.get_by_label(name).check()
            shown = opened.picture(SIZE)
            assert difference(shown, plain) > least, name
            assert_alike(shown, renderer.frame(20, states[20], overlays=[name]))
            opened.page.get_by_label(name).uncheck()

        wiper = opened.page.locator("#wiper")
        opened.page.evaluate("pucker.setSplit(0.5)")
        box = wiper.bounding_box()
        opened.page.mouse.move(box["x"] + 22, 300)
        opened.page.mouse.down()
        opened.page.mouse.move(600, 320)
        opened.page.mouse.up()
        assert float(opened.tells("split")) == pytest.approx(600 / 800, abs=0.01)
        half = opened.picture(SIZE)
        whole = renderer.frame(20, states[20])
        assert_alike(half[:, 365:], whole[:, 365:])
        assert_alike(half[:, :355], renderer.frame(20)[:, :355])

        opened.page.mouse.move(200, 200)
        opened.page.mouse.down()
        opened.page.mouse.move(320, 200, steps=4)
        opened.page.mouse.up()
        assert difference(opened.picture(SIZE), half) > 4.0

        opened.page.locator("#play").click()
        seen = set()
        for _ in range(300):  # on a busy machine a picture takes seconds
            opened.page.wait_for_timeout(100)
            seen.add(opened.tells("frame"))
            if len(seen) >= 4:
                break
        assert len(seen) >= 4
        opened.page.locator("#play").click()
        opened.page.locator("#frame").fill("3")
        assert opened.tells("frame") == "3"
        assert opened.complaints == []
        assert [url for url in opened.asked if not url.startswith(("file:", "about:", "data:"))] == []


def difference(a, b):
    return np.abs(a.astype(int) - b).mean()


def assert_alike(shown, expected, most=0.6):
    """Alike but for where software of another kind rounds edges, and what lies between the vertices of wrinkles."""
    if difference(shown, expected) > most:
        assert_same_picture(shown, expected)


@pytest.mark.slow
def test_fingers_turn_and_wipe_it_on_a_phone(tmp_path):
    path = tmp_path / "sleeve.html"
    page.write(sleeve(), path, params=PARAMS["dynamic"])
    with browser_page(viewport={"width": 390, "height": 780}, has_touch=True, is_mobile=True) as opened:
        opened.open(path)
        assert opened.page.evaluate("document.documentElement.scrollWidth") <= 390
        box = opened.page.locator("#wiper").bounding_box()
        before = opened.picture(SIZE)
        client = opened.page.context.new_cdp_session(opened.page)

        def drag(x, y, to_x, to_y):
            for kind, at in (("touchStart", (x, y)), ("touchMove", (to_x, to_y)), ("touchEnd", None)):
                points = [] if at is None else [{"x": at[0], "y": at[1]}]
                client.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

        drag(box["x"] + 22, 300, 100, 300)
        assert float(opened.tells("split")) == pytest.approx(100 / 390, abs=0.02)
        drag(300, 300, 250, 310)
        assert difference(opened.picture(SIZE), before) > 1.0
        assert opened.complaints == []


@pytest.mark.slow
@pytest.mark.parametrize("size", [(390, 780), (360, 640), (768, 1024), (844, 390), (1280, 720)])
def test_the_whole_character_is_in_sight_in_any_window(tmp_path, data_dir, size):
    clip = pucker.load(data_dir / "female_dress.fbx", clip="HumanArmature|Female_Run", parts=["Dress"], fps=5.0)
    page.write(clip, tmp_path / "dress.html", levels=1)
    phone = size[0] < 1000
    viewport = {"width": size[0], "height": size[1]}
    with browser_page(viewport=viewport, has_touch=phone, is_mobile=phone) as opened:
        opened.open(tmp_path / "dress.html")
        canvas = opened.page.evaluate("[pucker.canvas.clientWidth, pucker.canvas.clientHeight]")
        for turn in (0, 90):
            opened.page.evaluate(
                f"pucker.scene.camera.position.sub(pucker.controls.target)"
                f".applyAxisAngle(new THREE.Vector3(0, 1, 0), {np.radians(turn)}).add(pucker.controls.target), 0"
            )
            opened.page.evaluate("pucker.controls.update(), 0")
            heights = []
            for frame in range(len(clip)):
                opened.page.evaluate(f"pucker.setFrame({frame})")
                picture = opened.picture(canvas).astype(int)
                drawn = (np.abs(picture - picture[0, 0]) > 8).any(axis=2)
                rim = [drawn[0], drawn[-1], drawn[:, 0], drawn[:, -1]]
                assert not any(side.any() for side in rim), (turn, frame)
                heights.append(np.ptp(np.flatnonzero(drawn.any(axis=1))))
            # Nor is it smaller than need be.
            assert max(heights) > 0.55 * min(canvas), (turn, heights, canvas)
        assert opened.complaints == []


def test_a_browser_that_cannot_draw_it_is_told(tmp_path):
    path = tmp_path / "sleeve.html"
    page.write(sleeve(), path, params=PARAMS["dynamic"], levels=1)
    with browser_page() as opened:
        opened.page.add_init_script("HTMLCanvasElement.prototype.getContext = () => null")
        opened.open(path)
        assert opened.tells("state") == "failed"
        assert "no WebGL 2" in opened.page.inner_text("#status")


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (
            {},
            r"would have 1\.\d MB, where 0\.6 MB are allowed: the wrinkled surface 0\.\d MB, overlays 0\.\d MB; about \d+ of the 31 frames would fit; take",
        ),
        ({"levels": 200}, r"vertices in 31 frames take more than \d+\.\d MB, where 0\.6 MB are allowed; take fewer"),
    ],
)
def test_what_is_too_large_says_what_to_leave_out_and_leaves_nothing(tmp_path, options, told):
    path = tmp_path / "walk.html"
    path.write_text("earlier", encoding="utf-8")
    with pytest.raises(page.TooLarge, match=told):
        page.write(sleeve(), path, params=PARAMS["dynamic"], limit=600_000, **options)
    assert path.read_text(encoding="utf-8") == "earlier"
    assert list(tmp_path.iterdir()) == [path]


def test_a_body_that_is_too_large_is_told_before_the_run(tmp_path, monkeypatch):
    monkeypatch.setattr(pucker, "run", lambda *_: pytest.fail("ran"))
    with pytest.raises(
        page.TooLarge,
        match=r"in 31 frames take about 0\.\d MB without any wrinkle, where 0\.0 MB are allowed; about \d+ of the 31 frames would fit; take",
    ):
        page.write(sleeve(), tmp_path / "walk.html", params=PARAMS["dynamic"], limit=20_000)


def test_what_garment_and_body_take_is_estimated_well():
    """As much is not refused by the estimate, and half of it is."""
    clip, archive = sleeve(), Archive()
    coarse = Coarse(clip, body=True)
    for index in range(len(clip)):
        coarse.take(index)
    coarse.write(archive)
    size = 4 * sum(archive.sizes().values()) // 3
    check_coarse(clip, size, body=True)
    with pytest.raises(page.TooLarge):
        check_coarse(clip, size // 2, body=True)


def test_what_cannot_be_is_refused(tmp_path):
    clip = sleeve()
    with pytest.raises(ValueError, match=r"must end in \.html"):
        page.write(clip, tmp_path / "a.htm")
    with pytest.raises(ValueError, match="wireframe, labels, paths, ellipses, reference, not 'nothing'"):
        page.write(clip, tmp_path / "a.html", overlays=["nothing"])
    with pytest.raises(ValueError, match="overlays must differ by name, but 'paths' is given twice"):
        page.write(clip, tmp_path / "a.html", overlays=["paths", "paths"])
    with pytest.raises(ValueError, match="one state a frame: 31, not 0"):
        page.write(clip, tmp_path / "a.html", states=[])
    with pytest.raises(ValueError, match="positive, not -1"):
        page.write(clip, tmp_path / "a.html", edge_share=-1.0)
    with pytest.raises(ValueError, match="cannot both be given"):
        page.write(clip, tmp_path / "a.html", edge_share=1.0, levels=2)
    with pytest.raises(FileNotFoundError, match="does not exist"):
        page.write(clip, tmp_path / "none" / "a.html")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
@pytest.mark.parametrize(
    ("file", "clip", "parts", "method"),
    [
        ("mage.glb", "Sit_Floor_Down", ["Mage_Body"], "dynamic"),
        ("female_dress.fbx", "HumanArmature|Female_Run", ["Dress"], "dynamic"),
        ("kyonshi_upper.md3", "95:131", ["u_torso", "u_sleeve"], "dynamic"),
        ("kimono_male.gltf", "Walk", ["Clothes", "Band"], "waves"),
    ],
)
def test_every_character_and_method_looks_as_in_all_pictures(tmp_path, data_dir, file, clip, parts, method):
    loaded = pucker.load(data_dir / file, clip=clip, parts=parts)
    params = {"dynamic": pucker.Params(), "waves": pucker.waves.Params()}[method]
    frame = len(loaded) // 2
    state = next(state for state in pucker.run(loaded, params) if state.frame == frame)
    page.write(loaded, tmp_path / "page.html", params=params)
    with (
        browser_page() as opened,
        ClipRenderer(loaded, SIZE, params=params, focus="all", style=PAGE_STYLE) as renderer,
    ):
        opened.open(tmp_path / "page.html", f"frame={frame}&split=0")
        # Pictures of materials are decoded beside.
        opened.page.wait_for_timeout(1000)
        assert_alike(opened.picture(SIZE), renderer.frame(frame, state))
        assert opened.complaints == []


def test_a_page_in_another_lets_it_scroll_until_it_is_clicked(tmp_path):
    page.write(sleeve(), tmp_path / "sleeve.html", params=PARAMS["dynamic"], levels=1)
    around = (
        '<!doctype html><html data-state="ready"><body style="height: 3000px"><iframe src="sleeve.html" width="600"'
    )
    (tmp_path / "around.html").write_text(f'{around} height="500"></iframe></body></html>', encoding="utf-8")
    with browser_page() as opened:
        opened.open(tmp_path / "around.html")
        frame = opened.page.frames[1]
        frame.locator("html[data-state=ready]").wait_for()
        distance = "pucker.scene.camera.position.distanceTo(pucker.controls.target)"
        before = frame.evaluate(distance)
        opened.page.mouse.move(150, 200)
        opened.page.mouse.wheel(0, 100)
        opened.page.wait_for_timeout(300)
        assert frame.evaluate(distance) == before
        assert opened.page.evaluate("scrollY") > 0
        opened.page.evaluate("scrollTo(0, 0)")
        opened.page.mouse.click(150, 200)
        opened.page.mouse.wheel(0, 100)
        opened.page.wait_for_timeout(300)
        assert frame.evaluate(distance) > 1.01 * before


def test_one_frame_without_a_wrinkle_is_a_page_too(tmp_path):
    whole = sleeve()
    clip = pucker.Clip.from_arrays(whole.faces, whole.positions[:1], whole.times[:1], weld=False)
    report = page.write(clip, tmp_path / "still.html", params=PARAMS["dynamic"].replace(min_width=0.015))
    assert (report.frames, report.triangles) == (1, len(whole.faces))
    with browser_page() as opened, ClipRenderer(clip, SIZE, style=PAGE_STYLE) as renderer:
        opened.open(tmp_path / "still.html", "show=labels,paths&play")
        assert opened.tells("state") == "ready"
        for name in ("labels", "paths"):
            opened.page.get_by_label(name).uncheck()
        assert_alike(opened.picture(SIZE), renderer.frame(0))
        assert opened.complaints == []


def test_large_pictures_of_materials_are_made_smaller_and_small_ones_kept():
    url = as_url(png_of(2000, 1000))
    with Image.open(io.BytesIO(base64.b64decode(url.split(",")[1]))) as picture:
        assert picture.size == (1024, 512)
    small = png_of(64, 32)
    assert base64.b64decode(as_url(small).split(",")[1]) == small


def png_of(width, height):
    """A picture of a colour that changes across it."""
    content = io.BytesIO()
    Image.linear_gradient("L").resize((width, height)).convert("RGB").save(content, "PNG")
    return content.getvalue()
