"""Without a package of an extra, one sentence says what to install, and everything else works."""

import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

import pytest


@pytest.mark.parametrize(
    ("module", "package", "extra"),
    [
        ("metrics.compare", "fast_simplification", "metrics,render"),
        ("metrics.compare", "moderngl", "metrics,render"),
        ("metrics", "igl", "metrics"),
        ("notebook", "jupyter_rfb", "notebook"),
        ("page", "jupyter_threejs_sage", "page"),
        ("page", "moderngl", "page"),
        ("plot", "matplotlib", "plot"),
        ("render", "moderngl", "render"),
        ("render", "imageio_ffmpeg", "render"),
    ],
)
def test_importing_a_module_names_the_extra(module: str, package: str, extra: str) -> None:
    program = f"import sys; sys.modules['{package}'] = None; import pucker; import pucker.{module}"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    told = f"ModuleNotFoundError: pucker.{module} needs {package}: install the extra pucker[{extra}]"
    assert done.stderr.splitlines()[-1] == told


def test_what_computes_needs_no_extra() -> None:
    extras = ["moderngl", "PIL", "imageio_ffmpeg", "pxr", "pygltflib", "scipy", "pandas", "matplotlib", "igl", "dask"]
    program = """
import sys
for name in sys.argv[1:]:
    sys.modules[name] = None
import pucker
import pucker.bake
clip = pucker.examples.folded_sheet(6, 6, frames=3)
wrinkler = pucker.Wrinkler(clip.mesh, pucker.Params(min_width=0.05))
print(len([wrinkler.advance(frame.positions, frame.time) for frame in clip]))
print(len(list(pucker.run(clip, pucker.waves.Params()))), *sorted(pucker.method.methods()))
"""
    done = subprocess.run([sys.executable, "-c", program, *extras], capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("3\n3 byexample drape dynamic waves\n", "")


def test_only_exr_maps_need_an_extra() -> None:
    program = """
import sys
sys.modules |= dict.fromkeys(["scipy", "OpenEXR", "png", "PIL"])
import numpy as np
import pucker
sheet = pucker.examples.folded_sheet(6, 6, frames=3)
uv = sheet.positions[0][:, :2]
clip = pucker.Clip.from_arrays(sheet.faces, sheet.positions, sheet.times, uv=(uv - uv.min(0)) / np.ptp(uv, axis=0))
print(len(pucker.bake.maps(clip, "maps", size=16, overlap="first").files))
pucker.bake.maps(clip, "maps", file_format="exr", overlap="first")
"""
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([sys.executable, "-c", program], cwd=folder, capture_output=True, text=True, check=False)
    assert done.stdout == "7\n"
    assert done.stderr.splitlines()[-1] == (
        "pucker._core.Error: maps as exr need OpenEXR: install the extra pucker[io]"
    )


def test_alembic_names_the_extra() -> None:
    program = """
import sys
sys.modules["bpy"] = None
import pucker
pucker.bake.surface(pucker.examples.folded_sheet(6, 6, frames=3), "out.abc")
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.stderr.splitlines()[-1] == (
        "pucker._core.Error: baking .abc needs bpy, Blender's module for Python 3.11: pip install --no-deps bpy==5.0.1"
    )


def test_reading_alembic_names_the_extra() -> None:
    program = """
import sys
sys.modules["bpy"] = None
import pucker
pucker.load("in.abc")
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.stderr.splitlines()[-1].startswith(
        "pucker._core.Error: in.abc: reading Alembic needs bpy, Blender's module for Python 3.11: pip install --no-deps bpy==5.0.1"
    )


def test_no_extra_brings_an_older_numpy() -> None:
    tree = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text())
    wanted = [name for extra in tree["project"]["optional-dependencies"].values() for name in extra]
    # What says that it needs NumPy below 2.
    assert not [name for name in wanted if name.startswith("bpy")]
