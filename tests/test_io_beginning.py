"""The first frames of a clip, loaded without the memory of the others: as `Clip.beginning` of the whole, bit for bit."""

import numpy as np
import pytest
from click.testing import CliRunner

import pucker
from pucker._core.scene import scenery_of
from pucker.cli import beginning, cli
from pucker.cli.choices import Cloth
from pucker.examples import grid_faces, squeezed_sheet
from pucker.io import Limits, open_source

CASES = [
    ("kimono_male.gltf", {"clip": "Walk", "parts": ["Clothes", "Band"]}),
    ("kimono_male.gltf", {"clip": "Walk", "parts": ["Clothes"], "loops": 2, "fps": 24.0}),
    ("cowboy.dae", {"parts": ["joint:Torso"]}),
    ("female_dress.fbx", {"clip": "HumanArmature|Female_Walk", "parts": ["Dress"]}),
    ("mage.glb", {"clip": "Walking_A", "parts": ["Mage_Body", "Mage_Arm*"]}),
    ("kyonshi_lower.md3", {"clip": "0:20"}),
    ("tshirt_wind.zip", {}),
]


def same(one, other):
    """Whether two states of a clip, of arrays, texts and numbers, have the same bits."""
    if isinstance(one, np.ndarray):
        return one.dtype == other.dtype and one.shape == other.shape and one.tobytes() == other.tobytes()
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list | tuple):
        return len(one) == len(other) and all(same(*pair) for pair in zip(one, other, strict=True))
    return one == other


def assert_same(clip, whole, frames):
    assert len(clip) == frames
    assert same(clip.__getstate__(), whole.beginning(frames).__getstate__())
    np.testing.assert_array_equal(clip.shared_vertices, whole.shared_vertices)
    assert clip.height == whole.height


@pytest.mark.parametrize(("name", "options"), CASES)
@pytest.mark.parametrize("frames", [1, 7])
def test_first_frames_have_the_bits_of_those_of_the_whole(data_dir, name, options, frames):
    source = open_source(data_dir / name)
    assert_same(source.load(**options, beginning=frames), source.load(**options), frames)


@pytest.mark.parametrize("frames", [200, 10**12])
def test_a_beginning_that_is_longer_than_the_clip_is_the_clip(data_dir, frames):
    source = open_source(data_dir / "kimono_male.gltf")
    options = {"clip": "Walk", "parts": ["Clothes"]}
    assert same(source.load(**options, beginning=frames).__getstate__(), source.load(**options).__getstate__())


def test_a_smooth_beginning_is_that_of_the_smooth_whole(data_dir):
    source = open_source(data_dir / "kimono_male.gltf")
    options = {"clip": "Walk", "parts": ["Clothes"], "smooth": 1}
    assert_same(source.load(**options, beginning=3), source.load(**options), 3)


def test_a_child_reads_the_same_beginning(data_dir):
    options = {"clip": "Walk", "parts": ["Clothes"], "beginning": 4}
    with open_source(data_dir / "kimono_male.gltf", isolated=True) as child:
        assert same(
            child.load(**options).__getstate__(),
            open_source(data_dir / "kimono_male.gltf").load(**options).__getstate__(),
        )


def parting(path, *, upright=True):
    """Two sheets of a garment and one of the body, sewn to the first, of nine frames: they are together in the first three."""
    faces, (v, u) = grid_faces(4, 4), np.mgrid[:5, :5] / 4.0
    sheet = np.stack(
        [u.ravel(), v.ravel(), 0.0 * v.ravel()] if upright else [u.ravel(), 0.0 * v.ravel(), v.ravel()], axis=1
    )
    behind, beside = np.array([0.0, 0.0, 1e-3]), np.array([1.0, 0.0, 0.0])
    frames = np.tile(np.concatenate([sheet, sheet, sheet + behind, sheet + beside]), (9, 1, 1))
    frames[:, :, 1] += np.linspace(0.0, 0.1, 9)[:, None]
    frames[3:, 25:50, 2] += 0.5  # the second sheet of the garment leaves the first
    frames[5:, 75:, 0] += 0.5  # the body tears off
    frames[7:, :, 0] *= 3.0
    np.savez(
        path,
        faces=np.concatenate([faces + 25 * k for k in range(4)]),
        positions=frames,
        times=np.arange(9) / 8.0,
        materials=np.repeat([0, 0, 0, 1], len(faces)),
        material_names=["cloth", "body"],
    )
    return path


@pytest.mark.parametrize("upright", [True, False])
@pytest.mark.parametrize("frames", [1, 3, 6, 8])
def test_what_parts_later_is_apart_from_the_first_frame_on(tmp_path, frames, upright):
    source = open_source(parting(tmp_path / "parting.npz", upright=upright))
    options = {"parts": ["cloth"], "fps": 8.0}
    whole = source.load(**options)
    assert whole.positions.shape[1] == 75  # though 25 pairs coincide in three frames
    assert len(whole.shared_vertices) == 0
    assert_same(source.load(**options, beginning=frames), whole, frames)


def test_many_vertices_in_one_place_are_told_apart_as_in_the_whole(tmp_path):
    """All of them in the first frame: more pairs than there is memory for."""
    sheet = squeezed_sheet(20, 20, frames=5)
    positions = sheet.positions.copy()
    positions[0] = 1.0
    np.savez(tmp_path / "point.npz", faces=sheet.faces, positions=positions, times=sheet.times)
    source = open_source(tmp_path / "point.npz")
    assert_same(source.load(fps=60.0, beginning=2), source.load(fps=60.0), 2)


def test_a_clip_beyond_the_limit_of_memory_has_a_beginning(tmp_path):
    sheet = squeezed_sheet(20, 20, frames=5)
    np.savez(tmp_path / "long.npz", faces=sheet.faces, positions=sheet.positions, times=50.0 * np.arange(5))
    limits = Limits(memory=48 << 20)
    with open_source(tmp_path / "long.npz", isolated=True, limits=limits) as child:
        with pytest.raises(pucker.Error, match="the limit of memory"):
            child.load(fps=60.0)
        assert len(child.load(fps=60.0, beginning=9)) == 9


@pytest.mark.parametrize("frames", [0, -3])
def test_no_frame_is_no_beginning(data_dir, frames):
    with pytest.raises(ValueError, match=f"beginning must be >= 1, got {frames}"):
        open_source(data_dir / "cowboy.dae").load(beginning=frames)


def fine_cloth(path):
    """A sheet of short edges, of nine frames, the first three of which are still; a prop far away moves in the last."""
    sheet = squeezed_sheet(64, 64, frames=9)
    prop = np.tile(np.eye(3), (9, 1, 1))
    prop[..., 0] += 3.0
    prop[8] += 1.0
    np.savez(
        path,
        faces=np.concatenate([sheet.faces, np.arange(3)[None] + sheet.positions.shape[1]]),
        positions=np.concatenate([sheet.positions[[0, 0, 0, 3, 4, 5, 6, 7, 8]], prop], axis=1),
        times=np.arange(9) / 30.0,
        materials=np.append(np.zeros(len(sheet.faces), int), 1),
        material_names=["cloth", "prop"],
    )
    return path


@pytest.mark.parametrize(
    ("part", "frames", "loaded"),
    [("cloth,-prop", 6, 9), ("cloth", 2, 9), ("cloth,prop", 6, 6), ("cloth,prop", 2, 9), ("cloth,prop", 20, 9)],
)
def test_commands_load_the_beginning_of_fine_cloth_where_the_rest_tells_nothing_else(
    tmp_path, capsys, part, frames, loaded
):
    """Two still frames are of a clip that moves, and a prop that moves in the end is no scenery."""
    path, cloth = fine_cloth(tmp_path / "fine.npz"), Cloth(None, part.split(","), 30.0, 1)
    whole = cloth.load(path)
    told = capsys.readouterr().err
    clip = cloth.load(path, frames=frames)
    assert capsys.readouterr().err == told
    assert len(clip) == loaded
    assert same(clip.__getstate__(), (whole if loaded == 9 else whole.beginning(loaded)).__getstate__())
    assert np.array_equal(scenery_of(clip), scenery_of(whole))


def test_commands_load_all_of_coarse_cloth(data_dir):
    """It is shown as smooth as the whole clip says."""
    cloth = Cloth("Walk", ["Clothes"], 30.0, 1)
    clips = [cloth.load(data_dir / "kimono_male.gltf", quiet=True, frames=frames) for frames in (None, 6)]
    assert same(*(clip.__getstate__() for clip in clips))


def test_a_picture_of_a_frame_is_that_of_the_whole_clip(data_dir, tmp_path, monkeypatch):
    words = [
        "render",
        str(data_dir / "tshirt_wind.zip"),
        "--frames",
        "3",
        "--size",
        "64x48",
        "--set",
        "levels=1",
        "--quiet",
    ]
    pictures = []
    for number, whole in enumerate((False, True)):
        if whole:
            monkeypatch.setattr(beginning, "load_beginning", lambda *_: None)
        output = tmp_path / f"{number}.png"
        assert CliRunner().invoke(cli, [*words, "-o", str(output)]).exit_code == 0
        pictures.append(output.read_bytes())
    assert pictures[0] == pictures[1]
