"""Files: videos, contact sheets, stills; and pictures of whole clips."""

import re
import subprocess
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import imageio_ffmpeg
import numpy as np
import pytest
import render_scenes as scenes
from click.testing import CliRunner
from PIL import Image

import pucker
from pucker._core import sources
from pucker._core.draw import PLAIN_STYLE
from pucker.cli import cli
from pucker.cli.film import sheet_camera
from pucker.examples import squeezed_sheet
from pucker.render import (
    ClipRenderer,
    Overlays,
    Style,
    captioned,
    contact_sheet,
    side_by_side,
    still,
    turntable,
    video,
    write_video,
)
from pucker.render.camera import DEFAULT_VIEW, orbit_cameras
from pucker.render.clip import fitted_camera

SIZE = (160, 90)


def pictures(count, size=SIZE):
    for k in range(count):
        yield np.full((size[1], size[0], 3), 20 * k, dtype=np.uint8)


def read_video(path, size=SIZE):
    """What ffmpeg says of a file, and its frames."""
    command = [imageio_ffmpeg.get_ffmpeg_exe(), "-i", str(path), "-f", "rawvideo", "-pix_fmt", "rgb24", "-"]
    done = subprocess.run(command, capture_output=True, check=True)
    return done.stderr.decode(), np.frombuffer(done.stdout, np.uint8).reshape(-1, size[1], size[0], 3)


def flapping_clip(frames=3, *, body=(0.15, 0.45, -0.2), colours=((0.8,) * 3, (0.8, 0.1, 0.1)), half_dark=False):
    """A sheet with a small box of a body behind it, of another material; `body` is its size and where it is, y and z.

    `half_dark`: half of the sheet is black, which covers almost all of it in the last frame.
    """
    faces, rest = scenes.grid(6)
    box, corners = scenes.icosphere(0)
    size, *place = body
    behind = size * corners + np.array([0.0, *place])
    positions = np.stack([np.concatenate([rest + np.array([0.0, 0.0, 0.05 * k]), behind]) for k in range(frames)])
    numbers = np.repeat([0, 1], [len(faces), len(box)])
    if half_dark:
        numbers[len(faces) // 2 : len(faces)] = 2
        positions[-1, np.unique(faces[: len(faces) // 2]), 1] *= 0.01
    described = zip(("cloth", "skin", "dark"), (*colours, (0.01, 0.01, 0.01)), strict=True)
    character = sources.Character(
        positions.shape[1],
        np.concatenate([faces, box + len(rest)]),
        face_materials=numbers,
        materials=[pucker.Material(name=name, color=(*colour, 1.0)) for name, colour in described],
    )
    source = sources.from_frames("sheet", "sheet", character, positions, np.arange(frames) / 25.0)
    return source.load(parts=["cloth", "dark"] if half_dark else ["cloth"], fps=25.0)


def flapping_state(clip, index):
    rows = scenes.flat_path(np.linspace(-0.4, 0.4, 9), 0.04, 0.1, 0.04)
    rows[:, 2] += 0.05 * index
    packed = scenes.pack_everywhere(len(clip.faces), [rows])
    return SimpleNamespace(packed=packed, labels=np.arange(len(clip.faces)) % 3)


def test_a_video_goes_into_the_folder_named_whatever_ffmpeg_would_take_it_for(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for folder in ("a:b", "concat:c", "-y"):
        (tmp_path / folder).mkdir()
        write_video(f"{folder}/x.mp4", pictures(2), fps=25.0)
        assert [path.name for path in (tmp_path / folder).iterdir()] == ["x.mp4"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["-y", "a:b", "concat:c"]


def test_a_video_has_the_frames_it_was_given(tmp_path):
    path = tmp_path / "film.mp4"
    assert write_video(path, pictures(7), fps=25) == 7
    description, frames = read_video(path)
    assert len(frames) == 7
    assert "Video: h264" in description
    assert re.search(r"yuv420p\b.*, 160x90.*, 25 fps", description)
    for k, frame in enumerate(frames):
        assert abs(frame.mean() - 20 * k) < 6


def test_a_video_carries_its_captions(tmp_path):
    blank = [np.full((90, 160, 3), 230, np.uint8)] * 2
    write_video(tmp_path / "film.mp4", blank, captions=["one", "two"])
    _, frames = read_video(tmp_path / "film.mp4")
    assert all(frame[60:, :80].min() < 140 for frame in frames)
    assert all(frame[:45].min() > 215 for frame in frames)


@pytest.mark.parametrize("captions", [2, 4])
@pytest.mark.parametrize("lazy", [False, True])
def test_a_video_takes_one_caption_a_picture(tmp_path, captions, lazy):
    texts = [str(k) for k in range(captions)]
    counted = "2 captions and more pictures" if captions == 2 else "3 pictures and more captions"
    with pytest.raises(ValueError, match=f"as many .* as .*, but there are {counted}"):
        write_video(tmp_path / "film.mp4", pictures(3), captions=iter(texts) if lazy else texts)
    assert list(tmp_path.iterdir()) == []


def test_an_interrupted_video_leaves_no_file(tmp_path):
    def failing():
        yield from pictures(3)
        raise KeyError("wrinkle")

    with pytest.raises(KeyError, match="wrinkle"):
        write_video(tmp_path / "film.mp4", failing())
    assert list(tmp_path.iterdir()) == []


def test_an_interrupted_video_leaves_the_earlier_one(tmp_path):
    path = tmp_path / "film.mp4"
    write_video(path, pictures(2))
    before = path.read_bytes()
    with pytest.raises(ValueError, match="picture 1 must be 160 x 90, not 80 x 60"):
        write_video(path, [*pictures(1), *pictures(1, (80, 60))])
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(
    ("images", "message"),
    [
        ([], "at least one picture"),
        (list(pictures(1, (161, 90))), "even in width and height, not 161 x 90"),
        ([np.zeros((4, 4))], r"of uint8, not \(4, 4\) float64"),
    ],
)
def test_what_cannot_be_a_video_is_refused(tmp_path, images, message):
    with pytest.raises(ValueError, match=message):
        write_video(tmp_path / "film.mp4", images)
    assert list(tmp_path.iterdir()) == []


def test_a_missing_folder_is_told(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"folder .*nowhere does not exist"):
        still(tmp_path / "nowhere" / "a.png", np.zeros((4, 4, 3), np.uint8))


def test_a_still_holds_the_same_pixels(tmp_path, rng):
    image = rng.integers(0, 256, (12, 17, 4), dtype=np.uint8)
    still(tmp_path / "a.png", image)
    with Image.open(tmp_path / "a.png") as read:
        np.testing.assert_array_equal(np.asarray(read), image)


def test_a_contact_sheet_shows_every_picture_in_its_place(tmp_path):
    rows = [[np.full((80, 60, 3), 40 * (3 * r + c), np.uint8) for c in range(3)] for r in range(2)]
    width, height = contact_sheet(tmp_path / "s.png", rows, column_captions="abc", row_captions=["first", "second"])
    sheet = np.asarray(Image.open(tmp_path / "s.png"))
    assert sheet.shape == (height, width, 3)
    for value in range(0, 240, 40):
        at = np.argwhere((sheet == value).all(axis=2))
        assert len(at) >= 80 * 60
        row, column = divmod(value // 40, 3)
        centre = np.median(at, axis=0)
        assert 0.5 * row < centre[0] / height < 0.5 * (row + 1) + 0.1
        assert column / 3 < centre[1] / width < (column + 1) / 3 + 0.05


def test_a_contact_sheet_can_be_scaled_down(tmp_path):
    rows = [[np.zeros((80, 60, 3), np.uint8)] * 2]
    width, height = contact_sheet(tmp_path / "s.png", rows, cell_height=40)
    assert 60 < width < 75
    assert 40 < height < 50


@pytest.mark.parametrize(
    ("rows", "captions", "message"),
    [
        ([], {}, "rows of one length"),
        ([[0, 0], [0]], {}, r"rows of one length, at least 1, not \[2, 1\]"),
        ([[0, 0]], {"column_captions": ["a"]}, "2 columns needs 2 column captions, not 1"),
        ([[0], [0]], {"row_captions": ["a"]}, "2 rows needs 2 row captions, not 1"),
    ],
)
def test_what_cannot_be_a_contact_sheet_is_refused(tmp_path, rows, captions, message):
    images = [[np.zeros((8, 8, 3), np.uint8) for _ in row] for row in rows]
    with pytest.raises(ValueError, match=message):
        contact_sheet(tmp_path / "s.png", images, **captions)
    assert list(tmp_path.iterdir()) == []


def test_a_caption_changes_only_the_lower_left():
    blank = np.full((200, 300, 3), 230, np.uint8)
    changed = (captioned(blank, "frame 12") != blank).any(axis=2)
    assert changed[150:, :150].any()
    assert not changed[:150].any()
    assert (blank == 230).all()


def test_frames_of_a_clip_show_body_wrinkles_labels_and_paths():
    clip = flapping_clip()
    with ClipRenderer(clip, SIZE, view="front", focus="all", style=Style(exposure=1.0)) as renderer:
        state = flapping_state(clip, 1)
        plain = renderer.frame(1).astype(int)
        wrinkled = renderer.frame(1, state).astype(int)
        labelled = renderer.frame(1, state, mode="base", overlays=["labels"]).astype(int)
        with_paths = renderer.frame(1, state, mode="base", overlays=Overlays(paths=4.0)).astype(int)
        assert renderer.renderer.context.error == "GL_NO_ERROR"
    assert plain.shape == (90, 160, 3)
    assert (plain[..., 0] - plain[..., 1] > 60).sum() > 20
    assert (np.abs(wrinkled - plain).max(axis=2) > 15).sum() > 50
    assert (labelled[..., 0] - labelled[..., 2] > 60).sum() > 500
    assert (labelled[..., 2] - labelled[..., 0] > 40).sum() > 500
    assert (with_paths[..., 0] - with_paths[..., 2] > 120).sum() > 50


@pytest.mark.parametrize(("name", "clip", "count"), [("kimono_male.gltf", "Walk", 0), ("mage.glb", "Walking_A", 1)])
def test_textures_of_the_example_data_are_png_which_all_decoders_read_alike(data_dir, name, clip, count):
    materials = pucker.load(data_dir / name, clip=clip, fps=2.0).material_list
    textures = [bytes(material.texture) for material in materials if len(material.texture)]
    assert [texture[:4] for texture in textures] == [b"\x89PNG"] * count


def cut_off(camera, points, aspect):
    """The points that a picture would show if its planes did not cut them off."""
    back = camera.axes[2]
    points = np.asarray(points).reshape(-1, 3)
    before = (camera.eye - points) @ back > 0.02 * np.linalg.norm(np.subtract(camera.eye, camera.target))
    clip = np.c_[points, np.ones(len(points))] @ camera.view_projection(aspect).T
    return points[before & (np.abs(clip[:, 2]) > clip[:, 3])]


def test_a_camera_may_look_at_the_cloth_or_at_all_and_cuts_nothing_open():
    clip = flapping_clip(body=(0.5, 1.35, 0.3))
    cloth, all_of_it = (fitted_camera(clip, "front", SIZE, focus=focus) for focus in ("cloth", "all"))
    for camera in (cloth, all_of_it):
        assert len(cut_off(camera, clip.body_positions, 16 / 9)) == 0
    assert np.subtract(cloth.eye, cloth.target)[2] < 0.7 * np.subtract(all_of_it.eye, all_of_it.target)[2]
    assert fitted_camera(clip, "front", SIZE) == cloth
    with pytest.raises(ValueError, match="focus must be one of cloth, all, not 'face'"):
        fitted_camera(clip, "front", SIZE, focus="face")


def test_a_camera_at_the_cloth_has_all_of_it_in_every_frame_and_cuts_no_body_open(data_dir):
    clip = pucker.load(data_dir / "kimono_male.gltf", clip="Run", parts=["Band"])
    camera = fitted_camera(clip, DEFAULT_VIEW, (300, 400))
    for points in (clip.positions, clip.body_positions):
        assert len(cut_off(camera, points, 0.75)) == 0
    points = clip.positions.reshape(-1, 3)
    seen = np.c_[points, np.ones(len(points))] @ camera.view_projection(0.75).T
    assert (np.abs(seen[:, :2]) <= seen[:, 3:]).all()


@pytest.mark.parametrize(("ground", "more"), [(9.0, []), (2.0, []), (9.0, ["--focus", "cloth"]), (9.0, ["--quiet"])])
def test_a_command_says_that_cloth_is_small_beside_what_moves_with_it(ground, more, tmp_path):
    sheet = squeezed_sheet(compression=1.5)
    corners = ground * np.array([[-1.0, 0.0, -1.0], [1.0, 0.0, -1.0], [0.0, 0.0, 2.0]])
    np.savez(
        tmp_path / "a.npz",
        faces=np.concatenate([sheet.faces, sheet.positions.shape[1] + np.arange(3)[None]]),
        positions=np.concatenate([sheet.positions, corners + 0.1 * np.arange(len(sheet))[:, None, None]], axis=1),
        materials=np.arange(len(sheet.faces) + 1) // len(sheet.faces),
        material_names=["cloth", "ground"],
    )
    drawn = ["--parts", "cloth", "--frames", "3", "--size", "32x32", "--method", "waves", "-o", str(tmp_path / "a.png")]
    result = CliRunner().invoke(cli, ["render", str(tmp_path / "a.npz"), *drawn, *more])
    assert result.exit_code == 0, result.output
    told = re.findall(r"the cloth is (.*) % as large as all that is drawn; --focus cloth comes closer\n", result.stderr)
    size, whole = np.linalg.norm(np.ptp(sheet.positions[3], axis=0)), np.linalg.norm(np.ptp(corners, axis=0))
    assert bool(told) == (ground > 5.0 and not more)
    assert all(float(number) == pytest.approx(100.0 * size / whole, rel=0.1) for number in told)


def test_a_contact_sheet_cuts_no_character_open(data_dir):
    clip = pucker.load(data_dir / "kimono_male.gltf", clip="Run", parts=["Band"])
    camera = sheet_camera(clip, pucker.Params(min_width=0.0075 * clip.height), (300, 400))
    for points in (clip.positions, clip.body_positions):
        assert len(cut_off(camera, points, 0.75)) == 0


@pytest.mark.parametrize("colour", [1.0, 0.01])
def test_a_picture_is_exposed_for_the_cloth(colour):
    clip = flapping_clip(colours=2 * [(colour, colour, colour)])
    with ClipRenderer(clip, SIZE, view=(30.0, -20.0), style=PLAIN_STYLE) as renderer:
        suited = np.median(renderer.frame(0)[45, 70:90])
        renderer.style = PLAIN_STYLE.replace(exposure=1.0)
        plain = np.median(renderer.frame(0)[45, 70:90])
    if colour == 1.0:
        assert plain == 255
        assert 180 < suited < 245
    else:
        assert suited > plain + 10


def test_a_clip_has_one_exposure_whichever_frame_is_drawn_first():
    clip = flapping_clip(half_dark=True)
    with ClipRenderer(clip, SIZE) as renderer:
        first = renderer.frame(0)
        wanted = renderer.frame(2)
    with ClipRenderer(clip, SIZE) as renderer:
        np.testing.assert_array_equal(renderer.frame(2), wanted)
        np.testing.assert_array_equal(renderer.frame(0), first)


def test_a_cloth_that_is_neither_pale_nor_dark_is_lit_as_it_is():
    clip = flapping_clip(colours=((0.3, 0.3, 0.3), (0.8, 0.1, 0.1)))
    with ClipRenderer(clip, SIZE) as renderer:
        before = renderer.frame(0)
        renderer.style = Style(exposure=1.0)
        np.testing.assert_array_equal(renderer.frame(0), before)


def test_a_frame_does_not_depend_on_those_drawn_before():
    clip = flapping_clip()
    with ClipRenderer(clip, SIZE) as renderer:
        first = renderer.frame(2)
        renderer.frame(0, flapping_state(clip, 0), overlays=["labels", "paths", "wireframe"])
        np.testing.assert_array_equal(renderer.frame(2), first)


def test_a_clip_without_a_body_is_drawn():
    faces, rest = scenes.grid(6)
    clip = pucker.Clip.from_arrays(faces, np.stack([rest]), [0.0])
    with ClipRenderer(clip, SIZE) as renderer:
        assert len(renderer.surfaces) == 1
        assert np.ptp(renderer.frame(0)) > 30


def test_parameters_set_the_tessellation_and_the_profile():
    clip = flapping_clip()
    params = pucker.Params(min_width=0.08, shape={"profile": "arcs"})
    with ClipRenderer(clip, SIZE, params=params) as renderer:
        renderer.show(0, flapping_state(clip, 0))
        assert renderer.garment.target_edge == pytest.approx(0.03)
        captured = renderer.renderer.capture(renderer.garment)
    surface = pucker.WrinkledSurface(pucker.Mesh(clip.faces, clip.positions.shape[1]), pucker.Profile.arcs)
    packed = flapping_state(clip, 0).packed
    expected = surface.evaluate(clip.positions[0], packed, captured.triangle, captured.barycentric)
    np.testing.assert_allclose(captured.offset, expected.offsets, atol=1e-5)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((5, None, {}), r"frame must lie in \[0, 3\), not 5"),
        ((0, None, {"overlays": ["labels"]}), "needs a state that has labels; NoneType has none"),
    ],
)
def test_frames_that_cannot_be_drawn_are_refused(arguments, message):
    index, state, options = arguments
    with ClipRenderer(flapping_clip(), SIZE) as renderer, pytest.raises(ValueError, match=message):
        renderer.frame(index, state, **options)


def test_a_clip_becomes_a_video_at_its_own_rate(tmp_path):
    clip = flapping_clip()
    states = [flapping_state(clip, index) for index in range(3)]
    assert video(clip, tmp_path / "film.mp4", states=states, size=SIZE) == 3
    description, frames = read_video(tmp_path / "film.mp4")
    assert len(frames) == 3
    assert ", 25 fps" in description


@pytest.mark.parametrize("count", [2, 4])
def test_a_clip_becomes_a_video_only_with_one_state_a_frame(tmp_path, count):
    clip = flapping_clip()
    states = [None] * count
    counted = "2 states and more frames" if count == 2 else "3 frames and more states"
    with pytest.raises(ValueError, match=f"as many .* as .*, but there are {counted}"):
        video(clip, tmp_path / "film.mp4", states=states, size=SIZE)
    assert list(tmp_path.iterdir()) == []


def test_a_clip_is_not_drawn_from_another_thread_or_after_closing():
    clip = flapping_clip()
    renderer = ClipRenderer(clip, SIZE)
    before = renderer.frame(1)
    uses = [
        lambda: renderer.frame(0),
        lambda: renderer.show(2),
        renderer.timings,
        lambda: renderer.garment.set_positions(clip.positions[0]),
        lambda: renderer.renderer.render(renderer.surfaces, renderer.camera),
        lambda: renderer.renderer.surface(clip.faces, clip.positions.shape[1]),
    ]
    with ThreadPoolExecutor(1) as other:
        for use in [*uses, renderer.close]:
            with pytest.raises(pucker.render.ContextError, match="only be used by the thread that made them"):
                other.submit(use).result()
    np.testing.assert_array_equal(renderer.frame(1), before)
    renderer.close()
    for use in uses:
        with pytest.raises(pucker.render.ContextError, match="the renderer is closed"):
            use()
    renderer.close()


def test_a_context_that_another_thread_holds_is_refused():
    with (
        pucker.render.Renderer((8, 8)) as renderer,
        ThreadPoolExecutor(1) as other,
        pytest.raises(pucker.render.ContextError, match="another thread"),
    ):
        other.submit(pucker.render.Renderer, (8, 8), context=renderer.context).result()


def test_a_frame_with_alpha_has_no_background():
    clip = flapping_clip()
    with ClipRenderer(clip, SIZE) as renderer:
        state = flapping_state(clip, 1)
        solid, loose = renderer.frame(1, state), renderer.frame(1, state, alpha=True)
    share = loose[..., 3:] / 255.0
    assert loose.shape == (90, 160, 4)
    assert (loose[0, 0] == 0).all()
    assert {0, 255} < set(loose[..., 3].ravel().tolist())
    background = 255.0 * np.array(Style().background)
    laid = share * loose[..., :3] + (1.0 - share) * background
    np.testing.assert_allclose(laid, solid, atol=2.0)


def test_a_still_keeps_alpha(tmp_path):
    with ClipRenderer(flapping_clip(), SIZE) as renderer:
        still(tmp_path / "a.png", renderer.frame(0, alpha=True))
    with Image.open(tmp_path / "a.png") as image:
        assert image.mode == "RGBA"
        assert image.getpixel((0, 0))[3] == 0
        assert image.getpixel((80, 45))[3] == 255


def test_a_turntable_shows_all_sides_of_one_frame(tmp_path):
    clip = flapping_clip(colours=2 * [(0.01, 0.01, 0.01)])
    assert turntable(clip, tmp_path / "turn.mp4", 1, size=SIZE, pictures=4, elevation=0.0) == 4
    description, frames = read_video(tmp_path / "turn.mp4")
    assert ", 30 fps" in description
    covered = (np.abs(frames.astype(int) - frames[0, 0, 0].astype(int)).max(axis=3) > 25).mean(axis=(1, 2))
    # From the front and the back the sheet is broad, from the sides it is an edge beside the box.
    assert min(covered[0], covered[2]) > 0.2
    assert max(covered[1], covered[3]) < 0.1


@pytest.mark.parametrize("elevation", [-40.0, 0.0, 12.0])
def test_cameras_of_a_turntable_see_everything(rng, elevation):
    points = rng.normal(size=(100, 3)) * [0.3, 1.0, 2.0] + [5.0, 1.0, -2.0]
    cameras = orbit_cameras(points, 7, elevation, 1.6)
    assert len({camera.target for camera in cameras}) == 1
    for camera in cameras:
        clip = np.c_[points, np.ones(100)] @ camera.view_projection(1.6).T
        assert np.abs(clip[:, :3] / clip[:, 3:]).max() <= 1.0


def test_runs_stand_side_by_side_with_their_captions(tmp_path):
    faces, rest = scenes.grid(10)
    squeeze = np.linspace(1.0, 0.6, 8)
    clip = pucker.Clip.from_arrays(faces, [rest * [share, 1.0, 1.0] for share in squeeze], np.arange(8) / 30.0)
    runs = {"": None, "plain": None, "wide": pucker.Params(min_width=0.06, threshold=1.1)}
    path = tmp_path / "runs.mp4"
    assert side_by_side(clip, path, runs, size=(SIZE[0] // 2, SIZE[1]), view="front") == 8
    description, frames = read_video(path, (240, 90))
    assert ", 240x90" in description
    last = frames[-1].astype(int)
    bare, plain, wrinkled = np.split(last, 3, axis=1)
    assert np.abs(plain - bare)[60:, :60].max() > 60
    assert (np.abs(plain - bare)[:55].max(axis=2) > 25).mean() < 0.001
    assert (np.abs(wrinkled - bare)[:55].max(axis=2) > 25).mean() > 0.008


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda path: side_by_side(flapping_clip(), path, {}), "at least one run"),
        (lambda path: turntable(flapping_clip(), path, 0, pictures=0), "at least one picture, not 0"),
    ],
)
def test_what_cannot_be_filmed_is_refused(tmp_path, call, message):
    with pytest.raises(ValueError, match=message):
        call(tmp_path / "film.mp4")
    assert list(tmp_path.iterdir()) == []


def test_a_clip_can_be_wrinkled_on_the_way_to_its_video(tmp_path):
    faces, rest = scenes.grid(10)
    squeeze = np.linspace(1.0, 0.6, 12)
    clip = pucker.Clip.from_arrays(faces, [rest * [share, 1.0, 1.0] for share in squeeze], np.arange(12) / 30.0)
    params = pucker.Params(min_width=0.06, threshold=1.1)
    assert video(clip, tmp_path / "wrinkled.mp4", params=params, size=SIZE, view="front") == 12
    assert video(clip, tmp_path / "plain.mp4", states=[None] * 12, size=SIZE, view="front") == 12
    wrinkled, plain = (read_video(tmp_path / name)[1].astype(int) for name in ("wrinkled.mp4", "plain.mp4"))
    changed = [(np.abs(a - b).max(axis=2) > 25).mean() for a, b in zip(wrinkled, plain, strict=True)]
    assert changed[0] < 0.001
    assert changed[-1] > 0.008
