"""The files that `tests/fuzz.py` mutates: small ones of every format, from the project's own writers where it has one."""

import base64
import io
import json
import tempfile
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import fbx_writer
import numpy as np
from gltf_writer import GltfFile
from PIL import Image

import pucker
from pucker import byexample, drape
from pucker.examples import bending_sleeve, squeezed_sheet
from pucker.io.npz import write_arrays
from pucker.metrics.compare.scene import Scene

CRASHERS = Path(__file__).parent / "crashers"
DATA = Path(__file__).parent.parent / "data"
LARGEST = 1 << 16
_EMBEDDED = "data:application/octet-stream;base64,"

POINTS = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.2]])
FACES = np.array([[0, 1, 2], [0, 2, 3]])

MTL = b"newmtl red\nKd 0.5 0.25 1\nd 0.5\nmap_Kd -s 1 1 1 a.png\nmap_d a.png\n"
OBJ = b"mtllib a.mtl\no cloth\nv 0 0 0\nv 1 0 0\nv 1 1 0.5\nv 0 1 0\nvt 0 0\nvt 1 1\nusemtl red\nf 1/1 2/2 3/1\nf -2 -1 1\n"

# A sheet that a node moves.
DAE = b"""<?xml version="1.0"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset><unit name="meter" meter="1"/><up_axis>Y_UP</up_axis></asset>
<library_geometries><geometry id="g" name="sheet"><mesh>
<source id="p"><float_array id="pa" count="12">0 0 0 1 0 0 1 1 0 0 1 0.2</float_array>
<technique_common><accessor source="#pa" count="4" stride="3"><param name="X" type="float"/><param name="Y" type="float"/>
<param name="Z" type="float"/></accessor></technique_common></source>
<vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
<triangles count="2"><input semantic="VERTEX" source="#v" offset="0"/><p>0 1 2 0 2 3</p></triangles>
</mesh></geometry></library_geometries>
<library_animations><animation id="a">
<source id="t"><float_array id="ta" count="2">0 1</float_array><technique_common><accessor source="#ta" count="2" stride="1">
<param name="TIME" type="float"/></accessor></technique_common></source>
<source id="o"><float_array id="oa" count="2">0 2</float_array><technique_common><accessor source="#oa" count="2" stride="1">
<param name="X" type="float"/></accessor></technique_common></source>
<source id="i"><Name_array id="ia" count="2">LINEAR LINEAR</Name_array><technique_common>
<accessor source="#ia" count="2" stride="1"><param name="INTERPOLATION" type="name"/></accessor></technique_common></source>
<sampler id="s"><input semantic="INPUT" source="#t"/><input semantic="OUTPUT" source="#o"/>
<input semantic="INTERPOLATION" source="#i"/></sampler>
<channel source="#s" target="n/move.X"/></animation></library_animations>
<library_visual_scenes><visual_scene id="world"><node id="n" name="sheet"><translate sid="move">0 0 0</translate>
<instance_geometry url="#g"/></node></visual_scene></library_visual_scenes>
<scene><instance_visual_scene url="#world"/></scene>
</COLLADA>
"""

# A sheet that one joint and two blend shapes move, of which the second is of some points and has a shape in between.
USD = b"""#usda 1.0
(
    defaultPrim = "character"
    startTimeCode = 0
    endTimeCode = 2
    timeCodesPerSecond = 24
    upAxis = "Y"
)
def SkelRoot "character" (prepend apiSchemas = ["SkelBindingAPI"])
{
    rel skel:skeleton = </character/skeleton>
    rel skel:animationSource = </character/flap>
    def Skeleton "skeleton"
    {
        uniform token[] joints = ["hip"]
        uniform matrix4d[] bindTransforms = [((1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (0, 0, 0, 1))]
        uniform matrix4d[] restTransforms = [((1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (0, 0, 0, 1))]
    }
    def SkelAnimation "flap"
    {
        uniform token[] joints = ["hip"]
        float3[] translations.timeSamples = { 0: [(0, 0, 0)], 2: [(1, 0, 0)] }
        quatf[] rotations = [(1, 0, 0, 0)]
        half3[] scales = [(1, 1, 1)]
        uniform token[] blendShapes = ["bulge", "fold"]
        float[] blendShapeWeights.timeSamples = { 0: [0, 0], 1: [1, 0.25], 2: [0.5, 1] }
    }
    def Mesh "cloth" (prepend apiSchemas = ["SkelBindingAPI"])
    {
        int[] faceVertexCounts = [3, 3]
        int[] faceVertexIndices = [0, 1, 2, 0, 2, 3]
        point3f[] points = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)]
        int[] primvars:skel:jointIndices = [0, 0, 0, 0] (
            elementSize = 1
            interpolation = "vertex"
        )
        float[] primvars:skel:jointWeights = [1, 1, 1, 1] (
            elementSize = 1
            interpolation = "vertex"
        )
        texCoord2f[] primvars:st = [(0, 0), (1, 0), (1, 1), (0, 1)] (interpolation = "vertex")
        uniform token[] skel:blendShapes = ["bulge", "fold"]
        rel skel:blendShapeTargets = [</character/cloth/bulge>, </character/cloth/fold>]
        def BlendShape "bulge"
        {
            uniform vector3f[] offsets = [(0, 0, 1), (0, 0, 1), (0, 0, 1), (0, 0, 1)]
        }
        def BlendShape "fold"
        {
            uniform vector3f[] offsets = [(0, 1, 0), (0, 1, 1)]
            uniform int[] pointIndices = [1, 3]
            uniform vector3f[] inbetweens:half = [(1, 0, 0), (0, 0, 1)] (weight = 0.25)
        }
    }
}
"""


def _bytes(write: Callable[[io.BytesIO], object]) -> bytes:
    stream = io.BytesIO()
    write(stream)
    return stream.getvalue()


def _file(name: str, write: Callable[[Path], object]) -> bytes:
    """What is written to a path of that name."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        write(path)
        return path.read_bytes()


def _zip(files: dict[str, bytes]) -> bytes:
    def write(stream: io.BytesIO) -> None:
        with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, content in files.items():
                archive.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)

    return _bytes(write)


def _crashers(*endings: str) -> list[bytes]:
    return [path.read_bytes() for path in sorted(CRASHERS.iterdir()) if path.name.endswith(endings)]


def sleeve() -> "pucker.Clip":
    """A small clip, which recordings are of."""
    clip = bending_sleeve(columns=4, rows=3, frames=4)
    return pucker.Clip.from_arrays(clip.faces, clip.positions, clip.times)


# --- scenes ------------------------------------------------------------------------------------------------------


def _baked() -> bytes:
    """A small file of the project's own writer, whose frames are morph targets; its buffer is put inside."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "cloth.gltf"
        pucker.bake.surface(sleeve(), path, params=pucker.Params(min_width=0.05), levels=1)
        tree = json.loads(path.read_bytes())
        for buffer in tree["buffers"]:
            buffer["uri"] = _EMBEDDED + base64.b64encode((Path(folder) / buffer["uri"]).read_bytes()).decode()
        return json.dumps(tree).encode()


def _morphing() -> bytes:
    """A sheet that two joints and two morph targets move."""
    file = GltfFile()
    joints, weights = np.tile([0, 1, 0, 0], (4, 1)), np.tile([0.75, 0.25, 0.0, 0.0], (4, 1))
    targets = [{"POSITION": 0.1 * POINTS}, {"POSITION": -POINTS[::-1], "NORMAL": POINTS}]
    mesh = file.mesh(POINTS, FACES, joints, weights, normals=POINTS + 1.0, targets=targets)
    hip = file.node(name="hip", translation=[0.1, 0.2, 0.3])
    spine = file.node(parent=hip, name="spine", scale=[1.0, 2.0, 1.5])
    skin = file.add("skins", {"joints": [hip, spine], "inverseBindMatrices": file.accessor(np.stack([np.eye(4)] * 2))})
    sheet = file.node(name="sheet", mesh=mesh, skin=skin)
    turns = [[0.0, 0.0, 0.0, 1.0], [0.0, 0.6, 0.0, 0.8], [0.6, 0.0, 0.0, 0.8]]
    times, values = [0.0, 0.05, 0.1], [[0.0, 1.0], [0.5, -0.5], [1.0, 0.0]]
    file.animation("flap", {(hip, "rotation"): (times, turns), (sheet, "weights"): (times, values)})
    return _file("sheet.gltf", file.write)


def _fbx() -> bytes:
    """A sheet that two morph targets move, as text."""
    channels = [
        fbx_writer.Channel("bulge", [0.1 * POINTS], [0.0, 0.05, 0.1], [0.0, 1.0, 0.25]),
        fbx_writer.Channel("twist", [POINTS[::-1]], [0.0, 0.1], [0.5, -0.5]),
    ]
    return _file("sheet.fbx", lambda path: fbx_writer.write(path, POINTS, FACES, channels))


def _usd(ending: str) -> bytes:
    from pxr import Sdf  # noqa: PLC0415 - of an extra

    def write(path: Path) -> None:
        layer = Sdf.Layer.CreateAnonymous(".usda")
        layer.ImportFromString(USD.decode())
        layer.Export(str(path))

    return _file(f"sheet.{ending}", write)


def _abc() -> bytes:
    """A sheet in three frames, which Blender writes."""
    sheet = squeezed_sheet(2, 2, frames=3)
    return _file("sheet.abc", lambda path: pucker.bake.surface(sheet, path, levels=1))


def _glb(gltf: bytes) -> bytes:
    """The same as one binary file, its buffer a chunk of it."""
    tree = json.loads(gltf)
    (buffer,) = tree["buffers"]
    binary = base64.b64decode(buffer.pop("uri").removeprefix(_EMBEDDED))
    text = json.dumps(tree).encode()
    chunks = b""
    for kind, content, filler in ((b"JSON", text, b" "), (b"BIN\0", binary, b"\0")):
        padded = content + filler * (-len(content) % 4)
        chunks += len(padded).to_bytes(4, "little") + kind + padded
    return b"glTF" + np.array([2, 12 + len(chunks)], "<u4").tobytes() + chunks


# --- meshes and arrays ------------------------------------------------------------------------------------------


def _pc2() -> bytes:
    header = b"POINTCACHE2\0" + np.array([1, 4], "<i4").tobytes() + np.array([0, 1], "<f4").tobytes()
    return header + np.array([3], "<i4").tobytes() + np.arange(36, dtype="<f4").tobytes()


def _mdd() -> bytes:
    times = np.array([0, 0.5, 1], ">f4").tobytes()
    return np.array([3, 4], ">i4").tobytes() + times + np.arange(36, dtype=">f4").tobytes()


def _md3() -> list[bytes]:
    """A model of one surface, three frames and a tag."""

    def named(text: bytes) -> bytes:
        return text.ljust(64, b"\0")

    frames = 3
    triangles = FACES.astype("<i4").tobytes()
    shader, uv = named(b"cloth.tga") + bytes(4), bytes(8 * len(POINTS))
    normals = np.zeros((len(POINTS), 1), "<i2")
    points = b"".join(
        np.concatenate([(64 * POINTS + frame).astype("<i2"), normals], axis=1).tobytes() for frame in range(frames)
    )
    counts = np.array([0, frames, 1, len(POINTS), len(FACES)], "<i4").tobytes()
    places = np.cumsum([108, len(triangles), len(shader), len(uv), len(points)])
    surface = b"IDP3" + named(b"cloth") + counts + places.astype("<i4").tobytes() + triangles + shader + uv + points
    tags = (named(b"tag_torso") + np.concatenate([np.zeros(3), np.eye(3).ravel()]).astype("<f4").tobytes()) * frames
    places = np.cumsum([108, 56 * frames, len(tags), len(surface)])
    header = b"IDP3" + np.array([15], "<i4").tobytes() + named(b"model")
    header += np.concatenate([[0, frames, 1, 1, 0], places]).astype("<i4").tobytes()
    return [header + bytes(56 * frames) + tags + surface]


def _npz() -> bytes:
    clip = sleeve()
    arrays = {"faces": clip.faces, "positions": clip.positions, "times": clip.times}
    materials = {"materials": np.zeros(len(clip.faces), np.int32), "material_names": np.array(["cloth"])}
    return _file("clip.npz", lambda path: write_arrays(path, arrays | materials))


# --- runs, and what they are made from ---------------------------------------------------------------------------


def _scenes() -> list[bytes]:
    """Of comparisons: one with two takes."""
    clip = sleeve()
    fine = _recorded(clip)
    scene = Scene.of_simulation("sleeve", clip, fine, fine + 0.01, levels=1, first=1, count=2)
    return [_file("scene.npz", scene.save)]


def _recorded(clip: "pucker.Clip") -> np.ndarray:
    """Fine frames of a clip, subdivided once."""
    smooth = byexample.SmoothSurface(clip.mesh, 1, clip.positions[0])
    out = []
    for positions in clip.positions:
        smooth.step(positions)
        out.append(smooth.positions + 0.01 * np.sin(20 * smooth.positions[:, ::-1]))
    return np.array(out)


def _recording() -> bytes:
    clip = sleeve()
    faces = byexample.LoopSubdivision(clip.mesh, 1).fine.faces
    arrays = {"faces": faces, "positions": _recorded(clip), "times": clip.times}
    return _bytes(lambda stream: np.savez(stream, **arrays))


def _saved() -> list[bytes]:
    clip = sleeve()
    dynamic = pucker.Wrinkler(clip.mesh, pucker.Params(min_width=0.05))
    waves = pucker.waves.WaveField(clip.mesh, clip.positions[0], pucker.waves.Params(), height=1.0)
    draped = drape.Drape(clip.mesh, clip.positions[0], drape.Params(levels=1, iterations=5))
    examples = [
        byexample.ByExample(each.synthesis(), byexample.Params(), [], each.cloth)
        for each in (_poses(), _regression(), _displaced())
    ]
    runs = (dynamic, waves, draped, *examples)
    for run in runs:
        for frame in clip:
            run.advance(frame.positions, frame.time)
    # The programs seal them again.
    return [run.save()[:-8] for run in runs]


def _poses() -> "byexample.TrainedSet":
    clip = sleeve()
    smooth = byexample.SmoothSurface(clip.mesh, 1, clip.positions[0])
    poses = clip.positions[:2]
    details = np.full((2, len(smooth.positions), 3), 0.01)
    return byexample.TrainedSet(clip.faces, clip.positions[0], 1, poses, details)


def _regression() -> "byexample.TrainedSet":
    clip = sleeve()
    smooth = byexample.SmoothSurface(clip.mesh, 1, clip.positions[0])
    poses = clip.positions[:2]
    details = np.full((2, len(smooth.positions), 3), 0.01)
    points = np.array([0, 5, 11], np.int32)
    velocities, coefficients = np.zeros((2, len(points), 3)), np.full((len(points), 3, 1), 0.5)
    learned = byexample.Learned(points, velocities, coefficients, width=0.1, motion=0.01)
    return byexample.TrainedSet(clip.faces, clip.positions[0], 1, poses, details, regression=learned)


def _displaced() -> "byexample.TrainedSet":
    """With a guide's cloth, that trails, and whose displacements count."""
    trained = _regression()
    clip = sleeve()
    cloth = byexample.GuideCloth(drape.Params(levels=0, contact=False, iterations=2), clip.positions[0])
    displacements = np.full((2, len(clip.positions[0]), 3), 0.01)
    assert trained.regression is not None
    learned = replace(trained.regression, displacement=0.5, displacements=displacements)
    return replace(trained, regression=learned, cloth=cloth, options=replace(trained.options, trail=0.1))


def _trained() -> list[bytes]:
    """Sets of every version there has been, with numbers and with multiples of a step; not packed, so that bytes that change
    change numbers."""
    out = []
    written_as = (
        (1, _poses()),
        (2, _poses().rounded()),
        (3, _regression()),
        (4, replace(_regression(), options=byexample.Options(trail=0.1))),
        (5, replace(_regression(), cloth=_displaced().cloth)),
        (6, _displaced()),
        (7, _displaced().rounded()),
    )
    for version, trained in written_as:
        packed = _file("set.npz", trained.save)
        with np.load(io.BytesIO(packed)) as archive:
            arrays = dict(archive)
        header = json.loads(str(arrays.pop("header"))) | {"version": version}
        written = _bytes(
            lambda stream, header=header, arrays=arrays: np.savez(stream, header=np.array(json.dumps(header)), **arrays)
        )
        out += [packed, written]
    return out


def quad() -> tuple["pucker.Mesh", np.ndarray]:
    """The mesh and rest pose that paintings and wavelengths are read for."""
    return pucker.Mesh(FACES, len(POINTS)), POINTS


def _painting() -> list[bytes]:
    painting = pucker.waves.Painting(*quad())
    painting.stroke(0, (0.4, 0.3, 0.3), (1.0, 0.5, 0.0), radius=0.7, strength=0.8)
    return [_file("painting.npz", painting.save)]


def _wavelengths() -> list[bytes]:
    return [_bytes(lambda stream: np.save(stream, np.array([0.5, 1.0, 2.0, 4.0])))]


def _pictures() -> list[bytes]:
    grey = (np.arange(1.0, 65.0).reshape(8, 8) * 3).astype(np.uint8)
    kept = {"PNG": Image.fromarray(grey), "TIFF": Image.fromarray(grey.astype(np.float32) / 255.0)}
    kept |= {"GIF": Image.fromarray(grey).convert("P"), "JPEG": Image.fromarray(grey), "BMP": Image.fromarray(grey)}
    return [
        _bytes(lambda stream, kind=kind, picture=picture: picture.save(stream, kind)) for kind, picture in kept.items()
    ]


def _params() -> list[bytes]:
    trees = (pucker.Params(), pucker.waves.Params(), byexample.Params(), drape.Params())
    return [tree.to_toml().encode() for tree in trees]


def _calls() -> list[bytes]:
    """Bytes that stand for calls: numbers, which are taken from the end, and texts."""
    draws = np.random.default_rng(3)
    return [draws.integers(0, 256, 4096, np.uint8).tobytes() for _ in range(16)]


CAMERA = b'{"eye": [0, 1, 3], "target": [0, 1, 0], "field_of_view": 40.0, "near": 0.1, "far": 10.0}'

SWEEP = b"""[parameters]
min_width = 0.05
threshold = [1.1, 1.2]
label.smoothness = [0.5, 1.0]

[clips.sleeve]
file = "sleeve.gltf"
"""

SHOT = b"""[all]
file = "sleeve.gltf"
levels = 2
set.relative_width = 0.05

[outputs."a.glb"]
clip = "Walk"
parts = ["Sleeve", "Cuff"]

[outputs."b/c.exr"]
vat = true
per-frame = false
set = {threshold = 1.1}
"""

_MADE: dict[str, Callable[[], list[bytes]]] = {
    "gltf": lambda: [_baked(), _morphing()],
    "glb": lambda: [_glb(_baked()), _glb(_morphing())],
    "fbx": lambda: [_fbx()],
    "dae": lambda: [DAE],
    "usda": lambda: [USD],
    "usdc": lambda: [_usd("usdc")],
    "abc": lambda: [_abc()],
    "md3": _md3,
    "skin": lambda: [b"part,part.tga\ntag_torso,\n"],
    "obj": lambda: [OBJ + b"\x1c" + OBJ.replace(b"0.5", b"0.7"), OBJ],
    "zip": lambda: [
        _zip({"1.obj": OBJ, "2.obj": OBJ}),
        _zip({"1.obj": OBJ, "a.mtl": MTL, "a.png": b"picture"}),
        *_crashers("names.zip"),
    ],
    "pc2": lambda: [_pc2()],
    "mdd": lambda: [_mdd()],
    "saved": _saved,
    "trained": _trained,
    "scene": _scenes,
    "recording": lambda: [_recording()],
    "motion": lambda: [_morphing()],
    "camera": lambda: [CAMERA],
    "painting": _painting,
    "wavelengths": _wavelengths,
    "pictures": _pictures,
    "params": lambda: [b"threshold=1.3\nlabel.solver=exact\nprofile=arcs\nseed=7\nverbatim=true\n"],
    "npz": lambda: [_npz()],
    "c": _calls,
    "toml": _params,
    "sweep": lambda: [SWEEP],
    "shot": lambda: [SHOT],
}
# What once did damage, and heads of larger files, of which damage is found early.
_DAMAGED: dict[str, Callable[[], list[bytes]]] = {
    "gltf": lambda: _crashers(".gltf"),
    "fbx": lambda: [(DATA / "female_dress.fbx").read_bytes()[:LARGEST], *_crashers(".fbx")],
    "dae": lambda: _crashers(".dae"),
    "usda": lambda: _crashers(".usda"),
    "usdc": lambda: _crashers(".usdc"),
    "md3": lambda: [(DATA / "kyonshi_lower.md3").read_bytes()[:LARGEST], *_crashers(".md3")],
    "mdd": lambda: _crashers(".mdd"),
    "npz": lambda: _crashers(".npz"),
    "pictures": lambda: _crashers(".png", ".gbr"),
}


def valid(name: str) -> list[bytes]:
    """Small files that a reader takes."""
    return _MADE[name]()


def seeds(name: str) -> list[bytes]:
    """Those, and some that it refuses."""
    return [*valid(name), *_DAMAGED.get(name, list)()]
