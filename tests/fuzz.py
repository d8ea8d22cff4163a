"""Feeds mutated files to everything that reads one, and tells how many went in and what came out.

The readers in C++ are programs of libFuzzer, with address and undefined-behaviour sanitizers; those in Python, and the
child process that foreign libraries run in, get mutations of the same seeds from here: of what valid files hold (see
fuzz_mutations.py), and of bytes. Every seed is read first, and must be taken. What ends a reader lies in build/fuzz/found
afterwards, and belongs into tests/crashers with a test.
"""

import argparse
import itertools
import os
import random
import re
import resource
import signal
import subprocess
import sys
import tempfile
import time
import traceback
import warnings
from collections.abc import Callable, Iterator
from contextlib import nullcontext, suppress
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from types import CodeType, FrameType
from typing import ClassVar

from fuzz_mutations import mutations
from fuzz_seeds import LARGEST, quad, seeds, sleeve, valid

import pucker
from pucker import byexample, drape
from pucker.cli import bake
from pucker.cli.shot import read_shot
from pucker.cli.train_sources import recorded
from pucker.io import Limits, isolated
from pucker.io import reader as child
from pucker.metrics.compare.scene import Scene
from pucker.render import Camera
from pucker.sweeps.grid import Grid

ROOT = Path(__file__).parent.parent
PROGRAMS = ROOT / "build" / "sanitize" / "cpp" / "tests" / "fuzz"
WORK = ROOT / "build" / "fuzz"

# In these the bytes go through assimp, which is not pucker's: it may crash, and its process is ended for it.
FOREIGN = ("gltf", "glb", "fbx", "dae")
WAVES = ("painting", "wavelengths")
OWN = ("md3", "skin", "obj", "zip", "pc2", "mdd", "saved", "trained", *WAVES, "params", "c")
MEGABYTE = 1 << 20
# The most memory an input may take is 20 times its size, and so much at least.
LEAST_MEMORY = 16
HANG = 10
# Each of their inputs starts Blender, which takes seconds: they are read only if they are named.
SLOW = ("abc",)
STARTS_BLENDER = 60
# Inputs of a reader whose lines are counted.
TRACED = 200
PACKAGE = str(Path(pucker.__file__).parent)
OURS = (pucker.Error, ValueError)
# How a child of Feeder ends.
FOREIGN_ERROR, TOO_MUCH, REFUSED_SEED, OWN_FAULT, HUNG = 90, 91, 92, 93, -1000


# --- programs of libFuzzer ---------------------------------------------------------------------------------------


@dataclass
class Outcome:
    """What became of a reader's inputs."""

    reader: str
    inputs: int
    seconds: float
    found: list[str]
    taken: int | None = None
    """Inputs that were read without an error; None: not counted."""
    lines: str = ""
    """Lines of Python that were reached, of those of the functions that were entered."""

    def row(self) -> str:
        """A line of the table."""
        taken = "" if self.taken is None or not self.inputs else f"{100 * self.taken / self.inputs:.0f} %"
        found = len(self.found) or "nothing"
        return f"| {self.reader} | {self.inputs} | {self.seconds:.0f} | {taken} | {self.lines} | {found} |"


def program(name: str) -> Path:
    """The program that a reader is in."""
    kind = name if name in {"saved", "trained", "params", "c"} else "waves" if name in WAVES else "reader"
    return PROGRAMS / f"fuzz_{kind}"


def variables(name: str) -> dict[str, str]:
    """The environment of a reader's program."""
    return {**os.environ, "PUCKER_FUZZ_FORMAT": name}


def run_program(name: str, seconds: float, most: int, seed: int) -> Outcome:
    """Runs one program on its corpus, which it adds to: so many seconds, or a round of so many inputs."""
    corpus, found = WORK / "corpus" / name, WORK / "found" / name
    for folder in (corpus, found):
        folder.mkdir(parents=True, exist_ok=True)
    for number, data in enumerate(seeds(name)):
        (corpus / f"seed{number}").write_bytes(data)
    command = [program(name), f"-max_total_time={max(1, round(seconds))}", f"-runs={most}", f"-seed={seed + 1}"]
    command += [f"-artifact_prefix={found}/"]
    command += [f"-max_len={LARGEST}", f"-timeout={HANG}", f"-malloc_limit_mb={LEAST_MEMORY}", "-rss_limit_mb=2048"]
    command += ["-print_final_stats=1", "-detect_leaks=0" if name in FOREIGN else "-detect_leaks=1"]
    if name in FOREIGN:
        command += ["-fork=1", "-ignore_crashes=1", "-ignore_ooms=1", "-ignore_timeouts=1"]
    begin = time.monotonic()
    result = subprocess.run(
        [*command, corpus], check=False, capture_output=True, text=True, errors="replace", env=variables(name)
    )
    (WORK / f"{name}.log").write_text(result.stderr)
    counts = re.findall(r"^#(\d+)", result.stderr, re.MULTILINE) + re.findall(r"units: +(\d+)", result.stderr)
    kept = [str(path) for path in sorted(found.iterdir()) if not path.name.startswith("slow-unit")]
    if name in FOREIGN:  # only what our own code is to blame for
        kept = [path for path in kept if is_ours(name, path)]
    return Outcome(name, max(map(int, counts), default=0), time.monotonic() - begin, kept)


def is_ours(name: str, path: str) -> bool:
    """Whether an input ends the program in pucker's code rather than in a library that it calls."""
    result = subprocess.run(
        [program(name), path], check=False, capture_output=True, text=True, errors="replace", env=variables(name)
    )
    frames = re.findall(r"^ +#\d+ 0x[0-9a-f]+ (?:in )?(.*)$", result.stderr, re.MULTILINE)
    caused = next((f for f in frames if "asan" not in f and "sanitizer" not in f and "libc" not in f), "")
    return result.returncode != 0 and "/cpp/src/" in caused


# --- inputs for readers in Python ---------------------------------------------------------------------------------


POPEN = subprocess.Popen


class Forked:
    """The child process that files are read in, forked from this one, which has everything imported: a new interpreter each
    would take most of the time. Stands in for `subprocess.Popen` in `pucker.io.isolated`."""

    def __new__(cls, command: list[str], **options: object) -> "Forked | subprocess.Popen[bytes]":
        """Another program than the reader, such as Blender, is started as it is."""
        return super().__new__(cls) if "pucker.io.reader" in command else POPEN(command, **options)

    def __init__(self, command: list[str], **_: object) -> None:
        questions, asked = os.pipe()
        told, answers = os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            os.dup2(questions, 0)
            os.dup2(answers, 1)
            os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
            os.closerange(3, 256)
            sys.argv = ["reader", command[-1]]
            sys.stdin = os.fdopen(0)
            child.main()
            os._exit(0)
        os.close(questions)
        os.close(answers)
        self.stdin, self.stdout = os.fdopen(asked, "wb"), os.fdopen(told, "rb")
        self._status: int | None = None

    def kill(self) -> None:
        """Ends it, if it has not ended."""
        if self._status is None:
            os.kill(self.pid, signal.SIGKILL)

    def wait(self) -> int:
        """Its status, as `subprocess` gives it."""
        if self._status is None:
            self._status = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        return self._status


class Borrowed:
    """A child that reads one file after the other, which a fork for each would take most of the time of; once it has read
    `FILES`, or has not answered, the next file gets another. All have the same limits. Stands in for `_Child` in `pucker.io.isolated`."""

    FILES: ClassVar = 100
    kept: "ClassVar[tuple[isolated._Child, int] | None]" = None

    def __init__(self, limits: Limits) -> None:
        self._child, self._files = Borrowed.kept or (CHILD(limits), 0)
        Borrowed.kept = None
        self._answered = True
        self._given_back = False

    def answer(self, question: object, deadline: float) -> tuple[str, object]:
        """What the child says."""
        self._answered = False
        answer = self._child.answer(question, deadline)
        self._answered = True
        return answer

    def end(self) -> None:
        """Keeps the child for the next file, or ends it; it may be called again, when the source is no more."""
        if self._given_back:
            return
        self._given_back = True
        if self._answered and self._files + 1 < self.FILES and Borrowed.kept is None:
            Borrowed.kept = self._child, self._files + 1
        else:
            self._child.end()


CHILD = isolated._Child


class Lines:
    """The lines of the package's Python that are reached while it is entered, of those of the functions that are called."""

    def __init__(self) -> None:
        self._reached: set[tuple[str, int]] = set()
        self._there: dict[CodeType, set[tuple[str, int]]] = {}

    def __enter__(self) -> None:
        sys.settrace(self._call)

    def __exit__(self, *_: object) -> None:
        sys.settrace(None)

    def _call(self, frame: FrameType, _event: str, _argument: object) -> object:
        code = frame.f_code
        if not code.co_filename.startswith(PACKAGE):
            return None
        if code not in self._there:
            lines = {(code.co_filename, line) for _, _, line in code.co_lines() if line and line > code.co_firstlineno}
            self._there[code] = lines
        return self._line

    def _line(self, frame: FrameType, event: str, _argument: object) -> object:
        if event == "line":
            self._reached.add((frame.f_code.co_filename, frame.f_lineno))
        return self._line

    def told(self) -> str:
        """How many of how many."""
        there = set().union(*self._there.values())
        return f"{len(self._reached & there)} of {len(there)}" if there else ""


class Feeder:
    """Gives mutations to a function, in a child process that may end; what the function raises must be ours. `begin` is
    called before, with the first seed: libraries then have set themselves up when others are forked from that process."""

    def __init__(
        self,
        folder: Path,
        reader: str,
        name: str,
        read: Callable[[bytes], object],
        begin: Callable[[bytes], object] | None = None,
        hang: float = HANG,
    ) -> None:
        self.reader, self.name, self.read, self.begin, self.hang = reader, name, read, begin, hang
        self.found: list[str] = []
        self.count = 0
        self.counts = folder / f"counts of {name}"
        # The number of the input at hand and the input: what a child that has ended leaves behind.
        self.at_hand = folder / f"input of {name}"
        self.at_hand.write_bytes(b"0\n")

    def run(self, seconds: float, most: int, seed: int) -> Outcome:
        """Mutations for so many seconds, and so many at most."""
        begin = time.monotonic()
        start, wanted = seeds(self.reader), valid(self.reader)
        taken, lines = 0, ""
        while self.count < most and time.monotonic() - begin < seconds:
            self.counts.write_text("0 ")
            child = os.fork()
            if child == 0:
                try:
                    inputs = mutations(start, self.reader, random.Random(seed + self.count))
                    self._feed(inputs, wanted, begin + seconds, most)
                except BaseException:  # noqa: BLE001  # a fault of this program
                    traceback.print_exc()
                    os._exit(OWN_FAULT)
                os._exit(0)
            status = self._wait(child)
            number, _, data = self.at_hand.read_bytes().partition(b"\n")
            self.count = int(number)
            more, lines = self.counts.read_text().split(" ", 1)
            taken += int(more)
            if status != 0:
                self._keep(data, "a hang" if status == HUNG else f"status {status}")
            if status in {REFUSED_SEED, OWN_FAULT}:
                break
        return Outcome(self.name, self.count, time.monotonic() - begin, self.found, taken, lines)

    def _wait(self, child: int) -> int:
        """The child's status, or HUNG."""
        seen, since = "", time.monotonic()
        while True:
            ended, status = os.waitpid(child, os.WNOHANG)
            if ended:
                return os.waitstatus_to_exitcode(status)
            now = str(self.at_hand.stat().st_mtime_ns) if self.at_hand.exists() else ""
            if now != seen:
                seen, since = now, time.monotonic()
            elif time.monotonic() - since > 3 * self.hang:  # by the clock, on a machine that does other things too
                os.kill(child, signal.SIGKILL)
                os.waitpid(child, 0)
                return HUNG
            time.sleep(0.02)

    def _feed(self, inputs: Iterator[bytes], wanted: list[bytes], deadline: float, most: int) -> None:
        isolated.subprocess.Popen = Forked
        isolated._Child = Borrowed
        warnings.simplefilter("ignore")  # Pillow's, of damaged pictures
        if self.begin is not None:
            with suppress(*OURS):
                self.begin(wanted[0])
        reached = Lines()
        for data in wanted:
            self.at_hand.write_bytes(b"%d\n" % self.count + data)
            try:
                with reached:
                    self.read(data)
            except BaseException as error:  # noqa: BLE001  # a seed that is refused tells nothing of what lies behind
                sys.stderr.write(f"{self.name}: a seed is refused: {error!r}\n")
                os._exit(REFUSED_SEED)
        taken = 0
        for number, data in enumerate(itertools.islice(inputs, most - self.count), self.count + 1):
            if time.monotonic() > deadline:
                return
            self.at_hand.write_bytes(b"%d\n" % number + data)
            peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
            try:
                # Tracing takes long: what the first inputs reach is told.
                with reached if number <= TRACED else nullcontext():
                    self.read(data)
                taken += 1
            except OURS:
                pass
            except BaseException as error:  # noqa: BLE001  # whatever it is, it is told
                sys.stderr.write(f"{self.name}: {error!r}\n")
                os._exit(FOREIGN_ERROR)
            if 1024 * (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - peak) > allowed(data):
                os._exit(TOO_MUCH)
            if number <= TRACED or number % 100 == 0 or number == most:
                self.counts.write_text(f"{taken} {reached.told()}")

    def _keep(self, data: bytes, why: str) -> None:
        folder = WORK / "found" / self.reader
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{self.count}"
        path.write_bytes(data)
        reasons = {
            f"status {FOREIGN_ERROR}": "an error that is not ours",
            f"status {TOO_MUCH}": "too much memory",
            f"status {REFUSED_SEED}": "a seed that is refused",
            f"status {OWN_FAULT}": "a fault of the fuzzer",
        }
        self.found.append(f"{path}: {reasons.get(why, why)}")


def allowed(data: bytes) -> int:
    """Bytes that an input may take."""
    return max(20 * len(data), LEAST_MEMORY * MEGABYTE)


def _read_toml(data: bytes) -> None:
    """Read as the parameters of each method; an error if it is those of none."""
    text = data.decode("utf-8", "replace")
    refused = []
    trees = (pucker.Params, pucker.waves.Params, byexample.Params, drape.Params)
    for tree in trees:
        try:
            tree.from_toml(text)
        except OURS as error:
            refused.append(error)
    if len(refused) == len(trees):
        raise refused[0]


def _through_file(folder: Path, ending: str, read: Callable[[Path], object]) -> Callable[[bytes], None]:
    # What a cache of four points moves.
    (folder / "cloth.obj").write_bytes(b"v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\n")

    names = itertools.count()

    def through(data: bytes) -> None:
        # A name of its own, for USD keeps what it has read of a name.
        path = folder / (f"cloth{next(names)}.{ending}" if ending.startswith("usd") else f"cloth.{ending}")
        path.write_bytes(data)
        try:
            read(path)
        finally:
            path.unlink()

    return through


def _load(path: Path) -> object:
    return pucker.load(path, limits=Limits(memory=LEAST_MEMORY * MEGABYTE, frames=1000))


def _isolated(path: Path) -> object:
    # What the interpreter of the child holds does not count.
    return pucker.load(path, isolated=True, limits=Limits(memory=256 * MEGABYTE, frames=1000, seconds=HANG))


def _alembic(path: Path) -> object:
    # What Blender holds counts.
    return pucker.load(path, isolated=True, limits=Limits(frames=1000, seconds=STARTS_BLENDER))


def _sweep(folder: Path) -> Callable[[bytes], object]:
    (folder / "sleeve.gltf").write_bytes(valid("gltf")[1])

    def read(data: bytes) -> object:
        path = folder / "sweep.toml"
        path.write_bytes(data)
        return Grid.from_toml(path)

    return read


def _shot(folder: Path) -> Callable[[bytes], object]:
    def read(data: bytes) -> object:
        path = folder / "shot.toml"
        path.write_bytes(data)
        return read_shot(path, folder / "out", bake.command, bake.check, {})

    return read


def _read_painting(path: Path) -> object:
    return pucker.waves.Painting.load(path, *quad())


def _wavelengths_of() -> Callable[[Path], object]:
    mesh, rest = quad()
    texture = rest[:, :2]
    clip = pucker.Clip.from_arrays(mesh.faces, rest[None], [0.0], uv=texture)
    return lambda path: pucker.waves.factors(path, clip)


def _recording(folder: Path) -> Callable[[bytes], object]:
    clip = sleeve()

    def read(data: bytes) -> object:
        path = folder / "fine.npz"
        path.write_bytes(data)
        return recorded(path, clip, 1, 30.0)

    return read


def _motion(folder: Path) -> Callable[[bytes], object]:
    """A file whose clips move the character beside it."""
    (folder / "character.gltf").write_bytes(valid("gltf")[1])

    def read(data: bytes) -> object:
        path = folder / "motion.gltf"
        path.write_bytes(data)
        limits = Limits(memory=256 * MEGABYTE, frames=1000, seconds=HANG)
        return pucker.load(folder / "character.gltf", motion=path, isolated=True, limits=limits)

    return read


def _sealed(data: bytes) -> bytes:
    """Bytes with their FNV-1a hash, as a saved run has it."""
    seal = 0xCBF29CE484222325
    for byte in data:
        seal = (seal ^ byte) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
    return data + seal.to_bytes(8, "little")


def _restore(data: bytes) -> None:
    data = _sealed(data)
    beginnings = {
        b"pucker waves": pucker.waves.WaveField,
        b"pucker run": pucker.Wrinkler,
        b"pucker drape": drape.Drape,
    }
    kind = next((kind for text, kind in beginnings.items() if data.startswith(text)), byexample.ByExample)
    kind.restore(data)


def python_readers(folder: Path) -> Iterator[Feeder]:
    """Everything that can be asked from Python, in this process or in a child of it. `folder` is for the inputs."""
    through = partial(_through_file, folder)
    feeder = partial(Feeder, folder)
    for reader in ("md3", "zip", "pc2", "mdd", "npz"):
        yield feeder(reader, f"{reader}, from Python", through(reader, _load))
    yield feeder("toml", "parameters, from Python", _read_toml)
    yield feeder("sweep", "sweep files", _sweep(folder))
    yield feeder("shot", "shot files", _shot(folder))
    yield feeder("saved", "saved runs, from Python", _restore)
    yield feeder("trained", "trained sets, from Python", through("npz", byexample.load))
    yield feeder("scene", "scenes of comparisons", through("npz", Scene.load))
    yield feeder("recording", "recordings of simulations", _recording(folder))
    yield feeder("motion", "motions from another file, in a child process", _motion(folder), through("gltf", _load))
    yield feeder("camera", "cameras", through("json", Camera.from_json))
    yield feeder("painting", "paintings, from Python", through("npz", _read_painting))
    yield feeder("wavelengths", "wavelengths, from Python", through("npy", _wavelengths_of()))
    yield feeder("pictures", "wavelengths from pictures", through("png", _wavelengths_of()))
    for ending in ("usda", "usdc", *FOREIGN):
        yield feeder(ending, f"{ending}, in a child process", through(ending, _isolated), through(ending, _load))
    if find_spec("bpy"):
        yield feeder("abc", "abc, in a child process", through("abc", _alembic), hang=STARTS_BLENDER)


# --- command -----------------------------------------------------------------------------------------------------


HEAD = "| reader | inputs | seconds | taken | lines | found |\n|---|--:|--:|--:|--:|---|\n"


def keep(path: Path, outcomes: list[Outcome], order: list[str]) -> None:
    """Writes the table, in which other readers' rows stay, in the order of all readers' names."""
    kept = path.read_text().removeprefix(HEAD).splitlines() if path.exists() else []
    rows = {row.split("|")[1].strip(): row for row in (*kept, *(outcome.row() for outcome in outcomes))}
    path.write_text(HEAD + "".join(f"{rows[name]}\n" for name in order if name in rows))


def main(folder: Path) -> int:
    """Runs everything, for so many seconds in all. `folder` is for the inputs that are at hand."""
    parser = argparse.ArgumentParser(prog="run fuzz", description=__doc__)
    parser.add_argument("seconds", nargs="?", type=float, help="in all  [default: 600; with --inputs without a limit]")
    parser.add_argument("--only", action="append", default=[], metavar="READER", help="this one; may be given again")
    parser.add_argument("--inputs", type=int, help="of each reader, at most  [default: 100 000]")
    parser.add_argument("--seed", type=int, default=0, help="of the mutations; another one gives other inputs")
    parser.add_argument("--python", action="store_true", help="only what is asked from Python")
    parser.add_argument("--keep", type=Path, help="keep the table there, in which rows of other readers stay")
    options = parser.parse_args()
    names = [name for name in (*OWN, *FOREIGN) if not options.only or name in options.only]
    readers = list(python_readers(folder))
    feeders = [
        feeder
        for feeder in readers
        if feeder.reader in options.only or (not options.only and feeder.reader not in SLOW)
    ]
    if options.python:
        names = []
    bounds = {"most": options.inputs or 100_000, "seed": options.seed}
    seconds = options.seconds or (600.0 if options.inputs is None else float("1e6"))
    runs: list[Callable[[float], Outcome]] = [partial(run_program, name, **bounds) for name in names]
    runs += [partial(feeder.run, **bounds) for feeder in feeders]
    outcomes = []
    end = time.monotonic() + seconds
    for number, run in enumerate(runs):
        # What a reader leaves of its share is for those after it.
        outcomes.append(run(max(1.0, (end - time.monotonic()) / (len(runs) - number))))
        sys.stdout.write(outcomes[-1].row() + "\n")
        sys.stdout.flush()
    for found in itertools.chain.from_iterable(outcome.found for outcome in outcomes):
        sys.stdout.write(f"{found}\n")
    if options.keep:
        keep(options.keep, outcomes, [*OWN, *FOREIGN, *(feeder.name for feeder in readers)])
    return int(any(outcome.found for outcome in outcomes))


if __name__ == "__main__":
    os.environ["PXR_WORK_THREAD_LIMIT"] = "1"  # threads are not forked
    os.environ["PUCKER_MAX_PIXELS"] = str(1 << 19)  # which take no more than the least memory
    with tempfile.TemporaryDirectory(prefix="pucker-fuzz-", dir="/dev/shm") as memory:
        tempfile.tempdir = memory  # what is killed leaves nothing elsewhere
        sys.exit(main(Path(memory)))
