"""The zips of the extension for Blender: one for each Python that has a wheel."""

import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[1]


def test_every_wheel_makes_a_zip_of_its_own(tmp_path: Path) -> None:
    tags = ("cp311", "cp313")
    wheels = [tmp_path / f"pucker-0.1.0-{tag}-{tag}-manylinux_2_35_x86_64.whl" for tag in tags]
    for wheel in wheels:
        wheel.write_bytes(wheel.name.encode())
    command = [sys.executable, ROOT / "blender" / "build.py", *wheels, tmp_path / "zips"]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    zips = sorted((tmp_path / "zips").iterdir())
    assert [path.name for path in zips] == [f"pucker-blender-0.1.0-{tag}-linux-x64.zip" for tag in tags]
    assert done.stdout.split() == [str(path) for path in zips]
    for path, wheel in zip(zips, wheels, strict=True):
        with zipfile.ZipFile(path) as archive:
            manifest = tomllib.loads(archive.read("blender_manifest.toml").decode())
            assert manifest["wheels"] == [f"./wheels/{wheel.name}"]
            assert archive.read(f"wheels/{wheel.name}") == wheel.name.encode()
            assert "__init__.py" in archive.namelist()
