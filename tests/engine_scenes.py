"""Positions that foreign programs give a skinned character, told by each as (frames, corners, 3) of its garment."""

import base64
import importlib.util
import json
import os
import pickle
import shutil
import subprocess
import sys
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from time import sleep

import numpy as np
import pytest
from gltf_oracle import Gltf
from page_browser import browser_page
from PIL import Image

# Not imported here: Blender's module brings a USD of its own.
needs_blender = pytest.mark.skipif(
    importlib.util.find_spec("bpy") is None, reason="./run test --blender installs Blender's module"
)

_BLENDER = """
import json, sys, bpy, numpy as np
file, clip, frames, names, out = json.loads(sys.argv[1])
bpy.ops.wm.read_factory_settings(use_empty=True)
bpy.context.scene.render.fps = 30
def play(holder):
    data = holder.animation_data
    if data is not None:
        data.use_nla = False
        data.action = bpy.data.actions[clip]
        data.action_slot = data.action_suitable_slots[0]
if file.endswith(".glb"):
    bpy.ops.import_scene.gltf(filepath=file)
    for holder in (*bpy.data.objects, *(m.shape_keys for m in bpy.data.meshes if m.shape_keys)):
        play(holder)
else:
    bpy.ops.wm.usd_import(filepath=file)
found = {name: [] for name in names}
for frame in frames:
    bpy.context.scene.frame_set(int(frame), subframe=frame - int(frame))
    for name in names:
        evaluated = bpy.data.objects[name].evaluated_get(bpy.context.evaluated_depsgraph_get())
        mesh = evaluated.to_mesh()
        points = np.empty(3 * len(mesh.vertices), np.float32)
        mesh.vertices.foreach_get("co", points)
        world = np.array(evaluated.matrix_world)
        places = points.reshape(-1, 3) @ world[:3, :3].T + world[:3, 3]
        corners = np.empty(len(mesh.loops), np.int32)
        mesh.loops.foreach_get("vertex_index", corners)
        # Blender's z is up.
        found[name].append((places @ [[1, 0, 0], [0, 0, -1], [0, 1, 0]])[corners])
np.savez(out, **found)
"""


def _blender(file, clip, frames, folder, names):
    out = folder / "corners.npz"
    given = json.dumps([str(file), clip, list(frames), list(names), str(out)])
    subprocess.run([sys.executable, "-c", _BLENDER, given], check=True, capture_output=True, timeout=300)
    with np.load(out) as found:
        return dict(found)


def blender_corners(file, clip, times, folder):
    """In Blender's own importer, as its dependency graph evaluates them."""
    return _blender(file, clip, [30 * time for time in times], folder, ["garment"])["garment"]


def blender_usd_corners(file, frames, folder):
    """Of garment and body, by name, in frames of the scene that Blender's own importer makes of a USD file, and as it evaluates them."""
    return _blender(file, None, frames, folder, ["garment", "body"])


def blender_pictures(size, view, meshes, folder, followed=()):
    """Grey pictures (size, size) in [0, 1] of meshes as Cycles draws them, by the example's material where they have maps.

    Beside them the weights (frames, R) that the example finds for each sheet of `followed`, and what it refuses of the first.
    """
    given, out = folder / "given.pickle", folder / "drawn.pickle"
    given.write_bytes(pickle.dumps({"size": size, "view": view, "meshes": list(meshes), "followed": list(followed)}))
    tests = Path(__file__).parent
    command = [sys.executable, tests / "blender_shading.py", given, out, tests.parent / "examples" / "blender"]
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr[-4000:]
    return pickle.loads(out.read_bytes())


def oracle_corners(file, clip, times, name="garment"):
    """By formulas written a second time in NumPy."""
    gltf = Gltf(file)
    (node,) = (k for k, item in enumerate(gltf.json["nodes"]) if item.get("name") == name and "mesh" in item)
    frames = []
    for time in times:
        matrices = gltf.globals(clip, time)
        weights = gltf.weights(node, clip, time) if "targets" in gltf.primitives(node)[0] else None
        parts = [
            gltf.pose(node, each, matrices, weights)[gltf.accessor(each["indices"])[:, 0].astype(int)]
            for each in gltf.primitives(node)
        ]
        frames.append(np.concatenate(parts))
    return np.array(frames)


def usd_corners(file, clip, times, name="garment"):
    """By OpenUSD's own skinning, which bakes blend shapes and joints into points; normals (frames, corners, 3) beside them.

    `clip` is the variant that is chosen; None: what is chosen in the file.
    """
    from pxr import Gf, Usd, UsdGeom, UsdSkel  # noqa: PLC0415 - of an extra

    stage = Usd.Stage.Open(str(file))
    # What is baked goes there, at times as the file counts them.
    stage.GetSessionLayer().timeCodesPerSecond = stage.GetTimeCodesPerSecond()
    stage.SetEditTarget(stage.GetSessionLayer())
    root = stage.GetDefaultPrim()
    if clip is not None:
        assert root.GetVariantSet("clip").SetVariantSelection(clip)
    codes = [time * stage.GetTimeCodesPerSecond() for time in times]
    assert UsdSkel.BakeSkinning(UsdSkel.Root(root), Gf.Interval(min(codes), max(codes)))
    mesh = UsdGeom.Mesh(root.GetChild(name))
    corners = np.array(mesh.GetFaceVertexIndicesAttr().Get())
    sampled = [[np.array(each.Get(code)) for code in codes] for each in (mesh.GetPointsAttr(), mesh.GetNormalsAttr())]
    assert mesh.GetNormalsInterpolation() == "vertex"
    points, normals = (np.array(frames, float)[:, corners] for frames in sampled)
    return points, normals


_THREE_PAGE = """<!doctype html><script type="importmap">{"imports": {"three": "./three.module.js", "BufferGeometryUtils": "./BufferGeometryUtils.js"}}</script>
<script type="module">
import * as THREE from "three";
import { GLTFLoader } from "./GLTFLoader.js";
window.failed = null;
window.play = async (content, clip, times) => {
  const bytes = Uint8Array.from(atob(content), (c) => c.charCodeAt(0));
  const file = await new GLTFLoader().parseAsync(bytes.buffer, "");
  const mixer = new THREE.AnimationMixer(file.scene);
  mixer.clipAction(file.animations.find((each) => each.name === clip)).setLoop(THREE.LoopOnce).play();
  mixer._actions[0].clampWhenFinished = true;
  const frames = [];
  for (const time of times) {
    mixer.setTime(time);
    file.scene.updateMatrixWorld(true);
    const corners = [];
    file.scene.traverse((mesh) => {
      const above = mesh.name.startsWith("garment") || (mesh.parent && mesh.parent.name.startsWith("garment"));
      if (!mesh.isSkinnedMesh || !above) return;
      const point = new THREE.Vector3();
      for (let k = 0; k < mesh.geometry.index.count; k++) {
        mesh.getVertexPosition(mesh.geometry.index.getX(k), point);
        point.applyMatrix4(mesh.matrixWorld);
        corners.push(point.x, point.y, point.z);
      }
    });
    frames.push(corners);
  }
  window.file = file;
  window.THREE = THREE;
  return frames;
};
window.draw = ({ size, eye, at, fov }) => {
  const renderer = new THREE.WebGLRenderer({ antialias: true, preserveDrawingBuffer: true });
  renderer.setSize(size[0], size[1]);
  const scene = new THREE.Scene();
  scene.background = new THREE.Color(0xdddddd);
  scene.add(window.file.scene, new THREE.HemisphereLight(0xffffff, 0x444444, 1.5));
  const sun = new THREE.DirectionalLight(0xffffff, 2.5);
  sun.position.set(2, 3, 4);
  scene.add(sun);
  const camera = new THREE.PerspectiveCamera(fov, size[0] / size[1], 0.01, 100);
  camera.position.set(...eye);
  camera.lookAt(...at);
  renderer.render(scene, camera);
  return renderer.domElement.toDataURL().split(",")[1];
};
// Meshes that are looked at from z, each alone, as pictures: over x and y from 0 to 1 by default.
window.shade = async ({ size, view, wrinkles, meshes }) => {
  const { addWrinkles } = await import("./wrinkle_map.js");
  const renderer = new THREE.WebGLRenderer({ antialias: true, preserveDrawingBuffer: true });
  renderer.setSize(size, size);
  const [left, right, low, high] = view;
  const camera = new THREE.OrthographicCamera(left, right, high, low, 0, 20);
  camera.position.z = 10;
  const sun = new THREE.DirectionalLight(0xffffff, 2);
  sun.position.set(2, 1, 2);
  const texture = (content) => new THREE.TextureLoader().loadAsync(`data:image/png;base64,${content}`);
  const pictures = [];
  for (const mesh of meshes) {
    const geometry = new THREE.BufferGeometry();
    geometry.setIndex(mesh.faces);
    for (const [name, width] of [["position", 3], ["normal", 3], ["uv", 2]])
      if (mesh[name]) geometry.setAttribute(name, new THREE.BufferAttribute(new Float32Array(mesh[name]), width));
    const material = new THREE.MeshStandardMaterial({ roughness: 1, side: THREE.DoubleSide, flatShading: !mesh.normal || Boolean(mesh.flat) });
    if (mesh.map) {
      const shown = addWrinkles(THREE, material, wrinkles, await texture(mesh.map), await Promise.all(mesh.masks.map(texture)));
      if (mesh.clip) shown.show(mesh.clip, mesh.time);
      else if (mesh.weights) shown.weights.splice(0, mesh.weights.length, ...mesh.weights);
    }
    if (mesh.height) {
      material.displacementMap = await texture(mesh.height);
      material.displacementScale = mesh.scale;
      material.displacementBias = mesh.bias;
    }
    const scene = new THREE.Scene();
    scene.background = new THREE.Color(0xdddddd);
    scene.add(new THREE.Mesh(geometry, material), sun, new THREE.AmbientLight(0xffffff, 0.3));
    renderer.render(scene, camera);
    pictures.push(renderer.domElement.toDataURL().split(",")[1]);
  }
  return pictures;
};
window.ready = true;
</script>"""


def three_folder():
    """Where three.js and its loader lie, in the one package of PyPI that brings both; None without it."""
    spec = importlib.util.find_spec("nicegui")
    places = [] if spec is None else [Path(place) for place in spec.submodule_search_locations]
    places.append(Path(__file__).parents[1] / "build" / "three" / "nicegui")
    found = [place / "elements" / "lib" / "three" for place in places]
    return next((place for place in found if (place / "modules" / "GLTFLoader.js").is_file()), None)


@contextmanager
def three_page(**more):
    """A page of Chromium with three.js, without network: its files, and `more` scripts, are handed out by the browser's driver."""
    three = three_folder()
    content = {f"{name}.js": text for name, text in more.items()}
    content |= {"index.html": _THREE_PAGE, "three.module.js": (three / "three.module.js").read_text("utf-8")}
    for file in (three / "modules").glob("*.js"):
        content[file.name] = file.read_text("utf-8")
    kinds = {"html": "text/html", "js": "text/javascript"}
    with browser_page() as opened:
        page = opened.page
        page.context.set_offline(False)

        def hand_out(route):
            name = route.request.url.rsplit("/", 1)[1]
            if name not in content:
                route.abort()
                return
            route.fulfill(body=content[name], content_type=kinds[name.rsplit(".", 1)[1]])

        page.route("**/*", hand_out)
        page.goto("http://localhost/index.html")
        try:
            page.wait_for_function("window.ready === true", timeout=60000)
        except Exception as error:
            raise AssertionError(opened.complaints) from error
        yield opened


def three_corners(file, clip, times, picture=None):
    """In three.js, by its own loader, mixer and SkinnedMesh.getVertexPosition.

    `picture`, a file and where from (size, eye, at, fov), gets what it draws last.
    """
    with three_page() as opened:
        content = base64.b64encode(file.read_bytes()).decode()
        frames = opened.page.evaluate("([a, b, c]) => window.play(a, b, c)", [content, clip, list(times)])
        if picture is not None:
            picture[0].write_bytes(base64.b64decode(opened.page.evaluate("given => window.draw(given)", picture[1])))
        assert not [line for line in opened.complaints if "GPU stall" not in line and "favicon" not in line]
    return np.array(frames).reshape(len(times), -1, 3)


def three_pictures(size, view, meshes, wrinkles=None):
    """Grey pictures (size, size) in [0, 255] of meshes as three.js draws them, by the example's shader where they have a map."""
    script = (Path(__file__).parents[1] / "examples" / "three" / "wrinkle_map.js").read_text("utf-8")
    with three_page(wrinkle_map=script) as opened:
        given = {"size": size, "view": list(view), "wrinkles": wrinkles, "meshes": meshes}
        pictures = opened.page.evaluate("given => window.shade(given)", given)
        assert not [line for line in opened.complaints if "GPU stall" not in line and "favicon" not in line]
    return [np.asarray(Image.open(BytesIO(base64.b64decode(each))).convert("L"), float) for each in pictures]


# Numbers as the file has them, and keys at its own times, all of them.
_GODOT_IMPORT = """[remap]

importer="scene"
type="PackedScene"

[params]

meshes/compress=false
animation/fps=30
animation/optimizer/enabled=false
"""


def godot_imported(file, folder):
    """Makes a folder a project of Godot with the file as its editor imports it: kimono.glb."""
    shutil.copy(file, folder / "kimono.glb")
    (folder / "kimono.glb.import").write_text(_GODOT_IMPORT)
    (folder / "project.godot").write_text("config_version=4\n")
    # The editor imports what a project has. It does not come to an end by itself.
    with subprocess.Popen(_godot(folder, "--editor"), **_quiet(folder)) as editor:
        try:
            for _ in range(600):
                if list(folder.glob(".import/kimono.glb-*.md5")):
                    break
                assert editor.poll() is None
                sleep(0.2)
        finally:
            editor.kill()


def _godot(folder, *words):
    return ["godot3-server", "--path", str(folder), *words]


def _quiet(folder):
    return {"env": os.environ | {"HOME": str(folder)}, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}


def godot_corners(file, clip, times, folder):
    """In Godot's own importer and by its animation player; posed by its poses, binds and blend shapes, as nothing is drawn."""
    godot_imported(file, folder)
    (folder / "given.json").write_text(json.dumps({"clip": clip, "times": list(times)}))
    shutil.copy(Path(__file__).with_name("godot_corners.gd"), folder)
    subprocess.run(_godot(folder, "-s", "godot_corners.gd"), check=True, timeout=120, **_quiet(folder))
    corners = np.fromfile(folder / "corners.bin", np.float32).reshape(len(times), -1, 3, 3)
    # Its triangles run the other way round.
    return corners[:, :, [0, 2, 1]].reshape(len(times), -1, 3)
