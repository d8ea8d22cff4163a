"""What the package shows of itself, and what it says to a misspelt name."""

import importlib
import re
import subprocess
import sys
from pathlib import Path

import pytest

import pucker
from pucker._core import did_you_mean

STUBS = Path(pucker.__file__).parent / "_core"


def test_dir_is_what_users_are_meant_to_see() -> None:
    shown = dir(pucker)
    assert shown == sorted(pucker.__all__)
    assert {"show", "render", "waves", "byexample", "load", "run", "sweep", "Clip", "Params", "Error"} <= set(shown)
    assert not {"noise", "sys", "importlib", "Final", "Any", "did_you_mean", "sources", "toml"} & set(shown)
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


def test_stubs_name_the_types_of_parameters() -> None:
    text = (STUBS / "__init__.pyi").read_text()
    for name, kind in (("threshold", "float"), ("seed", "int"), ("verbatim", "bool"), ("shape", "ShapeParams")):
        assert re.search(rf"def {name}\(self\) -> {kind}:", text), name
    assert "def min_width(self) -> float | None:" in text
    assert "def profile(self) -> Profile:" in text


@pytest.mark.parametrize(
    ("name", "known", "guess"),
    [
        ("Cloths", ["Skin", "Clothes"], "Clothes"),
        ("clothes", ["Skin", "Clothes"], "Clothes"),
        ("treshold", ["seed", "threshold"], "threshold"),
        ("profile", ["shape.height", "shape.profile"], "shape.profile"),
        ("Wakl", ["Armature|Run", "Armature|Walk"], "Armature|Walk"),
        ("Chest", ["joint:Head", "joint:Chest"], "joint:Chest"),
        ("nothing", ["Skin", "Clothes"], None),
        ("Skin", ["Skin", "Skins"], None),
        ("ab", ["cd"], None),
        ("", ["a"], None),
    ],
)
def test_the_nearest_name_is_guessed(name: str, known: list[str], guess: str | None) -> None:
    assert did_you_mean(name, known) == ("" if guess is None else f" (did you mean '{guess}'?)")


@pytest.mark.parametrize(
    ("call", "guess"),
    [
        (lambda data: pucker.load(data / "kimono_male.gltf", clip="Wakl"), "Walk"),
        (lambda data: pucker.load(data / "kimono_male.gltf", clip="Walk", parts=["Cloths"]), "Clothes"),
        (lambda _: pucker.Params(treshold=1.2), "threshold"),
        (lambda _: pucker.Params(shape={"hight": "circle"}), "height"),
        (lambda _: pucker.render.Overlays.of(["wirefame"]), "wireframe"),
        (lambda _: pucker.show(pucker.examples.folded_sheet(4, 4, frames=2), how="pictur"), "picture"),
        (
            lambda _: pucker.sweep.Grid({"profile": ["arcs"]}, {"a": pucker.examples.folded_sheet(4, 4)}),
            "shape.profile",
        ),
    ],
)
def test_messages_guess_what_was_meant(call, guess: str, data_dir: Path) -> None:
    with pytest.raises(ValueError, match=re.escape(f" (did you mean '{guess}'?)")):
        call(data_dir)
