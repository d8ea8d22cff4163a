"""Puts the extension and a wheel into one zip, which Blender installs: `python blender/build.py WHEEL… FOLDER`.

Each wheel makes a zip of its own, as each is for one Python, and so for the Blenders that have this one.
"""

import sys
import zipfile
from pathlib import Path

SOURCE = Path(__file__).parent / "pucker"
# So that the same files make the same bits.
_TIME = (1980, 1, 1, 0, 0, 0)


def build(wheel: Path, folder: Path) -> Path:
    """The zip, named after the version, the wheel's Python and its platform."""
    python = wheel.name.split("-")[2]
    inside = f"wheels/{wheel.name}"
    manifest = (SOURCE / "blender_manifest.toml").read_text(encoding="utf-8")
    version = next(line.split('"')[1] for line in manifest.splitlines() if line.startswith("version ="))
    head, mark, permissions = manifest.partition("[permissions]")
    head += f'wheels = ["./{inside}"]\nplatforms = ["linux-x64"]\n\n'
    files = {"blender_manifest.toml": (head + mark + permissions).encode(), inside: wheel.read_bytes()}
    files |= {path.name: path.read_bytes() for path in SOURCE.glob("*.py")}
    folder.mkdir(parents=True, exist_ok=True)
    target = folder / f"pucker-blender-{version}-{python}-linux-x64.zip"
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in sorted(files.items()):
            archive.writestr(zipfile.ZipInfo(name, _TIME), content, zipfile.ZIP_DEFLATED)
    return target


if __name__ == "__main__":
    *wheels, into = map(Path, sys.argv[1:])
    for each in wheels:
        sys.stdout.write(f"{build(each, into)}\n")
