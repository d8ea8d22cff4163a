"""Shot files: many bakes by one command, on the workers that sweeps run on."""

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any, Final

import click

from pucker import farm, toml
from pucker._core import __version__
from pucker.cli.choices import wrinkles_of
from pucker.io.files import make_folder, write_text
from pucker.method import flat, method_named
from pucker.sweeps.grid import with_settings

# Of the command, but not of a single output.
_NOT_KEYS: Final = frozenset({"output", "quiet", "json", "help", "help-all", "workers", "scheduler"})
_PATHS: Final = frozenset({"file", "motion", "params", "trained"})

Summary = dict[str, Any]


@dataclass(frozen=True)
class Output:
    """A bake that a shot file lists.

    Attributes:
        name: Of the output within the folder of the shot.
        arguments: Those of the command that makes it, with absolute paths.
        files: What it reads, but for what these files name in turn.
        settings: All that the shot file says of it.
        folder: Where the outputs lie.
    """

    name: str
    arguments: tuple[str, ...]
    files: tuple[Path, ...]
    settings: Mapping[str, Any]
    folder: Path

    @property
    def report(self) -> Path:
        """Where the summary is kept: it is there only when the output is complete."""
        return self.folder / f"{self.name}.json"

    @property
    def key(self) -> str:
        """Hash of everything the output depends on. Raises OSError for a file that cannot be read."""
        read = [hashlib.sha256(path.read_bytes()).hexdigest() for path in self.files]
        return hashlib.sha256(json.dumps([self.settings, __version__, *read], sort_keys=True).encode()).hexdigest()[:24]


def read_shot(
    path: Path, folder: Path, command: click.Command, check: Callable[..., None], others: Mapping[str, Any]
) -> list[Output]:
    """The outputs of a shot file, in its order.

    Args:
        path: The shot file. Its table `all` and each table of `outputs` have options of the command by their long names.
        folder: Where the outputs are to lie.
        command: Makes one output of one file.
        check: Called with the parsed options of each output, to raise for those that do not go together.
        others: `method` and `set`, which take the place of the file's.

    Raises:
        pucker.Error: For a file that is missing.
        ValueError: For a file that is no TOML, an unknown key, and whatever the command or a method refuses before it reads
            a file; the message names the shot file and the output.
    """
    tree = toml.read(path, "shot file")
    toml.check_keys(tree, ["all", "outputs"], str(path))
    shared, outputs = (_table(tree.get(name, {}), f"{name} in {path}") for name in ("all", "outputs"))
    if not outputs:
        raise ValueError(f'shot file {path} lists no outputs, as [outputs."walk.glb"]')
    _check_names(list(outputs), path)
    options = _options(command)
    found = []
    for name, table in outputs.items():
        where = f"output {name!r} in {path}"
        try:
            settings = _merged(shared, _table(table, where), others)
            found.append(_output(name, settings, path.parent.absolute(), folder.absolute(), command, options, check))
        except click.UsageError as error:
            raise ValueError(f"{where}: {error.format_message()}") from error
        except ValueError as error:
            raise ValueError(f"{where}: {error}") from error
    return found


def bake_all(
    outputs: Sequence[Output],
    call: Callable[[Sequence[str]], Summary],
    *,
    workers: int | None,
    scheduler: str | None,
) -> Iterator[tuple[Output, Summary]]:
    """Each output with its summary, as they are finished; those that are there, first, have `"made": False`.

    An output that fails has the reason as `"error"`, which is None of the others.

    Args:
        outputs: Of a shot file.
        call: Makes an output by its arguments; a function of a module.
        workers: See `pucker.farm.finished`.
        scheduler: See `pucker.farm.finished`.
    """
    todo: list[tuple[Output, str]] = []
    for output in outputs:
        try:
            key = output.key
        except OSError as error:
            yield output, {"error": f"cannot read {error.filename}: {error.strerror}"}
            continue
        there = _there(output, key)
        if there is None:
            todo.append((output, key))
        else:
            yield output, {**there, "made": False, "error": None}
    for output, _ in todo:
        make_folder(output.report.parent)
    jobs = (farm.Job(output.name, _made, (output, key, call)) for output, key in todo)
    many = len(todo) > 1 or scheduler is not None
    with farm.finished(jobs, workers=workers if many else 1, scheduler=scheduler if todo else None) as results:
        for done in results:
            reason = None if done.error is None else _reason(done.error)
            yield done.job.arguments[0], {**(done.value or {}), "made": reason is None, "error": reason}


def _made(output: Output, key: str, call: Callable[[Sequence[str]], Summary]) -> Summary:
    """Makes an output, then its report, so that a process killed between leaves one that is made again."""
    if (there := _there(output, key)) is not None:
        return there  # a worker that died before it could say so had finished it
    output.report.unlink(missing_ok=True)
    summary = call(output.arguments)
    files = [Path(file).relative_to(output.folder).as_posix() for file in summary["files"]]
    found = {**summary, "files": files}
    write_text(output.report, json.dumps({"key": key, "version": __version__, **found}, indent=2) + "\n")
    return found


def _there(output: Output, key: str) -> Summary | None:
    """The summary of an output that is complete and that the same settings and files would give again."""
    try:
        found: Summary = json.loads(output.report.read_text(encoding="utf-8"))
        if found.pop("key") != key or found.pop("version") != __version__:
            return None
        return found if all((output.folder / file).is_file() for file in found["files"]) else None
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        # Whatever it is, it is no report of this output.
        return None


def _reason(error: Exception) -> str:
    """As the command says it of a single bake."""
    if isinstance(error, click.ClickException):
        return " ".join(error.format_message().split())
    return farm.reason(error)


def _table(value: Any, what: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise ValueError(f"{what} must be a table, not {value!r}")  # noqa: TRY004 - the user's
    return value


def _check_names(names: Sequence[str], path: Path) -> None:
    """Outputs lie in the folder, and none writes what another does: files beside an output have its name and other endings."""
    taken: dict[PurePosixPath, str] = {}
    for name in names:
        place = PurePosixPath(name)
        if place.is_absolute() or ".." in place.parts or place.name.startswith(".") or not place.name:
            raise ValueError(f"output {name!r} in {path} must be a name within the folder of the shot")
        stem = PurePosixPath(str(place.with_suffix("")).casefold())
        if stem in taken:
            raise ValueError(
                f"outputs {taken[stem]!r} and {name!r} in {path} would write files of one name: put one into another folder"
            )
        taken[stem] = name
    for stem, name in taken.items():
        for above in (each for each in stem.parents if each in taken):
            raise ValueError(f"output {name!r} in {path} would lie in output {taken[above]!r}")


def _merged(shared: Mapping[str, Any], own: Mapping[str, Any], others: Mapping[str, Any]) -> dict[str, Any]:
    """The settings of an output; parameters one by one."""
    parameters: dict[str, Any] = {}
    for table in (shared, own, others):
        parameters = with_settings(parameters, flat(_table(table.get("set", {}), "set")))
    merged = {**shared, **own, **others}
    return {**{key: merged[key] for key in sorted(merged) if key != "set"}, "set": parameters}


def _options(command: click.Command) -> dict[str, click.Option]:
    """The options of an output by their long names, without the dashes."""
    options = [param for param in command.params if isinstance(param, click.Option)]
    named = {max(option.opts, key=len).lstrip("-"): option for option in options}
    return {name: option for name, option in named.items() if name not in _NOT_KEYS}


def _output(
    name: str,
    settings: Mapping[str, Any],
    base: Path,
    folder: Path,
    command: click.Command,
    options: Mapping[str, click.Option],
    check: Callable[..., None],
) -> Output:
    toml.check_keys(settings, ["file", *options], "it")
    if "file" not in settings:
        raise ValueError("it needs the key 'file'")
    for key in _PATHS & settings.keys():
        if not isinstance(settings[key], str):
            raise ValueError(f"{key} must be the path of a file, not {settings[key]!r}")  # noqa: TRY004 - the user's
    paths = {key: base / settings[key] for key in sorted(_PATHS & settings.keys())}

    def arguments(parameters: Mapping[str, Any]) -> list[str]:
        given = {**settings, **{key: str(path) for key, path in paths.items()}, "set": parameters}
        file = given.pop("file")
        chosen = [each for key, value in given.items() for each in _arguments(key, value, options[key])]
        return ["--quiet", f"--output={folder / name}", *chosen, "--", file]

    with command.make_context("bake", arguments(settings["set"])) as context:
        check(**context.params)
        wrinkles = wrinkles_of(*(context.params[each] for each in ("method", "trained", "params", "settings")))
    of_params = {str(file): base / file for file in method_named(wrinkles.method).files(wrinkles.params())}
    moved = {key: _moved(value, of_params) for key, value in settings["set"].items()}
    files = dict.fromkeys([*paths.values(), *of_params.values()])
    return Output(name, tuple(arguments(moved)), tuple(files), settings, folder)


def _moved(value: Any, files: Mapping[str, Path]) -> Any:
    """A parameter that names a file, or a clip of it after a colon, with the absolute path."""
    for name, path in files.items():
        if value == name or (isinstance(value, str) and value.startswith(f"{name}:")):
            return f"{path}{value[len(name) :]}"
    return value


def _arguments(key: str, value: Any, option: click.Option) -> list[str]:
    """An option as the command line has it."""
    name = f"--{key}"
    if key == "set":
        return [f"--set={each}" for each in toml.dumps(value).splitlines()]
    if option.is_flag:
        if not isinstance(value, bool):
            raise ValueError(f"{key} must be true or false, not {value!r}")
        return [name] if value else option.secondary_opts[:1]
    if isinstance(value, list):
        return [f"{name}={','.join(map(str, value))}"]
    if isinstance(value, bool | dict):
        raise ValueError(f"{key} must be a number, a text or a list, not {value!r}")  # noqa: TRY004 - the user's
    return [f"{name}={value}"]
