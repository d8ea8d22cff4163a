"""Prints digests of what a pucker loads and computes, as JSON: run by two installations, it tells whether they agree."""

import hashlib
import json
import sys
from pathlib import Path
from typing import Final

import numpy as np

import pucker

CLIPS: Final = [
    ("kimono_male.gltf", "Walk", ["Clothes", "Band"]),
    ("mage.glb", "Sit_Floor_Down", ["Mage_Body", "Mage_Arm*"]),
    ("female_dress.fbx", "HumanArmature|Female_Run", ["Dress"]),
    ("cowboy.dae", None, []),
    ("kyonshi_lower.md3", "115:123", ["l_lower", "l_dress"]),
    ("tshirt_wind.zip", "0:12", []),
]


def digest(arrays: list[np.ndarray]) -> str:
    """One digest of the bits of all."""
    out = hashlib.sha256()
    for array in arrays:
        out.update(np.ascontiguousarray(array).tobytes())
    return out.hexdigest()[:16]


def surface(clip: pucker.Clip, params: object) -> str:
    """The detailed surface of a clip's frames, at the middles of its triangles."""
    triangles = np.arange(len(clip.faces), dtype=np.int32)
    middles = np.full((len(triangles), 3), 1.0 / 3.0)
    return digest([s.detail.evaluate(triangles, middles).positions for s in pucker.run(clip, params)])


def main(data: Path) -> None:
    """Of each character."""
    found = {}
    for file, name, parts in CLIPS:
        clip = pucker.load(data / file, clip=name, parts=parts, fps=15.0)
        found[f"{file} loaded"] = digest([clip.positions, clip.faces, clip.uv, clip.body_positions, clip.times])
        found[f"{file} dynamic"] = surface(clip, pucker.Params(threshold=1.1))
        found[f"{file} waves"] = surface(clip, pucker.waves.Params())
    sys.stdout.write(json.dumps(found))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
