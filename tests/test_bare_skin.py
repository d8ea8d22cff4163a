"""Bare arms and legs of a character of one part and one texture: told by the colour of hands and face."""

import base64
import io
import json

import numpy as np
import pytest
from click.testing import CliRunner
from gltf_writer import GltfFile
from PIL import Image

import pucker
from pucker.cli import bare_skin, cli
from pucker.examples import grid_faces

CELLS = 3
SKIN, SHADED, SHIRT, HAIR, LEATHER = (224, 172, 140), (178, 132, 106), (60, 80, 160), (70, 45, 30), (122, 78, 48)
PARENTS = {"Hips": None, "Spine": "Hips", "Head": "Spine", "Arm_L": "Spine", "Hand_L": "Arm_L", "Arm_R": "Spine"}
PARENTS |= {"Hand_R": "Arm_R", "Leg_L": "Hips", "Foot_L": "Leg_L"}
WORN = {"Hips": SHIRT, "Spine": SHIRT, "Head": SKIN, "Leg_L": SHIRT, "Foot_L": LEATHER}
BARE = WORN | dict.fromkeys(("Hand_L", "Hand_R", "Arm_L", "Arm_R"), SKIN)


def picture(colours):
    """Two rows of pixels: what is asked for below, so that a picture that is read upside down is grey."""
    pixels = np.full((2, len(colours), 3), 128, np.uint8)
    pixels[1] = colours
    file = io.BytesIO()
    Image.fromarray(pixels).save(file, "PNG")
    return "data:image/png;base64," + base64.b64encode(file.getvalue()).decode()


def written(
    path, colours, *, factor=(1.0, 1.0, 1.0, 1.0), held=0, without=(), apart=(), called="skin", pressed=("Spine",)
):
    """A sheet for each joint but those left out, side by side, in its own colour of one texture; those that are `pressed` are.

    The right hand moves `held` further sheets, of leather. What the joints `apart` move has a material of its own, `called` so.
    """
    file, names = GltfFile(), list(PARENTS)
    owners = [*(name for name in names if name not in without), *["Hand_R"] * held]
    nodes = file.joints(PARENTS)
    v, u = np.mgrid[: CELLS + 1, : CELLS + 1] / CELLS
    sheet, faces = np.stack([u.ravel(), 1.0 - v.ravel(), 0.0 * u.ravel()], 1), grid_faces(CELLS, CELLS)
    points = np.concatenate([sheet + np.array([2.0 * k, 0.0, 0.0]) for k in range(len(owners))])
    corners = np.concatenate([faces + k * len(sheet) for k in range(len(owners))])
    numbers, weights = np.zeros((len(points), 4), int), np.zeros((len(points), 4))
    numbers[:, 0], weights[:, 0] = np.repeat([names.index(name) for name in owners], len(sheet)), 1.0
    squeezed = np.isin(numbers[:, 0], [names.index(name) for name in pressed])
    weights[squeezed, 1] = 0.9 * (1.0 - points[squeezed, 1])
    weights[squeezed, 0] -= weights[squeezed, 1]
    number = file.mesh(points, corners, numbers, weights)
    primitive = file.json["meshes"][number]["primitives"][0]
    across = (np.repeat(np.arange(len(owners)), len(sheet)) + 0.5) / len(owners)
    primitive["attributes"]["TEXCOORD_0"] = file.accessor(np.stack([across, np.full(len(points), 0.75)], 1))
    image = file.add(
        "images", {"uri": picture([*(colours[name] for name in owners[: len(owners) - held]), *[LEATHER] * held])}
    )
    texture = file.add("textures", {"source": image})
    shown = {"baseColorTexture": {"index": texture}, "baseColorFactor": list(factor)}
    primitive["material"] = file.add("materials", {"name": "all", "pbrMetallicRoughness": shown})
    if apart:
        inside = np.isin(numbers[corners[:, 0], 0], [names.index(name) for name in apart])
        skin = file.add("materials", {"name": called, "pbrMetallicRoughness": shown})
        others = {"indices": file.accessor(corners[inside].ravel(), "u4"), "material": skin}
        primitive["indices"] = file.accessor(corners[~inside].ravel(), "u4")
        file.json["meshes"][number]["primitives"].append(primitive | others)
    binds = file.accessor(np.tile(np.eye(4), (len(nodes), 1, 1)))
    file.add("skins", {"joints": list(nodes.values()), "inverseBindMatrices": binds})
    file.node(mesh=number, skin=0, name="all")
    file.animation("Walk", {(nodes["Spine"], "translation"): ([0.0, 1.0], [[0.0, 0.0, 0.0], [0.0, -0.5, 0.0]])})
    return file.write(path)


def left_out(path):
    done = CliRunner().invoke(cli, ["info", str(path), "--json"])
    assert done.exit_code == 0, done.output
    return {part for part in json.loads(done.stdout)["suggestion"]["parts"] if not part.endswith("/")}


ARMS = {"-joint:Arm_L", "-joint:Arm_R"}


@pytest.mark.parametrize(
    ("changed", "found"),
    [
        ({}, ARMS),
        ({"Arm_L": SHADED, "Hand_R": SHADED}, ARMS),
        ({"Arm_R": SHIRT}, {"-joint:Arm_L"}),
        ({"Leg_L": SKIN}, {*ARMS, "-joint:Leg_L"}),
        ({"Hand_L": LEATHER, "Hand_R": LEATHER}, set()),  # gloves
        ({"Hand_L": LEATHER}, set()),
        ({"Head": HAIR}, set()),  # a helmet
        (dict.fromkeys(PARENTS, SKIN), set()),  # a statue
        ({"Hips": SKIN, "Leg_L": SKIN}, {*ARMS, "-joint:Hips", "-joint:Leg_L"}),  # in a shirt without sleeves only
        ({"Hips": SKIN, "Leg_L": SKIN, "Arm_L": SHIRT}, set()),  # trousers of the colour of skin
    ],
)
def test_what_has_the_colour_of_both_hands_and_the_face_is_bare(tmp_path, changed, found):
    assert left_out(written(tmp_path / "character.gltf", BARE | changed)) == found


@pytest.mark.parametrize(("held", "found"), [(4, ARMS), (7, set())])
def test_a_hand_that_holds_something_is_still_a_hand(tmp_path, held, found):
    """A fifth of what it moves is skin, or an eighth."""
    assert left_out(written(tmp_path / "character.gltf", BARE, held=held)) == found


@pytest.mark.parametrize(("apart", "found"), [(("Head", "Hand_L", "Hand_R"), set()), (("Head",), ARMS)])
def test_where_the_hands_are_a_part_of_their_own_clothes_may_have_their_colour(tmp_path, apart, found):
    """Dark trousers of a dark figure: its skin is told by its part already."""
    assert left_out(written(tmp_path / "character.gltf", BARE, apart=apart)) == {"all", *found}


HEADS = ("Head", "Hand_L", "Hand_R", "Arm_L", "Arm_R")


@pytest.mark.parametrize(
    ("colours", "apart", "pressed", "found"),
    [
        (BARE, HEADS, ("Spine", "Arm_L"), {"all"}),
        # Trousers are of the same material.
        (BARE, (*HEADS, "Leg_L"), ("Spine", "Arm_L"), {"Material.002", "all", *ARMS}),
        # A suit with its gloves.
        (BARE | {"Hips": SKIN}, (*HEADS, "Hips"), ("Spine", "Arm_L"), {"Material.002", "all", *ARMS, "-joint:Hips"}),
        # Nothing else compresses.
        (BARE, HEADS, ("Arm_L",), {"Material.002", *ARMS}),
    ],
)
def test_a_material_of_the_hands_that_has_their_colour_all_over_is_skin_whatever_its_name(
    tmp_path, colours, apart, pressed, found
):
    path = written(tmp_path / "character.gltf", colours, apart=apart, called="Material.002", pressed=pressed)
    assert left_out(path) == found


def test_a_hand_that_moves_nothing_tells_nothing(tmp_path):
    """As of a character that ends at the wrist, whose hands are joints all the same."""
    assert left_out(written(tmp_path / "character.gltf", BARE, without=("Hand_L",))) == set()


def test_the_materials_own_colour_is_part_of_what_is_seen(tmp_path):
    """Black over everything leaves one colour."""
    path = written(tmp_path / "character.gltf", BARE, factor=(0.0, 0.0, 0.0, 1.0))
    assert left_out(path) == set()


def test_a_picture_that_cannot_be_read_tells_nothing_and_warns_once_it_is_drawn(tmp_path, recwarn):
    path = written(tmp_path / "character.gltf", BARE)
    tree = json.loads(path.read_text())
    tree["images"][0]["uri"] = "data:image/png;base64," + base64.b64encode(b"no picture").decode()
    path.write_text(json.dumps(tree))
    assert left_out(path) == set()
    assert not [each for each in recwarn if "is left out" in str(each.message)]


def test_without_pillow_nothing_is_told(tmp_path, monkeypatch):
    monkeypatch.setattr(bare_skin, "find_spec", lambda _name: None)
    assert left_out(written(tmp_path / "character.gltf", BARE)) == set()


def test_bare_arms_are_of_the_body_and_do_not_wrinkle(tmp_path):
    path = written(tmp_path / "character.gltf", BARE)
    done = CliRunner().invoke(cli, ["info", str(path)])
    assert "or is bare skin, as joints are its only parts" in done.output
    parts = ["-joint:Head/", "-joint:Hand_L/", "-joint:Hand_R/", "-joint:Foot_L/", *sorted(ARMS)]
    assert len(pucker.load(path, parts=parts).faces) == 3 * 2 * CELLS**2


def test_colours_are_those_of_oklab():
    """White, and the red of sRGB as published (Ottosson 2020, and CSS Color 4: 0.62796 0.22486 0.12585)."""
    lightness = bare_skin._LIGHTNESS
    np.testing.assert_allclose(bare_skin._oklab(np.ones(3)), [lightness, 0.0, 0.0], atol=1e-4)
    np.testing.assert_allclose(
        bare_skin._oklab(np.array([1.0, 0.0, 0.0])), [lightness * 0.62796, 0.22486, 0.12585], atol=1e-4
    )
