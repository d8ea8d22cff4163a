"""The C interface: the same bits as Python's, through ctypes and through a program in C; and errors instead of crashes."""

import ctypes
import os
import subprocess
from pathlib import Path

import numpy as np
import pytest
from posing import points_of_body, posed, turned_nodes

import pucker
from pucker.drape import Params as DrapeParams
from pucker.method import method_of
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


class Wearer(ctypes.Structure):
    _fields_ = (
        ("vertices", ctypes.c_int64),
        ("triangles", ctypes.c_int64),
        ("frames", ctypes.c_int64),
        ("faces", ctypes.c_void_p),
        ("positions", ctypes.c_void_p),
        ("rest", ctypes.c_void_p),
        ("standing", ctypes.c_void_p),
        ("shared", ctypes.c_int64),
        ("shared_indices", ctypes.c_void_p),
    )


class Skin(ctypes.Structure):
    _fields_ = (
        ("vertices", ctypes.c_int64),
        ("joints", ctypes.c_int64),
        ("rest", ctypes.c_void_p),
        ("first", ctypes.c_void_p),
        ("influences", ctypes.c_void_p),
        ("weights", ctypes.c_void_p),
        ("nodes", ctypes.c_void_p),
        ("inverse_binds", ctypes.c_void_p),
    )


class NamedArray(ctypes.Structure):
    _fields_ = (
        ("name", ctypes.c_char_p),
        ("text", ctypes.c_char_p),
        ("rank", ctypes.c_int64),
        ("shape", ctypes.c_void_p),
        ("numbers", ctypes.c_void_p),
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
    call("cmake", "--build", BUILD, "--target", "pucker_c", "pucker_c_static")
    found = ctypes.CDLL(str(BUILD / "cpp" / "c" / "libpucker.so"))
    found.pucker_version.restype = ctypes.c_char_p
    for name in ("params_free", "run_free"):
        getattr(found, f"pucker_{name}").restype = None
    return found


class Run:
    """A run through ctypes; what fails raises ValueError or OSError with the sentence."""

    def __init__(self, library, clip, method, settings=(), pieces=4, *, worn=False, frames=None, arrays=None):
        self.library, self.error = library, Text()
        self.params, self.run = ctypes.c_void_p(), ctypes.c_void_p()
        self.check(library.pucker_params_new(method.encode(), ctypes.byref(self.params), ctypes.byref(self.error)))
        for name, value in settings:
            self.check(library.pucker_params_set(self.params, name.encode(), value.encode(), ctypes.byref(self.error)))
        for name, values in (arrays or {}).items():
            self.give("set", name, values)
        kept = [np.ascontiguousarray(clip.faces), np.ascontiguousarray(clip.positions[0])]
        kept += [None if each is None else np.ascontiguousarray(each) for each in (clip.rest, clip.standing)]
        places = [None if each is None else each.ctypes.data for each in kept]
        garment = Garment(clip.positions.shape[1], len(clip.faces), *places, clip.height)
        rest = (pieces, ctypes.byref(self.run), ctypes.byref(self.error))
        if worn:
            wearer, kept = wearer_of(clip)
            wearer.frames = frames or wearer.frames
            self.check(library.pucker_run_new_worn(self.params, ctypes.byref(garment), ctypes.byref(wearer), *rest))
        else:
            self.check(library.pucker_run_new(self.params, ctypes.byref(garment), *rest))

    def give(self, file, name, values):
        """An array or a text of a file."""
        if isinstance(values, str):
            array = NamedArray(name.encode(), values.encode())
        else:
            numbers, shape = np.ascontiguousarray(values, np.float64), np.array(np.shape(values), np.int64)
            array = NamedArray(name.encode(), None, len(shape), shape.ctypes.data, numbers.ctypes.data)
        given = (self.params, file.encode(), ctypes.byref(array), ctypes.byref(self.error))
        self.check(self.library.pucker_params_array(*given))

    def check(self, status):
        if status:
            raise (OSError if status == FAILED else ValueError)(self.error.text.decode())

    def call(self, name, *arguments):
        self.check(getattr(self.library, f"pucker_run_{name}")(self.run, *arguments, ctypes.byref(self.error)))

    def advance(self, positions, time):
        positions = np.ascontiguousarray(positions)
        self.call("advance", ctypes.c_void_p(positions.ctypes.data), ctypes.c_double(time))

    def advance_worn(self, positions, wearer, time):
        kept = [np.ascontiguousarray(each) for each in (positions, wearer)]
        self.call("advance_worn", *(ctypes.c_void_p(each.ctypes.data) for each in kept), ctypes.c_double(time))

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

    def corners(self):
        count = self.size()[1]
        sources, corners = np.empty(count, np.int32), np.empty((3 * count, 3))
        places = [ctypes.c_void_p(each.ctypes.data) for each in (sources, corners)]
        self.call("corners", *places, ctypes.c_size_t(corners.size))
        return sources, corners

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

    def curve(self, index):
        count = ctypes.c_int64()
        self.call("curve", ctypes.c_int64(index), ctypes.byref(count), None, ctypes.c_size_t(0))
        points = np.empty((count.value, 4))
        place = ctypes.c_void_p(points.ctypes.data)
        self.call("curve", ctypes.c_int64(index), None, place, ctypes.c_size_t(points.size))
        return points

    def tints(self, overlay, triangles):
        out = np.empty((triangles, 4), np.uint8)
        self.call("tints", overlay.encode(), ctypes.c_void_p(out.ctypes.data), ctypes.c_size_t(out.size))
        return out

    def close(self):
        self.library.pucker_run_free(self.run)
        self.library.pucker_params_free(self.params)


def wearer_of(clip):
    """The body of a clip, and what has to be kept as long as it is used."""
    first = np.unique(clip.body_weld, return_index=True)[1]
    poses = [None if each is None else each[first] for each in (clip.body_rest, clip.standing_body)]
    kept = [clip.body_weld[clip.body_faces], clip.body_positions[:, first], *poses, clip.shared_vertices]
    kept = [None if each is None else np.ascontiguousarray(each) for each in kept]
    faces, positions, rest, standing, shared = (None if each is None else each.ctypes.data for each in kept)
    sizes = (len(first), len(clip.body_faces), len(clip))
    return Wearer(*sizes, faces, positions, rest, standing, len(clip.shared_vertices), shared), kept


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
        sources, corners = run.corners()
        np.testing.assert_array_equal(sources, fine.source)
        np.testing.assert_array_equal(corners.reshape(-1, 3, 3), fine.corners)
        positions, normals = run.surface()
        if own is None:
            expected = detail.evaluate(fine.triangles, fine.barycentrics)
            np.testing.assert_array_equal(positions, expected.positions)
            np.testing.assert_array_equal(normals, expected.normals)
        else:
            np.testing.assert_array_equal(positions, detail.fine_positions)
            np.testing.assert_array_equal(normals, detail.fine_normals)
        wrinkles = getattr(state, "wrinkles", [])
        if wrinkles:
            np.testing.assert_array_equal(run.tints("labels", len(clip.faces)), pucker.label_tints(state.labels))
            drawn = method_of(params).overlays()[1].curves(state, clip.mesh)
            found = [points for points in map(run.curve, range(len(wrinkles))) if len(points)]
            for points, (places, heights) in zip(found, drawn, strict=True):
                np.testing.assert_array_equal(points[::2], np.column_stack([places, heights]))
        for (number, alive, age, points), wrinkle in zip(run.paths(), wrinkles, strict=True):
            assert (number, bool(alive), age) == (wrinkle.id, wrinkle.alive, wrinkle.age)
            np.testing.assert_array_equal(points, wrinkle.points)
            seen += 1
    np.testing.assert_array_equal(run.faces(), fine.faces)
    assert (seen > 0) == (method == "dynamic")
    run.close()


@pytest.fixture(scope="module")
def walk(data_dir):
    return pucker.load(data_dir / "kimono_male.gltf", clip="Walk", parts=["Clothes"])


def test_cloth_is_kept_out_of_who_wears_it(library, walk):
    run = Run(library, walk, "drape", [("levels", "1")], worn=True)
    alone = Run(library, walk, "drape", [("levels", "1")])
    for frame, state in zip(walk, pucker.run(walk, DrapeParams(levels=1)), strict=True):
        run.advance(frame.positions, frame.time)
        alone.advance(frame.positions, frame.time)
        np.testing.assert_array_equal(run.surface()[0], state.detail.fine_positions)
        if state.frame == 3:
            break
    assert np.abs(alone.surface()[0] - run.surface()[0]).max() > 1e-4
    run.close()
    alone.close()


def test_who_wears_cloth_may_be_given_as_it_comes(library, walk):
    run = Run(library, walk, "drape", [("levels", "1")], worn=True, frames=1)
    body = [points_of_body(walk, stored) for stored in walk.body_positions]
    for frame, state in zip(walk, pucker.run(walk, DrapeParams(levels=1)), strict=True):
        run.advance_worn(frame.positions, body[state.frame], frame.time)
        np.testing.assert_array_equal(run.surface()[0], state.detail.fine_positions)
        if state.frame == 3:
            break
    before = run.surface()
    with pytest.raises(ValueError, match="a body of 1 frames has none for frame 4"):
        run.advance(walk.positions[4], walk.times[4])
    with pytest.raises(ValueError, match="positions of a body must be finite"):
        run.advance_worn(walk.positions[4], np.full_like(body[4], np.inf), walk.times[4])
    np.testing.assert_array_equal(run.surface(), before)
    run.close()
    # Who looks at no body lets it be.
    alone = Run(library, walk, "waves")
    alone.advance_worn(walk.positions[0], body[0], 0.0)
    alone.close()


def test_joints_are_turned_and_skins_follow(library, walk):
    turns = {"UpperArm.L": [20.0, -30.0, 45.0], "Torso": [0.0, 25.0, 10.0], "Body": [5.0, 5.0, 5.0]}
    skeleton, skin, error = walk.skeleton, walk.skin, Text()
    stored = np.ascontiguousarray(skeleton.matrices[7])
    angles = np.array([turns.get(name, (0.0, 0.0, 0.0)) for name in skeleton.nodes])
    nodes = np.empty_like(stored)

    def place(values):
        return ctypes.c_void_p(values.ctypes.data)

    count = ctypes.c_int64(len(stored))
    given = (count, place(skeleton.parents), place(stored), place(angles), place(nodes), ctypes.byref(error))
    assert library.pucker_nodes_turned(*given) == 0, error.text
    np.testing.assert_allclose(
        nodes, turned_nodes(skeleton, 7, turns)[:, :3], rtol=0, atol=1e-10 * np.abs(stored).max()
    )
    kept = (walk.rest, skin.first, skin.influence_joints, skin.influence_weights, skin.nodes, skin.inverse_binds)
    kept = [np.array(each) for each in kept]
    of = Skin(len(walk.rest), len(skin.joints), *(each.ctypes.data for each in kept))
    found = np.empty_like(kept[0])
    assert library.pucker_skin_positions(ctypes.byref(of), count, place(nodes), place(found), ctypes.byref(error)) == 0
    np.testing.assert_allclose(found, posed(walk, 7, turns)[0], rtol=0, atol=1e-10 * walk.height)
    kept[4][3] = len(stored)
    status = library.pucker_skin_positions(ctypes.byref(of), count, place(nodes), place(found), ctypes.byref(error))
    assert (status, error.text.decode()) == (
        INVALID,
        f"a skin's nodes must be in [0, {len(stored)}), got {len(stored)}",
    )
    angles[2, 1] = np.nan
    assert library.pucker_nodes_turned(*given) == INVALID
    assert library.pucker_nodes_turned(count, None, None, None, None, ctypes.byref(error)) == INVALID
    assert library.pucker_skin_positions(None, count, None, None, ctypes.byref(error)) == INVALID


def test_a_trained_set_may_be_given_as_arrays(library, walk, data_dir):
    with np.load(data_dir / "kimono.pose.npz") as file:
        arrays = {name: str(file[name]) if file[name].dtype.kind == "U" else file[name] for name in file.files}
    run = Run(library, walk, "byexample", [("trained", "set")], worn=True, arrays=arrays)
    states = pucker.run(walk, pucker.byexample.Params(trained=str(data_dir / "kimono.pose.npz")))
    for frame, state in zip(walk, states, strict=True):
        run.advance(frame.positions, frame.time)
        np.testing.assert_array_equal(run.surface()[0], state.detail.fine_positions)
        if state.frame == 3:
            break
    run.close()
    with pytest.raises(OSError, match="set: is no trained set"):
        Run(library, walk, "byexample", [("trained", "set")], arrays={"header": "{}"})


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
    with pytest.raises(ValueError, match=r"index must be in \[0, 0\), got 3"):
        run.curve(3)
    with pytest.raises(ValueError, match="the method drape has no tint labels"):
        run.tints("labels", len(clip.faces))
    with pytest.raises(ValueError, match=f"tints need room for {4 * len(clip.faces)} numbers, not 4"):
        run.tints("hold", 1)
    with pytest.raises(ValueError, match="positions must not be NULL"):
        run.call("advance", None, ctypes.c_double(2.0))
    run.close()


def test_null_is_refused_and_may_be_freed(library):
    text = Text()
    given = {
        "advance": (None, ctypes.c_double(0.0)),
        "advance_worn": (None, None, ctypes.c_double(0.0)),
        "size": (None, None),
        "faces": (None, None),
        "path_count": (None,),
    }
    given |= {"surface": (None, None, None), "path": (ctypes.c_int64(0), None, None, None)}
    given["corners"] = (None, None, None)
    given |= {"curve": (ctypes.c_int64(0), None, None, None), "tints": (None, None, None)}
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
    assert len(names) == 20


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


@pytest.mark.parametrize("static", [False, True])
@pytest.mark.parametrize("how", ["find_package", "pkg-config"])
def test_the_example_in_c_gives_the_same(prefix, tmp_path, how, static):
    program = tmp_path / "wrinkle"
    source = ROOT / "examples" / "c"
    lib = next(prefix.rglob("libpucker.so")).parent
    if how == "find_package":
        given = (f"-DCMAKE_PREFIX_PATH={prefix}", f"-DSTATIC={'ON' if static else 'OFF'}")
        call("cmake", "-G", "Ninja", "-S", source, "-B", tmp_path, *given)
        call("cmake", "--build", tmp_path)
    else:
        kind = ("--define-variable=library=:libpucker.a", "--static") if static else ()
        words = ("pkg-config", *kind, "--cflags", "--libs", "pucker")
        flags = call(*words, PKG_CONFIG_PATH=str(lib / "pkgconfig")).split()
        call("cc", "-std=c11", source / "wrinkle.c", "-o", program, *flags, f"-Wl,-rpath,{lib}")
    assert ("libpucker.so" in call("ldd", program)) != static
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


def test_the_static_library_is_refused_without_a_compiler_of_cplusplus(prefix, tmp_path):
    listing = "cmake_minimum_required(VERSION 3.25)\nproject(mine LANGUAGES C)\n"
    (tmp_path / "CMakeLists.txt").write_text(listing + "find_package(pucker 0.1 REQUIRED COMPONENTS c_static)\n")
    command = ["cmake", "-G", "Ninja", "-S", tmp_path, "-B", tmp_path / "build", f"-DCMAKE_PREFIX_PATH={prefix}"]
    refused = subprocess.run(command, capture_output=True, text=True, check=False)
    assert refused.returncode == 1
    assert "enable_language(CXX) first" in " ".join(refused.stderr.split())


@pytest.mark.parametrize("defined", ["", "PUCKER_BUILDING", "PUCKER_STATIC"])
def test_windows_imports_what_the_shared_library_exports(defined, tmp_path):
    """As a compiler for Windows would read the header; here it is only read."""
    source = tmp_path / "mine.c"
    source.write_text("#include <pucker/pucker.h>\n")
    words = ("cc", "-E", "-D_WIN32", *([f"-D{defined}"] if defined else []), f"-I{ROOT / 'cpp/include'}", source)
    (version,) = [line for line in call(*words).splitlines() if "pucker_version" in line]
    before = {"": "__declspec(dllimport) ", "PUCKER_BUILDING": "__declspec(dllexport) ", "PUCKER_STATIC": ""}[defined]
    assert version.strip() == f"{before}const char* pucker_version(void);"
