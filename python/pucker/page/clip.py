"""Making the page of a clip."""

import os
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from tqdm import tqdm

import pucker
from pucker._core import draw
from pucker.bake.mesh import own_mesh
from pucker.io.files import check_folder, replacing
from pucker.method import Overlay, levels_for, method_of
from pucker.render.camera import DEFAULT_VIEW, View
from pucker.render.clip import Focus, fitted_camera

from .appearance import appearance_of, camera_of
from .content import COMPUTED_STEPS, Coarse, Content
from .document import document
from .live import check, core_bytes, exact_of, pieces_of, write_start
from .numbers import Archive
from .overlays import chosen_overlays, computed

# Lengths of fine edges as shares of the smallest feature there, from which the finest is taken that fits.
SHARES: Final = (0.5, 0.75, 1.0, 1.5, 2.0)
# Of all frames together: a phone has room for so many vertices.
MOST_VERTICES: Final = 4_000_000
# What mail and issue trackers take as an attachment.
USUAL_LIMIT: Final = 25_000_000
# Of the picture that the first camera is for [pixels].
_FIRST_SIZE: Final = (512, 512)
# A vertex of a frame takes about so many even where nothing is displaced.
_LEAST_BYTES: Final = 0.02
# Pairs of frames by which garment and body are estimated, and the share of that which they certainly take.
_PAIRS: Final = 5
_SURE: Final = 0.7
_WAYS: Final = (
    "take fewer frames (fps, a shorter clip), fewer parts, longer edges (edge_share, levels), the mesh as it is (smooth), leave out "
    "the body, the textures or overlays, or allow more (limit)"
)


class TooLarge(pucker.Error):
    """A page would be larger than it may be; the message says what takes how much, and what to leave out."""


@dataclass(frozen=True)
class PageReport:
    """What was written.

    Attributes:
        vertices, triangles: Of the fine garment.
        edge_share: Length of its edges as a share of the smallest feature there; None where `levels` said how fine, and of a
            detail that is a mesh of its own.
        quantum: Step of coordinates, in the clip's unit of length: positions are right to twice of it, and normals to a
            degree.
    """

    path: Path
    bytes: int
    frames: int
    vertices: int
    triangles: int
    edge_share: float | None
    quantum: float


def write(
    clip: "pucker.Clip",
    path: str | os.PathLike[str],
    *,
    params: Any = None,
    states: Iterable[Any] | None = None,
    title: str | None = None,
    edge_share: float | None = None,
    levels: int | None = None,
    body: bool = True,
    textures: bool = True,
    overlays: Collection[str | Overlay] | None = None,
    view: View = DEFAULT_VIEW,
    focus: Focus = "all",
    live: bool = False,
    limit: int = USUAL_LIMIT,
    progress: bool = False,
) -> PageReport:
    """Writes a clip with its wrinkles as an HTML file that any browser with WebGL 2 shows.

    Positions are right to two steps of `PageReport.quantum`, 1/16 384 of the character's size; normals to a degree.

    Args:
        clip: The clip.
        path: The file, whose name must end in .html.
        params: Parameters of any method; those of the dynamic one without.
        states: A state a frame; without them the clip is run with `params`.
        title: What is written above; by default the clip's name.
        edge_share: Length of the fine edges as a share of the smallest feature there. By default the finest of `SHARES` at
            which all frames together have no more than 4 million vertices; a detail that is a mesh of its own, as by
            example and draped cloth, is that mesh.
        levels: Number of pieces of every edge, in place of a share.
        body: Whether the rest of the character is there too.
        textures: Whether the materials' pictures are, none more than 1024 pixels wide or high.
        overlays: Names of those that can be switched on, of the method's, or overlays themselves; by default those of its
            contact sheets. The mesh itself always can.
        view: From where it is seen at first.
        focus: What is in sight at first, whatever the window: "all" that the page shows, or the "cloth".
        live: Whether the page computes the wrinkles itself, with sliders for the parameters, in place of holding them: it has the
            core as WebAssembly. Of waves and dynamic wrinkles `levels` is then the number of pieces of every edge.
        limit: Bytes that the file may have.
        progress: Shows a progress bar on the standard error stream.

    Raises:
        TooLarge: If it would have more, saying what to leave out. Nothing is written.
        ValueError: For another ending, a clip without triangles, an overlay or a focus there is not, a number out of its range, more or fewer states than
            frames, or what a live page does not have.
        pucker.Error: For a live page where the core has not been made as WebAssembly.
        OSError: If the file cannot be written; an earlier one is then as it was.
    """
    out = Path(path)
    if out.suffix.lower() != ".html":
        raise ValueError(f"the name of {out} must end in .html")
    if edge_share is not None and levels is not None:
        raise ValueError("edge_share and levels cannot both be given")
    if not len(clip.faces):
        raise ValueError(f"a page needs cloth of at least one triangle, and {clip.name} has none")
    check_folder(out.parent)
    params = pucker.Params() if params is None else params
    archive = Archive()
    if live:
        if states is not None or edge_share is not None:
            raise ValueError("a live page computes its surface itself: states and edge_share cannot be given")
        page = _live(clip, params, levels, overlays, archive, body=body)
    else:
        page = _recorded(
            clip, params, states, (edge_share, levels), overlays, archive, limit, body=body, progress=progress
        )
    in_sight = focus if body else "cloth"
    camera = fitted_camera(clip, view, _FIRST_SIZE, focus=in_sight)
    head = {
        "title": title or clip.name or "pucker",
        **page.told,
        **camera_of(clip, camera, page.coarse.origin, in_sight),
        **appearance_of(clip, camera, archive, body=body, textures=textures),
    }
    text = document(head | {"table": archive.table}, archive.deflated(), page.core).encode()
    if len(text) > limit:
        raise TooLarge(_advice(out, len(text), limit, archive, head))
    with replacing(out) as temporary:
        temporary.write_bytes(text)
    triangles, vertices = (page.told[name][1] for name in ("triangles", "vertices"))
    return PageReport(out, len(text), len(clip), vertices, triangles, page.told["edgeShare"], page.coarse.quantum)


@dataclass(frozen=True)
class _Made:
    """What differs between recorded and live pages: `told` is for the page to know, `core` computes a live one."""

    coarse: Coarse
    told: dict[str, Any]
    core: bytes = b""


def _recorded(
    clip: "pucker.Clip",
    params: Any,
    states: Iterable[Any] | None,
    how_fine: tuple[float | None, int | None],
    overlays: Collection[str | Overlay] | None,
    archive: Archive,
    limit: int,
    *,
    body: bool,
    progress: bool,
) -> _Made:
    """A page of every frame's fine surface."""
    method = method_of(params)
    params = method.resolved(clip, params)
    shown = chosen_overlays(method, overlays)
    check_coarse(clip, limit, body=body)
    frames = _Frames(clip, params, states)
    share, fine = _subdivision(clip, frames, *how_fine, limit)
    content = Content(clip, fine, body=body)
    counts = []
    bar = tqdm(frames, clip.name, len(clip), unit="frame", leave=False, disable=not progress)
    for index, state in enumerate(bar):
        content.take(index, state)
        counts.append({name.replace("_", " "): count for name, count in method.counts(state).items()})
        for overlay in shown:
            overlay.take(state, clip.mesh, clip.positions[index])
    told = {
        "method": method.name,
        "params": params.to_toml(),
        "edgeShare": share,
        "told": counts,
        **content.write(archive),
        "overlays": [overlay.write(archive, content.coarse.whole) for overlay in shown],
    }
    return _Made(content.coarse, told)


def _live(
    clip: "pucker.Clip",
    params: Any,
    levels: int | None,
    overlays: Collection[str | Overlay] | None,
    archive: Archive,
    *,
    body: bool,
) -> _Made:
    """A page that computes the fine surface."""
    method = method_of(params)
    shown = computed(method, overlays)
    check(clip, params, body=body)
    core = core_bytes()
    pieces = pieces_of(clip) if levels is None else levels
    # The first frame says whether parameters and clip go together.
    fine = own_mesh(next(iter(pucker.run(clip, params))).detail)
    if fine is None:
        fine = pucker.Subdivision(clip.mesh, np.full(len(clip.mesh.edges), pieces, np.int32))
    coarse = Coarse(clip, body=body, exact=exact_of(params), steps=COMPUTED_STEPS)
    for index in range(len(clip)):
        coarse.take(index)
    told = {
        "method": method.name,
        "params": params.to_toml(),
        "edgeShare": None,
        "told": [],
        **coarse.write(archive),
        "frame": 0,
        "triangles": [len(clip.faces), len(fine.faces)],
        "vertices": [clip.positions.shape[1], len(fine.triangles)],
        **write_start(clip, method, params, coarse, levels, archive),
        "overlays": shown,
    }
    return _Made(coarse, told, core)


class _Frames:
    """The states of all frames, run as often as they are asked for unless they were given: a run's states hold much memory."""

    def __init__(self, clip: "pucker.Clip", params: Any, states: Iterable[Any] | None) -> None:
        self._clip, self._params = clip, params
        self._states = None if states is None else list(states)
        if self._states is not None and len(self._states) != len(clip):
            raise ValueError(f"there must be one state a frame: {len(clip)}, not {len(self._states)}")

    def __iter__(self) -> Iterator[Any]:
        return iter(self._states) if self._states is not None else pucker.run(self._clip, self._params)


def _subdivision(
    clip: "pucker.Clip", frames: Iterable[Any], edge_share: float | None, levels: int | None, limit: int
) -> tuple[float | None, "pucker.Subdivision"]:
    """The share that was taken, and the mesh that is fine enough for all frames."""
    if levels is not None:
        return None, _divided(clip, np.full(len(clip.mesh.edges), levels, np.int32), limit)
    if edge_share is None and (own := own_mesh(next(iter(frames)).detail)) is not None:
        _check_size(len(own.triangles), len(clip), limit)
        return None, own
    shares = SHARES if edge_share is None else (edge_share,)
    most = np.ones((len(shares), len(clip.mesh.edges)), np.int32)
    for positions, state in zip(clip.positions, frames, strict=True):
        most = np.maximum(most, [levels_for(state.detail, clip.mesh, positions, share) for share in shares])
    most = np.minimum(most, draw.MAX_LEVEL)
    counts = [_vertex_count(clip.mesh, wanted) * len(clip) for wanted in most]
    chosen = next((k for k, count in enumerate(counts) if count <= MOST_VERTICES), len(shares) - 1)
    return shares[chosen], _divided(clip, most[chosen], limit)


def _vertex_count(mesh: "pucker.Mesh", levels: npt.NDArray[np.integer]) -> int:
    """How many vertices a subdivision has, nearly: those inside a triangle are as many as its finest edge asks for."""
    pieces = levels.astype(np.int64)
    finest = pieces[mesh.triangle_edges].max(axis=1, initial=1)
    inside = (finest - 1) * (finest - 2) // 2
    return mesh.vertex_count + int((pieces - 1).sum()) + int(inside.sum())


def _divided(clip: "pucker.Clip", levels: npt.NDArray[np.integer], limit: int) -> "pucker.Subdivision":
    """The mesh, unless it would certainly take more bytes than the limit; else that is known only after minutes."""
    _check_size(_vertex_count(clip.mesh, levels), len(clip), limit)
    return pucker.Subdivision(clip.mesh, levels)


def _check_size(count: int, frames: int, limit: int) -> None:
    least = _LEAST_BYTES * count * frames
    if least > limit:
        raise TooLarge(
            f"{count} vertices in {frames} frames take more than {_megabytes(least)}, where {_megabytes(limit)} are "
            f"allowed; {_WAYS}"
        )


def check_coarse(clip: "pucker.Clip", limit: int, *, body: bool) -> None:
    """Refuses a clip whose garment and body take more bytes than the limit by themselves; else that is known only after minutes.

    Raises:
        TooLarge: If they take more, by an estimate from a few pairs of frames.
    """

    def size(*frames: int) -> int:
        coarse, archive = Coarse(clip, body=body), Archive()
        for index in frames:
            coarse.take(index)
        coarse.write(archive)
        return sum(archive.sizes().values())

    if len(clip) < 2:
        return
    starts = np.unique(np.linspace(0, len(clip) - 2, _PAIRS).astype(int))
    both = np.array([(size(k), size(k, k + 1)) for k in starts], float)
    about = 4.0 / 3.0 * (both[0, 0] + (len(clip) - 1) * float((both[:, 1] - both[:, 0]).mean()))
    if _SURE * about > limit:
        what = "garment and body" if body and len(clip.body_faces) else "the garment"
        raise TooLarge(
            f"{what} in {len(clip)} frames take about {_megabytes(about)} without any wrinkle, where {_megabytes(limit)} are allowed"
            f"{_that_fit(0.0, about, len(clip), limit)}; {_WAYS}"
        )


def _megabytes(count: float) -> str:
    return f"{count / 1e6:.1f} MB"


def _advice(path: Path, size: int, limit: int, archive: Archive, head: Mapping[str, Any]) -> str:
    """What takes how much of a page that is too large, and what would make it smaller."""
    sizes = archive.sizes()
    texts = sum(len(picture) for picture in head["textures"])
    fine = ("offsets", "detail_normals", "corner_vertices", "pattern_faces")
    surface = sum(sizes.get(name, 0) for name in fine)
    body = sum(count for name, count in sizes.items() if name.startswith("body_"))
    lines = sum(count for name, count in sizes.items() if name.startswith("overlay_"))
    kept = {"the wrinkled surface": surface, "the body": body, "overlays": lines}
    parts = {name: 4.0 * count / 3.0 for name, count in kept.items()} | {"textures": float(texts)}
    told = ", ".join(f"{name} {_megabytes(count)}" for name, count in parts.items() if count > 0.05 * size)
    frames = len(head["times"])
    moving = 4.0 / 3.0 * sum(count for name, count in sizes.items() if archive.table[name]["shape"][:1] == [frames])
    fitting = _that_fit(size - moving, moving, frames, limit)
    return f"{path} would have {_megabytes(size)}, where {_megabytes(limit)} are allowed: {told}{fitting}; {_WAYS}"


def _that_fit(fixed: float, moving: float, frames: int, limit: int) -> str:
    """How many of the frames would fit, nearly, as they take the same each; nothing where none would."""
    fitting = int(0.95 * frames * (limit - fixed) / moving) if moving > 0.0 else 0
    return f"; about {fitting} of the {frames} frames would fit" if fitting > 0 else ""
