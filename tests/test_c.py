"""The C interface: the same bits as Python's, through ctypes and through a program in C; and errors instead of crashes."""

import ctypes
import os
import subprocess
from pathlib import Path

import numpy as np
import pytest

import pucker
from pucker.drape import Params as DrapeParams
from pucker.waves import Params as WaveParams

ROOT = Path(__file__).resolve().parents[1]
BUILD = ROOT / "build/python"
CMAKE = BUILD / "CMakeCache.txt"

pytestmark = pytest.mark.skipif(not CMAKE.exists(), reason="no build tree; ./run test makes it")

INVALID, FAILED = 1, 2
_DOUBLES = np.ctypeslib.ndpointer(np.float64, flags="C")


class Text(ctypes.Structure):
    _fields_ = (("text", ctypes.c_char * 512),)


class Garment(ctypes.Structure):
    _fields_ = (
        ("vertices", ctypes.c_int64),
        ("triangles", ctypes.c_int64),
        ("faces", ctypes.c_void_p),
        ("first", ctypes.c_void_p),
        ("rest", ctypes.c_void_p),
        ("standing", ctypes.c_void_p),
        ("height", ctypes.c_double),
    )


class PathFacts(ctypes.Structure):
    _fields_ = (
        ("id", ctypes.c_int64),
        ("alive", ctypes.c_int32),
        ("points", ctypes.c_int64),
        ("age", ctypes.c_double),
    )


def call(*command, **environment):
    """What a command prints."""
    done = subprocess.run(
        [str(word) for word in command], capture_output=True, text=True, check=False, env=os.environ | environment
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def library():
    call("cmake", "--build", BUILD, "--target", "pucker_c")
    found = ctypes.CDLL(str(BUILD / "cpp" / "c" / "libpucker.so"))
    found.pucker_version.restype = ctypes.c_char_p
    for name in ("params_free", "run_free"):
        getattr(found, f"pucker_{name}").restype = None
    return found


class Run:
    """A run through ctypes; what fails raises ValueError or OSError with the sentence."""

    def __init__(self, library, clip, method, settings=(), pieces=4):
        self.library, self.error = library, Text()
        self.params, self.run = ctypes.c_void_p(), ctypes.c_void_p()
        self.check(library.pucker_params_new(method.encode(), ctypes.byref(self.params), ctypes.byref(self.error)))
        for name, value in settings:
            self.check(library.pucker_params_set(self.params, name.encode(), value.encode(), ctypes.byref(self.error)))
        arrays = [np.ascontiguousarray(clip.faces), np.ascontiguousarray(clip.positions[0])]
        arrays += [None if each is None else np.ascontiguousarray(each) for each in (clip.rest, clip.standing)]
        places = [None if each is None else each.ctypes.data for each in arrays]
        garment = Garment(clip.positions.shape[1], len(clip.faces), *places, clip.height)
        status = library.pucker_run_new(
            self.params, ctypes.byref(garment), pieces, ctypes.byref(self.run), ctypes.byref(self.error)
        )
        self.check(status)

    def check(self, status):
        if status:
            raise (OSError if status == FAILED else ValueError)(self.error.text.decode())

    def call(self, name, *arguments):
        self.check(getattr(self.library, f"pucker_run_{name}")(self.run, *arguments, ctypes.byref(self.error)))

    def advance(self, positions, time):
        positions = np.ascontiguousarray(positions)
        self.call("advance", ctypes.c_void_p(positions.ctypes.data), ctypes.c_double(time))

    def size(self):
        vertices, triangles = ctypes.c_int64(), ctypes.c_int64()
        self.call("size", ctypes.byref(vertices), ctypes.byref(triangles))
        return vertices.value, triangles.value

    def surface(self):
        positions, normals = np.empty((2, self.size()[0], 3))
        room = ctypes.c_size_t(positions.size)
        self.call("surface", ctypes.c_void_p(positions.ctypes.data), ctypes.c_void_p(normals.ctypes.data), room)
        return positions, normals

    def faces(self):
        faces = np.empty((self.size()[1], 3), np.int32)
        self.call("faces", ctypes.c_void_p(faces.ctypes.data), ctypes.c_size_t(faces.size))
        return faces

    def paths(self):
        count = ctypes.c_int64()
        self.call("path_count", ctypes.byref(count))
        out = []
        for index in range(count.value):
            facts = PathFacts()
            self.call("path", ctypes.c_int64(index), ctypes.byref(facts), None, ctypes.c_size_t(0))
            points = np.empty((facts.points, 3))
            place = ctypes.c_void_p(points.ctypes.data)
            self.call("path", ctypes.c_int64(index), None, place, ctypes.c_size_t(points.size))
            out.append((facts.id, facts.alive, facts.age, points))
        return out

    def close(self):
        self.library.pucker_run_free(self.run)
        self.library.pucker_params_free(self.params)


@pytest.fixture(scope="module")
def clip():
    return pucker.examples.bending_sleeve(frames=12)


@pytest.mark.parametrize(
    ("method", "params", "settings"),
    [
        ("dynamic", pucker.Params(min_width=0.02), [("min_width", "0.02")]),
        ("waves", WaveParams(), []),
        ("drape", DrapeParams(levels=2, iterations=4), [("levels", "2"), ("iterations", "4")]),
    ],
)
def test_the_bits_are_those_of_python(library, clip, method, params, settings):
    run = Run(library, clip, method, settings)
    seen = 0
    for frame, state in zip(clip, pucker.run(clip, params), strict=True):
        run.advance(frame.positions, frame.time)
        detail = state.detail
        own = getattr(detail, "own_mesh", None)
        fine = own or pucker.Subdivision(clip.mesh, 4)
        assert run.size() == (len(fine.triangles), len(fine.faces))
        positions, normals = run.surface()
        if own is None:
            expected = detail.evaluate(fine.triangles, fine.barycentrics)
            np.testing.assert_array_equal(positions, expected.positions)
            np.testing.assert_array_equal(normals, expected.normals)
        else:
            np.testing.assert_array_equal(positions, detail.fine_positions)
            np.testing.assert_array_equal(normals, detail.fine_normals)
        wrinkles = getattr(state, "wrinkles", [])
        for (number, alive, age, points), wrinkle in zip(run.paths(), wrinkles, strict=True):
            assert (number, bool(alive), age) == (wrinkle.id, wrinkle.alive, wrinkle.age)
            np.testing.assert_array_equal(points, wrinkle.points)
            seen += 1
    np.testing.assert_array_equal(run.faces(), fine.faces)
    assert (seen > 0) == (method == "dynamic")
    run.close()


def test_mistakes_are_told_and_change_nothing(library, clip):
    with pytest.raises(ValueError, match="waltz"):
        Run(library, clip, "waltz")
    with pytest.raises(ValueError, match="wdith"):
        Run(library, clip, "dynamic", [("wdith", "1")])
    with pytest.raises(ValueError, match="-1"):
        Run(library, clip, "dynamic", [("min_width", "-1")])
    with pytest.raises(ValueError, match="pieces must be at least 1, got 0"):
        Run(library, clip, "dynamic", pieces=0)
    with pytest.raises(OSError, match=r"none\.npz"):
        Run(library, clip, "byexample", [("trained", "none.npz")])
    run = Run(library, clip, "drape", [("levels", "1")])
    with pytest.raises(ValueError, match="before the first frame"):
        run.surface()
    run.advance(clip.positions[0], 0.0)
    before = run.surface()
    with pytest.raises(ValueError, match="time must grow"):
        run.advance(clip.positions[1], 0.0)
    with pytest.raises(ValueError, match="finite"):
        run.advance(np.full_like(clip.positions[0], np.nan), 1.0)
    np.testing.assert_array_equal(run.surface(), before)
    small = np.empty(9)
    with pytest.raises(ValueError, match=f"need room for {3 * run.size()[0]} numbers, not 9"):
        run.call("surface", ctypes.c_void_p(small.ctypes.data), None, ctypes.c_size_t(9))
    with pytest.raises(ValueError, match=r"index must be in \[0, 0\), got 0"):
        run.call("path", ctypes.c_int64(0), None, None, ctypes.c_size_t(0))
    with pytest.raises(ValueError, match="positions must not be NULL"):
        run.call("advance", None, ctypes.c_double(2.0))
    run.close()


def test_null_is_refused_and_may_be_freed(library):
    text = Text()
    given = {
        "advance": (None, ctypes.c_double(0.0)),
        "size": (None, None),
        "faces": (None, None),
        "path_count": (None,),
    }
    given |= {"surface": (None, None, None), "path": (ctypes.c_int64(0), None, None, None)}
    for name, arguments in given.items():
        status = getattr(library, f"pucker_run_{name}")(None, *arguments, ctypes.byref(text))
        assert status == INVALID
        assert b"must not be NULL" in text.text
    assert library.pucker_params_new(b"dynamic", None, None) == INVALID
    library.pucker_run_free(None)
    library.pucker_params_free(None)
    assert library.pucker_version().decode() == pucker.__version__


def test_nothing_but_the_interface_is_exported(library):
    told = call("nm", "-D", "--defined-only", BUILD / "cpp" / "c" / "libpucker.so")
    names = {line.split()[-1] for line in told.splitlines() if line.split()[-2] == "T"}
    header = (ROOT / "cpp/include/pucker/pucker.h").read_text()
    assert {name for name in names if name.startswith("pucker_")} == names
    assert all(f"{name}(" in header for name in names)
    assert len(names) == 12


@pytest.fixture(scope="module")
def prefix(library, tmp_path_factory):
    """Where the libraries are installed."""
    folder = tmp_path_factory.mktemp("prefix")
    call("cmake", "--install", BUILD, "--component", "development", "--prefix", folder)
    return folder


def sheet():
    """The clip that the example makes."""
    side = np.arange(13 * 13)
    frames = []
    for frame in range(10):
        width = 1.0 - 0.3 * frame / 9
        x = width * (side % 13) / 12
        frames.append(np.stack([x, (side // 13) / 12, np.zeros(len(side))], axis=1))
    a = (np.arange(12)[:, None] * 13 + np.arange(12)).ravel()
    faces = np.stack([a, a + 1, a + 14, a, a + 14, a + 13], axis=1).reshape(-1, 3)
    rest = frames[0]
    return pucker.Clip.from_arrays(faces, np.array(frames), np.arange(10) / 30.0, weld=False, rest=rest)


@pytest.mark.parametrize("how", ["find_package", "pkg-config"])
def test_the_example_in_c_gives_the_same(prefix, tmp_path, how):
    program = tmp_path / "wrinkle"
    source = ROOT / "examples" / "c"
    lib = next(prefix.rglob("libpucker.so")).parent
    if how == "find_package":
        call("cmake", "-G", "Ninja", "-S", source, "-B", tmp_path, f"-DCMAKE_PREFIX_PATH={prefix}")
        call("cmake", "--build", tmp_path)
    else:
        flags = call("pkg-config", "--cflags", "--libs", "pucker", PKG_CONFIG_PATH=str(lib / "pkgconfig")).split()
        call("cc", "-std=c11", source / "wrinkle.c", "-o", program, *flags, f"-Wl,-rpath,{lib}")
    out = tmp_path / "sheet.obj"
    told = call(program, "drape", out, "levels", "2")
    lines = [line.split() for line in out.read_text().splitlines()]
    shown = np.array([line[1:] for line in lines if line[0] == "v"], dtype=float)
    *_, last = pucker.run(sheet(), DrapeParams(levels=2, cut="rest"))
    np.testing.assert_array_equal(shown, last.detail.fine_positions)
    assert f"vertices {len(shown)}" in told
    refused = subprocess.run([program, "waltz", out], capture_output=True, text=True, check=False)
    assert refused.returncode == 1
    assert refused.stderr.startswith("wrinkle: ")
