"""Disturbs the commands that write files, as a machine would, and tells what was left behind.

Every command is run undisturbed first. Then it is killed at random moments, gets no room on the disk, a folder that it
must not write to, or no OpenGL. Nothing half written may stand under its final name, what was finished before must be
there still, and the same command must afterwards give what it gives undisturbed.
"""

import argparse
import json
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from byexample_scenes import recorded_tube

import pucker
from pucker.examples import bending_sleeve

PUCKER = Path(sys.executable).parent / "pucker"
# Of one command, with everything it starts.
PATIENCE = 600
# Root may write anywhere, unless it gives that up.
UNPRIVILEGED = ("setpriv", "--bounding-set=-dac_override,-dac_read_search")
# Times and paths differ from run to run: what is written is held against its format alone.
UNSTEADY = ("sweep", "suite")
# What runs on the workers of a dask scheduler.
OF_WORKERS = ("sweep", "shot")
# A command in whose process OpenGL reports an error from the third picture that is read back on.
DYING = (sys.executable, "-c", "import dying_gl; from pucker.cli import main; main()")


@dataclass(frozen=True)
class Command:
    """A command that writes into the folder it is run in."""

    name: str
    arguments: tuple[str, ...]
    gl: bool = False


COMMANDS = (
    Command("bake", ("bake", "cloth.npz", "--set", "relative_width=0.05", "-o", "out/baked.glb")),
    Command("export", ("export", "cloth.npz", "--set", "relative_width=0.02", "-o", "out/paths.usda")),
    Command(
        "train", ("train", "coarse.npz", "--clips", "all", "--fine", "fine.npz", "--poses", "4", "-o", "out/set.npz")
    ),
    Command("compare", ("compare", "sleeve.npz", "--triangles", "100", "--every", "4", "-o", "out/compared"), gl=True),
    Command("suite", ("compare", "--suite", "scenes", "--every", "8", "-o", "out/suite"), gl=True),
    Command("page", ("page", "cloth.npz", "--set", "relative_width=0.05", "-o", "out/page.html")),
    Command("sweep", ("sweep", "grid.toml", "--workers", "1", "-o", "out/swept")),
    Command("shot", ("bake", "shot.toml", "--workers", "1", "-o", "out/shot")),
    Command(
        "render",
        ("render", "cloth.npz", "--set", "relative_width=0.05", "--size", "96x64", "-o", "out/film.mp4"),
        gl=True,
    ),
)


def write_inputs(folder: Path) -> None:
    """The files that the commands read."""

    def save(name: str, faces: np.ndarray, positions: np.ndarray) -> None:
        np.savez(folder / name, faces=faces, positions=positions, times=np.arange(len(positions)) / 30)

    cloth, sleeve = bending_sleeve(12, 10, frames=12), bending_sleeve(18, 24, frames=9)
    save("cloth.npz", cloth.faces, cloth.positions)
    save("sleeve.npz", sleeve.faces, sleeve.positions)
    mesh, _, coarse, fine = recorded_tube()
    save("coarse.npz", mesh.faces, coarse)
    save("fine.npz", pucker.byexample.SmoothSurface(mesh, 2, coarse[0]).mesh.faces, fine)
    (folder / "scenes").mkdir()
    guide = bending_sleeve(6, 8, frames=9)
    smooth = pucker.byexample.SmoothSurface(guide.mesh, 2, guide.positions[0])
    truth = []
    for positions in guide.positions:
        smooth.step(positions)
        truth.append(smooth.positions + 0.01 * np.sin(70 * smooth.positions[:, 1:2]) * smooth.normals)
    scene = pucker.compare.Scene.of_simulation("sleeve", guide, np.array(truth), levels=2, first=1, count=8)
    scene.save(folder / "scenes" / "sleeve.npz")
    (folder / "grid.toml").write_text(
        '[parameters]\nmin_width = 0.05\nthreshold = [1.1, 1.2, 1.3, 1.4]\n\n[clips.sleeve]\nfile = "cloth.npz"\n'
    )
    names = [f"{number}/{name}" for number in range(4) for name in ("a.glb", "b/c.usdc", "d.gltf", "e.npz")]
    outputs = "".join(f'[outputs."{name}"]\n' for name in names)
    (folder / "shot.toml").write_text(f'[all]\nfile = "cloth.npz"\nset.relative_width = 0.05\n\n{outputs}')


# --- one run -----------------------------------------------------------------------------------------------------


def start(
    command: Command,
    folder: Path,
    *more: str,
    room: int | None = None,
    unprivileged: bool = False,
    gl: bool = True,
    dying: bool = False,
) -> "subprocess.Popen[str]":
    """The command, with `more` arguments, in a session of its own; `room`: bytes that a file may have."""

    def before() -> None:
        if room is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (room, room))

    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    if not gl:
        environment |= {"__EGL_VENDOR_LIBRARY_FILENAMES": "/nowhere.json", "DISPLAY": ""}
    if dying:
        environment["PYTHONPATH"] = str(Path(__file__).parent)
    program = DYING if dying else (*(UNPRIVILEGED if unprivileged else ()), PUCKER)
    return subprocess.Popen(
        [*program, *command.arguments, *more, "--quiet"],
        cwd=folder,
        env=environment,
        preexec_fn=before,  # noqa: PLW1509 - nothing else runs here
        start_new_session=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )


def finished(command: Command, folder: Path) -> dict[str, bytes]:
    """What stands under final names; a name that begins with a dot is none."""
    found = {}
    for path in sorted((folder / "out").rglob("*")):
        relative = path.relative_to(folder / "out")
        if path.is_file() and not any(part.startswith(".") for part in relative.parts):
            content = path.read_bytes()
            if command.name in UNSTEADY:
                check(is_whole(path.suffix, content), command.name, "leaves half of", relative)
                content = b""
            found[str(relative)] = content
    return found


def is_whole(suffix: str, content: bytes) -> bool:
    """Whether a file is one of its format, to its end."""
    if suffix == ".json":
        try:
            json.loads(content)
        except ValueError:
            return False
    return content.endswith({".parquet": b"PAR1", ".md": b"\n"}.get(suffix, b"")) and len(content) > 0


def left_over(folder: Path) -> set[Path]:
    """The temporary files that there are."""
    return {path for path in (folder / "out").rglob("*") if path.name.startswith(".")}


def fresh(folder: Path) -> None:
    """An empty folder for what is written."""
    shutil.rmtree(folder / "out", ignore_errors=True)
    (folder / "out").mkdir()


class LostError(AssertionError):
    """A fault did what it must not."""


def check(condition: bool, *what: object) -> None:
    """Raises LostError with the words given."""
    if not condition:
        raise LostError(" ".join(map(str, what)))


# --- faults ------------------------------------------------------------------------------------------------------


@dataclass
class Row:
    """A line of the table."""

    command: str
    fault: str
    tries: int
    result: str

    def text(self) -> str:
        """As Markdown."""
        return f"| {self.command} | {self.fault} | {self.tries} | {self.result} |"


def undisturbed(command: Command, folder: Path) -> tuple[dict[str, bytes], float]:
    """What the command writes, and its seconds."""
    fresh(folder)
    begin = time.monotonic()
    process = start(command, folder)
    _, told = process.communicate(timeout=PATIENCE)
    check(process.returncode == 0, command.name, "fails by itself:", told)
    return finished(command, folder), time.monotonic() - begin


def told_in_a_line(command: Command, process: "subprocess.Popen[str]", *words: str) -> str:
    """The message of a command that must fail."""
    _, told = process.communicate(timeout=PATIENCE)
    lines = told.strip().splitlines()
    check(process.returncode not in (0, None) and process.returncode > 0, command.name, "ends with", process.returncode)
    check("Traceback" not in told and len(lines) >= 1, command.name, "tells:", told)
    check(any(word in lines[-1] for word in words), command.name, "does not say what is wrong:", told)
    return lines[-1]


def goes_on(command: Command, folder: Path) -> dict[str, bytes]:
    """What is there when the command, begun over what is left, has ended well."""
    process = start(command, folder)
    _, told = process.communicate(timeout=PATIENCE)
    check(process.returncode == 0, command.name, "does not go on:", told)
    return finished(command, folder)


def stopped(command: Command, folder: Path, seconds: float, draws: random.Random, stop: Callable[[int], None]) -> bool:
    """Stops the command's process, of `seconds` usually, at a random moment; whether it had ended before."""
    process = start(command, folder)
    ended = True
    try:
        process.wait(draws.uniform(0.2 * seconds, 1.1 * seconds))
    except subprocess.TimeoutExpired:
        stop(process.pid)
        ended = False
    process.communicate()
    return ended


def killed(command: Command, folder: Path, tries: int, draws: random.Random) -> Row:
    """At random moments; each finds what the one before has left, unless that had ended."""
    whole, seconds = undisturbed(command, folder)
    fresh(folder)
    ends = 0
    parts: set[Path] = set()
    known: dict[str, bytes] = {}
    for _ in range(tries):
        ended = stopped(command, folder, seconds, draws, lambda pid: os.killpg(pid, signal.SIGKILL))
        found = finished(command, folder)
        parts |= left_over(folder)
        for name, content in found.items():
            check(name in whole, command.name, "leaves", name)
            check(content == whole[name], command.name, "leaves half of", name)
        check(known.keys() <= found.keys(), command.name, "lost", known.keys() - found.keys())
        known = {} if ended else found
        ends += ended
        if ended:
            fresh(folder)
    check(goes_on(command, folder) == whole, command.name, "ends with other files")
    result = f"{ends} had ended; {len(parts)} temporary files left; the same files at last"
    return Row(command.name, "killed at a random moment", tries, result)


def without_room(command: Command, folder: Path, tries: int, draws: random.Random) -> Row:
    """Files may not become larger than a part of the largest."""
    whole, _ = undisturbed(command, folder)
    # Of files whose bytes are not looked at here, the size is.
    largest = max(path.stat().st_size for path in (folder / "out").rglob("*") if path.is_file())
    told = ""
    for _ in range(tries):
        fresh(folder)
        process = start(command, folder, room=int(draws.uniform(0, 0.9) * largest))
        told = told_in_a_line(command, process, "File too large", "cannot be written", "Broken pipe", "No space")
        for name, content in finished(command, folder).items():
            check(content == whole.get(name), command.name, "leaves half of", name)
        check(not left_over(folder), command.name, "leaves temporary files")
    return Row(command.name, "no room on the disk", tries, f"“{short(told, folder)}”")


def read_only(command: Command, folder: Path) -> Row:
    """Nothing may be written into the folder."""
    fresh(folder)
    (folder / "out").chmod(0o555)
    process = start(command, folder, unprivileged=os.geteuid() == 0)
    told = told_in_a_line(command, process, "not writable")
    (folder / "out").chmod(0o755)
    check(not any((folder / "out").iterdir()), command.name, "writes into a folder that is not its own")
    return Row(command.name, "read-only folder", 1, f"“{short(told, folder)}”")


def failing_gl(command: Command, folder: Path, *, dying: bool) -> Row:
    """No driver of OpenGL is found, or one is that reports an error while pictures are drawn."""
    whole, _ = undisturbed(command, folder)
    fresh(folder)
    told = told_in_a_line(command, start(command, folder, gl=dying, dying=dying), "OpenGL", "GL")
    found = finished(command, folder)
    for name, content in found.items():
        check(content == whole[name], command.name, "leaves half of", name)
    check(not left_over(folder), command.name, "leaves temporary files")
    result = f"{len(found)} of {len(whole)} files; “{short(told, folder)}”"
    return Row(command.name, "OpenGL fails under way" if dying else "no OpenGL", 1, result)


def crashed(command: Command, folder: Path, tries: int, draws: random.Random) -> Row:
    """The process is ended as a driver that crashes ends it."""
    whole, seconds = undisturbed(command, folder)
    ends = 0
    for _ in range(tries):
        fresh(folder)
        ends += stopped(command, folder, seconds, draws, lambda pid: os.kill(pid, signal.SIGSEGV))
        for name, content in finished(command, folder).items():
            check(content == whole.get(name), command.name, "leaves half of", name)
    return Row(command.name, "the driver crashes", tries, f"{ends} had ended; no half file")


@contextmanager
def cluster(folder: Path) -> Iterator[tuple[str, "subprocess.Popen[bytes]", list["subprocess.Popen[bytes]"]]]:
    """A dask scheduler, its address, and two workers."""
    file = folder / "scheduler.json"
    file.unlink(missing_ok=True)
    dask = [sys.executable, "-m", "dask"]
    here = ["--scheduler-file", str(file), "--no-dashboard"]
    quiet: dict[str, Any] = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "start_new_session": True}
    processes = [subprocess.Popen([*dask, "scheduler", "--host", "127.0.0.1", "--port", "0", *here], **quiet)]
    try:
        worker = [*dask, "worker", *here, "--host", "127.0.0.1", "--nthreads", "1", "--no-nanny"]
        processes += [subprocess.Popen(worker, **quiet) for _ in range(2)]
        while not file.exists() or not file.read_text().strip():
            time.sleep(0.1)
        yield json.loads(file.read_text())["address"], processes[0], processes[1:]
    finally:
        for process in processes:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def lost_worker(command: Command, folder: Path, tries: int, draws: random.Random) -> Row:
    """One of two workers of a dask scheduler is killed."""
    whole, seconds = undisturbed(command, folder)
    for _ in range(tries):
        fresh(folder)
        with cluster(folder) as (address, _, workers):
            process = start(command, folder, "--scheduler", address)
            time.sleep(draws.uniform(0.3, 1.0) * seconds)
            workers[0].kill()
            _, told = process.communicate(timeout=PATIENCE)
        check(process.returncode == 0, command.name, "fails without a worker:", told)
        check(finished(command, folder).keys() == whole.keys(), command.name, "ends with other files")
    return Row(command.name, "a dask worker is killed", tries, "the other does its share; the same files")


def lost_scheduler(command: Command, folder: Path, tries: int, draws: random.Random) -> Row:
    """The dask scheduler is killed."""
    whole, seconds = undisturbed(command, folder)
    told, ends, kept = "", 0, 0
    for _ in range(tries):
        fresh(folder)
        with cluster(folder) as (address, scheduler, _):
            process = start(command, folder, "--scheduler", address)
            time.sleep(draws.uniform(0.3, 1.0) * seconds)
            scheduler.kill()
            if process.wait(PATIENCE) == 0:
                ends += 1
            else:
                told = told_in_a_line(command, process, "scheduler")
        found = finished(command, folder)
        kept += len(found)
        check(found.keys() <= whole.keys(), command.name, "leaves", found.keys() - whole.keys())
        check(goes_on(command, folder).keys() == whole.keys(), command.name, "ends with other files")
    result = f"{ends} had ended; {kept} files kept; the same files at last; “{short(told, folder)}”"
    return Row(command.name, "the dask scheduler is killed", tries, result)


def short(told: str, folder: Path) -> str:
    """A message without the folder of this run."""
    return told.replace(f"{folder}/", "").removeprefix("pucker: ")[:160]


def rows(folder: Path, tries: int, seed: int, only: list[str]) -> Iterator[Row]:
    """Every fault of every command, one after the other."""
    draws = random.Random(seed)
    for command in COMMANDS:
        if only and command.name not in only:
            continue
        faults: list[Callable[[], Row]] = [
            lambda c=command: killed(c, folder, tries, draws),
            lambda c=command: without_room(c, folder, max(1, tries // 5), draws),
            lambda c=command: read_only(c, folder),
        ]
        if command.gl:
            faults.append(lambda c=command: failing_gl(c, folder, dying=False))
        if command.name == "render":
            faults.append(lambda c=command: failing_gl(c, folder, dying=True))
            faults.append(lambda c=command: crashed(c, folder, tries, draws))
        if command.name in OF_WORKERS:
            faults.append(lambda c=command: lost_worker(c, folder, max(1, tries // 5), draws))
            faults.append(lambda c=command: lost_scheduler(c, folder, max(1, tries // 5), draws))
        for fault in faults:
            yield fault()


HEAD = "| command | fault | tries | what happened |\n|---|---|--:|---|\n"


def keep(path: Path, table: list[Row]) -> None:
    """Writes the table, in which other commands' rows stay, in the order of all."""
    lines = path.read_text().removeprefix(HEAD).splitlines() if path.exists() else []
    done = {row.command for row in table}
    lines = [line for line in lines if line.split("|")[1].strip() not in done] + [row.text() for row in table]
    order = [command.name for command in COMMANDS]
    lines.sort(key=lambda line: order.index(line.split("|")[1].strip()))
    path.write_text(HEAD + "".join(f"{line}\n" for line in lines))


def main() -> int:
    """Prints the table; the status is 1 if anything was lost."""
    parser = argparse.ArgumentParser(prog="run faults", description=__doc__)
    parser.add_argument("tries", nargs="?", type=int, default=20, help="kills of each command")
    parser.add_argument("--only", action="append", default=[], metavar="COMMAND", help="this one; may be given again")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--keep", type=Path, help="keep the table there, in which rows of other commands stay")
    options = parser.parse_args()
    table: list[Row] = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        write_inputs(folder)
        try:
            for row in rows(folder, options.tries, options.seed, options.only):
                table.append(row)
                sys.stdout.write(row.text() + "\n")
                sys.stdout.flush()
        except LostError as error:
            sys.stdout.write(f"{json.dumps(str(error))}\n")
            return 1
    if options.keep:
        keep(options.keep, table)
    return 0


if __name__ == "__main__":
    sys.exit(main())
