"""What the package shows of itself, and what it says to a misspelt name."""

import ast
import importlib
import re
import subprocess
import sys
from functools import cache
from graphlib import TopologicalSorter
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


@cache
def _imports() -> dict[str, set[str]]:
    """Modules of the package that each of them imports, wherever in its text but for types."""
    root = Path(pucker.__file__).parent
    files = {
        ".".join(("pucker", *path.relative_to(root).with_suffix("").parts)).removesuffix(".__init__"): path
        for path in root.rglob("*.py")
    }
    found: dict[str, set[str]] = {name: set() for name in files}
    for name, path in files.items():
        tree = ast.parse(path.read_text())
        package = name.split(".") if path.name == "__init__.py" else name.split(".")[:-1]
        for_types = {
            id(inner)
            for node in ast.walk(tree)
            if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
            for inner in ast.walk(node)
        }
        for node in ast.walk(tree):
            if id(node) in for_types:
                continue
            if isinstance(node, ast.Import):
                candidates = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                start = package[: len(package) + 1 - node.level] if node.level else []
                source = ".".join([*start, *([node.module] if node.module else [])])
                candidates = [inner if (inner := f"{source}.{alias.name}") in files else source for alias in node.names]
            else:
                continue
            found[name].update(one for one in candidates if one in files and one != name)
    return found


def test_no_folder_imports_a_folder_that_imports_it() -> None:
    """What imports `pucker` itself, which names some folders, stands above it and is not imported when it starts."""
    folders: dict[str, set[str]] = {}
    for name, others in _imports().items():
        own = name.split(".")[1] if "." in name else "pucker"
        for other in others:
            theirs = other.split(".")[1] if "." in other else "pucker"
            if theirs not in (own, "pucker") and own != "pucker":
                folders.setdefault(own, set()).add(theirs)
    assert "bake" in folders["cli"]
    order = TopologicalSorter(folders)
    order.prepare()


def test_no_module_imports_a_module_that_imports_it() -> None:
    """Packages aside, which name what is in them."""
    imports = _imports()
    packages = {name for name in imports if any(other.startswith(f"{name}.") for other in imports)}
    modules = {name: others - packages for name, others in imports.items() if name not in packages}
    assert "pucker.metrics.truth_files" in modules["pucker.metrics.truth"]
    TopologicalSorter(modules).prepare()


# What a researcher measures with, and what has a window, a page or a command line; all else is the library.
LABORATORY = {"compare", "metrics", "plot", "study", "sweeps"}
PROGRAMS = {"cli", "look", "notebook", "page"}


def _zone(module: str) -> int:
    """0 of the library, 1 of the laboratory, 2 of the programs."""
    folder = module.split(".")[1]
    # What a method is measured by lies in the method's folder.
    return 2 if folder in PROGRAMS else int(folder in LABORATORY or module.endswith(".measures"))


def test_the_library_imports_neither_laboratory_nor_programs_and_the_laboratory_no_programs() -> None:
    """But a method, which the laboratory asks for its measures, may import them when it is asked."""
    up = {
        (name, other)
        for name, others in _imports().items()
        for other in others
        if name != "pucker" and other != "pucker" and _zone(name) < _zone(other)
    }
    assert up == {
        ("pucker.dynamic.method", "pucker.dynamic.measures"),
        ("pucker.dynamic.method", "pucker.metrics.sections"),
    }


def test_a_picture_can_be_drawn_and_a_clip_run_without_laboratory_and_programs() -> None:
    program = (
        "import sys, pucker; clip = pucker.examples.folded_sheet(4, 4, frames=2); list(pucker.run(clip, pucker.Params())); "
        "import pucker.render, pucker.bake, pucker.waves, pucker.drape, pucker.byexample; "
        "print(sorted({name.split('.')[1] for name in sys.modules if name.startswith('pucker.')}))"
    )
    loaded = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    assert "render" in loaded
    assert not [name for name in (LABORATORY | PROGRAMS) if f"'{name}'" in loaded]


CORE = Path(__file__).parents[1] / "cpp"
# What the sources of each folder of the core may include of other folders; every one may what lies beside the folders.
BELOW = {
    "mesh": set(),
    "draw": {"mesh"},
    "io": {"mesh"},
    "dynamic": {"mesh", "draw"},
    "waves": {"mesh", "draw"},
    "drape": {"mesh", "draw"},
    "byexample": {"mesh", "draw", "drape"},
    "scene": {"mesh", "draw", "io", "waves"},
}


def _includes(path: Path) -> set[str]:
    """The headers of the core that a source includes, as their paths below the folder of headers."""
    return set(re.findall(r'^#include "(pucker/[^"]+)"', path.read_text(encoding="utf-8"), re.MULTILINE))


def test_no_header_of_the_core_includes_one_that_includes_it() -> None:
    root = CORE / "include"
    headers = {str(path.relative_to(root)): _includes(path) for path in root.rglob("*.h")}
    assert "pucker/mesh/topology.h" in headers["pucker/method.h"]
    TopologicalSorter(headers).prepare()


def test_folders_of_the_core_include_what_lies_below_them_alone() -> None:
    """In particular, drawing knows no method and a method no file; the core knows no bindings and no viewer."""
    above = set()
    for root in (CORE / "include" / "pucker", CORE / "src"):
        for path in (path for path in root.rglob("*") if path.suffix in {".h", ".cpp"}):
            own = path.relative_to(root).parts[0]
            theirs = {name.split("/")[1] for name in _includes(path) if name.count("/") > 1}
            if own in BELOW:
                above |= {(own, folder) for folder in theirs - {own} - BELOW[own]}
            assert path.parent == root or own in BELOW
    assert not above


LONGEST = 450
# A test file holds the properties of one thing, whose helpers its parts would share.
LONGEST_TEST = 850


def test_no_source_is_longer_than_a_reader_keeps_in_mind() -> None:
    root = Path(__file__).parents[1]
    folders = ("python", "blender", "bench", "scripts", "docs", "examples", "shaders", "cpp", "tests", ".ci")
    kinds = {
        ".py",
        ".h",
        ".cpp",
        ".c",
        ".sh",
        ".js",
        ".css",
        ".glsl",
        ".cmake",
        ".vert",
        ".frag",
        ".comp",
        ".tesc",
        ".tese",
    }
    files = [path for folder in folders for path in (root / folder).rglob("*") if path.suffix in kinds]
    files += [root / "run", *(root / ".ci").iterdir()]
    assert len(files) > 500
    long = {
        path.relative_to(root).as_posix(): lines
        for path in files
        if "build" not in path.parts
        for lines in [len(path.read_text(encoding="utf-8").splitlines())]
        if lines > (LONGEST_TEST if "tests" in path.parts else LONGEST)
    }
    assert long == {}
