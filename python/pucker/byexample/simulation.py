"""A fine garment simulated over a character's body: what to learn from where nothing was recorded.

The skinned garment, subdivided, is the guide. A copy of it is simulated as cloth by Blender and held to the guide by soft
springs, so that it keeps to the motion and folds as cloth does (Bergou et al. 2007 hold averages; springs of Blender's
pin groups do here). Blender's module runs in a process of its own.
"""

import contextlib
import dataclasses
import hashlib
import json
import os
import struct
import subprocess
import tempfile
import zipfile
from collections.abc import Callable, Generator
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Final

import numpy as np
import numpy.typing as npt

import pucker
from pucker._core import Clip, Error
from pucker._core import _byexample as byexample
from pucker.areas import triangle_areas
from pucker.data_params import DataParams, number
from pucker.io import blender
from pucker.io.files import make_folder, plain_name
from pucker.io.npz import write_arrays

Floats = npt.NDArray[np.float64]

# A hundredth of the edges longer than this, against the longer of guide and rest pose: it is no cloth any more.
BLOWN_UP: Final = 2.0
_QUANTILE: Final = 0.99
# Frames from the start pose to the clip's first.
_LEAD: Final = 14
# A body vertex makes room for garment that is so many coarse edges near at the start.
_NEAR: Final = 1.0
# Points whose distances to all others are looked at together.
_ASKED_AT_ONCE: Final = 512


class BlownUpError(Error):
    """A simulation whose cloth came apart.

    Attributes:
        good: (frames, N, 3) the frames of the clip before that, as `simulate` returns them; there may be none.
    """

    def __init__(self, message: str, good: Floats) -> None:
        super().__init__(message)
        self.good = good


@dataclass(frozen=True)
class Cloth(DataParams):
    """What the simulated cloth is like. Lengths are in metres, after scaling to `area`."""

    noun: ClassVar[str] = "cloth"

    area: float = number(
        5.0,
        "square metres that the garment has in the simulation: the larger, the finer it folds for its size",
        low=0.0,
        low_included=False,
    )
    hold: float = number(
        0.8, "how much of the springs that hold the garment to its guide is felt, in [0, 1]", low=0.0, high=1.0
    )
    hold_stiffness: float = number(5.0, "stiffness of these springs", low=0.0)
    hold_damping: float = number(0.0, "damping of these springs against the motion of the guide", low=0.0)
    tension: float = number(40.0, "stiffness against stretch and compression", low=0.0)
    shear: float = number(10.0, "stiffness against shear", low=0.0)
    bending: float = number(0.5, "stiffness against bending", low=0.0)
    damping: float = number(10.0, "damping of stretch, compression and shear", low=0.0)
    bending_damping: float = number(1.0, "damping of bending", low=0.0)
    air: float = number(10.0, "resistance of the air", low=0.0)
    mass: float = number(3.0, "kilograms", low=0.0, low_included=False)
    clearance: float = number(0.008, "distance from the body within which the garment is pushed off it", low=0.0)
    room: float = number(
        0.02,
        "distance that the body keeps from the garment in the start pose, where it is drawn in if need be",
        low=0.0,
    )
    quality: int = number(6, "steps a frame", low=1)
    contact_quality: int = number(2, "rounds of contact a step", low=1)


@dataclass(frozen=True, eq=False)
class Body:
    """What the garment is worn over, with a frame for each of the clip's."""

    faces: npt.NDArray[np.int32]
    """(m, 3)"""
    start: Floats
    """(n, 3) in the start pose."""
    positions: Floats
    """(frames, n, 3)"""

    @classmethod
    def of(cls, clip: Clip, start: npt.ArrayLike | None = None) -> "Body":
        """The garment of `clip`; without `start`, begins in its rest pose, or else its first frame."""
        return cls(clip.faces, _start_of(clip, start), np.asarray(clip.positions))


def simulate(
    clip: Clip,
    body: Body | None = None,
    *,
    start: npt.ArrayLike | None = None,
    levels: int = 2,
    cloth: Cloth | None = None,
    still: int = 5,
    sewn: npt.ArrayLike = (),
    recordings: str | os.PathLike[str] | None = None,
    progress: Callable[[int, int], None] = lambda _done, _all: None,
) -> Floats:
    """Simulates the garment of `clip`, subdivided, over a body.

    Args:
        clip: The garment.
        body: What it is worn over; with as many frames as the clip.
        start: (n, 3) the pose that the garment is cut for and begins in: in it the cloth has no strain. All clips that one set
            learns from must have the same. Without it the clip's rest pose, or else its first frame.
        levels: How often the garment is subdivided.
        cloth: What it is like.
        still: Frames that it stands in the start pose before the clip; with others the folds of soft cloth come out otherwise.
        sewn: (s,) vertices of the clip's mesh that stay on the guide, as `clip.shared_vertices`; with them what the subdivision
            puts between them.
        recordings: A folder in which what is simulated is kept; what is there of the same clip, start and cloth is taken
            from there. Made if it does not exist.
        progress: Called with the number of frames done and that of all.

    Returns:
        (frames, N, 3) positions of the fine mesh, whose vertices are those of `LoopSubdivision(clip.mesh, levels)`, in the
        clip's unit of length, to single precision.

    Raises:
        ValueError: For less than one still frame, a body with another number of frames, sewn vertices that the garment does not
            have, and a garment without area.
        pucker.Error: If Blender's module is missing or failed.
        BlownUpError: If the cloth came apart, which its stretch shows: a hundredth of the edges more than twice as long
            as in both guide and start pose.
    """
    if still < 1:
        raise ValueError(f"still must be at least 1, not {still}")
    job = _Job(clip, body, _start_of(clip, start), levels, cloth or Cloth(), still, sewn)
    kept = None if recordings is None else Path(recordings) / f"{plain_name(clip.name)}-{job.digest[:12]}.npz"
    fine = None if kept is None else _kept(kept, job)
    if fine is None:
        fine = job.run(progress)
        if kept is not None:
            make_folder(kept.parent)
            write_arrays(kept, {"fine": fine, "digest": job.digest})
    job.check(fine)
    return fine.astype(np.float64)


class _Job:
    """One simulation: in Blender's axes, z up, and scaled."""

    def __init__(
        self,
        clip: Clip,
        body: Body | None,
        start: Floats,
        levels: int,
        cloth: Cloth,
        still: int,
        sewn: npt.ArrayLike,
    ) -> None:
        if body is not None and len(body.positions) != len(clip):
            raise ValueError(
                f"the body must have a frame for each of the clip's {len(clip)}, not {len(body.positions)}"
            )
        loop = byexample.LoopSubdivision(clip.mesh, levels)
        area = float(triangle_areas(clip.faces, start).sum())
        if not area > 0.0:
            raise ValueError("a garment without area cannot be simulated")
        self._name = clip.name
        self._mesh = loop.fine
        self._scale = np.sqrt(cloth.area / area)
        self._before = still + _LEAD
        guide = led_in(start, np.asarray(clip.positions), still)
        self._guide = np.array([loop.matrix @ positions for positions in guide])
        self._arrays = {"guide": (self._mesh.faces, self._guide)}
        if body is not None:
            near = _NEAR * pucker.mean_edge_length(clip.mesh, start)
            room = _room(body, self._guide[0], self._mesh, cloth.room / self._scale, near)
            positions = led_in(body.start, body.positions, still)
            mesh = pucker.Mesh(body.faces, positions.shape[1])
            drawn_in = [each - room[:, None] * pucker.vertex_normals(mesh, each) for each in positions]
            self._arrays["body"] = (body.faces, np.array(drawn_in))
        self._settings = {**dataclasses.asdict(cloth), "frames": len(guide), "body": body is not None}
        self._settings["sewn"] = _between(loop, sewn)
        content = hashlib.sha256(json.dumps([blender.VERSION, self._settings], sort_keys=True).encode())
        for faces, positions in self._arrays.values():
            content.update(np.ascontiguousarray(faces).data)
            content.update(np.ascontiguousarray(positions).data)
        self.digest = content.hexdigest()

    @property
    def shape(self) -> tuple[int, int, int]:
        """Of the result."""
        return len(self._guide) - self._before, self._mesh.vertex_count, 3

    def run(self, progress: Callable[[int, int], None]) -> npt.NDArray[np.float32]:
        """The fine frames of the clip."""
        blender.require("simulating")
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            for stem, (faces, positions) in self._arrays.items():
                np.ascontiguousarray(faces, dtype=np.int32).tofile(folder / f"{stem}.i32")
                _write_pc2(folder / f"{stem}.pc2", self._scale * _turned(positions))
            (folder / "job.json").write_text(json.dumps(self._settings), encoding="utf-8")
            count = len(self._guide)
            with contextlib.closing(_frames_done(folder, self._name)) as steps:
                for done in steps:
                    progress(done, count)
            flat = np.fromfile(folder / "fine.f32", dtype=np.float32)
        if flat.size != self._guide.size:
            raise Error(f"{self._name}: Blender wrote {flat.size} numbers, not {self._guide.size}")
        fine = _turned_back(flat.reshape(self._guide.shape)) / self._scale
        frames: npt.NDArray[np.float32] = fine[self._before :].astype(np.float32)
        return frames

    def check(self, fine: npt.NDArray[np.float32]) -> None:
        """Raises BlownUpError if the cloth has come apart."""
        ends = self._mesh.edges
        longest = [_lengths(self._guide[0], ends)]
        for frame, positions in enumerate(fine):
            if not np.isfinite(positions).all():
                raise BlownUpError(
                    f"{self._name}: the simulation blew up: frame {frame} is not finite",
                    fine[:frame].astype(np.float64),
                )
            guide = _lengths(self._guide[self._before + frame], ends)
            stretch = _lengths(positions.astype(np.float64), ends) / np.maximum(longest[0], guide)
            found = float(np.quantile(stretch, _QUANTILE))
            if found > BLOWN_UP:
                raise BlownUpError(
                    f"{self._name}: the simulation blew up: in frame {frame} one of 100 edges is {found:.2f} times as long as it "
                    f"should be, or longer; at most {BLOWN_UP:g} is cloth",
                    fine[:frame].astype(np.float64),
                )


def _frames_done(folder: Path, name: str) -> Generator[int, None, None]:
    """Runs Blender's process; whatever ends this ends it too."""
    script = Path(__file__).with_name("blender.py")
    with (folder / "log.txt").open("w") as log:
        process = subprocess.Popen(
            blender.command(script, folder),
            env=blender.environment(folder),
            stdout=subprocess.PIPE,
            stderr=log,
            stdin=subprocess.DEVNULL,
            text=True,
        )
        try:
            assert process.stdout is not None
            for line in process.stdout:
                word, _, number = line.strip().partition(" ")
                if word == "frame" and number.isdigit():
                    yield int(number)
            status = process.wait()
        finally:
            process.kill()
            process.wait()
            if process.stdout is not None:
                process.stdout.close()
    if status != 0:
        said = (folder / "log.txt").read_text(errors="replace")
        raise Error(f"{name}: Blender ended with status {status}: {blender.last_line(said)}")


def _kept(file: Path, job: _Job) -> npt.NDArray[np.float32] | None:
    """What was simulated before, unless it is of something else or cannot be read."""
    if not file.exists():
        return None
    try:
        # NumPy's own opening of a damaged archive leaves the file open.
        with file.open("rb") as stream, np.load(stream, allow_pickle=False) as archive:
            if str(archive["digest"]) == job.digest and archive["fine"].shape == job.shape:
                return np.asarray(archive["fine"], dtype=np.float32)
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile):
        return None
    return None


def _start_of(clip: Clip, start: npt.ArrayLike | None) -> Floats:
    if start is None:
        return np.asarray(clip.positions[0] if clip.rest is None else clip.rest, dtype=np.float64)
    found = np.asarray(start, dtype=np.float64)
    if found.shape != clip.positions.shape[1:]:
        raise ValueError(f"start must have shape {clip.positions.shape[1:]}, not {found.shape}")
    return found


def led_in(start: Floats, positions: Floats, still: int) -> Floats:
    """The frames with some in the start pose before them, and some that go from there to the first."""
    way = np.linspace(0.0, 1.0, _LEAD + 2)[1:-1]
    smooth = way * way * (3.0 - 2.0 * way)
    lead = start + smooth[:, None, None] * (positions[0] - start)
    return np.concatenate([np.repeat(start[None], still, axis=0), lead, positions])


def _between(loop: byexample.LoopSubdivision, sewn: npt.ArrayLike) -> list[int]:
    """The fine vertices that come from sewn ones alone."""
    count = loop.coarse.vertex_count
    numbers = np.asarray(sewn, dtype=np.int64)
    if numbers.ndim != 1 or not ((numbers >= 0) & (numbers < count)).all():
        raise ValueError(f"sewn must be vertices in [0, {count}), not {numbers.tolist()}")
    loose = np.ones((count, 3))
    loose[numbers] = 0.0
    return [int(v) for v in np.flatnonzero((loop.barycentrics @ loose)[:, 0] == 0.0)]


def _room(body: Body, garment: Floats, mesh: "pucker.Mesh", room: float, near: float) -> Floats:
    """How far each vertex of the body (n,) goes in along its normal, so that the garment at the start has room.

    The subdivided garment is smaller than the one that was modelled over the body: without room the body would push
    dents into it that no cloth has.
    """
    distances, nearest = _nearest(garment, body.start)
    normals = pucker.vertex_normals(mesh, garment)[nearest]
    heights = np.einsum("vi,vi->v", garment[nearest] - body.start, normals)
    found: Floats = np.where(distances < near, np.maximum(room - heights, 0.0), 0.0)
    return found


def _nearest(points: Floats, asked: Floats) -> tuple[Floats, npt.NDArray[np.intp]]:
    """Distance (q,) of each asked point to the nearest of the points, and which that is."""
    middle = points.mean(axis=0)
    places = points - middle
    squares = np.square(places).sum(axis=1)
    # |a − b|² − |a|², which a product of matrices gives for all pairs; only what is compared is rounded.
    blocks = [
        np.argmin(squares - 2.0 * (block - middle) @ places.T, axis=1)
        for block in np.array_split(asked, len(asked) // _ASKED_AT_ONCE + 1)
    ]
    nearest = np.concatenate(blocks)
    return np.linalg.norm(asked - points[nearest], axis=1), nearest


def _write_pc2(path: Path, frames: Floats) -> None:
    """Positions (frames, n, 3) as a PC2 point cache of one sample a frame."""
    with path.open("wb") as file:
        file.write(struct.pack("<12siiffi", b"POINTCACHE2\0", 1, frames.shape[1], 0.0, 1.0, len(frames)))
        file.write(frames.astype("<f4").tobytes())


def _turned(positions: Floats) -> Floats:
    """From y up to z up."""
    return np.stack([positions[..., 0], -positions[..., 2], positions[..., 1]], axis=-1)


def _turned_back(positions: npt.NDArray[np.float32]) -> Floats:
    return np.stack([positions[..., 0], positions[..., 2], -positions[..., 1]], axis=-1).astype(np.float64)


def _lengths(positions: Floats, ends: npt.NDArray[np.int32]) -> Floats:
    found: Floats = np.maximum(np.linalg.norm(positions[ends[:, 1]] - positions[ends[:, 0]], axis=1), 1e-300)
    return found
