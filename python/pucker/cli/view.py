"""``pucker view``."""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NoReturn

import click

from pucker.cli.choices import Cloth, Wrinkles, settings_of, wrinkles_of
from pucker.cli.common import split_names
from pucker.cli.errors import fail, printable
from pucker.native_viewer import viewer_program


@click.command("view", context_settings={"ignore_unknown_options": True, "help_option_names": []})
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED, metavar="[FILE] [OPTIONS]")
def command(arguments: tuple[str, ...]) -> NoReturn:
    """Open FILE in the native viewer; `pucker view --help` lists its options."""
    import pucker

    program = viewer_program()
    if program is None:
        fail(
            "pucker-view is not installed: the wheel comes without it; in the sources ./run view builds it, as does CMake "
            "with -DPUCKER_VIEWER=ON"
        )
    from pucker.io.limits import Limits
    from pucker.io.scene import rewritten

    files = _files(arguments)
    try:
        anew = rewritten(files.values(), anywhere=False, limits=Limits.from_environment(), rare_pictures=False)
        for note in anew.notes:
            click.echo(printable(note), err=True)
        with _contents(files, anew.contents) as options:
            wrinkles = wrinkles_in(arguments)
            method = [] if _value(arguments, "method") is not None else ["--method", wrinkles.method]
            status = _shown([program, *arguments, *options, *suggested(arguments, wrinkles), *method])
    except (pucker.Error, ValueError) as error:
        fail(str(error))
    sys.exit(status)


def _files(arguments: tuple[str, ...]) -> dict[str, Path]:
    """The files that FILE and --motion may name, by the words that name them: which words are FILE the viewer knows."""
    words = [*(word for word in arguments if not word.startswith("-")), _value(arguments, "motion")]
    return {word: Path(word) for word in words if word and _exists(word)}


def _exists(word: str) -> bool:
    try:
        return Path(word).exists()
    except (OSError, ValueError):
        return False  # such as a name that no file can have


@contextmanager
def _contents(files: dict[str, Path], contents: Mapping[Any, bytes]) -> Iterator[list[str]]:
    """Options by which the viewer reads contents in place of those of files, while the block runs."""
    if not contents:
        yield []
        return
    with tempfile.TemporaryDirectory(prefix="pucker-") as folder:
        options = []
        for number, (word, file) in enumerate(files.items()):
            if file in contents:
                content = Path(folder) / str(number)
                content.write_bytes(contents[file])
                options += ["--content", word, str(content)]
        yield options


def _shown(given: list[str]) -> int:
    """Runs the viewer to its end; its status."""
    if not {"--headless", "-h", "--help"} & set(given):
        _check_display()
        # The window ends with this process, and asks it again about files that are opened there.
        given += ["--parent", str(os.getpid())]
        given += [word for each in (sys.executable, "-m", "pucker.cli.view") for word in ("--suggest", each)]
    return subprocess.run(given, check=False).returncode


def _check_display() -> None:
    if sys.platform == "linux" and not any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY")):
        fail(
            "a window needs a display, and neither DISPLAY nor WAYLAND_DISPLAY names one; pucker render draws without, as "
            "does pucker view FILE --headless"
        )


def suggested(arguments: tuple[str, ...], wrinkles: Wrinkles) -> list[str]:
    """The clip and the parts that were not chosen, as options; none if there is no file that can be looked into."""
    import pucker

    given = {name for name in ("clip", "parts") if any(a.partition("=")[0] == f"--{name}" for a in arguments)}
    file = next((Path(a) for a in arguments if not a.startswith("-") and _exists(a)), None)
    if file is None or given == {"clip", "parts"} or {"-h", "--help"} & set(arguments):
        return []
    parts, motion = split_names(None, None, _value(arguments, "parts")), _value(arguments, "motion")
    cloth = Cloth(_value(arguments, "clip"), parts, 30.0, 1, Path(motion) if motion else None)
    try:
        completed = wrinkles.cloth(cloth).completed(file)
    except (pucker.Error, OSError, ValueError):
        return []  # the viewer says what is wrong
    options = {"clip": completed.clip, "parts": completed.parts and ",".join(completed.parts)}
    return [text for name, value in options.items() if name not in given and value for text in (f"--{name}", value)]


def wrinkles_in(arguments: tuple[str, ...]) -> Wrinkles:
    """How cloth wrinkles, as the options say: by the method that has what they name, as in the other commands."""
    params = _value(arguments, "params")
    switches = {each.removeprefix("--") for each in arguments if each.startswith("--")}
    return wrinkles_of(
        _value(arguments, "method"),
        _value(arguments, "trained"),
        Path(params) if params else None,
        settings_of(_values(arguments, "set")),
        switches,
    )


def _values(arguments: tuple[str, ...], name: str) -> list[str]:
    """Every value of an option that takes several, each NAME=VALUE."""
    found, follows = [], False
    for argument in arguments:
        option, equals, value = argument.partition("=")
        if option.startswith("-"):
            follows = option == f"--{name}"
            found += [value] if follows and equals else []
        elif follows and equals:
            found.append(argument)
    return found


def _value(arguments: tuple[str, ...], name: str) -> str | None:
    """The value of an option, written --name value or --name=value."""
    for k, argument in enumerate(arguments):
        option, equals, value = argument.partition("=")
        if option == f"--{name}":
            return value if equals else "".join(arguments[k + 1 : k + 2])
    return None


def _suggestion(file: Path) -> dict[str, Any]:
    """The clip and the parts suggested for a file; empty if there is no suggestion."""
    import pucker

    try:
        completed = Cloth(None, None, 30.0, 1).completed(file, quiet=True)
    except (pucker.Error, OSError, ValueError):
        return {}  # the viewer says what is wrong
    return {"clip": completed.clip, "parts": list(completed.parts or [])}


if __name__ == "__main__":
    click.echo(json.dumps(_suggestion(Path(sys.argv[1]))))
