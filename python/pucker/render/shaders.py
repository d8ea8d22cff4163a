"""The shader files: where they are, and how their programs are compiled."""

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final

import moderngl

from pucker._core import Error
from pucker._core.draw import ShaderLibrary, Source, StorageLimits, missing_storage

from .current import ContextError

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


def library_of(folder: Path) -> ShaderLibrary:
    """The shaders of a folder."""

    def read(name: str) -> str | None:
        path = folder / name
        return path.read_text(encoding="utf-8") if path.is_file() else None

    return ShaderLibrary(read)


@cache
def library() -> ShaderLibrary:
    """The shaders of `shader_dir`."""
    return library_of(shader_dir())


def stages(program: str, constants: Mapping[str, int] | None = None) -> dict[str, Source]:
    """The stages of a program by name, with constants in the place of uniforms.

    Raises ShaderError for a file or an include there is not.
    """
    try:
        return library().stages(program, dict(constants or {}))
    except Error as error:
        raise ShaderError(str(error)) from error


def check_storage(context: moderngl.Context) -> None:
    """Raises ContextError for a device that has fewer storage blocks than the programs need."""
    info = context.info
    names = {"tess_control": "TESS_CONTROL", "tess_evaluation": "TESS_EVALUATION"}
    offered = StorageLimits(
        info["GL_MAX_SHADER_STORAGE_BUFFER_BINDINGS"],
        {
            stage: info[f"GL_MAX_{names.get(stage, stage.upper())}_SHADER_STORAGE_BLOCKS"]
            for stage in (*_STAGE_ARGUMENTS, "compute")
        },
        info["GL_MAX_COMBINED_SHADER_STORAGE_BLOCKS"],
    )
    missing = missing_storage(library().needed_storage(), offered)
    if missing:
        raise ContextError(f"{missing} ({info['GL_RENDERER']})")


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
