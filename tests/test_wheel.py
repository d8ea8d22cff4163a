"""The wheels that ./run wheel builds, each installed in an environment of its own, outside of the sources."""

import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

import pucker

pytestmark = pytest.mark.wheel

ROOT = Path(__file__).resolve().parents[1]
# What needs no package but these and the extra `render`.
TESTS = [
    "test_io_md3.py",
    "test_method.py",
    "test_render_wrinkles.py",
    "test_stretch.py",
]
NEEDED = ["pytest", "hypothesis", "scipy"]
LEAVE_OUT = ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV")


def run(*command: str | Path, folder: Path, status: int = 0) -> str:
    """What a command prints that is run in a folder; its errors if it is to fail."""
    environment = {name: value for name, value in os.environ.items() if name not in LEAVE_OUT}
    done = subprocess.run(
        [str(word) for word in command], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == status, done.stdout + done.stderr
    return done.stderr if status else done.stdout


def pythons() -> dict[str, Path]:
    """This Python, and those that `./run wheel PYTHON…` was given, by their tags."""
    own = f"cp{sys.version_info.major}{sys.version_info.minor}"
    return {own: Path(sys.executable)} | {
        folder.name: folder / "bin/python" for folder in sorted((ROOT / "build/environments").glob("cp*"))
    }


@pytest.fixture(scope="module", params=pythons())
def tag(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def wheel(tag: str) -> Path:
    """The newest one for a Python."""
    found = sorted((ROOT / "dist").glob(f"pucker-*-{tag}-*.whl"), key=lambda path: path.stat().st_mtime)
    assert found, f"./run wheel has not built one for {tag}"
    return found[-1]


@pytest.fixture(scope="module")
def place(tag: str, wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with an environment that has the wheel, and nothing of the sources."""
    folder = tmp_path_factory.mktemp("place")
    run(pythons()[tag], "-m", "venv", "environment", folder=folder)
    pip = [folder / "environment/bin/python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    run(*pip, f"{wheel}[render]", *NEEDED, folder=folder)
    return folder


def program(place: Path, name: str = "pucker") -> Path:
    return place / "environment/bin" / name


def test_it_is_small_and_for_other_machines(wheel: Path) -> None:
    assert wheel.stat().st_size < 4_000_000
    assert re.search(r"manylinux_2_\d+_x86_64", wheel.name)


def test_nothing_is_linked_but_what_every_linux_has(place: Path) -> None:
    found = run(program(place, "python"), "-c", "import pucker; print(pucker._core.__file__)", folder=place).strip()
    assert found.startswith(str(place))
    linked = re.findall(r"^\s*(\S+) ", run("ldd", found, folder=place), flags=re.MULTILINE)
    allowed = r"linux-vdso\.so\.1|libz\.so\.1|libstdc\+\+\.so\.6|libm\.so\.6|libgcc_s\.so\.1|libc\.so\.6|.*/ld-linux-x86-64\.so\.2"
    assert [name for name in linked if not re.fullmatch(allowed, name)] == []


def test_it_has_the_licence_of_everything_inside(wheel: Path) -> None:
    kept = {path.name for path in (ROOT / "licenses").iterdir()} | {"LICENSE"}
    with zipfile.ZipFile(wheel) as archive:
        assert {Path(n).name for n in archive.namelist() if re.search(r"\.dist-info/licenses/.+", n)} - {
            "licenses"
        } == kept


def test_the_program_tells_what_is_inside(place: Path) -> None:
    told = run(program(place), "--version", folder=place)
    assert told.startswith(f"pucker {pucker.__version__} with assimp {pucker.libraries()['assimp']}")


def test_the_demo_works_from_anywhere(place: Path) -> None:
    run(program(place), "demo", "-o", "out", "--size", "320x180", "--quiet", folder=place)
    assert sorted(path.name for path in (place / "out").iterdir()) == ["demo.mp4", "demo.png"]


def test_the_viewer_is_told_to_be_missing(place: Path) -> None:
    told = run(program(place), "view", folder=place, status=2)
    assert re.fullmatch(r"pucker: pucker-view is not installed: the wheel comes without it; .*\n", told)


def test_it_gives_the_same_bits_as_the_sources(place: Path, data_dir: Path) -> None:
    script = ROOT / "tests/package_digests.py"
    inside = json.loads(run(program(place, "python"), script, data_dir, folder=place))
    here = json.loads(run(sys.executable, script, data_dir, folder=place))
    assert inside == here


def test_tests_of_the_sources_pass(place: Path, data_dir: Path) -> None:
    for name in ("tests", "pyproject.toml"):
        source = ROOT / name
        (shutil.copytree if source.is_dir() else shutil.copy)(source, place / name)
    (place / "data").symlink_to(data_dir)
    told = run(program(place, "python"), "-m", "pytest", "-q", *(f"tests/{name}" for name in TESTS), folder=place)
    assert re.search(r"\d{2,} passed", told)
