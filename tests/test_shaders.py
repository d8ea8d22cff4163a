import itertools
import json
import os
import re
import shutil
import subprocess
import sys

import moderngl
import numpy as np
import pytest

import pucker
from pucker import byexample, waves
from pucker._core import draw
from pucker.examples import squeezed_sheet
from pucker.method import method_named
from pucker.render import ContextError, Mode, Output, Renderer, ShaderError, create_context, shader_dir
from pucker.render.shaders import compile_sources, library, library_of, stages
from pucker.render.validate import check_stage, validate_program

PROGRAMS = library().programs()
SHADER_FILES = sorted(
    path.relative_to(shader_dir()).as_posix()
    for path in shader_dir().rglob("*.*")
    if path.suffix not in (".json", ".glsl")
)
METHODS = ["dynamic", "waves", "byexample", "drape"]


@pytest.fixture(scope="module")
def context():
    made = create_context()
    yield made
    made.release()


@pytest.fixture
def expanded(tmp_path):
    """The stage s.frag of a folder of files."""

    def expand(**files):
        (tmp_path / "include").mkdir()
        manifest = {"programs": {}, "programs_of_each_method": {}, "methods": {}}
        (tmp_path / "programs.json").write_text(json.dumps(manifest), encoding="utf-8")
        for name, text in files.items():
            path = "s.frag" if name == "stage" else f"include/{name}.glsl"
            (tmp_path / path).write_text(text, encoding="utf-8")
        return library_of(tmp_path).expand("s.frag")

    return expand


def compile_fragment(context, fragment):
    vertex = stages("dynamic/surface")["vertex"]
    return compile_sources(context, "test", {"vertex": vertex, "fragment": fragment})


@pytest.mark.parametrize("program", PROGRAMS)
def test_reference_compiler_accepts(program):
    assert validate_program(program) == ""


@pytest.mark.parametrize("name", SHADER_FILES)
def test_every_shader_belongs_to_a_program(name):
    manifest = json.loads((shader_dir() / "programs.json").read_text(encoding="utf-8"))
    lists = [manifest["programs"], manifest["programs_of_each_method"]]
    lists += [method["programs"] for method in manifest["methods"].values()]
    assert any(name in program.values() for programs in lists for program in programs.values())


@pytest.mark.parametrize("folder", ["common", *METHODS])
def test_shaders_of_a_folder_include_only_common_ones_and_their_own(folder):
    own = "method" if folder == "common" else folder
    for path in (shader_dir() / folder).iterdir():
        included = re.findall(r'#include "(\w+)/', path.read_text(encoding="utf-8"))
        assert set(included) <= {"common", own}, path


def test_a_method_is_added_without_touching_a_shader(tmp_path):
    shutil.copytree(shader_dir(), tmp_path, dirs_exist_ok=True)
    (tmp_path / "ripple").mkdir()
    (tmp_path / "ripple" / "detail.glsl").write_text(
        "uniform float ripple;\n"
        "vec3 detail_displacement(uint triangle, vec3 barycentric, vec3 point, vec3 normal) {\n"
        "  return ripple * sin(point.x) * normal;\n}\n"
        "vec3 detail_normal(uint triangle, vec3 barycentric, vec3 point, vec3 normal) {\n"
        "  return normalize(normal - vec3(ripple * cos(point.x), 0.0, 0.0));\n}\n"
        "uint detail_count(uint triangle) { return 1u; }\n",
        encoding="utf-8",
    )
    manifest = json.loads((tmp_path / "programs.json").read_text(encoding="utf-8"))
    manifest["methods"]["ripple"] = {"detail": "ripple/detail.glsl", "programs": {}}
    (tmp_path / "programs.json").write_text(json.dumps(manifest), encoding="utf-8")
    shaders = library_of(tmp_path)
    names = [name for name in shaders.programs() if name.startswith("ripple/")]
    parts = ["capture", "depth_patch", "patch", "surface", "tessellation"]
    assert names == [f"ripple/{part}" for part in parts]
    for name in names:
        found = shaders.stages(name)
        assert [check_stage(stage, source) for stage, source in found.items()] == [""] * len(found)
        assert any("ripple" in source.text for source in found.values())
        assert not any("wrinkle_point" in source.text for source in found.values())


# With which a method uses all its blocks.
FULL_PARAMS = {
    "waves": {"compute": "gpu", "relax": {"start": "carried"}},
    "drape": {"compute": "gpu"},
}


def details_of(method):
    """A detail by the usual parameters, if it has shaders then, and one with which all blocks are used."""
    clip = squeezed_sheet(2, 2, frames=2)
    if method == "byexample":
        rest = clip.positions[0]
        detail = np.zeros((1, byexample.LoopSubdivision(clip.mesh, 1).fine.vertex_count, 3))
        synthesis = byexample.Synthesis(clip.mesh, 1, rest, [rest], detail)
        return [byexample.ByExample(synthesis, byexample.Params(compute="gpu")).advance(rest, 0.0).detail]
    used = method_named(method).params(), method_named(method).params(**FULL_PARAMS.get(method, {}))
    return [next(pucker.run(clip, params)).detail for params in used]


def blocks_of(method):
    """The names of a method's blocks, from the detail of a frame."""
    *some, all_of_them = (list(detail.draw_buffers) for detail in details_of(method))
    assert all(names == all_of_them[: len(names)] for names in some)
    return all_of_them


@pytest.mark.parametrize("program", PROGRAMS)
def test_blocks_have_the_bindings_of_the_core(program):
    bindings = {**draw.STORAGE_BINDINGS, "Frame": draw.FRAME_BINDING}
    method = program.partition("/")[0]
    if method in METHODS:
        bindings |= {name: draw.METHOD_BINDING + k for k, name in enumerate(blocks_of(method))}
    text = "\n".join(source.text for source in stages(program).values())
    blocks = re.findall(r"layout\(std\w+, binding = (\d+)\)[\w ]* (?:buffer|uniform) (\w+)", text)
    assert blocks
    assert {name: int(number) for number, name in blocks}.items() <= bindings.items()


def test_constants_are_those_of_the_core():
    text = "\n".join(source.text for program in PROGRAMS for source in stages(program).values())
    constants = {name: int(value) for name, value in re.findall(r"^const int (\w+) = (\d+);", text, re.MULTILINE)}
    expected = {name: getattr(pucker.PathDetail, name) for name in ("SAMPLES_PER_SEGMENT", "OVERLAP_TRIANGLE_BITS")}
    expected |= {"MAX_LEVEL": draw.MAX_LEVEL}
    expected |= {f"PROFILE_{name.upper()}": int(profile) for name, profile in pucker.Profile.__members__.items()}
    expected |= {f"OUTPUT_{output.name.upper()}": int(output) for output in Output}
    expected |= {"MODE_NORMALS": int(Mode.normals), "MODE_DISPLACEMENT": int(Mode.displacement)}
    expected |= {f"ALPHA_{name.upper()}": int(mode) for name, mode in pucker.AlphaMode.__members__.items()}
    expected |= {f"EFFECT_{name.upper()}": bit for name, bit in draw.EFFECTS.items()}
    expected |= {"MODE_PARALLAX": int(Mode.parallax)}
    expected |= {"GRADIENT_FULL": int(waves.Gradient.full), "PLEAT_SIZE": len(waves.PleatTable("cosine").values)}
    assert constants == expected


def test_the_device_is_asked_for_storage_blocks(monkeypatch):
    needed = library().needed_storage()
    assert needed.bindings == 16
    assert max(needed.stages.values()) <= 8
    offered = moderngl.Context.info.fget
    for name, told in [
        ("GL_MAX_SHADER_STORAGE_BUFFER_BINDINGS", "8 storage blocks bound at once, 16 are needed"),
        ("GL_MAX_TESS_EVALUATION_SHADER_STORAGE_BLOCKS", "blocks in a tess_evaluation shader, 6 are needed"),
    ]:
        fewer = 8 if "BINDINGS" in name else 0
        monkeypatch.setattr(moderngl.Context, "info", property(lambda self, n=name, k=fewer: {**offered(self), n: k}))
        with pytest.raises(ContextError, match=told):
            Renderer((8, 8))


def test_an_include_enters_a_stage_once(expanded):
    source = expanded(
        a='#include "include/b.glsl"\nfloat a;\n',
        b="float b;\n",
        stage='#version 430 core\n#include "include/a.glsl"\n#include "include/b.glsl"\n',
    )
    assert source.text == "#version 430 core\nfloat b;\nfloat a;\n"


def test_an_error_in_an_include_is_told_with_its_own_line(context, expanded):
    source = expanded(
        broken="// one\n\nfloat three = missing;\n",
        stage='#version 430 core\n#include "include/broken.glsl"\nvoid main() {}\n',
    )
    with pytest.raises(ShaderError, match=r"stage fragment: broken\.glsl:3: error: .*missing"):
        compile_fragment(context, source)
    assert "broken.glsl:3: error: 'missing'" in check_stage("fragment", source)


def test_an_error_after_an_include_is_told_with_the_line_of_the_stage(context, expanded):
    source = expanded(
        long="\n" * 40 + "const float x = 1.0;\n",
        stage='#version 430 core\n#include "include/long.glsl"\n\nvoid main() { wrong(); }\n',
    )
    with pytest.raises(ShaderError, match=r"s\.frag:4: error: .*wrong"):
        compile_fragment(context, source)


def test_an_error_after_a_nested_include_is_told_with_the_line_of_the_outer_include(context, expanded):
    source = expanded(
        inner="const float inner = 1.0;\n\n\n",
        outer='#include "include/inner.glsl"\nfloat two = nowhere;\n',
        stage='#version 430 core\n#include "include/outer.glsl"\nvoid main() {}\n',
    )
    with pytest.raises(ShaderError, match=r"outer\.glsl:2: error: .*nowhere"):
        compile_fragment(context, source)


@pytest.mark.parametrize(
    ("log", "told"),
    [
        ("0:1(3): error: bad thing", "s.frag:1: error: bad thing"),
        ("0(2) : error C1503: undefined variable", "i.glsl:1: error: C1503: undefined variable"),
        ("ERROR: 0:2: 'x' : undeclared identifier", "i.glsl:1: error: 'x' : undeclared identifier"),
        ("ERROR: /tmp/stage.frag:2: '' : syntax error", "i.glsl:1: error: '' : syntax error"),
        ("linking failed", "linking failed"),
    ],
)
def test_messages_of_all_compilers_are_understood(expanded, log, told):
    assert expanded(i="float b;\n", stage='float a;\n#include "include/i.glsl"\n').explain(log) == told


def test_a_missing_include_is_told_with_its_line(expanded):
    with pytest.raises(pucker.Error, match=r's\.frag:3: include "include/none\.glsl" is not in the shader folder'):
        expanded(stage='#version 430 core\n\n#include "include/none.glsl"\n')


def test_a_missing_stage_is_told():
    with pytest.raises(pucker.Error, match=r"none\.vert does not exist"):
        library().expand("none.vert")
    with pytest.raises(ShaderError, match="no program 'none'"):
        stages("none")


@pytest.mark.parametrize("program", PROGRAMS)
def test_numbers_stand_in_the_place_of_uniforms_of_their_names(program):
    numbers = {"profile": 3, "gradient": 0, "mode": -1, "none": 7}
    plain, fixed = stages(program), stages(program, numbers)
    assert plain.keys() == fixed.keys()
    for stage, source in plain.items():
        after = iter(fixed[stage].text.splitlines())
        for line, changed in itertools.zip_longest(source.text.splitlines(), after):
            found = re.match(r"uniform int (\w+);", line)
            expected = found and numbers.get(found[1])
            assert changed == (
                line if expected is None else line.replace(found[0], f"const int {found[1]} = {expected};")
            )
        assert "uniform int mode" not in fixed[stage].text


def test_a_machine_without_a_context_is_told_what_to_install(monkeypatch):
    def refuse(**_):
        raise RuntimeError("(detect) libEGL.so: cannot open shared object file")

    monkeypatch.setattr("moderngl.create_context", refuse)
    with pytest.raises(ContextError, match="libegl1 libegl-mesa0 libgl1-mesa-dri libgl1 libgles2") as caught:
        create_context()
    assert isinstance(caught.value, pucker.Error)


def test_a_context_that_is_too_old_is_told_with_its_version():
    program = "from pucker.render import create_context; create_context()"
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "MESA_GL_VERSION_OVERRIDE": "3.3"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert re.search(r"ContextError: OpenGL 4\.3 is needed, found 3\.3 .*Mesa", done.stderr)
