"""Whatever writes files writes them whole or leaves everything as it was, and says which file and why."""

import io
import os
import resource
import signal
import subprocess
import sys
import time
import zipfile
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from pxr import Usd

import pucker
from pucker import bake, compare, export, plot, render
from pucker.cli import cli
from pucker.io.files import (
    WriteError,
    make_folder,
    plain_name,
    plain_names,
    replacing,
    replacing_in,
    write_table,
    write_text,
)
from pucker.sweeps.report import write_report
from pucker.sweeps.store import Store


@contextmanager
def files_of_at_most(size):
    """No file gets longer meanwhile, as on a disk that is full."""
    before, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (before, hard))


def content(folder):
    """The bytes of all files of a folder, by their paths in it."""
    return {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize(
    ("name", "plain"),
    [
        ("Run", "Run"),
        ("Armature|Walk 2.0", "Armature_Walk_2.0"),
        ("a/b\\c:d", "a_b_c_d"),
        ("Tanz-Schritt_ä", "Tanz-Schritt_ä"),
        ("", "clip"),
    ],
)
def test_a_plain_name_is_one_that_file_systems_take(name, plain):
    assert plain_name(name) == plain
    assert plain_names([name]) == [plain]


def test_plain_names_are_those_of_different_files():
    assert plain_names(["a|b", "a/b", "A b", "a b-2", "c"]) == ["a_b", "a_b-2", "A_b-3", "a_b-2-2", "c"]


@pytest.fixture(scope="module")
def mage(data_dir):
    """A textured character with the wrinkles of its frames, and its parameters."""
    clip = pucker.load(data_dir / "mage.glb", clip="Walking_A", parts=["Mage_Body"], fps=4.0)
    params = pucker.Params(min_width=0.02 * clip.height)
    wrinkler = pucker.Wrinkler(clip, params)
    return clip, params, [wrinkler.advance(frame.positions, frame.time) for frame in clip]


def baked(name):
    def write(folder, mage):
        clip, params, states = mage
        bake.surface(clip, folder / name, params=params, states=states, levels=2)

    return write


def mapped(file_format):
    def write(folder, mage):
        clip, params, states = mage
        bake.maps(
            clip, folder / "maps", params=params, states=states, size=64, file_format=file_format, overlap="first"
        )

    return write


def exported(name):
    def write(folder, mage):
        export.paths(mage[0], folder / name, states=mage[2])

    return write


def picture(name):
    def write(folder, mage):
        render.still(folder / name, np.random.default_rng(0).integers(0, 255, (64, 64, 3), np.uint8))

    return write


def video(name):
    def write(folder, mage):
        noise = np.random.default_rng(0).integers(0, 255, (12, 64, 96, 3), np.uint8)
        render.write_video(folder / name, noise)

    return write


def sheet(folder, mage):
    noise = np.random.default_rng(0).integers(0, 255, (2, 3, 64, 96, 3), np.uint8)
    render.contact_sheet(folder / "sheet.png", noise)


def camera(folder, mage):
    render.Camera.orbit((0.0, 0.0, 0.0), 1.0, 10.0, 20.0).to_json(folder / "camera.json")


def plotted(name):
    def write(folder, mage):
        figure = plot.Figure()
        figure.subplots().plot([1, 2], [3, 4])
        figure.savefig(folder / name)

    return write


ROWS = pd.DataFrame(
    {
        "id": ["a", "b"],
        "clip": ["sheet", "sheet"],
        "seed": [0, 0],
        "threshold": [1.1, 1.3],
        "min_width": [0.01, 0.01],
        "relative_width": [0.01, 0.01],
        "measure": ["m", "m"],
        "version": ["0", "0"],
        "error": [None, None],
        "wrinkles": [3.0, 5.0],
    }
)


def table(name):
    def write(folder, mage):
        write_table(folder / name, ROWS)

    return write


def point(folder, mage):
    Store(folder).write({"id": "a", "threshold": 1.1, "error": None})


def sweep_report(folder, mage):
    write_report(ROWS, folder / "report", title="thresholds")


def comparison(folder, mage):
    clip, params, _ = mage
    surfaces = {"coarse": None, "wrinkled": params}
    coarse = compare.coarsen(clip, 200)
    rows = compare.compare(clip, coarse, surfaces, every=2)
    compare.write_report(folder / "comparison", list(rows), clip, [coarse], surfaces)


WRITERS = {
    **{name: baked(name) for name in ("a.glb", "a.gltf", "a.usdc", "a.usda", "a.usdz", "a.npz", "frames")},
    **{f"maps of {kind}": mapped(kind) for kind in ("png", "exr")},
    **{f"paths.{kind}": exported(f"paths.{kind}") for kind in ("glb", "gltf", "usdc", "usda", "csv", "parquet")},
    **{name: picture(name) for name in ("still.png", "still.jpg")},
    **{name: video(name) for name in ("video.mp4", "video.mkv")},
    "sheet.png": sheet,
    "camera.json": camera,
    **{name: plotted(name) for name in ("plot.png", "plot.svg", "plot.pdf")},
    **{name: table(name) for name in ("table.csv", "table.parquet")},
    "a.parquet": point,
    "report": sweep_report,
}


@pytest.mark.parametrize("name", WRITERS)
def test_a_full_disk_leaves_everything_as_it_was(name, mage, tmp_path):
    whole, tight = tmp_path / "whole", tmp_path / "tight"
    for folder in (whole, tight):
        folder.mkdir()
        WRITERS[name](folder, mage)
    for path in content(tight):
        (tight / path).write_bytes(b"earlier")
    before = content(tight)
    largest = max(map(len, content(whole).values()))
    assert before
    for room in (0, largest // 2, largest - 1):
        with files_of_at_most(room), pytest.raises(WriteError) as caught:
            WRITERS[name](tight, mage)
        assert content(tight) == before
        told, _, cause = str(caught.value).partition(" cannot be written: ")
        assert Path(told) != tight
        assert any((tight / path).is_relative_to(told) for path in before)
        assert any(reason in cause for reason in ("File too large", "SIGXFSZ", "incomplete, as on a full disk"))
        assert "\n" not in str(caught.value)
    # What failed keeps nothing from succeeding.
    WRITERS[name](tight, mage)
    assert content(tight).keys() == content(whole).keys()
    assert b"earlier" not in content(tight).values()


def test_a_first_sequence_that_fails_leaves_no_folder(mage, tmp_path):
    for name in ("frames", "maps of png", "report"):
        with files_of_at_most(100), pytest.raises(WriteError):
            WRITERS[name](tmp_path, mage)
        assert list(tmp_path.iterdir()) == []


def test_a_usdz_is_read_from_its_aligned_contents(mage, tmp_path):
    WRITERS["a.usdz"](tmp_path, mage)
    with zipfile.ZipFile(tmp_path / "a.usdz") as package:
        entries = package.infolist()
        assert package.testzip() is None
    assert entries[0].filename == "a.usdc"
    assert len(entries) > 1
    data = (tmp_path / "a.usdz").read_bytes()
    for entry in entries:
        head = data[entry.header_offset :][:30]
        begin = entry.header_offset + 30 + int.from_bytes(head[26:28], "little") + int.from_bytes(head[28:30], "little")
        assert begin % 64 == 0
        assert entry.compress_type == zipfile.ZIP_STORED
    assert Usd.Stage.Open(str(tmp_path / "a.usdz")).GetPrimAtPath("/clip/garment")


@pytest.mark.parametrize("place", range(3))
def test_files_that_go_to_a_folder_go_all_or_none(place, tmp_path):
    names = ["a", "b", "c/d"]
    folder = tmp_path / "folder"
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("earlier")
    (folder / "other").write_text("other")
    # Where one file should go there is a folder.
    (folder / names[place]).unlink()
    (folder / names[place] / "inside").mkdir(parents=True)
    before = content(folder)

    def write():
        with replacing_in(folder) as temporary:
            (temporary / "c").mkdir()
            for name in names:
                (temporary / name).write_text("later")

    with pytest.raises(WriteError, match=f"folder/{names[place]} cannot be written: Is a directory"):
        write()
    assert content(folder) == before
    assert (folder / names[place] / "inside").is_dir()
    assert {path.name for path in folder.iterdir()} == {"a", "b", "c", "other"}


def test_an_interruption_leaves_nothing(tmp_path):
    def write(make):
        with make(tmp_path / "a") as temporary:
            (temporary if make is replacing else temporary / "b").write_text("begun")
            raise KeyboardInterrupt

    for make in (replacing, replacing_in):
        with pytest.raises(KeyboardInterrupt):
            write(make)
        assert list(tmp_path.iterdir()) == []


def test_what_is_wrong_with_another_file_is_told_of_that_one(tmp_path):
    with pytest.raises(FileNotFoundError, match="elsewhere"), replacing(tmp_path / "a"):
        (tmp_path / "elsewhere").read_bytes()


def command(*arguments, **options):
    program = Path(sys.executable).with_name("pucker")
    return subprocess.Popen([program, *map(str, arguments)], stdout=-1, stderr=-1, text=True, **options)


def limited_files():
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, 50_000))


@pytest.mark.parametrize(("verb", "name"), [("render", "walk.mp4"), ("bake", "walk.usdz"), ("bake", "frames")])
def test_the_command_tells_in_one_sentence_with_status_1(verb, name, data_dir, tmp_path):
    cloth = (data_dir / "kimono_male.gltf", "--clip", "Walk", "--parts", "Clothes,Band", "--fps", 6, "--quiet")
    with command(verb, *cloth, "-o", tmp_path / name, preexec_fn=limited_files) as process:
        told = process.communicate(timeout=120)[1]
    assert process.returncode == 1, told
    assert told.count("\n") == 1
    assert told.startswith(f"pucker: {tmp_path / name}")
    assert " cannot be written: " in told
    assert list(tmp_path.iterdir()) == []


def test_an_interrupted_command_says_so_with_status_130(data_dir, tmp_path):
    cloth = (
        data_dir / "kimono_male.gltf",
        "--clip",
        "Walk",
        "--parts",
        "Clothes,Band",
        "--loops",
        9,
        "--size",
        "160x90",
    )
    with command("render", *cloth, "-o", tmp_path / "walk.mp4", start_new_session=True) as process:
        while not list(tmp_path.iterdir()):
            assert process.poll() is None
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        told = process.communicate(timeout=60)[1]
    assert process.returncode == 130, told
    assert told.splitlines()[-1].startswith("pucker: interrupted")
    assert "Traceback" not in told
    assert list(tmp_path.iterdir()) == []


def test_a_figure_goes_to_an_open_file_too():
    with io.BytesIO() as file:
        plot.Figure().savefig(file, format="png")
        assert file.getvalue().startswith(b"\x89PNG")


# --- folders that are made ---------------------------------------------------------------------------------------


@pytest.fixture
def sealed(tmp_path):
    """A folder that nothing may be written in."""
    folder = tmp_path / "sealed"
    folder.mkdir()
    (folder / "below").mkdir()
    folder.chmod(0o555)
    yield folder
    folder.chmod(0o755)


def without_privileges(*command):
    """Runs a command that may not write where the modes forbid it, not even as root."""
    prefix = ("setpriv", "--bounding-set=-dac_override,-dac_read_search") if os.geteuid() == 0 else ()
    return subprocess.run([*prefix, *map(str, command)], check=False, capture_output=True, text=True, timeout=120)


@pytest.mark.parametrize("place", ["made", "made/in/it", "."])
def test_a_folder_that_cannot_be_made_is_named_with_the_reason(sealed, place):
    script = (
        "import sys; from pathlib import Path; from pucker.io.files import make_folder; make_folder(Path(sys.argv[1]))"
    )
    done = without_privileges(sys.executable, "-c", script, sealed / place)
    assert done.stderr.splitlines()[-1] == f"PermissionError: folder {sealed} is not writable"
    done = without_privileges(sys.executable, "-c", script, sealed / "below" / place)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(
    "arguments",
    [
        ("sweep", "grid.toml", "--workers", "1", "-o"),
        ("compare", "sleeve.npz", "--triangles", "100", "-o"),
        ("compare", "--suite", "scenes", "-o"),
        ("sweep", "grid.toml", "--workers", "1", "-o", "swept", "--report"),
    ],
)
def test_commands_say_that_a_folder_is_not_writable_in_a_line(sealed, monkeypatch, arguments):
    monkeypatch.chdir(sealed.parent)
    Path("grid.toml").write_text('[parameters]\nthreshold = [1.1]\n\n[clips.sleeve]\nfile = "sleeve.npz"\n')
    sleeve = pucker.examples.bending_sleeve(18, 24, frames=3)
    np.savez("sleeve.npz", faces=sleeve.faces, positions=sleeve.positions, times=sleeve.times)
    Path("scenes").mkdir()
    done = without_privileges(Path(sys.executable).parent / "pucker", *arguments, "sealed/out")
    assert done.returncode > 0
    assert done.stderr.splitlines()[-1].removeprefix("pucker: ") == "folder sealed is not writable"


@pytest.mark.parametrize(
    ("verb", "name", "told"),
    [
        ("render", "a.png", "a.png is a folder, not a file to write"),
        ("bake", "a.glb", "a.glb is a folder, not a file to write"),
        ("render", "plain", "plain is not a folder"),
        ("bake", "plain", "plain is not a folder"),
    ],
)
def test_an_output_of_the_other_kind_is_refused_before_the_file_is_read(verb, name, told, tmp_path):
    (tmp_path / "a.png").mkdir()
    (tmp_path / "a.glb").mkdir()
    (tmp_path / "plain").touch()
    frames = ["--frames", "0"] if verb == "render" else []
    result = CliRunner().invoke(cli, [verb, "missing.glb", *frames, "-o", str(tmp_path / name)])
    assert result.exit_code == 2
    assert result.stderr == f"pucker: {tmp_path / told}\n"


def test_a_file_that_is_written_anew_keeps_its_mode(tmp_path):
    path = tmp_path / "secret.txt"
    path.write_text("a")
    path.chmod(0o600)
    write_text(path, "b")
    with replacing_in(tmp_path) as folder:
        (folder / "other.txt").write_text("c")
        (folder / "secret.txt").write_text("d")
    assert path.read_text() == "d"
    assert path.stat().st_mode & 0o777 == 0o600
    assert (tmp_path / "other.txt").stat().st_mode & 0o777 == 0o644 & ~current_mask()


def current_mask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def test_a_folder_is_made_with_those_it_lies_in(tmp_path):
    for _ in range(2):
        make_folder(tmp_path / "a" / "b")
        assert (tmp_path / "a" / "b").is_dir()
    (tmp_path / "file").write_text("")
    for below in ("file", "file/c"):
        with pytest.raises(NotADirectoryError, match="file is not a folder"):
            make_folder(tmp_path / below)
