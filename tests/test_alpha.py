"""Materials with alpha: what a mask leaves out and what is blended, in pictures, shadows and files."""

import io
import itertools
import pickle
import struct
import subprocess
import zipfile

import fbx_writer
import numpy as np
import pytest
from gltf_writer import GltfFile
from page_browser import browser_page
from picture_check import assert_same_picture
from PIL import Image
from pxr import Usd, UsdShade

import pucker
from pucker import AlphaMode, bake, page
from pucker._core import draw
from pucker._core.draw import PLAIN_STYLE
from pucker._core.sources import pack_clip, read_clip
from pucker.cli import view as view_module
from pucker.io import Limits
from pucker.render import Camera, ClipRenderer, Light, Output, Style

SIZE = (240, 240)
CAMERA = Camera(eye=(0.5, 0.3, 3.0), target=(0.0, 0.0, 0.0), field_of_view=40.0, near=1.0, far=6.0)
LIT = Style(light=Light(key_direction=(0.6, 0.4, 0.8), attached=False), shadows=True, occlusion=True)
RED, GREEN = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)
# Of light that makes any colour what it is.
EVEN = Style(
    light=Light(
        key_colour=(0.0, 0.0, 0.0),
        fill_colour=(0.0, 0.0, 0.0),
        sky_colour=(1.0, 1.0, 1.0),
        ground_colour=(1.0, 1.0, 1.0),
        specular=0.0,
    ),
    shadows=False,
    occlusion=False,
    fabric=False,
    exposure=1.0,
)


def png(alpha, side=64):
    """A white picture whose alpha in [0, 1] is given by u, from left to right."""
    u = (np.arange(side) + 0.5) / side
    pixels = np.full((side, side, 4), 255, np.uint8)
    pixels[..., 3] = np.rint(255.0 * np.array([alpha(x) for x in u]))
    content = io.BytesIO()
    Image.fromarray(pixels).save(content, "PNG")
    return content.getvalue()


HOLE = png(lambda u: 0.0 if 0.25 < u < 0.75 else 1.0)


def quad(left, right, size, z):
    """Points, faces and texture coordinates from the upper left, as glTF has them, of a part of a square."""
    u = np.array([left, right, right, left])
    v = np.array([1.0, 1.0, 0.0, 0.0])
    return (
        np.stack([(2 * u - 1) * size, (1 - 2 * v) * size, np.full(4, z)], 1),
        [[0, 1, 2], [0, 2, 3]],
        np.stack([u, v], 1),
    )


def written(path, curtains, image=HOLE):
    """A wall with curtains before it: name, quads of `quad`'s arguments, and what glTF says of the material."""
    file = GltfFile()
    file.add("images", {"uri": path.stem + ".png"})
    path.with_suffix(".png").write_bytes(image)
    file.add("textures", {"source": 0})
    keys = {}
    for name, quads, material in [*curtains, ("wall", [(0.0, 1.0, 1.0, 0.0)], {})]:
        parts = [quad(*numbers) for numbers in quads]
        points = np.concatenate([part[0] for part in parts])
        faces = np.concatenate([4 * k + np.array(part[1]) for k, part in enumerate(parts)])
        mesh = file.mesh(points, faces)
        primitive = file.json["meshes"][mesh]["primitives"][0]
        primitive["attributes"]["TEXCOORD_0"] = file.accessor(np.concatenate([part[2] for part in parts]))
        primitive["material"] = file.add("materials", {"name": name, **material})
        keys[file.node(mesh=mesh, name=name), "translation"] = ([0.0, 1.0], np.zeros((2, 3)))
    file.animation("still", keys)
    return file.write(path)


def textured(mode, colour=(1.0, 1.0, 1.0, 1.0), **more):
    surface = {"baseColorTexture": {"index": 0}, "baseColorFactor": list(colour), "metallicFactor": 0.0}
    return {"pbrMetallicRoughness": surface, "alphaMode": mode, **more}


def plain(mode, colour, **more):
    return {"pbrMetallicRoughness": {"baseColorFactor": list(colour)}, "alphaMode": mode, **more}


WHOLE, STRIPS = [(0.0, 1.0, 0.5, 0.4)], [(0.0, 0.25, 0.5, 0.4), (0.75, 1.0, 0.5, 0.4)]


def loaded(path, curtains, image=HOLE, parts=("curtain",)):
    return pucker.load(written(path, curtains, image), parts=list(parts), fps=2.0)


def picture(clip, style=LIT, state=None, **options):
    with ClipRenderer(clip, SIZE, camera=CAMERA, style=style, samples=0) as renderer:
        return renderer.frame(0, state, **options)


@pytest.fixture(scope="module")
def masked(tmp_path_factory):
    return loaded(tmp_path_factory.mktemp("masked") / "a.gltf", [("curtain", WHOLE, textured("MASK"))])


@pytest.fixture(scope="module")
def blended(tmp_path_factory):
    curtain = ("curtain", WHOLE, textured("BLEND", (1.0, 0.2, 0.2, 0.6)))
    return loaded(tmp_path_factory.mktemp("blended") / "a.gltf", [curtain])


def material(clip, name="curtain"):
    (found,) = (one for one in clip.material_list if one.name == name)
    return found


# Pictures


def test_the_hole_of_a_mask_shows_what_is_behind_and_lets_light_through(masked, tmp_path):
    cut = loaded(tmp_path / "cut.gltf", [("curtain", STRIPS, textured("OPAQUE"))])
    whole = loaded(tmp_path / "whole.gltf", [("curtain", WHOLE, textured("OPAQUE"))])
    shown, expected = picture(masked), picture(cut)
    # Depths and shadows are read from texels that are larger than pixels.
    assert_same_picture(shown, expected, limit=3, share=0.02)
    assert (np.abs(picture(whole).astype(int) - expected).max(axis=2) > 20).mean() > 0.05
    unlit = picture(cut, LIT.replace(shadows=False))
    assert (np.abs(unlit.astype(int) - expected).max(axis=2) > 20).mean() > 0.02  # there is a shadow to be right about


def test_what_displaces_a_mask_leaves_its_hole(masked):
    class Bulge(pucker.method.Detail):
        feature_size = 0.2
        feature_sizes = np.full(2, 0.2)
        offset_range = (0.0, 0.05)

        def evaluate(self, triangles, barycentrics):
            base = np.einsum("ki,kij->kj", barycentrics, masked.positions[0][masked.faces[triangles]])
            normals = np.tile([0.0, 0.0, 1.0], (len(base), 1))
            return pucker.method.SurfacePoints(base, normals, 0.05 * normals, normals)

    with ClipRenderer(masked, SIZE, camera=CAMERA, samples=0) as renderer:
        renderer.show(0)
        renderer.garment.set_detail(Bulge())
        seen = renderer.renderer.measure(renderer.surfaces, CAMERA, Output.position)
    heights = seen[seen[..., 3] == 1.0][:, 2]
    assert np.unique(np.round(heights, 3)) == pytest.approx([0.0, 0.45], abs=1e-6)
    through = seen[120, 118:122]
    assert (through[:, 2] == 0.0).all()


def test_wrinkles_leave_the_hole_of_a_mask(data_dir, tmp_path):
    """The program that tessellates takes the alpha as the one that does not."""
    clip = pucker.load(data_dir / "kimono_male.gltf", clip="Walk", parts=["Clothes"])
    state = next(state for state in pucker.run(clip) if state.frame == 12)
    assert state.wrinkles
    pictures = {}
    for mode, alpha in ((AlphaMode.mask, 0.0), (AlphaMode.mask, 1.0), (AlphaMode.opaque, 1.0)):
        with ClipRenderer(clip, SIZE, samples=0) as renderer:
            colours = np.tile([128, 128, 128, round(255 * alpha)], (len(clip.faces), 1))
            modes = np.full(len(clip.faces), int(mode))
            garment = renderer.renderer.surface(clip.faces, len(state.positions), colours=colours, alpha_modes=modes)
            garment.set_positions(state.positions)
            garment.set_detail(state.detail)
            garment.send()
            pictures[mode, alpha] = renderer.renderer.render([garment], renderer.camera)
    assert (pictures[AlphaMode.mask, 0.0][..., 3] == 0).all()
    assert (pictures[AlphaMode.opaque, 1.0][..., 3] > 0).mean() > 0.05
    np.testing.assert_array_equal(pictures[AlphaMode.mask, 1.0], pictures[AlphaMode.opaque, 1.0])


def test_an_opaque_material_ignores_its_alpha(tmp_path):
    pictures = []
    for name, image, alpha in (("a", HOLE, 0.3), ("b", png(lambda _: 1.0), 1.0)):
        curtain = ("curtain", WHOLE, textured("OPAQUE", (1.0, 1.0, 1.0, alpha)))
        pictures.append(picture(loaded(tmp_path / f"{name}.gltf", [curtain], image)))
    np.testing.assert_array_equal(*pictures)


def test_a_cutoff_says_how_much_of_a_mask_is_left(tmp_path):
    ramp, shares = png(lambda u: 1.0 - abs(2.0 * u - 1.0)), []
    for number, cutoff in enumerate((0.25, 0.5, 0.75)):
        curtain = ("curtain", WHOLE, textured("MASK", alphaCutoff=cutoff))
        clip = loaded(tmp_path / f"{number}.gltf", [curtain], ramp)
        assert material(clip).alpha_cutoff == cutoff
        with ClipRenderer(clip, SIZE, camera=CAMERA, samples=0) as renderer:
            renderer.show(0)
            seen = renderer.renderer.measure(renderer.surfaces, CAMERA, Output.position)
        shares.append((np.abs(seen[..., 2] - 0.4) < 1e-3).sum())
    shares = np.array(shares) / shares[0]
    assert shares == pytest.approx([1.0, 2.0 / 3.0, 1.0 / 3.0], abs=0.03)


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_blended_surfaces_cover_what_is_behind_by_their_alpha_from_back_to_front(order, tmp_path):
    near = ("near", [(0.0, 1.0, 0.5, 0.6)], plain("BLEND", (*RED, 0.25)))
    far = ("far", [(0.0, 1.0, 0.5, 0.3)], plain("BLEND", (*GREEN, 0.5)))
    curtains = [(near, far)[k] for k in order]
    clip = loaded(tmp_path / "a.gltf", curtains, parts=("near", "far"))
    middle = picture(clip, EVEN)[120, 120].astype(float)
    wall = picture(clip, EVEN)[20, 20].astype(float)
    behind = 0.5 * wall + 0.5 * 255.0 * np.array(GREEN)
    assert middle == pytest.approx(0.75 * behind + 0.25 * 255.0 * np.array(RED), abs=2.0)


def test_the_solid_part_of_what_is_blended_hides_what_is_behind_whatever_the_order(tmp_path):
    """Two sheets of one mesh, whose triangles no order of meshes brings from back to front."""
    sheets = [(0.0, 1.0, 0.5, 0.6), (0.0, 1.0, 0.4, 0.3)]
    found = []
    for number, quads in enumerate(itertools.permutations(sheets)):
        clip = loaded(tmp_path / f"{number}.gltf", [("curtain", list(quads), textured("BLEND"))])
        found.append(picture(clip, LIT))
    np.testing.assert_array_equal(*found)


def test_a_cut_out_has_the_alpha_that_is_left(masked, blended):
    beside = Camera(eye=(0.0, 0.0, 3.0), target=(0.0, 0.0, 0.0), field_of_view=40.0, near=1.0, far=6.0)
    for clip, inside in ((masked, 0), (blended, 0)):
        with ClipRenderer(clip, SIZE, camera=beside, samples=0) as renderer:
            renderer.show(0)
            alone = renderer.renderer.render([renderer.garment], beside)
        assert alone[120, 120, 3] == inside
    assert alone[120, 70, 3] == pytest.approx(0.6 * 255, abs=1)


def test_a_blended_surface_of_full_alpha_is_drawn_as_an_opaque_one(tmp_path):
    for name, describe in (("plain", lambda mode: plain(mode, (0.2, 0.5, 0.9, 1.0))), ("textured", textured)):
        pictures = [
            picture(loaded(tmp_path / f"{name}{mode}.gltf", [("curtain", WHOLE, describe(mode))], png(lambda _: 1.0)))
            for mode in ("OPAQUE", "BLEND", "MASK")
        ]
        np.testing.assert_array_equal(pictures[0], pictures[1])
        np.testing.assert_array_equal(pictures[0], pictures[2])


@pytest.mark.skipif(view_module.viewer_program() is None, reason="pucker-view is not built; ./run test builds it")
@pytest.mark.parametrize("mode", ["MASK", "BLEND"])
def test_both_programs_take_alpha_alike(mode, tmp_path):
    path = written(tmp_path / "a.gltf", [("curtain", WHOLE, textured(mode, (1.0, 0.3, 0.3, 0.8)))])
    clip = pucker.load(path, parts=["curtain"])
    with ClipRenderer(clip, SIZE, focus="all") as renderer:
        expected = renderer.frame(0)
    arguments = ["--parts", "curtain", "--headless", "--frames", "0:0", "--size", "240x240", "-o", tmp_path / "out"]
    subprocess.run([view_module.viewer_program(), path, *arguments, "--smooth", "0", "--method", "dynamic"], check=True)
    with Image.open(tmp_path / "out" / "frame_0000.png") as drawn:
        assert_same_picture(np.asarray(drawn), expected)


@pytest.mark.parametrize("kind", ["masked", "blended"])
def test_a_page_takes_alpha_as_all_pictures_do(kind, request, tmp_path):
    clip = request.getfixturevalue(kind)
    page.write(clip, tmp_path / "a.html")
    with browser_page() as opened, ClipRenderer(clip, (480, 480), focus="all", style=PLAIN_STYLE) as renderer:
        opened.open(tmp_path / "a.html", "frame=0&split=1")
        assert opened.tells("state") == "ready"
        shown, expected = opened.picture((480, 480)), renderer.frame(0)
        assert opened.complaints == []
    assert_same_picture(shown, expected, limit=6, share=0.02)


# Files


def test_what_a_gltf_says_of_alpha_is_kept_with_the_clip(masked, blended, tmp_path):
    assert material(masked).alpha_mode is AlphaMode.mask
    assert material(masked).alpha_cutoff == 0.5
    assert material(blended).alpha_mode is AlphaMode.blend
    assert material(masked, "wall").alpha_mode is AlphaMode.opaque
    for clip in (masked, blended, masked.smoothed(1), masked.beginning(1)):
        (tmp_path / "clip.npz").write_bytes(pack_clip(clip))
        for again in (pickle.loads(pickle.dumps(clip)), read_clip(tmp_path / "clip.npz")):
            for before, after in zip(clip.material_list, again.material_list, strict=True):
                assert (before.alpha_mode, before.alpha_cutoff) == (after.alpha_mode, after.alpha_cutoff)


@pytest.mark.parametrize("name", ["a.glb", "a.usdc", "a.usdz"])
@pytest.mark.parametrize(
    ("mode", "more"), [("MASK", {"alphaCutoff": 0.3}), ("BLEND", {}), ("OPAQUE", {})], ids=["mask", "blend", "opaque"]
)
def test_a_baked_file_has_the_alpha_of_the_clip(name, mode, more, tmp_path):
    for number, describe in enumerate((textured, plain)):
        curtain = ("curtain", WHOLE, describe(mode, (1.0, 0.5, 0.25, 0.75), **more))
        clip = loaded(tmp_path / f"{number}.gltf", [curtain])
        target = tmp_path / str(number) / name
        target.parent.mkdir()
        bake.surface(clip, target, per_frame=False)
        (again,) = (one for one in pucker.load(target).material_list if one.name == "curtain")
        assert again.alpha_mode is material(clip).alpha_mode
        if mode == "MASK":
            assert again.alpha_cutoff == pytest.approx(0.3)
        if mode != "OPAQUE":
            assert again.color == pytest.approx(material(clip).color)


def test_usd_says_what_it_is_opaque_by(masked, tmp_path):
    bake.surface(masked, tmp_path / "a.usda", per_frame=False)
    stage = Usd.Stage.Open(str(tmp_path / "a.usda"))
    surface = UsdShade.Shader(stage.GetPrimAtPath("/clip/materials/curtain/surface"))
    (connection,) = surface.GetInput("opacity").GetConnectedSources()[0]
    assert (connection.source.GetPath().name, connection.sourceName) == ("texture", "a")
    assert surface.GetInput("opacityThreshold").Get() == 0.5


def test_an_obj_says_how_opaque_a_material_is(masked, blended, tmp_path):
    expected = {"masked": ("1", True), "blended": ("0.6", True)}
    for name, clip in (("masked", masked), ("blended", blended)):
        bake.surface(clip, tmp_path / name, per_frame=False)
        text = (tmp_path / name / "materials.mtl").read_text().split("newmtl curtain\n")[1].split("newmtl")[0]
        lines = dict(line.split(" ", 1) for line in text.splitlines())
        assert (lines["d"], "map_d" in lines) == expected[name]
        assert lines.get("map_d") == lines["map_Kd"]


@pytest.mark.parametrize(
    ("properties", "mode", "alpha"),
    [
        ('P: "Opacity", "double", "Number", "",0.25', AlphaMode.blend, 0.25),
        ('P: "TransparencyFactor", "double", "Number", "",1', AlphaMode.opaque, 1.0),
        ('P: "Opacity", "double", "Number", "",0', AlphaMode.opaque, 1.0),
        ("", AlphaMode.opaque, 1.0),
    ],
    ids=["a_quarter", "mayas_factor", "none", "unsaid"],
)
def test_the_opacity_of_an_fbx_is_blended(properties, mode, alpha, tmp_path):
    channel = fbx_writer.Channel("up", [np.tile([0.0, 0.0, 0.1], (3, 1))], [0.0, 1.0], [0.0, 1.0])
    path = fbx_writer.write(tmp_path / "a.fbx", np.eye(3), np.array([[0, 1, 2]]), [channel])
    text = path.read_text().replace(
        "}\nConnections: {\n",
        f'Material: 9, "Material::glass", "" {{ Version: 102\n ShadingModel: "phong"\n Properties70: {{\n {properties}\n }} }}\n'
        '}\nConnections: {\nC: "OO",9,2\n',
    )
    path.write_text(text)
    (found,) = pucker.load(path).material_list
    assert found.name == "glass"
    assert (found.alpha_mode, found.color[3]) == (mode, pytest.approx(alpha))


def test_a_cutoff_that_is_none_is_refused():
    with pytest.raises(ValueError, match="alpha_cutoff must be finite and at least 0, not -1"):
        pucker.Material(alpha_cutoff=-1.0)
    faces, positions = np.array([[0, 1, 2]]), 3
    with pytest.raises(ValueError, match="alpha_modes must be those of AlphaMode, but triangle 0 has 3"):
        draw.Surface(faces, positions, alpha_modes=[3])
    with pytest.raises(ValueError, match="alpha cutoffs must be finite and at least 0, but triangle 0 has nan"):
        draw.Surface(faces, positions, alpha_modes=[1], alpha_cutoffs=[np.nan])


def test_a_clip_file_with_an_alpha_that_is_none_is_refused(masked, tmp_path):
    content = io.BytesIO(pack_clip(masked))
    changed = tmp_path / "clip.npz"
    with zipfile.ZipFile(content) as before, zipfile.ZipFile(changed, "w") as after:
        for name in before.namelist():
            data = before.read(name)
            if name == "materials.alpha_modes.npy":
                values = np.load(io.BytesIO(data))
                made = io.BytesIO()
                np.save(made, np.full_like(values, 7))
                data = made.getvalue()
            after.writestr(name, data)
    with pytest.raises(pucker.Error, match="is no clip of pucker: the alpha of material"):
        read_clip(changed)


MTL = """# what an exporter writes
newmtl glass
Kd 0.25 0.5 1
d 0.5
newmtl lace
map_Kd -s 1 1 1 lace.png
map_d lace.png
newmtl hidden
Tr 1
newmtl odd
Kd 2 nan 0
d half
newmtl unused
d 0.1
"""


def obj_frames(folder, library=MTL, line="mtllib a.mtl"):
    folder.mkdir()
    names = ("glass", "lace", "hidden", "odd")
    faces = "".join(f"usemtl {name}\nf 1 2 3\n" for name in names)
    for k in range(2):
        (folder / f"{k}.obj").write_text(f"{line}\nv 0 0 0\nv 1 0 0\nv 0 1 {k}\n{faces}")
    (folder / "a.mtl").write_text(library)
    (folder / "lace.png").write_bytes(HOLE)
    return folder


def described(clip):
    return {one.name: (one.alpha_mode, tuple(one.color), bytes(one.texture)) for one in clip.material_list}


@pytest.mark.parametrize("packed", [False, True], ids=["folder", "zip"])
def test_the_library_of_an_obj_says_how_opaque_materials_are(packed, tmp_path):
    path, usual = obj_frames(tmp_path / "frames"), pucker.Material()
    if packed:
        with zipfile.ZipFile(tmp_path / "frames.zip", "w") as archive:
            for file in sorted(path.iterdir()):
                archive.write(file, f"inside/{file.name}")
        path = tmp_path / "frames.zip"
    assert described(pucker.load(path)) == {
        "glass": (AlphaMode.blend, (0.25, 0.5, 1.0, 0.5), b""),
        "lace": (AlphaMode.blend, tuple(usual.color), HOLE),
        "hidden": (AlphaMode.opaque, tuple(usual.color), b""),
        "odd": (AlphaMode.opaque, tuple(usual.color), b""),
    }


def test_a_point_cache_has_the_materials_of_its_obj(tmp_path):
    folder = obj_frames(tmp_path / "frames")
    header = struct.pack(">ii", 2, 3) + np.array([0.0, 1.0], ">f4").tobytes()
    (folder / "0.mdd").write_bytes(header + np.zeros((2, 3, 3), ">f4").tobytes())
    assert described(pucker.load(folder / "0.mdd"))["glass"][:2] == (AlphaMode.blend, (0.25, 0.5, 1.0, 0.5))


@pytest.mark.parametrize("line", ["mtllib none.mtl", "mtllib", "mtllib ../a.mtl", "mtllib /etc/passwd"])
def test_a_library_that_is_not_beside_the_obj_is_left_out(line, tmp_path):
    (tmp_path / "outside").mkdir()
    (tmp_path / "a.mtl").write_text(MTL)
    path = obj_frames(tmp_path / "frames", "", line)
    (path / "a.mtl").unlink()
    assert {mode for mode, _, _ in described(pucker.load(path)).values()} == {AlphaMode.opaque}


def test_many_materials_of_one_picture_keep_to_the_limit_of_memory(tmp_path):
    path = obj_frames(tmp_path / "frames", "".join(f"newmtl m{k}\nmap_Kd lace.png\n" for k in range(4000)))
    (path / "lace.png").write_bytes(bytes(1_000_000))
    for k in range(2):
        faces = "".join(f"usemtl m{k}\nf 1 2 3\n" for k in range(4000))
        (path / f"{k}.obj").write_text(f"mtllib a.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 {k}\n{faces}")
    clip = pucker.load(path, limits=Limits(memory=20_000_000))
    assert 10 <= sum(len(bytes(one.texture)) > 0 for one in clip.material_list) <= 20


def test_a_baked_obj_has_the_alpha_of_the_clip(masked, blended, tmp_path):
    """An OBJ knows no cutoff: a mask comes back blended."""
    for name, clip in (("masked", masked), ("blended", blended)):
        bake.surface(clip, tmp_path / name, per_frame=False)
        again = pucker.load(tmp_path / name)
        assert material(again).alpha_mode is AlphaMode.blend
        assert material(again).color == pytest.approx(material(clip).color, abs=1e-5)
        assert bytes(material(again).texture) == HOLE
        assert material(again, "wall").alpha_mode is AlphaMode.opaque
