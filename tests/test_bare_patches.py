"""Bare skin within joints that move clothes too, told triangle by triangle: a figure of tubes, whose rings are painted."""

import base64
import io
import json

import numpy as np
import pytest
from click.testing import CliRunner
from gltf_writer import GltfFile
from PIL import Image

import pucker
from pucker.cli import cli
from pucker.cli.choices import Cloth
from pucker.examples import grid_faces

AROUND, RINGS = 12, 12
RING = 2 * AROUND
COLOURS = {
    "skin": (224, 172, 140),
    "pale": (252, 226, 208),  # lit skin: of its hue, too far from its colour
    "blue": (60, 80, 160),
    "white": (235, 235, 235),
    "brown": (70, 45, 30),
    "beige": (224, 176, 140),  # cloth of the colour of skin
}
# Of each tube its middle, its top and its bottom, and from which ring on what joint moves it.
TUBES = {
    "trunk": ((0.0, 1.7, 0.9), {0: "Head", 3: "Spine", 9: "Hips"}),
    "leg_l": ((0.15, 0.88, 0.0), {0: "Leg_L", 10: "Foot_L"}),
    "leg_r": ((-0.15, 0.88, 0.0), {0: "Leg_R", 10: "Foot_R"}),
    "arm_l": ((0.5, 1.4, 0.7), {0: "Arm_L", 9: "Hand_L"}),
    "arm_r": ((-0.5, 1.4, 0.7), {0: "Arm_R", 9: "Hand_R"}),
}
PARENTS = {"Hips": None, "Spine": "Hips", "Head": "Spine"}
PARENTS |= {f"{name}_{side}": above for side in "LR" for name, above in (("Arm", "Spine"), ("Leg", "Hips"))}
PARENTS |= {f"{name}_{side}": f"{above}_{side}" for side in "LR" for name, above in (("Hand", "Arm"), ("Foot", "Leg"))}
# Sleeves to the hands, trousers to the feet.
DRESSED = {
    "trunk": ["skin"] * 3 + ["blue"] * 6 + ["white"] * 3,
    **dict.fromkeys(("leg_l", "leg_r"), ["white"] * 10 + ["brown"] * 2),
    **dict.fromkeys(("arm_l", "arm_r"), ["blue"] * 9 + ["skin"] * 3),
}


def tube(middle, top, bottom):
    """Points (n, 3) and faces (m, 3), ring by ring from the top."""
    y, x = np.mgrid[: RINGS + 1, :AROUND]
    angle = 2.0 * np.pi * x.ravel() / AROUND
    down = top + (bottom - top) * y.ravel() / RINGS
    points = np.stack([middle + 0.1 * np.sin(angle), down, 0.1 * np.cos(angle)], axis=1)
    return points, grid_faces(AROUND, RINGS, closed=True)


def written(path, painted, *, backs=False):
    """The figure, each triangle with vertices of its own; `painted` has a colour for each ring of each tube, or for each of its
    triangles. With `backs`, each triangle of the trunk is there a second time, the other way round.
    """
    file, names = GltfFile(), list(PARENTS)
    nodes = file.joints(PARENTS)
    corners, joints, shown = [], [], []
    for name, (place, moved) in TUBES.items():
        points, faces = tube(*place)
        ring = np.arange(len(faces)) // RING
        owners = np.array([names.index(moved[max(k for k in moved if k <= r)]) for r in ring])
        colours = painted[name]
        own = np.array(
            [list(COLOURS).index(c) for c in (colours if len(colours) > RINGS else np.repeat(colours, RING))]
        )
        for way in (1, -1) if backs and name == "trunk" else (1,):
            corners.append(points[faces[:, ::way]])
            joints.append(owners)
            shown.append(own)
    points = np.concatenate(corners).reshape(-1, 3)
    numbers, weights = np.zeros((len(points), 4), int), np.zeros((len(points), 4))
    numbers[:, 0], weights[:, 0] = np.repeat(np.concatenate(joints), 3), 1.0
    # The spine is squeezed, and all that hangs on it goes along, so that what is one place stays one.
    number = file.mesh(points, np.arange(len(points)).reshape(-1, 3), numbers, weights)
    primitive = file.json["meshes"][number]["primitives"][0]
    across = (np.repeat(np.concatenate(shown), 3) + 0.5) / len(COLOURS)
    primitive["attributes"]["TEXCOORD_0"] = file.accessor(np.stack([across, np.full(len(points), 0.5)], 1))
    picture = io.BytesIO()
    Image.fromarray(np.array([list(COLOURS.values())], np.uint8)).save(picture, "PNG")
    uri = "data:image/png;base64," + base64.b64encode(picture.getvalue()).decode()
    texture = file.add("textures", {"source": file.add("images", {"uri": uri})})
    paint = {"baseColorTexture": {"index": texture}}
    primitive["material"] = file.add("materials", {"name": "all", "pbrMetallicRoughness": paint})
    binds = file.accessor(np.tile(np.eye(4), (len(nodes), 1, 1)))
    file.add("skins", {"joints": list(nodes.values()), "inverseBindMatrices": binds})
    file.node(mesh=number, skin=0, name="all")
    keys = {(nodes["Spine"], "scale"): ([0.0, 1.0], [[1.0, 1.0, 1.0], [1.0, 0.6, 1.0]])}
    file.animation("Bow", keys)
    return file.write(path)


def suggested(path):
    done = CliRunner().invoke(cli, ["info", str(path), "--json"])
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)["suggestion"]["parts"]


def bare(path):
    """The triangles left out as patches, by tube and ring."""
    listed = [part[1:] for part in suggested(path) if part.startswith("-triangles:")]
    if not listed:
        return {}
    chosen = np.flatnonzero(pucker.io.open_source(path).select(listed))
    tubes = np.array(list(TUBES))[chosen // (RING * RINGS)]
    found = {}
    for name, ring in zip(tubes.tolist(), (chosen % (RING * RINGS) // RING).tolist(), strict=True):
        found.setdefault(name, {}).setdefault(ring, 0)
        found[name][ring] += 1
    return found


def rings(*which):
    return dict.fromkeys(which, RING)


def knee(first, last):
    return ["white"] * first + ["skin"] * (last - first) + ["white"] * (10 - last) + ["brown"] * 2


def on_one_side(share):
    """A leg of which a share of the way round is of the colour of skin, from the fourth ring to the sixth."""
    leg = np.repeat(DRESSED["leg_l"], RING).reshape(RINGS, RING)
    leg[3:6, : round(share * RING)] = "skin"
    return leg.ravel().tolist()


def test_of_clothes_all_over_nothing_is_bare(tmp_path):
    assert bare(written(tmp_path / "a.gltf", DRESSED)) == {}


def test_knees_between_shorts_and_socks_are_bare(tmp_path):
    painted = DRESSED | {"leg_l": knee(4, 7), "leg_r": knee(4, 7)}
    assert bare(written(tmp_path / "a.gltf", painted)) == {"leg_l": rings(4, 5, 6), "leg_r": rings(4, 5, 6)}


def test_what_commands_take_unasked_has_no_bare_knees(tmp_path):
    path = written(tmp_path / "a.gltf", DRESSED | {"leg_l": knee(4, 7)})
    clip = Cloth(None, None, 4.0, 1).load(path, quiet=True)
    leg = np.abs(clip.positions[0][:, 0] - 0.15) < 0.11
    heights = 0.88 - 0.88 * np.arange(RINGS + 1) / RINGS
    inner = [k for k, height in enumerate(heights) if np.any(leg & (np.abs(clip.positions[0][:, 1] - height) < 1e-6))]
    assert not {5, 6} & set(inner)
    assert {4, 7} <= set(inner)


@pytest.mark.parametrize("share", [0.3, 0.5, 0.65])
def test_a_pad_on_one_side_of_a_leg_is_cloth(tmp_path, share):
    assert bare(written(tmp_path / "a.gltf", DRESSED | {"leg_l": on_one_side(share)})) == {}


def test_trousers_of_the_colour_of_skin_are_cloth(tmp_path):
    """Their seat has it too, whether they are one piece with the legs or not."""
    legs = ["beige"] * 10 + ["brown"] * 2
    painted = DRESSED | {"trunk": ["skin"] * 3 + ["blue"] * 6 + ["beige"] * 3, "leg_l": legs, "leg_r": legs}
    assert "-joint:Hips" not in suggested(written(tmp_path / "a.gltf", painted))
    assert bare(written(tmp_path / "a.gltf", painted)) == {}


def test_a_robe_of_the_colour_of_skin_that_hangs_on_the_neck_is_cloth(tmp_path):
    painted = DRESSED | {"trunk": ["skin"] * 3 + ["beige"] * 9}
    assert bare(written(tmp_path / "a.gltf", painted)) == {}


def test_a_belt_of_the_colour_of_skin_is_cloth(tmp_path):
    painted = DRESSED | {"trunk": ["skin"] * 3 + ["blue"] * 4 + ["skin"] + ["blue"] + ["white"] * 3}
    assert bare(written(tmp_path / "a.gltf", painted)) == {}


def test_a_neckline_and_forearms_reach_the_skin_of_head_and_hands(tmp_path):
    sleeve = ["blue"] * 6 + ["skin"] * 6
    painted = DRESSED | {"trunk": ["skin"] * 5 + ["blue"] * 4 + ["white"] * 3, "arm_l": sleeve, "arm_r": sleeve}
    found = bare(written(tmp_path / "a.gltf", painted))
    assert found == {"trunk": rings(3, 4), "arm_l": rings(6, 7, 8), "arm_r": rings(6, 7, 8)}


def test_lit_skin_within_skin_is_bare_and_a_pale_shirt_is_not(tmp_path):
    chest = ["skin"] * 4 + ["pale"] + ["skin"]
    painted = DRESSED | {"trunk": [*chest, *["blue"] * 3, *["white"] * 3]}
    assert bare(written(tmp_path / "a.gltf", painted)) == {"trunk": rings(3, 4, 5)}
    painted = DRESSED | {"trunk": ["skin"] * 4 + ["pale"] * 5 + ["white"] * 3}
    assert bare(written(tmp_path / "b.gltf", painted)) == {"trunk": rings(3)}


def test_single_triangles_follow_those_around_them(tmp_path, rng):
    """A tenth of the triangles of knees and of socks, as where pictures are noisy."""
    leg = np.repeat(knee(4, 8), RING)
    flipped = rng.choice(10 * RING, RING, replace=False)
    leg[flipped] = np.where(leg[flipped] == "skin", "white", "skin")
    found = bare(written(tmp_path / "a.gltf", DRESSED | {"leg_l": leg.tolist()}))
    assert set(found) == {"leg_l"}
    got = np.array([found["leg_l"].get(ring, 0) for ring in range(10)])
    np.testing.assert_allclose(got, np.where(np.isin(np.arange(10), range(4, 8)), RING, 0), atol=RING // 4)


def test_backs_of_bare_skin_are_left_out_with_it(tmp_path):
    """A collar that is modelled from both sides: what stays of it would be the only cloth there."""
    painted = DRESSED | {"trunk": ["skin"] * 5 + ["blue"] * 4 + ["white"] * 3}
    path = written(tmp_path / "a.gltf", painted, backs=True)
    clip = pucker.load(path, parts=suggested(path), fps=2.0)
    assert clip.report.other_sides > 0
    top = clip.positions[0][np.abs(clip.positions[0][:, 0]) < 0.11][:, 1].max()
    assert top == pytest.approx(1.7 - 5 * 0.8 / RINGS, abs=1e-6)
