"""Draws docs/engines.webp: one frame of the kimono, each time by the program that plays what pucker baked."""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, Final

import numpy as np
import OpenEXR
from PIL import Image

import pucker
from pucker import bake, drape
from pucker.io.files import replacing
from pucker.render import Camera, captioned, create_context

HERE: Final = Path(__file__).resolve().parent
ROOT: Final = HERE.parents[1]
sys.path.insert(0, str(ROOT / "tests"))

from engine_scenes import godot_imported, three_corners  # noqa: E402 - of the tests
from gltf_oracle import Gltf  # noqa: E402

SIZE: Final = (340, 360)
CLIP: Final = "SitDown"
TIME: Final = 0.9
RATE: Final = 30
EYE: Final = (2.5, 2.2, 5.2)
AT: Final = (-0.1, 1.2, 0.3)
FIELD_OF_VIEW: Final = 23.0  # degrees from the lower edge to the upper one
BACKGROUND: Final = 0.87
SUN: Final = (2.0, 3.0, 4.0)
PARAMS: Final = drape.Params(levels=2)

_FRAGMENT: Final = """#version 430
in vec3 shown_normal;
uniform vec3 colour;
uniform vec3 sun;
out vec4 drawn;
void main() {
  vec3 n = normalize(gl_FrontFacing ? shown_normal : -shown_normal);
  drawn = vec4(pow(colour * (0.45 + 0.65 * max(dot(n, normalize(sun)), 0.0)), vec3(1.0 / 2.2)), 1.0);
}
"""


def baked(folder: Path) -> None:
    """The kimono in every format that is played below."""
    file = ROOT / "data" / "kimono_male.gltf"
    clips = {CLIP: pucker.load(file, clip=CLIP, parts=["Clothes", "Band"], fps=RATE)}
    for name, quantized in (("small.glb", True), ("floats.glb", False), ("kimono.usdc", False)):
        bake.skinned(clips, folder / name, params=PARAMS, targets=24, quantized=quantized)
    bake.vat(clips[CLIP], folder / "vat.exr", params=PARAMS)
    coat = {CLIP: pucker.load(file, clip=CLIP, parts=["Clothes"], fps=RATE)}
    bake.wrinkle_maps(coat, folder / "maps", params=PARAMS)


def read(path: Path) -> np.ndarray:
    """A picture (h, w, 3) of uint8, on grey where it is transparent."""
    image = Image.open(path).convert("RGBA")
    ground = Image.new("RGBA", image.size, (*3 * [round(255 * BACKGROUND)], 255))
    return np.asarray(Image.alpha_composite(ground, image).convert("RGB"))


def by_blender(file: Path, maps: Path | None = None) -> np.ndarray:
    """Imported and rendered by Cycles; with wrinkle maps by the example's material."""
    out = file.with_name("blender.png")
    given = {"file": str(file), "out": str(out), "size": SIZE, "frame": round(RATE * TIME), "rate": RATE, "clip": CLIP}
    given |= {"eye": EYE, "at": AT, "fov": FIELD_OF_VIEW, "sun": SUN}
    given |= {"maps": None if maps is None else str(maps), "examples": str(ROOT / "examples" / "blender")}
    command = [sys.executable, HERE / "blender_scene.py", json.dumps(given)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return read(out)


def by_godot(file: Path) -> np.ndarray:
    """Imported by Godot's editor and drawn by its own renderer, in a window of a display that is not there."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        godot_imported(file, folder)
        given = {"clip": CLIP, "time": TIME, "eye": EYE, "at": AT, "fov": FIELD_OF_VIEW, "sun": SUN, "grey": BACKGROUND}
        (folder / "given.json").write_text(json.dumps(given))
        (folder / "scene.gd").write_text((HERE / "godot_scene.gd").read_text("utf-8"))
        command = ["xvfb-run", "-a", "-s", "-screen 0 1280x1024x24", "godot3", "--path", name, "-s", "scene.gd"]
        command += ["--video-driver", "GLES3", "--audio-driver", "Dummy", "--resolution", f"{SIZE[0]}x{SIZE[1]}"]
        subprocess.run(command, check=True, env=os.environ | {"HOME": name}, stdout=subprocess.DEVNULL, timeout=300)
        return read(folder / "drawn.png")


def by_three(file: Path) -> np.ndarray:
    """By three.js in Chromium."""
    out = file.with_name("three.png")
    three_corners(file, CLIP, [TIME], picture=(out, {"size": SIZE, "eye": EYE, "at": AT, "fov": FIELD_OF_VIEW}))
    return read(out)


def by_shader(folder: Path) -> np.ndarray:
    """Vertex animation textures by the vertex shader of the examples."""
    gltf = Gltf(folder / "vat.glb")
    told = json.loads((folder / "vat-remap_info.json").read_text())
    (clip,) = told["animations"].values()
    context = create_context()
    program = context.program((ROOT / "examples" / "opengl" / "vat.vert").read_text("utf-8"), fragment_shader=_FRAGMENT)
    for unit, (uniform, name) in enumerate((("offsets", "vat.exr"), ("normals", "vat_vnrm.exr"))):
        with OpenEXR.File(str(folder / name)) as file:
            values = np.ascontiguousarray(file.channels()["RGB"].pixels)
        texture = context.texture(values.shape[1::-1], 3, values.tobytes(), dtype="f2", alignment=1)
        texture.filter = (context.NEAREST, context.NEAREST)
        texture.use(unit)
        program[uniform] = unit
    for name, value in (("low", "Min"), ("high", "Max"), ("frames", "Frames")):
        program[name] = told["os-remap"][value]
    program["rows"], program["rate"], program["seconds"], program["loops"] = (
        told["rows_per_frame"],
        clip["framerate"],
        TIME,
        False,
    )
    projection = Camera(EYE, AT, FIELD_OF_VIEW).view_projection(SIZE[0] / SIZE[1])
    program["projection"].write(projection.T.astype(np.float32).tobytes())
    program["sun"] = SUN
    many, one = (
        context.framebuffer(context.renderbuffer(SIZE, samples=4), context.depth_renderbuffer(SIZE, samples=4)),
        context.simple_framebuffer(SIZE),
    )
    many.use()
    many.clear(BACKGROUND, BACKGROUND, BACKGROUND)
    context.enable(context.DEPTH_TEST)
    for name in ("garment", "body"):
        for primitive in gltf.primitives(gltf.node(name)):
            columns = [gltf.accessor(primitive["attributes"][each]) for each in ("POSITION", "NORMAL", "TEXCOORD_1")]
            material = gltf.json["materials"][primitive["material"]]["pbrMetallicRoughness"]
            program["colour"] = material["baseColorFactor"][:3]
            vertices = context.buffer(np.hstack(columns).astype(np.float32).tobytes())
            indices = context.buffer(gltf.accessor(primitive["indices"]).astype(np.uint32).tobytes())
            given = [(vertices, "3f 3f 2f", "position", "normal", "texel")]
            context.vertex_array(program, given, index_buffer=indices).render()
    context.copy_framebuffer(one, many)
    return np.frombuffer(one.read(), np.uint8).reshape(*SIZE[::-1], 3)[::-1]


def cells(folder: Path) -> dict[str, Any]:
    """The pictures by their captions."""
    baked(folder)
    return {
        "three.js: glTF": by_three(folder / "small.glb"),
        "Blender: glTF": by_blender(folder / "small.glb"),
        "Blender: USD": by_blender(folder / "kimono.usdc"),
        "Godot: glTF": by_godot(folder / "floats.glb"),
        "OpenGL: vertex animation textures": by_shader(folder),
        "Blender: wrinkle maps": by_blender(folder / "maps" / "unwrapped.glb", folder / "maps"),
    }


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as made:
        drawn = [captioned(picture, caption) for caption, picture in cells(Path(made)).items()]
    sheet = np.vstack([np.hstack(drawn[:3]), np.hstack(drawn[3:])])
    with replacing(ROOT / "docs" / "engines.webp") as temporary:
        Image.fromarray(sheet).save(temporary, format="WEBP", quality=75, method=6)
