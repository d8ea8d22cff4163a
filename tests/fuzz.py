"""Feeds mutated files to everything that reads one, and tells how many went in and what came out.

The readers in C++ are programs of libFuzzer, with address and undefined-behaviour sanitizers; those in Python, and the
child process that foreign libraries run in, get mutations of the same seeds from here. What ends a reader lies in
build/fuzz/found afterwards, and belongs into tests/crashers with a test.
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
import warnings
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import ClassVar

from fuzz_seeds import LARGEST, quad, seeds

import pucker
from pucker import byexample
from pucker.io import Limits, isolated
from pucker.io import reader as child
from pucker.sweeps.grid import Grid

ROOT = Path(__file__).parent.parent
PROGRAMS = ROOT / "build" / "sanitize" / "cpp" / "tests" / "fuzz"
WORK = ROOT / "build" / "fuzz"

# In these the bytes go through assimp, which is not pucker's: it may crash, and its process is ended for it.
FOREIGN = ("gltf", "glb", "fbx", "dae")
WAVES = ("painting", "wavelengths")
OWN = ("md3", "skin", "obj", "zip", "pc2", "mdd", "saved", "trained", *WAVES, "params")
MEGABYTE = 1 << 20
# The most memory an input may take is 20 times its size, and so much at least.
LEAST_MEMORY = 16
HANG = 10
OURS = (pucker.Error, ValueError)
# How a child of Feeder ends.
FOREIGN_ERROR, TOO_MUCH, HUNG = 90, 91, -1000


# --- programs of libFuzzer ---------------------------------------------------------------------------------------


@dataclass
class Outcome:
    """What became of a reader's inputs."""

    reader: str
    inputs: int
    seconds: float
    found: list[str]

    def row(self) -> str:
        """A line of the table."""
        return f"| {self.reader} | {self.inputs} | {self.seconds:.0f} | {len(self.found) or 'nothing'} |"


def program(name: str) -> Path:
    """The program that a reader is in."""
    kind = name if name in {"saved", "trained", "params"} else "waves" if name in WAVES else "reader"
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


# --- mutations for readers in Python ----------------------------------------------------------------------------


def mutations(start: list[bytes], draws: random.Random) -> Iterator[bytes]:
    """Endless: the seeds with bytes changed, cut, repeated, and numbers of any kind put in."""
    numbers = [
        b"\xff" * 8,
        b"\x00" * 8,
        b"\x7f\xff\xff\xff",
        b"1e308",
        b"-1",
        b"nan",
        b"99999999999999999999",
        b"''",
        b"[]",
    ]
    while True:
        data = bytearray(draws.choice(start))
        for _ in range(draws.choice((1, 1, 2, 4, 16))):
            at = draws.randrange(len(data) + 1)
            match draws.randrange(5):
                case 0 if at < len(data):
                    data[at] ^= draws.randrange(1, 256)
                case 1:
                    del data[at : at + draws.choice((1, 4, 50, len(data)))]
                case 2:
                    data[at:at] = data[draws.randrange(len(data) + 1) :][: draws.choice((1, 8, 100))]
                case 3:
                    number = draws.choice(numbers)
                    data[at : at + draws.choice((0, len(number)))] = number
                case 4:
                    other = draws.choice(start)
                    data[at:] = other[draws.randrange(len(other) + 1) :]
        yield bytes(data)


class Forked:
    """The child process that files are read in, forked from this one, which has everything imported: a new interpreter each
    would take most of the time. Stands in for `subprocess.Popen` in `pucker.io.isolated`."""

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

    def answer(self, question: object, deadline: float) -> tuple[str, object]:
        """What the child says."""
        self._answered = False
        answer = self._child.answer(question, deadline)
        self._answered = True
        return answer

    def end(self) -> None:
        """Keeps the child for the next file, or ends it."""
        if self._answered and self._files + 1 < self.FILES and Borrowed.kept is None:
            Borrowed.kept = self._child, self._files + 1
        else:
            self._child.end()
        self._answered = False


CHILD = isolated._Child


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
    ) -> None:
        self.reader, self.name, self.read, self.begin = reader, name, read, begin
        self.found: list[str] = []
        self.count = 0
        # The number of the input at hand and the input: what a child that has ended leaves behind.
        self.at_hand = folder / f"input of {name}"
        self.at_hand.write_bytes(b"0\n")

    def run(self, seconds: float, most: int, seed: int) -> Outcome:
        """Mutations for so many seconds, and so many at most."""
        begin = time.monotonic()
        start = seeds(self.reader)
        while self.count < most and time.monotonic() - begin < seconds:
            child = os.fork()
            if child == 0:
                self._feed(mutations(start, random.Random(seed)), start[0], begin + seconds, most)
                os._exit(0)
            status = self._wait(child)
            number, _, data = self.at_hand.read_bytes().partition(b"\n")
            self.count = int(number)
            if status != 0:
                self._keep(data, "a hang" if status == HUNG else f"status {status}")
        return Outcome(self.name, self.count, time.monotonic() - begin, self.found)

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
            elif time.monotonic() - since > 3 * HANG:  # by the clock, on a machine that does other things too
                os.kill(child, signal.SIGKILL)
                os.waitpid(child, 0)
                return HUNG
            time.sleep(0.02)

    def _feed(self, inputs: Iterator[bytes], first: bytes, deadline: float, most: int) -> None:
        isolated.subprocess.Popen = Forked
        isolated._Child = Borrowed
        warnings.simplefilter("ignore")  # Pillow's, of damaged pictures
        if self.begin is not None:
            with suppress(*OURS):
                self.begin(first)
        for number, data in enumerate(itertools.islice(inputs, self.count, most), self.count + 1):
            if time.monotonic() > deadline:
                return
            self.at_hand.write_bytes(b"%d\n" % number + data)
            peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
            try:
                self.read(data)
            except OURS:
                pass
            except BaseException as error:  # noqa: BLE001  # whatever it is, it is told
                sys.stderr.write(f"{self.name}: {error!r}\n")
                os._exit(FOREIGN_ERROR)
            if 1024 * (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - peak) > allowed(data):
                os._exit(TOO_MUCH)

    def _keep(self, data: bytes, why: str) -> None:
        folder = WORK / "found" / self.reader
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{self.count}"
        path.write_bytes(data)
        reasons = {f"status {FOREIGN_ERROR}": "an error that is not ours", f"status {TOO_MUCH}": "too much memory"}
        self.found.append(f"{path}: {reasons.get(why, why)}")


def allowed(data: bytes) -> int:
    """Bytes that an input may take."""
    return max(20 * len(data), LEAST_MEMORY * MEGABYTE)


def _read_toml(data: bytes) -> None:
    text = data.decode("utf-8", "replace")
    for tree in (pucker.Params, pucker.waves.Params, byexample.Params):
        try:
            tree.from_toml(text)
        except OURS:
            continue


def _through_file(folder: Path, ending: str, read: Callable[[Path], object]) -> Callable[[bytes], None]:
    # What a cache of four points moves.
    (folder / "cloth.obj").write_bytes(b"v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\n")

    def through(data: bytes) -> None:
        path = folder / f"cloth.{ending}"
        path.write_bytes(data)
        read(path)

    return through


def _load(path: Path) -> object:
    return pucker.load(path, limits=Limits(memory=LEAST_MEMORY * MEGABYTE, frames=1000))


def _isolated(path: Path) -> object:
    # What the interpreter of the child holds does not count.
    return pucker.load(path, isolated=True, limits=Limits(memory=256 * MEGABYTE, frames=1000, seconds=HANG))


def _read_grid(path: Path) -> object:
    return Grid.from_toml(path)


def _read_painting(path: Path) -> object:
    return pucker.waves.Painting.load(path, *quad())


def _wavelengths_of() -> Callable[[Path], object]:
    mesh, rest = quad()
    texture = rest[:, :2]
    clip = pucker.Clip.from_arrays(mesh.faces, rest[None], [0.0], uv=texture)
    return lambda path: pucker.waves.factors(path, clip)


def _restore(data: bytes) -> None:
    for kind in (pucker.Wrinkler, pucker.waves.WaveField, byexample.ByExample):
        try:
            kind.restore(data)
        except OURS:
            continue


def python_readers(folder: Path) -> Iterator[Feeder]:
    """Everything that can be asked from Python, in this process or in a child of it. `folder` is for the inputs."""
    through = partial(_through_file, folder)
    feeder = partial(Feeder, folder)
    for reader in ("md3", "zip", "pc2", "mdd", "npz"):
        yield feeder(reader, f"{reader}, from Python", through(reader, _load))
    yield feeder("toml", "parameters, from Python", _read_toml)
    yield feeder("sweep", "sweep files", through("toml", _read_grid))
    yield feeder("saved", "saved runs, from Python", _restore)
    yield feeder("trained", "trained sets, from Python", through("npz", byexample.load))
    yield feeder("painting", "paintings, from Python", through("npz", _read_painting))
    yield feeder("wavelengths", "wavelengths, from Python", through("npy", _wavelengths_of()))
    yield feeder("pictures", "wavelengths from pictures", through("png", _wavelengths_of()))
    for ending in ("usda", "usdc", *FOREIGN):
        yield feeder(ending, f"{ending}, in a child process", through(ending, _isolated), through(ending, _load))


# --- command -----------------------------------------------------------------------------------------------------


HEAD = "| reader | inputs | seconds | found |\n|---|--:|--:|---|\n"


def keep(path: Path, outcomes: list[Outcome], order: list[str]) -> None:
    """Writes the table, in which other readers' rows stay, in the order of all readers' names."""
    kept = path.read_text().removeprefix(HEAD).splitlines() if path.exists() else []
    rows = {row.split("|")[1].strip(): row for row in (*kept, *(outcome.row() for outcome in outcomes))}
    path.write_text(HEAD + "".join(f"{rows[name]}\n" for name in order if name in rows))


def main(folder: Path) -> int:
    """Runs everything, for so many seconds in all. `folder` is for the inputs that are at hand."""
    parser = argparse.ArgumentParser(prog="run fuzz", description=__doc__)
    parser.add_argument("seconds", nargs="?", type=float, default=600.0, help="in all")
    parser.add_argument("--only", action="append", default=[], metavar="READER", help="this one; may be given again")
    parser.add_argument("--inputs", type=int, default=100_000, help="of each reader, at most")
    parser.add_argument("--seed", type=int, default=0, help="of the mutations; another one gives other inputs")
    parser.add_argument("--python", action="store_true", help="only what is asked from Python")
    parser.add_argument("--keep", type=Path, help="keep the table there, in which rows of other readers stay")
    options = parser.parse_args()
    names = [name for name in (*OWN, *FOREIGN) if not options.only or name in options.only]
    readers = list(python_readers(folder))
    feeders = [feeder for feeder in readers if not options.only or feeder.reader in options.only]
    if options.python:
        names = []
    bounds = {"most": options.inputs, "seed": options.seed}
    runs: list[Callable[[float], Outcome]] = [partial(run_program, name, **bounds) for name in names]
    runs += [partial(feeder.run, **bounds) for feeder in feeders]
    outcomes = []
    end = time.monotonic() + options.seconds
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
        sys.exit(main(Path(memory)))
