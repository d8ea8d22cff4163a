"""Checks all shaders with the reference compiler: ``python -m pucker.render.validate``."""

import subprocess
import sys
import tempfile
from pathlib import Path

from pucker._core.draw import Source

from .shaders import ShaderError, library, stages

_SUFFIXES = {
    "vertex": ".vert",
    "tess_control": ".tesc",
    "tess_evaluation": ".tese",
    "fragment": ".frag",
    "compute": ".comp",
}


def check_stage(stage: str, source: Source) -> str:
    """What glslangValidator finds wrong in one expanded stage, with the names of the files; empty if nothing."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / ("stage" + _SUFFIXES[stage])
        path.write_text(source.text, encoding="utf-8")
        return source.explain(_run([str(path)]))


def _check_link(sources: dict[str, Source]) -> str:
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder) / ("stage" + _SUFFIXES[stage]) for stage in sources]
        for path, source in zip(paths, sources.values(), strict=True):
            path.write_text(source.text, encoding="utf-8")
        return _run(["-l", *map(str, paths)])


def validate_program(program: str) -> str:
    """What glslangValidator finds wrong in a program of the manifest; empty if nothing."""
    sources = stages(program)
    found = "\n".join(text for stage, source in sources.items() if (text := check_stage(stage, source)))
    # Stages are linked only when each is right by itself.
    return found or _check_link(sources)


def _run(arguments: list[str]) -> str:
    try:
        done = subprocess.run(["glslangValidator", *arguments], capture_output=True, text=True, check=False)
    except FileNotFoundError as error:
        raise ShaderError("glslangValidator is not installed; on Debian install glslang-tools") from error
    return "" if done.returncode == 0 else done.stdout + done.stderr


def main() -> int:
    """Prints what is wrong; exit status 1 if anything is."""
    wrong = [text for program in library().programs() if (text := validate_program(program))]
    sys.stdout.write("\n".join(wrong) + "\n" if wrong else "")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
