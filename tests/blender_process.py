"""Blender as a process of its own, with the extension installed from its zip."""

import json
import os
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import Any

import numpy as np

import pucker

ROOT = Path(__file__).resolve().parents[1]


class Blender:
    """Blender with the extension; each scene is a process of its own."""

    def __init__(self, folder: Path, data: Path) -> None:
        self.out = folder / "out"
        self.out.mkdir()
        self._data = data
        self._python = folder / "environment/bin/python"
        self._environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        self._environment["BLENDER_USER_RESOURCES"] = str(folder / "resources")
        (folder / "resources").mkdir()
        subprocess.run([sys.executable, "-m", "venv", folder / "environment"], check=True)
        pip = [self._python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*pip, "numpy==1.26.4"], check=True)
        # Blender's module alone of what there is here.
        own = next((folder / "environment/lib").glob("python*/site-packages"))
        (own / "bpy").symlink_to(os.environ.get("PUCKER_BPY") or Path(sysconfig.get_path("platlib")) / "bpy")
        self.zip = max((ROOT / "dist").glob("pucker-blender-*-cp311-*.zip"), key=lambda path: path.stat().st_mtime)
        self.installed = self.run("install")

    def run(self, scene: str) -> Any:
        """What a scene of `blender_session` found."""
        script = ROOT / "tests/blender_session.py"
        command = [self._python, script, self.zip, self._data, self.out, scene]
        done = subprocess.run(command, env=self._environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
        return json.loads((self.out / f"{scene}.json").read_text())


def assert_shown(
    shown: np.ndarray, clip: pucker.Clip, detail: Any, index: int, edge: float = 1.0
) -> pucker.Subdivision:
    """Blender shows the garment of a frame on this subdivision, or as its own mesh, to the bit, and then the rest of the character."""
    fine = detail.own_mesh
    if fine is None:
        levels = clip.mesh.edge_levels(clip.positions[index], edge * np.asarray(detail.feature_sizes))
        fine = pucker.Subdivision(clip.mesh, np.minimum(levels, 64))
    x, y, z = detail.evaluate(fine.triangles, fine.barycentrics).positions.T
    np.testing.assert_array_equal(shown[: len(x)], np.stack([x, -z, y], axis=1).astype(np.float32))
    return fine
