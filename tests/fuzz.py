"""Feeds mutated files to everything that reads one, and tells how many went in and what came out.

The readers in C++ are programs of libFuzzer, with address and undefined-behaviour sanitizers; those in Python, and the
child process that foreign libraries run in, get mutations of the same seeds from here. What ends a reader lies in
build/fuzz/found afterwards, and belongs into tests/crashers with a test.
"""

import argparse
import io
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
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import pucker
from pucker import byexample
from pucker.examples import bending_sleeve
from pucker.io import Limits

ROOT = Path(__file__).parent.parent
PROGRAMS = ROOT / "build" / "sanitize" / "cpp" / "tests" / "fuzz"
WORK = ROOT / "build" / "fuzz"
CRASHERS = ROOT / "tests" / "crashers"
DATA = ROOT / "data"

# In these the bytes go through assimp, which is not pucker's: it may crash, and its process is ended for it.
FOREIGN = ("gltf", "glb", "fbx", "dae")
OWN = ("md3", "skin", "obj", "zip", "pc2", "mdd", "saved", "trained", "params")
LARGEST = 1 << 16
MEGABYTE = 1 << 20
# The most memory an input may take is 20 times its size, and so much at least.
LEAST_MEMORY = 16
HANG = 10
OURS = (pucker.Error, ValueError)
# How a child of Feeder ends.
FOREIGN_ERROR, TOO_MUCH, HUNG = 90, 91, -1000


# --- seeds -------------------------------------------------------------------------------------------------------


def _gltf() -> bytes:
    """A small skinless file of the project's own writer."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "cloth.gltf"
        pucker.bake.surface(_clip(), path, params=pucker.Params(min_width=0.05))
        return path.read_bytes()


def _clip() -> "pucker.Clip":
    clip = bending_sleeve(columns=4, rows=3, frames=4)
    return pucker.Clip.from_arrays(clip.faces, clip.positions, clip.times)


def _bytes(write: Callable[[io.BytesIO], object]) -> bytes:
    stream = io.BytesIO()
    write(stream)
    return stream.getvalue()


def _zip(files: dict[str, bytes]) -> bytes:
    def write(stream: io.BytesIO) -> None:
        with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, content in files.items():
                archive.writestr(name, content)

    return _bytes(write)


OBJ = b"mtllib a.mtl\no cloth\nv 0 0 0\nv 1 0 0\nv 1 1 0.5\nv 0 1 0\nvt 0 0\nvt 1 1\nusemtl red\nf 1/1 2/2 3/1\nf -2 -1 1\n"


def _pc2() -> bytes:
    header = b"POINTCACHE2\0" + np.array([1, 4], "<i4").tobytes() + np.array([0, 1], "<f4").tobytes()
    return header + np.array([3], "<i4").tobytes() + np.arange(36, dtype="<f4").tobytes()


def _mdd() -> bytes:
    times = np.array([0, 0.5, 1], ">f4").tobytes()
    return np.array([3, 4], ">i4").tobytes() + times + np.arange(36, dtype=">f4").tobytes()


def _md3() -> list[bytes]:
    """The head of the data folder's, of which damage is found early, and one frame of it."""
    whole = (DATA / "kyonshi_lower.md3").read_bytes()
    return [whole[:LARGEST], (CRASHERS / "frames.md3").read_bytes()]


def _saved() -> list[bytes]:
    clip = _clip()
    dynamic = pucker.Wrinkler(clip.mesh, pucker.Params(min_width=0.05))
    waves = pucker.waves.WaveField(clip.mesh, clip.positions[0], pucker.waves.Params(), height=1.0)
    example = byexample.ByExample(_trained().synthesis(), byexample.Params())
    runs = (dynamic, waves, example)
    for run in runs:
        for frame in clip:
            run.advance(frame.positions, frame.time)
    # The programs seal them again.
    return [run.save()[:-8] for run in runs]


def _trained() -> "byexample.TrainedSet":
    clip = _clip()
    smooth = byexample.SmoothSurface(clip.mesh, 1, clip.positions[0])
    poses = clip.positions[:2]
    details = np.full((2, len(smooth.positions), 3), 0.01)
    return byexample.TrainedSet(clip.faces, clip.positions[0], 1, poses, details)


def _trained_file() -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "set.npz"
        _trained().save(path)
        return path.read_bytes()


def _npz() -> bytes:
    clip = _clip()
    arrays = {"faces": clip.faces, "positions": clip.positions, "times": clip.times}
    materials = {"materials": np.zeros(len(clip.faces), np.int32), "material_names": np.array(["cloth"])}
    return _bytes(lambda stream: np.savez(stream, **arrays, **materials))


def _toml() -> list[bytes]:
    trees = (pucker.Params(), pucker.waves.Params(), byexample.Params())
    return [tree.to_toml().encode() for tree in trees]


def _crashers(*endings: str) -> list[bytes]:
    return [path.read_bytes() for path in sorted(CRASHERS.iterdir()) if path.name.endswith(endings)]


def _glb(gltf: bytes) -> bytes:
    text = gltf + b" " * (-len(gltf) % 4)
    return b"glTF" + np.array([2, 20 + len(text), len(text), 0x4E4F534A], "<u4").tobytes() + text


def seeds(name: str) -> list[bytes]:
    """Files that a reader takes, small, and some that it refuses."""
    if name in {"gltf", "glb"}:
        found = [_gltf(), *_crashers(".gltf")]
        return found if name == "gltf" else [_glb(text) for text in found]
    made: dict[str, Callable[[], list[bytes]]] = {
        "fbx": lambda: [(DATA / "female_dress.fbx").read_bytes()[:LARGEST], *_crashers(".fbx")],
        "dae": lambda: _crashers(".dae"),
        "md3": _md3,
        "skin": lambda: [b"part,part.tga\ntag_torso,\n"],
        "obj": lambda: [OBJ + b"\x1c" + OBJ.replace(b"0.5", b"0.7"), OBJ],
        "zip": lambda: [_zip({"1.obj": OBJ, "2.obj": OBJ}), *_crashers(".zip")],
        "pc2": lambda: [_pc2()],
        "mdd": lambda: [_mdd(), *_crashers(".mdd")],
        "saved": _saved,
        "trained": lambda: [_trained_file()],
        "params": lambda: [b"threshold=1.3\nlabel.solver=exact\nprofile=arcs\nseed=7\nverbatim=true\n"],
        "npz": lambda: [_npz(), *_crashers(".npz")],
        "toml": _toml,
        "usd": lambda: _crashers(".usda", ".usdc"),
    }
    return made[name]()


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
    own = PROGRAMS / f"fuzz_{name}"
    return own if own.exists() else PROGRAMS / "fuzz_reader"


def variables(name: str) -> dict[str, str]:
    """The environment of a reader's program."""
    return {**os.environ, "PUCKER_FUZZ_FORMAT": name}


def run_program(name: str, seconds: float) -> Outcome:
    """Runs one program on its corpus, which it adds to."""
    corpus, found = WORK / "corpus" / name, WORK / "found" / name
    for folder in (corpus, found):
        folder.mkdir(parents=True, exist_ok=True)
    for number, seed in enumerate(seeds(name)):
        (corpus / f"seed{number}").write_bytes(seed)
    command = [program(name), f"-max_total_time={max(1, round(seconds))}", f"-artifact_prefix={found}/"]
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


class Feeder:
    """Gives mutations to a function, in a child process that may end; what the function raises must be ours."""

    def __init__(self, reader: str, name: str, read: Callable[[bytes], object]) -> None:
        self.reader, self.name, self.read = reader, name, read
        self.found: list[str] = []
        self.count = 0
        # The number of the input at hand and the input: what a child that has ended leaves behind.
        self.at_hand = Path(tempfile.mkdtemp(prefix="pucker-fuzz-", dir="/dev/shm")) / "input"
        self.at_hand.write_bytes(b"0\n")

    def run(self, seconds: float, most: int) -> Outcome:
        """Mutations for so many seconds, and so many at most."""
        begin = time.monotonic()
        start = seeds(self.reader)
        while self.count < most and time.monotonic() - begin < seconds:
            child = os.fork()
            if child == 0:
                self._feed(start, begin + seconds, most)
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

    def _feed(self, start: list[bytes], deadline: float, most: int) -> None:
        inputs = itertools.islice(mutations(start, random.Random(0)), self.count, most)
        for number, data in enumerate(inputs, self.count + 1):
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


def _through_file(ending: str, read: Callable[[Path], object]) -> Callable[[bytes], None]:
    folder = Path(tempfile.mkdtemp(prefix="pucker-fuzz-", dir="/dev/shm"))
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


def _restore(data: bytes) -> None:
    for kind in (pucker.Wrinkler, pucker.waves.WaveField, byexample.ByExample):
        try:
            kind.restore(data)
        except OURS:
            continue


def python_readers() -> Iterator[Feeder]:
    """Everything that can be asked from Python, in this process or in a child of it."""
    for reader in ("md3", "zip", "pc2", "mdd", "npz"):
        yield Feeder(reader, f"{reader}, from Python", _through_file(reader, _load))
    yield Feeder("toml", "parameters, from Python", _read_toml)
    yield Feeder("saved", "saved runs, from Python", _restore)
    yield Feeder("trained", "trained sets, from Python", _through_file("npz", byexample.load))
    for ending, reader in (("usda", "usd"), ("gltf", "gltf"), ("glb", "glb"), ("dae", "dae"), ("fbx", "fbx")):
        yield Feeder(reader, f"{ending}, in a child process", _through_file(ending, _isolated))


# --- command -----------------------------------------------------------------------------------------------------


def main() -> int:
    """Runs everything, for so many seconds in all."""
    parser = argparse.ArgumentParser(prog="run fuzz", description=__doc__)
    parser.add_argument("seconds", nargs="?", type=float, default=600.0, help="in all")
    parser.add_argument("--only", action="append", default=[], metavar="READER", help="this one; may be given again")
    parser.add_argument("--inputs", type=int, default=100_000, help="of each reader in Python, at most")
    parser.add_argument("--python", action="store_true", help="only what is asked from Python")
    parser.add_argument("--keep", type=Path, help="write the table there")
    options = parser.parse_args()
    names = [name for name in (*OWN, *FOREIGN) if not options.only or name in options.only]
    feeders = [feeder for feeder in python_readers() if not options.only or feeder.reader in options.only]
    if options.python:
        names = []
    share = options.seconds / max(1, len(names) + len(feeders))
    outcomes = []
    for run in itertools.chain(
        (lambda name=name: run_program(name, share) for name in names),
        (lambda feeder=feeder: feeder.run(share, options.inputs) for feeder in feeders),
    ):
        outcomes.append(run())
        sys.stdout.write(outcomes[-1].row() + "\n")
        sys.stdout.flush()
    for found in itertools.chain.from_iterable(outcome.found for outcome in outcomes):
        sys.stdout.write(f"{found}\n")
    if options.keep:
        head = "| reader | inputs | seconds | found |\n|---|--:|--:|---|\n"
        options.keep.write_text(head + "\n".join(outcome.row() for outcome in outcomes) + "\n")
    return int(any(outcome.found for outcome in outcomes))


if __name__ == "__main__":
    os.environ.setdefault("PYTHONHASHSEED", "0")
    sys.exit(main())
