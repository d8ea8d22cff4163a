"""What the package shows of itself."""

import importlib
import subprocess
import sys

import pytest

import pucker


def test_dir_is_what_users_are_meant_to_see() -> None:
    shown = dir(pucker)
    assert shown == sorted(pucker.__all__)
    assert {"show", "render", "waves", "byexample", "load", "run", "sweep", "Clip", "Params", "Error"} <= set(shown)
    assert not {"noise", "sys", "importlib", "Final", "Any", "sources", "toml"} & set(shown)
    for name in shown:
        assert getattr(pucker, name) is not None


def test_dir_loads_nothing_that_drawing_needs() -> None:
    program = "import sys, pucker; dir(pucker); print(sorted({'moderngl', 'pucker.render', 'pucker.look'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


@pytest.mark.parametrize("name", ["compare", "export", *sorted(set(pucker._LATE_MODULES))])
def test_names_of_modules_can_be_imported(name: str) -> None:
    program = f"import pucker.{name}, pucker; from pucker import {name}; assert pucker.{name} is {name}"
    subprocess.run([sys.executable, "-c", program], check=True)
    assert importlib.import_module(f"pucker.{name}") is getattr(pucker, name)
