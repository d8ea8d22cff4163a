"""What a page holds of materials: colours of triangles, pictures and where they are read, and alpha."""

import io

import numpy as np
import pytest
from gltf_writer import GltfFile
from PIL import Image

import pucker
from pucker.page.appearance import appearance_of
from pucker.page.numbers import Archive
from pucker.render import ClipRenderer
from pucker.render.clip import fitted_camera

SQUARE = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]])
FACES = np.array([[0, 1, 2], [0, 2, 3]])


def srgb_byte(linear):
    """IEC 61966-2-1."""
    encoded = 12.92 * linear if linear <= 0.0031308 else 1.055 * linear ** (1.0 / 2.4) - 0.055
    return round(255.0 * encoded)


class Recorded(Archive):
    """Keeps what is added as it is."""

    def __init__(self):
        super().__init__()
        self.values = {}

    def _record(self, name, values):
        self.values[name] = np.asarray(values)

    add_floats = add_wholes = _record


def camera(clip):
    return fitted_camera(clip, "front", (512, 512))


def appearance(clip, *, body=True, textures=True):
    archive = Recorded()
    return appearance_of(clip, camera(clip), archive, body=body, textures=textures), archive.values


def red_picture():
    content = io.BytesIO()
    Image.new("RGB", (2, 2), (255, 0, 0)).save(content, "PNG")
    return content.getvalue()


@pytest.fixture
def pictured_body(tmp_path):
    """A garment without texture coordinates above a body with a picture."""
    file = GltfFile()
    (tmp_path / "red.png").write_bytes(red_picture())
    file.add("images", {"uri": "red.png"})
    file.add("textures", {"source": 0})
    keys = {}
    for name, height, surface in (
        ("cloth", 0.0, {"baseColorFactor": [0.5, 0.1, 0.0, 1.0]}),
        ("skin", -2.0, {"baseColorTexture": {"index": 0}}),
    ):
        mesh = file.mesh(SQUARE + np.array([0.0, 0.0, height]), FACES)
        primitive = file.json["meshes"][mesh]["primitives"][0]
        primitive["material"] = file.add("materials", {"name": name, "pbrMetallicRoughness": surface})
        if name == "skin":
            primitive["attributes"]["TEXCOORD_0"] = file.accessor(SQUARE[:, :2])
        keys[file.node(mesh=mesh, name=name), "translation"] = ([0.0, 1.0], np.zeros((2, 3)))
    file.animation("still", keys)
    return pucker.load(file.write(tmp_path / "a.gltf"), parts=["cloth"], fps=2.0)


def test_a_clip_from_arrays_has_the_colour_of_its_one_material():
    clip = pucker.Clip.from_arrays(FACES, SQUARE[None], [0.0])
    head, values = appearance(clip)
    (material,) = clip.material_list
    assert np.array_equal(values["colours"], np.tile([srgb_byte(share) for share in material.color[:3]], (2, 1)))
    assert sorted(values) == ["colours"]
    assert (head["textures"], head["alphas"]) == ([], [])


def test_a_page_shows_the_pictures_of_a_body_whose_garment_has_none(pictured_body):
    head, values = appearance(pictured_body)
    assert len(head["textures"]) == 1
    assert sorted(values) == ["body_colours", "body_texcoords", "body_textures", "colours"]
    assert np.array_equal(values["colours"], np.tile([srgb_byte(share) for share in (0.5, 0.1, 0.0)], (2, 1)))
    assert values["body_textures"].tolist() == [0, 0]


@pytest.mark.parametrize("left_out", ["body", "textures"])
def test_what_is_left_out_brings_no_pictures(pictured_body, left_out):
    head, values = appearance(pictured_body, **{left_out: False})
    assert head["textures"] == []
    assert not {"body_texcoords", "body_textures"} & set(values)
    assert ("body_colours" in values) == (left_out == "textures")


def test_a_page_has_the_light_of_pictures(pictured_body):
    head, _ = appearance(pictured_body)
    with ClipRenderer(pictured_body, (64, 64), camera=camera(pictured_body)) as pictures:
        style = pictures.drawn_style()
    assert head["light"] == style.light.to_dict()
    assert head["exposure"] == style.exposure
    # The key light stands 70 degrees off the cloth, which faces the camera.
    assert head["light"]["key_direction"][2] == pytest.approx(np.cos(np.radians(70.0)), abs=1e-6)
