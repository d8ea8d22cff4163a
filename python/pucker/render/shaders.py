"""Shader files: where they are, how includes are put in, how a program is compiled.

An include is written ``#include "name.glsl"`` on a line of its own and names a file of ``include/``; each file enters a
stage once. Every line of the expanded source remembers the file and the line it came from, and a compiler's message is told
with those. (``#line`` with a source-string number would do the same if Mesa did not report every string as number 0.)
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

import moderngl

from pucker._core import Error

_INCLUDE: Final = re.compile(r'^\s*#\s*include\s+"(?P<name>[^"]+)"\s*(?://.*)?$')
# Mesa writes "0:line(column): error: text", NVIDIA "0(line) : error C0000: text", others "ERROR: 0:line: text".
_MESSAGES: Final = (
    re.compile(r"^0:(?P<line>\d+)\(\d+\): (?P<kind>error|warning): (?P<text>.*)$"),
    re.compile(r"^0\((?P<line>\d+)\) : (?P<kind>error|warning) (?P<text>.*)$"),
    re.compile(r"^(?P<kind>ERROR|WARNING): (?:0|.*\D):(?P<line>\d+): (?P<text>.*)$"),
)
_STAGE_ARGUMENTS: Final = {
    "vertex": "vertex_shader",
    "tess_control": "tess_control_shader",
    "tess_evaluation": "tess_evaluation_shader",
    "fragment": "fragment_shader",
}


class ShaderError(Error):
    """A shader could not be found, put together or compiled; the message names file and line."""


def shader_dir() -> Path:
    """Folder of the shader files: inside the installed package, else that of the checkout the package is imported from.

    Raises ShaderError if neither holds ``programs.json``.
    """
    package = Path(__file__).resolve().parents[1]
    candidates = (package / "shaders", package.parents[1] / "shaders")
    for candidate in candidates:
        if (candidate / "programs.json").is_file():
            return candidate
    raise ShaderError(f"no programs.json in {' or '.join(map(str, candidates))}: the shaders were not installed")


@dataclass(frozen=True)
class Source:
    """One stage with its includes put in: its lines, and the file and line number each was written in."""

    lines: tuple[str, ...]
    origins: tuple[tuple[Path, int], ...]

    @property
    def text(self) -> str:
        """What the compiler gets."""
        return "".join(line + "\n" for line in self.lines)

    def explain(self, log: str) -> str:
        """The compiler's log with the author's files and lines in place of those of the expanded source."""
        return "\n".join(self._explain_line(line) for line in log.splitlines() if line.strip())

    def _explain_line(self, line: str) -> str:
        for pattern in _MESSAGES:
            found = pattern.match(line.strip())
            if found and 1 <= int(found["line"]) <= len(self.origins):
                path, number = self.origins[int(found["line"]) - 1]
                return f"{path.name}:{number}: {found['kind'].lower()}: {found['text']}"
        return line


def _expanded(path: Path, include_dir: Path, seen: set[Path]) -> Iterator[tuple[str, tuple[Path, int]]]:
    seen.add(path)
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        found = _INCLUDE.match(line)
        if found is None:
            yield line, (path, number)
            continue
        included = include_dir / found["name"]
        if not included.is_file():
            message = f'{path.name}:{number}: include "{found["name"]}" is not in {include_dir}'
            raise ShaderError(message)
        if included not in seen:
            yield from _expanded(included, include_dir, seen)


def expand(path: Path, include_dir: Path) -> Source:
    """Reads a stage and puts its includes in. Raises ShaderError naming the line of an include that does not exist."""
    if not path.is_file():
        raise ShaderError(f"shader {path} does not exist")
    lines, origins = zip(*_expanded(path, include_dir, set()), strict=True)
    return Source(lines, origins)


@cache
def manifest() -> dict[str, Any]:
    """``programs.json``: the stages of each program and the binding number of each block."""
    content: dict[str, Any] = json.loads((shader_dir() / "programs.json").read_text(encoding="utf-8"))
    return content


def binding(block: str) -> int:
    """Binding number of a storage block."""
    return int(manifest()["storage_blocks"][block])


@cache
def constants() -> dict[str, int]:
    """The integer constants of ``include/constants.glsl``, so that no number is written down twice."""
    text = (shader_dir() / manifest()["include"] / "constants.glsl").read_text(encoding="utf-8")
    return {name: int(value) for name, value in re.findall(r"^const int (\w+) = (\d+);", text, re.MULTILINE)}


def stages(program: str) -> dict[str, Source]:
    """Expanded stages of a program of the manifest, by stage name."""
    root = shader_dir()
    include_dir = root / manifest()["include"]
    return {stage: expand(root / name, include_dir) for stage, name in manifest()["programs"][program].items()}


def _compile_error(program: str, sources: dict[str, Source], error: Exception) -> ShaderError:
    log = str(error)
    # moderngl heads the log with the name of the failing stage; a linker's log has none and names no lines.
    for stage, source in sources.items():
        if re.search(rf"^{stage}_shader", log, re.MULTILINE):
            messages = re.split(r"^=+$", log, maxsplit=1, flags=re.MULTILINE)[-1]
            return ShaderError(f"program {program}, stage {stage}: {source.explain(messages)}")
    return ShaderError(f"program {program}: {log}")


def compile_sources(
    context: moderngl.Context, program: str, sources: dict[str, Source]
) -> moderngl.Program | moderngl.ComputeShader:
    """Compiles and links expanded stages. Raises ShaderError with the file and line the author wrote."""
    try:
        if "compute" in sources:
            return context.compute_shader(sources["compute"].text)
        arguments: dict[str, Any] = {_STAGE_ARGUMENTS[stage]: source.text for stage, source in sources.items()}
        return context.program(**arguments)
    except moderngl.Error as error:
        raise _compile_error(program, sources, error) from error


def compile_program(context: moderngl.Context, program: str) -> moderngl.Program:
    """A rasterising program of the manifest."""
    compiled = compile_sources(context, program, stages(program))
    assert isinstance(compiled, moderngl.Program)
    return compiled


def compile_compute(context: moderngl.Context, program: str) -> moderngl.ComputeShader:
    """A compute program of the manifest."""
    compiled = compile_sources(context, program, stages(program))
    assert isinstance(compiled, moderngl.ComputeShader)
    return compiled
