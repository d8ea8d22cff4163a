"""A live page reads a character in the browser: what it makes of a file is what `pucker.load` does."""

import base64
import json
import re

import numpy as np
import pytest
from gltf_packed import glb, opened, packed
from gltf_writer import GltfFile
from page_browser import browser_page
from scipy.spatial.distance import cdist
from test_io_morphs import morphing
from test_io_skins import enlarged
from test_live import WASM

import pucker
from pucker import drape, page

pytestmark = pytest.mark.skipif(not WASM.exists(), reason="no pucker.wasm; ./run wasm makes it")

_READ = """([name, text, clip, parts, how]) => {
  const gltf = new Gltf(name, Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0)));
  const character = charactersTriangles(gltf), {placements, json} = gltf;
  const names = character.placementOf.map((k) => [json.materials?.[placements[k].material]?.name, placements[k].nodeName]);
  const made = clipOf(gltf, gltf.clips.find((each) => each.name === clip) ?? null, names.map((own) => parts.length === 0 || own.some((name) => parts.includes(name))), how);
  const listed = (layer, poses) => poses.map((pose) => pose && [...layer.at(pose)]);
  return {
    times: made.times, height: made.height, shared: made.shared, clips: gltf.clips.map(({name}) => name),
    faces: [...made.garment.faces], body_faces: [...made.body.faces], skinned: made.followsSkin,
    positions: listed(made.garment, made.frames), body_positions: listed(made.body, made.frames),
    poses: listed(made.garment, [made.bind, made.standing]), body_poses: listed(made.body, [made.bind, made.standing]),
  };
}"""


class Reader:
    """A page that reads files."""

    def __init__(self, browser):
        self.page, self.complaints = browser.page, browser.complaints

    def read(self, name, content, clip="", parts=(), **how):
        """What the page makes of a file's bytes, with positions as rows of three."""
        text = base64.b64encode(content).decode()
        found = self.page.evaluate(_READ, [name, text, clip, list(parts), how])
        for key in ("positions", "body_positions", "poses", "body_poses"):
            found[key] = [rows and np.reshape(rows, (-1, 3)) for rows in found[key]]
        return found


@pytest.fixture(scope="module")
def reader(tmp_path_factory):
    file = tmp_path_factory.mktemp("live") / "live.html"
    page.write(pucker.examples.bending_sleeve(frames=3), file, params=drape.Params(levels=1), live=True)
    with browser_page() as browser:
        browser.open(file)
        made = Reader(browser)
        yield made
        assert made.complaints == []


def assert_as_loaded(found, clip):
    """Garment, body and what runs start from are those of a clip to 1e-6 of the character's size."""
    near = {"rtol": 0, "atol": 1e-6 * np.ptp(clip.positions.reshape(-1, 3), axis=0).max()}
    first = np.unique(clip.body_weld, return_index=True)[1]
    np.testing.assert_allclose(found["times"], clip.times, rtol=0, atol=1e-9)
    np.testing.assert_array_equal(found["faces"], clip.faces.ravel())
    np.testing.assert_array_equal(found["body_faces"], clip.body_weld[clip.body_faces].ravel())
    np.testing.assert_allclose(found["positions"], clip.positions, **near)
    if len(first):
        np.testing.assert_allclose(found["body_positions"], clip.body_positions[:, first], **near)
    np.testing.assert_array_equal(found["shared"], clip.shared_vertices)
    assert found["height"] == pytest.approx(clip.height, rel=1e-6)
    poses = [(clip.rest, clip.body_rest), (clip.standing, clip.standing_body)]
    for k, (garment, body) in enumerate(poses):
        assert (found["poses"][k] is None) == (garment is None)
        if garment is not None:
            np.testing.assert_allclose(found["poses"][k], garment, **near)
            np.testing.assert_allclose(np.reshape(found["body_poses"][k], (-1, 3)), body[first], **near)


@pytest.mark.parametrize(
    ("name", "clip", "parts", "how"),
    [
        ("kimono_male.gltf", "Walk", ["Clothes"], {}),
        ("kimono_male.gltf", "Run", ["Clothes", "Band"], {"fps": 24, "loops": 2}),
        ("mage.glb", "Sit_Floor_Down", ["Mage_Body"], {"fps": 15}),
    ],
)
def test_a_character_is_read_as_python_reads_it(reader, data_dir, name, clip, parts, how):
    found = reader.read(name, packed(data_dir / name), clip, parts, **how)
    assert_as_loaded(found, pucker.load(data_dir / name, clip=clip, parts=parts, **how))
    assert found["clips"] == list(pucker.inspect(data_dir / name).clips)
    if parts == ["Clothes"]:
        assert len(found["shared"]) > 50


@pytest.mark.parametrize("skinned", [False, True])
def test_morph_targets_are_blended_before_the_skin(reader, tmp_path, rng, skinned):
    file = morphing(tmp_path / "sheet.gltf", rng, skinned=skinned)
    found = reader.read("sheet.gltf", file.read_bytes(), "flap", fps=16)
    assert_as_loaded(found, pucker.load(file, fps=16))
    assert not found["skinned"]


@pytest.mark.parametrize("how", ["steady", "growing", "wider"])
def test_the_bind_pose_is_as_large_as_a_clip_that_scales_the_topmost_joint(reader, tmp_path, rng, how):
    sizes = np.full((2, 3), 0.8) * {"steady": 1.0, "growing": [[1.0], [1.5]], "wider": [1.0, 1.5, 1.0]}[how]
    file = enlarged(tmp_path / "figure.gltf", rng, rng.normal(size=(60, 3)), sizes)
    assert_as_loaded(reader.read("figure.gltf", file.read_bytes(), "wave"), pucker.load(file))


def test_an_avatar_of_vrm_0_is_turned_to_face_along_z(reader, data_dir, tmp_path):
    tree, content = opened(data_dir / "kimono_male.gltf")
    tree |= {"extensions": {"VRM": {"specVersion": "0.0"}}, "extensionsUsed": ["VRM"]}
    file = tmp_path / "avatar.vrm"
    file.write_bytes(glb(tree, content))
    found = reader.read("avatar.vrm", file.read_bytes(), "Walk", ["Clothes"], fps=10)
    assert_as_loaded(found, pucker.load(file, clip="Walk", parts="Clothes", fps=10))


def test_without_clips_a_character_stands_in_its_bind_pose(reader, data_dir):
    tree, content = opened(data_dir / "kimono_male.gltf")
    del tree["animations"]
    found = reader.read("still.glb", glb(tree, content), parts=["Clothes"])
    walk = pucker.load(data_dir / "kimono_male.gltf", clip="Walk", parts="Clothes")
    assert found["times"] == [0]
    # With the poses of a clip other vertices are one point: places are compared.
    apart = cdist(found["positions"][0], walk.rest)
    assert max(apart.min(axis=0).max(), apart.min(axis=1).max()) < 1e-6 * walk.height


def test_seams_and_the_backs_of_cloth_are_joined_and_what_parts_is_not(reader, tmp_path):
    """A sheet modelled from both sides, and two triangles that are one until a joint takes one of them away."""
    sheet = np.array([[0.0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]])
    triangle = np.array([[2.0, 0, 0], [3, 0, 0], [2, 1, 0]])
    points = np.concatenate([sheet, sheet, triangle, triangle])
    faces = np.array([[0, 1, 2], [0, 2, 3], [4, 6, 5], [4, 7, 6], [8, 9, 10], [11, 12, 13]])
    joints = np.zeros((14, 4), int)
    joints[11:, 0] = 1
    file = GltfFile()
    mesh = file.mesh(points, faces, joints, np.tile([1.0, 0, 0, 0], (14, 1)))
    first = file.node(name="first")
    second = file.node(parent=first, name="second")
    binds = file.accessor(np.stack([np.eye(4)] * 2))
    skin = file.add("skins", {"joints": [first, second], "inverseBindMatrices": binds})
    file.node(name="cloth", mesh=mesh, skin=skin)
    file.animation("apart", {(second, "translation"): ([0.0, 1.0], [[0.0, 0, 0], [0, 0, 1]])})
    path = file.write_glb(tmp_path / "both.glb")
    found, clip = reader.read("both.glb", path.read_bytes(), "apart", fps=4), pucker.load(path, fps=4)
    assert (len(clip.faces), len(clip.rest)) == (4, 10)
    assert_as_loaded(found, clip)


def test_a_border_is_shared_with_what_stays_at_it(reader, tmp_path):
    """Of two triangles that touch the border of a sheet at first, a joint takes one away."""
    file = GltfFile()
    first = file.node(name="first")
    second = file.node(parent=first, name="second")
    binds = file.accessor(np.stack([np.eye(4)] * 2))
    skin = file.add("skins", {"joints": [first, second], "inverseBindMatrices": binds})
    sheet = np.array([[0.0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]])
    left, right = (
        sheet[[0, 3, 3]] - [[0, 0, 0], [0, 0, 0], [1, 0, 0]],
        sheet[[1, 2, 2]] + [[0, 0, 0], [0, 0, 0], [1, 0, 0]],
    )
    for name, points, faces, joint in (
        ("sheet", sheet, [[0, 1, 2], [0, 2, 3]], 0),
        ("left", left, [[0, 1, 2]], 0),
        ("right", right, [[0, 1, 2]], 1),
    ):
        joints = np.tile([joint, 0, 0, 0], (len(points), 1))
        mesh = file.mesh(points, np.array(faces), joints, np.tile([1.0, 0, 0, 0], (len(points), 1)))
        file.node(name=name, mesh=mesh, skin=skin)
    file.animation("apart", {(second, "translation"): ([0.0, 1.0], [[0.0, 0, 0], [0, 0, 1]])})
    path = file.write_glb(tmp_path / "border.glb")
    found, clip = (
        reader.read("border.glb", path.read_bytes(), "apart", ["sheet"], fps=4),
        pucker.load(path, parts="sheet", fps=4),
    )
    assert list(clip.shared_vertices) == [0, 3]
    assert_as_loaded(found, clip)


def swinging(how, times, turns, places):
    """A skinned sheet whose joint turns and moves by keys, of which splines have three values each."""
    file = GltfFile()
    points = np.array([[0.0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]])
    mesh = file.mesh(points, np.array([[0, 1, 2], [0, 2, 3]]), np.zeros((4, 4), int), np.tile([1.0, 0, 0, 0], (4, 1)))
    joint = file.node(name="joint")
    skin = file.add("skins", {"joints": [joint], "inverseBindMatrices": file.accessor(np.eye(4)[None])})
    file.node(name="sheet", mesh=mesh, skin=skin)
    file.animation("swing", {(joint, "rotation"): (times, turns), (joint, "translation"): (times, places)})
    for sampler in file.json["animations"][0]["samplers"]:
        sampler["interpolation"] = how
    return file, points


def rotated(points, quaternion):
    """Points turned by a quaternion that need not be of unit length, as Rodrigues' formula has it."""
    x, y, z, w = np.asarray(quaternion) / np.linalg.norm(quaternion)
    axis = np.array([x, y, z])
    return points + 2 * np.cross(axis, np.cross(axis, points) + w * points)


def test_steps_and_splines_are_those_of_the_standard(reader, tmp_path):
    times, turns = [0.0, 1.0, 3.0], [[0.0, 0, 0, 1], [0, 0, 0.6, 0.8], [0.6, 0, 0, 0.8]]
    places = [[0.0, 0, 0], [1, 2, 3], [4, 0, -1]]
    file, points = swinging("STEP", times, turns, places)
    found = reader.read("step.glb", file.write_glb(tmp_path / "step.glb").read_bytes(), "swing", fps=2)
    for time, positions in zip(found["times"], found["positions"], strict=True):
        key = np.searchsorted(times, time, side="right") - 1
        np.testing.assert_allclose(positions, rotated(points, turns[key]) + places[key], atol=1e-6)

    rng = np.random.default_rng(3)

    def spline(values):
        return np.stack([np.stack([rng.normal(size=len(v)), v, rng.normal(size=len(v))]) for v in values])

    keys = [spline(np.array(values, float)) for values in (turns, places)]
    file, points = swinging("CUBICSPLINE", times, *(each.reshape(-1, each.shape[2]) for each in keys))
    found = reader.read("spline.glb", file.write_glb(tmp_path / "spline.glb").read_bytes(), "swing", fps=4)
    for time, positions in zip(found["times"], found["positions"], strict=True):
        k = min(np.searchsorted(times, time, side="right") - 1, 1)
        span = times[k + 1] - times[k]
        t = (time - times[k]) / span
        weights = [2 * t**3 - 3 * t**2 + 1, span * (t**3 - 2 * t**2 + t), 3 * t**2 - 2 * t**3, span * (t**3 - t**2)]
        turn, place = (np.dot(weights, [e[k][1], e[k][2], e[k + 1][1], e[k + 1][0]]) for e in keys)
        np.testing.assert_allclose(positions, rotated(points, turn) + place, atol=1e-5)


def test_accessors_are_those_of_the_standard(reader):
    """Strides, sparse values, whole numbers that stand for shares, and triangles as strips and fans."""
    sparse = np.array([[5.0, 6, 7]], "<f4").tobytes()
    strided = b"".join(np.array(row, "<f4").tobytes() + bytes(8) for row in np.arange(12).reshape(4, 3))
    shares = np.array([-127, 127, 64, -128], "i1").tobytes()
    content = strided + np.array([2], "<u2").tobytes() + bytes(2) + sparse + shares
    views = [(0, 80, 20), (80, 2, 0), (84, 12, 0), (96, 4, 0)]
    tree = {
        "asset": {"version": "2.0"},
        "buffers": [{"byteLength": len(content)}],
        "bufferViews": [
            {"buffer": 0, "byteOffset": at, "byteLength": size} | ({"byteStride": stride} if stride else {})
            for at, size, stride in views
        ],
        "accessors": [
            {
                "bufferView": 0, "componentType": 5126, "count": 4, "type": "VEC3",
                "sparse": {"count": 1, "indices": {"bufferView": 1, "componentType": 5123}, "values": {"bufferView": 2}},
            },
            {"bufferView": 3, "componentType": 5120, "count": 4, "type": "SCALAR", "normalized": True},
        ],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "mode": mode} for mode in (4, 5, 6)]}],
        "nodes": [{"mesh": 0}],
        "animations": [
            {
                "channels": [{"sampler": 0, "target": {"node": 0, "path": "weights"}}],
                "samplers": [{"input": 1, "output": 1}],
            }
        ],
    }  # fmt: skip
    text = base64.b64encode(glb(tree, content)).decode()
    found = reader.page.evaluate(
        """([text]) => {
          const gltf = new Gltf("a.glb", Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0)));
          return {points: [...gltf.placements[0].points], shares: [...gltf.accessor(1, 1)], faces: gltf.placements.map(({faces}) => [...faces])};
        }""",
        [text],
    )
    points = np.arange(12.0).reshape(4, 3)
    points[2] = 5, 6, 7
    np.testing.assert_array_equal(np.reshape(found["points"], (4, 3)), points)
    np.testing.assert_allclose(found["shares"], [-1, 1, 64 / 127, -1])
    assert found["faces"] == [[0, 1, 2], [0, 1, 2, 2, 1, 3], [0, 1, 2, 0, 2, 3]]


def _changed(**parts):
    return lambda tree, content: glb(tree | parts, content)


def _packed_by(extension):
    return _changed(extensionsRequired=[extension])


def _without_skins(tree, content):
    return glb(tree | {"nodes": [{k: v for k, v in node.items() if k != "skin"} for node in tree["nodes"]]}, content)


@pytest.mark.parametrize(
    ("made", "told"),
    [
        (lambda _, content: content, "who.glb is no GLB file: it does not begin with glTF"),
        (lambda *_: b"", "who.glb is no GLB file: it does not begin with glTF"),
        (lambda tree, content: glb(tree, content)[:-100], r"who.glb is truncated: a chunk of \d+ bytes begins at byte \d+"),
        (
            lambda tree, _: json.dumps(tree | {"buffers": [{"uri": "who.bin", "byteLength": 9}]}).encode(),
            "who.glb keeps its buffer in another file, who.bin; as .glb it has all inside",
        ),
        (lambda tree, content: glb(tree, content[:99]), "who.glb is truncated or damaged: buffer view .* ends after"),
        (_changed(meshes=[], nodes=[]), "who.glb (has no mesh of triangles|is truncated or damaged)"),
        (_changed(meshes=[None]), "who.glb is truncated or damaged: "),
        (_changed(buffers=None), "who.glb is truncated or damaged: "),
        (
            lambda tree, content: glb(tree | {"accessors": [{**tree["accessors"][0], "count": 10**12}]}, content),
            "who.glb is too large: accessor 0 has 1000000000000 rows",
        ),
        (_without_skins, "who.glb has no skin, without which cloth keeps its shape and has no wrinkles"),
        (_packed_by("KHR_draco_mesh_compression"), "who.glb is packed by KHR_draco_mesh_compression, which is not read"),
        (_packed_by("EXT_meshopt_compression"), "who.glb is packed by EXT_meshopt_compression, which is not read"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_told_in_a_sentence(reader, data_dir, made, told):
    content = made(*opened(data_dir / "kimono_male.gltf"))
    text = base64.b64encode(content).decode()
    said = reader.page.evaluate(
        """([text]) => {
          try {
            new Gltf("who.glb", Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0)));
          } catch (error) {
            return `${error.name}: ${error.message}`;
          }
        }""",
        [text],
    )
    assert said is not None
    assert re.match(f"Error: {told}", said), said
    assert "\n" not in said


def test_a_character_that_is_too_large_is_told(reader, data_dir):
    content = packed(data_dir / "kimono_male.gltf")
    with pytest.raises(
        Exception, match=r"too large: clip Walk has \d+ frames of \d+ vertices, where a page has room for 12 million"
    ):
        reader.read("who.glb", content, "Walk", ["Clothes"], fps=30, loops=10000)
