"""Settings for wheels of other systems: what cibuildwheel reads in them."""

import importlib.util
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
TREE = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
SETTINGS = TREE["tool"]["cibuildwheel"]
# Of docs/options of cibuildwheel 4: those in use here, for all systems and for one.
KNOWN = {"build", "skip", "build-frontend", "config-settings", "test-command"}
KNOWN_OF = {"archs", "environment", "manylinux-x86_64-image", "musllinux-x86_64-image", "repair-wheel-command"}


def test_settings_are_known_ones():
    systems = {name for name, value in SETTINGS.items() if isinstance(value, dict)} - {"config-settings"}
    assert systems == {"linux", "macos", "windows"}
    assert set(SETTINGS) - systems == KNOWN
    assert set().union(*(SETTINGS[name] for name in systems)) == KNOWN_OF


def test_wheels_have_their_libraries_inside_by_options_that_cmake_has():
    options = set(re.findall(r"^option\((\w+)", (ROOT / "CMakeLists.txt").read_text(encoding="utf-8"), re.MULTILINE))
    given = {name.removeprefix("cmake.define.") for name in SETTINGS["config-settings"]}
    assert given <= options
    assert SETTINGS["config-settings"]["cmake.define.PUCKER_STATIC_DEPS"] == "ON"


def test_pythons_are_those_that_the_package_takes():
    oldest = TREE["project"]["requires-python"].removeprefix(">=").replace(".", "")
    assert SETTINGS["build"].split()[0] == f"cp{oldest}-*"


@pytest.mark.skipif(importlib.util.find_spec("cibuildwheel") is None, reason="pip install cibuildwheel")
@pytest.mark.parametrize(
    ("platform", "machine"),
    [("linux", "manylinux_x86_64"), ("linux", "musllinux_x86_64"), ("macos", "macosx_arm64"), ("windows", "win_amd64")],
)
def test_cibuildwheel_reads_them(platform, machine):
    command = [sys.executable, "-m", "cibuildwheel", "--print-build-identifiers", "--platform", platform, ROOT]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert {f"cp3{minor}-{machine}" for minor in (11, 12, 13)} <= set(done.stdout.split())
