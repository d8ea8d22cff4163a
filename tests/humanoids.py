"""VRMs and VRM Animations of a few triangles, whose rest rotations, size and bones a test chooses, and where they must be."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from gltf_writer import GltfFile
from numpy.typing import NDArray

Floats = NDArray[np.float64]

IDENTITY = np.array([0.0, 0.0, 0.0, 1.0])
# In a T-pose, looking along +z.
PLACES: dict[str, tuple[float, float, float]] = {
    "hips": (0.0, 1.0, 0.02),
    "spine": (0.0, 1.1, 0.0),
    "chest": (0.0, 1.25, 0.01),
    "upperChest": (0.0, 1.35, 0.0),
    "neck": (0.0, 1.5, 0.0),
    "head": (0.0, 1.6, 0.03),
}
PARENTS: dict[str, str | None] = {
    "hips": None,
    "spine": "hips",
    "chest": "spine",
    "upperChest": "chest",
    "neck": "upperChest",
    "head": "neck",
}
for side, x in (("left", 1.0), ("right", -1.0)):
    PLACES |= {
        f"{side}UpperLeg": (0.1 * x, 0.95, 0.0),
        f"{side}LowerLeg": (0.1 * x, 0.5, 0.01),
        f"{side}Foot": (0.1 * x, 0.1, -0.02),
        f"{side}UpperArm": (0.2 * x, 1.45, 0.0),
        f"{side}LowerArm": (0.45 * x, 1.45, 0.0),
        f"{side}Hand": (0.7 * x, 1.45, 0.01),
        f"{side}ThumbMetacarpal": (0.72 * x, 1.44, 0.03),
        f"{side}ThumbProximal": (0.74 * x, 1.44, 0.05),
    }
    PARENTS |= {
        f"{side}UpperLeg": "hips",
        f"{side}LowerLeg": f"{side}UpperLeg",
        f"{side}Foot": f"{side}LowerLeg",
        f"{side}UpperArm": "upperChest",
        f"{side}LowerArm": f"{side}UpperArm",
        f"{side}Hand": f"{side}LowerArm",
        f"{side}ThumbMetacarpal": f"{side}Hand",
        f"{side}ThumbProximal": f"{side}ThumbMetacarpal",
    }
IN_VRM_0 = {"ThumbMetacarpal": "ThumbProximal", "ThumbProximal": "ThumbIntermediate"}
TRIANGLE = np.array([[0.0, 0.0, 0.0], [0.03, 0.0, 0.01], [0.0, 0.04, 0.02]])
HALF_TURN = np.array([-1.0, 1.0, -1.0])


def product(a: Floats, b: Floats) -> Floats:
    """Of quaternions (x, y, z, w)."""
    v, w = a[:3], b[:3]
    return np.append(a[3] * w + b[3] * v + np.cross(v, w), a[3] * b[3] - v @ w)


def inverse(a: Floats) -> Floats:
    return a * [-1.0, -1.0, -1.0, 1.0]


def turned(a: Floats, v: Floats) -> Floats:
    """Vectors (…, 3) turned by a unit quaternion."""
    cross = np.cross(a[:3], v)
    return np.asarray(v + 2.0 * (a[3] * cross + np.cross(a[:3], cross)))


def random_turns(seed: int, most: float) -> dict[str, Floats]:
    """A rotation of each bone by up to `most` radians."""
    generator = np.random.default_rng(seed)
    found = {}
    for bone in PLACES:
        axis = generator.normal(size=3)
        angle = most * generator.uniform(0.5, 1.0)
        found[bone] = np.append(np.sin(angle / 2.0) * axis / np.linalg.norm(axis), np.cos(angle / 2.0))
    return found


@dataclass
class Human:
    """`rest`: the rotation in the world of each bone at rest, the identity where none is given."""

    size: float = 1.0
    rest: Mapping[str, Floats] = field(default_factory=dict)
    without: tuple[str, ...] = ()
    version: int = 1
    root: dict[str, Any] | None = None

    def bones(self) -> list[str]:
        return [bone for bone in PLACES if bone not in self.without]

    def parent(self, bone: str) -> str | None:
        """The next bone above that it has."""
        above = PARENTS[bone]
        while above in self.without:
            above = PARENTS[above]
        return above

    def place(self, bone: str) -> Floats:
        """In the file."""
        return self.size * np.array(PLACES[bone]) * (HALF_TURN if self.version == 0 else 1.0)

    def world(self, bone: str) -> Floats:
        return self.rest.get(bone, IDENTITY)

    def local(self, bone: str) -> Floats:
        above = self.parent(bone)
        return self.world(bone) if above is None else product(inverse(self.world(above)), self.world(bone))

    def file(self, name: str = "") -> tuple[GltfFile, dict[str, int]]:
        """Its nodes, below a root if it has one; all are of one name, or have none."""
        file = GltfFile()
        # The first node is none of the hierarchy that is shown.
        file.add("nodes", {"name": "unused"})
        named: dict[str, Any] = {"name": name} if name else {}
        root = None if self.root is None else file.node(name="root", **self.root)
        nodes: dict[str, int] = {}
        for bone in self.bones():
            above = self.parent(bone)
            at = self.place(bone)
            if above is not None:
                at = turned(inverse(self.world(above)), at - self.place(above))
            nodes[bone] = file.node(
                parent=root if above is None else nodes[above],
                translation=at.tolist(),
                rotation=self.local(bone).tolist(),
                **named,
            )
        return file, nodes

    def character(self, path: Path, extensions: dict[str, Any] | None = None) -> Path:
        """A VRM: each bone moves a triangle."""
        file, nodes = self.file()
        bones = self.bones()
        points = np.concatenate([self.place(bone) + self.size * TRIANGLE for bone in bones])
        joints = np.zeros((len(points), 4), int)
        joints[:, 0] = np.repeat(np.arange(len(bones)), 3)
        weights = np.zeros((len(points), 4))
        weights[:, 0] = 1.0
        mesh = file.mesh(points, np.arange(len(points)).reshape(-1, 3), joints, weights)
        binds = np.tile(np.eye(4), (len(bones), 1, 1))
        for bind, bone in zip(binds, bones, strict=True):
            back = inverse(self.world(bone))
            bind[:3, :3] = turned(back, np.eye(3)).T
            bind[:3, 3] = -turned(back, self.place(bone))
        skin = file.add(
            "skins", {"joints": [nodes[bone] for bone in bones], "inverseBindMatrices": file.accessor(binds)}
        )
        file.node(name="mesh", mesh=mesh, skin=skin)
        return self.written(file, path, self.extensions(nodes) if extensions is None else extensions)

    def extensions(self, nodes: dict[str, int]) -> dict[str, Any]:
        if self.version == 1:
            return {"VRMC_vrm": {"specVersion": "1.0", "humanoid": {"humanBones": by_node(nodes)}}}
        listed = [{"bone": "leftToes", "node": -1}]
        for bone, node in nodes.items():
            old = next((bone.replace(a, b) for a, b in IN_VRM_0.items() if bone.endswith(a)), bone)
            listed.append({"bone": old, "node": node})
        return {"VRM": {"specVersion": "0.0", "humanoid": {"humanBones": listed}}}

    @staticmethod
    def written(file: GltfFile, path: Path, extensions: dict[str, Any]) -> Path:
        file.json["extensions"] = extensions
        file.json["extensionsUsed"] = list(extensions)
        return file.write_glb(path)

    def motion(
        self,
        path: Path,
        turns: Mapping[str, Floats],
        way: Floats,
        extensions: dict[str, Any] | None = None,
        *,
        name: str = "",
    ) -> Path:
        """A VRM Animation from the rest pose to that of normalized rotations, a second later; the hips go by `way`."""
        file, nodes = self.file(name)
        hips = self.place("hips")
        channels: dict[tuple[int, str], Any] = {
            (nodes["hips"], "translation"): ([0.0, 1.0], [hips, hips + way]),
        }
        for bone, turn in turns.items():
            if bone not in nodes:
                continue
            # How to get what a model does from normalized rotations, with L and W as in the specification.
            back = inverse(self.world(bone))
            moved = product(product(product(self.local(bone), back), turn), self.world(bone))
            channels[nodes[bone], "rotation"] = ([0.0, 1.0], [self.local(bone), moved])
        smile = file.node(name="happy")
        channels[smile, "translation"] = ([0.0, 1.0], [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0]])
        file.animation("dance", channels)
        own = {
            "specVersion": "1.0",
            "humanoid": {"humanBones": by_node(nodes)},
            "expressions": {"preset": {"happy": {"node": smile}}},
        }
        return self.written(file, path, {"VRMC_vrm_animation": own} if extensions is None else extensions)

    def moved(self, source: "Human", turns: Mapping[str, Floats], way: Floats) -> Floats:
        """Where its vertices are in the world, in the order of its bones, looking along +z."""
        turn: dict[str, Floats] = {}
        for bone in source.bones():
            above = source.parent(bone)
            own = turns.get(bone, IDENTITY)
            turn[bone] = own if above is None else product(turn[above], own)
        at: dict[str, Floats] = {}
        points = []
        for bone in self.bones():
            above = self.parent(bone)
            place = self.size * np.array(PLACES[bone])
            if above is None:
                at[bone] = place + self.size / source.size * way
            else:
                turn.setdefault(bone, turn[above])
                at[bone] = at[above] + turned(turn[above], place - self.size * np.array(PLACES[above]))
            triangle = TRIANGLE * (HALF_TURN if self.version == 0 else 1.0)
            points.append(at[bone] + turned(turn[bone], self.size * triangle))
        return np.concatenate(points)


def by_node(nodes: Mapping[str, int]) -> dict[str, dict[str, int]]:
    return {bone: {"node": node} for bone, node in nodes.items()}
