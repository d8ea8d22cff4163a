import os
import re
import subprocess
import sys

import pytest

import pucker
from pucker.render import ContextError, ShaderError, create_context, shader_dir
from pucker.render.shaders import Source, compile_sources, constants, expand, manifest, stages
from pucker.render.validate import check_stage, validate_program

PROGRAMS = sorted(manifest()["programs"])
SHADER_FILES = sorted(path.name for path in shader_dir().iterdir() if path.suffix != ".json" and path.is_file())


@pytest.fixture(scope="module")
def context():
    made = create_context()
    yield made
    made.release()


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "include").mkdir()

    def write(name, text):
        (tmp_path / name).write_text(text, encoding="utf-8")
        return tmp_path / name

    return write


def compile_fragment(context, path):
    origin = path.with_name("plain.vert")
    vertex = Source(("#version 430 core", "void main() { gl_Position = vec4(0.0); }"), ((origin, 1), (origin, 2)))
    fragment = expand(path, path.parent / "include")
    return compile_sources(context, "test", {"vertex": vertex, "fragment": fragment})


@pytest.mark.parametrize("program", PROGRAMS)
def test_reference_compiler_accepts(program):
    assert validate_program(program) == ""


@pytest.mark.parametrize("name", SHADER_FILES)
def test_every_shader_belongs_to_a_program(name):
    assert any(name in program.values() for program in manifest()["programs"].values())


@pytest.mark.parametrize("program", PROGRAMS)
def test_blocks_have_the_bindings_of_the_manifest(program):
    bindings = {**manifest()["storage_blocks"], **manifest()["uniform_blocks"]}
    text = "\n".join(source.text for source in stages(program).values())
    blocks = re.findall(r"layout\(std\w+, binding = (\d+)\)[\w ]* (?:buffer|uniform) (\w+)", text)
    assert blocks
    assert {name: int(number) for number, name in blocks}.items() <= bindings.items()


def test_an_include_enters_a_stage_once(folder):
    folder("include/a.glsl", '#include "b.glsl"\nfloat a;\n')
    folder("include/b.glsl", "float b;\n")
    path = folder("s.frag", '#version 430 core\n#include "a.glsl"\n#include "b.glsl"\n')
    assert expand(path, path.parent / "include").lines == ("#version 430 core", "float b;", "float a;")


def test_an_error_in_an_include_is_told_with_its_own_line(context, folder):
    folder("include/broken.glsl", "// one\n\nfloat three = missing;\n")
    path = folder("s.frag", '#version 430 core\n#include "broken.glsl"\nvoid main() {}\n')
    with pytest.raises(ShaderError, match=r"stage fragment: broken\.glsl:3: error: .*missing"):
        compile_fragment(context, path)


def test_an_error_after_an_include_is_told_with_the_line_of_the_stage(context, folder):
    folder("include/long.glsl", "\n" * 40 + "const float x = 1.0;\n")
    path = folder("s.frag", '#version 430 core\n#include "long.glsl"\n\nvoid main() { wrong(); }\n')
    with pytest.raises(ShaderError, match=r"s\.frag:4: error: .*wrong"):
        compile_fragment(context, path)


def test_an_error_after_a_nested_include_is_told_with_the_line_of_the_outer_include(context, folder):
    folder("include/inner.glsl", "const float inner = 1.0;\n\n\n")
    folder("include/outer.glsl", '#include "inner.glsl"\nfloat two = nowhere;\n')
    path = folder("s.frag", '#version 430 core\n#include "outer.glsl"\nvoid main() {}\n')
    with pytest.raises(ShaderError, match=r"outer\.glsl:2: error: .*nowhere"):
        compile_fragment(context, path)


def test_the_reference_compiler_names_file_and_line_too(folder):
    folder("include/broken.glsl", "\nfloat two = missing;\n")
    path = folder("s.frag", '#version 430 core\n#include "broken.glsl"\nvoid main() {}\n')
    assert "broken.glsl:2: error: 'missing'" in check_stage("fragment", expand(path, path.parent / "include"))


@pytest.mark.parametrize(
    ("log", "told"),
    [
        ("0:1(3): error: bad thing", "s.frag:7: error: bad thing"),
        ("0(2) : error C1503: undefined variable", "i.glsl:12: error: C1503: undefined variable"),
        ("ERROR: 0:2: 'x' : undeclared identifier", "i.glsl:12: error: 'x' : undeclared identifier"),
        ("ERROR: /tmp/stage.frag:2: '' : syntax error", "i.glsl:12: error: '' : syntax error"),
        ("linking failed", "linking failed"),
    ],
)
def test_messages_of_all_compilers_are_understood(tmp_path, log, told):
    origins = ((tmp_path / "s.frag", 7), (tmp_path / "i.glsl", 12))
    assert Source(("", ""), origins).explain(log) == told


def test_a_missing_include_is_told_with_its_line(folder):
    path = folder("s.frag", '#version 430 core\n\n#include "none.glsl"\n')
    with pytest.raises(ShaderError, match=r's\.frag:3: include "none\.glsl" is not in'):
        expand(path, path.parent / "include")


def test_a_missing_stage_is_told(tmp_path):
    with pytest.raises(ShaderError, match=r"none\.vert does not exist"):
        expand(tmp_path / "none.vert", tmp_path)


def test_constants_come_from_the_shaders():
    assert constants()["SAMPLES_PER_SEGMENT"] == 8
    assert [constants()[f"PROFILE_{name}"] for name in ("QUARTIC", "SINUSOIDAL", "ARCS", "BSPLINE")] == [0, 1, 2, 3]


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
