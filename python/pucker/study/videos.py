"""Short videos of simulated cloth and of methods over the same clip, which differ in nothing but the cloth."""

import hashlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

import pucker
from pucker._core.draw import Mode
from pucker.bake.mesh import own_mesh
from pucker.io import facets_of
from pucker.method import detail_of, method_of
from pucker.metrics import Truth
from pucker.render import ClipRenderer, write_video
from pucker.render.surface import DrawnSurface

Array = npt.NDArray[np.float64]
Picture = npt.NDArray[np.uint8]

VIEW: Final = "three-quarter"
FPS: Final = 30.0


class Films:
    """Draws one truth, and methods over its clip, all in the light of other pictures, from one camera and over one body.

    What displaces the coarse mesh displaces the character made smooth, as all commands show it; the body is smooth in all videos, and no material gives the
    garment a colour of its own.
    """

    def __init__(self, truth: Truth, size: tuple[int, int]) -> None:
        self._truth = truth
        self._smooth = truth.clip.smoothed(max(facets_of(truth.clip).smooth, 1))
        self._stage = ClipRenderer(self._smooth, size, view=VIEW, focus="cloth")
        self._stage.show(truth.first)
        self._meshes: dict[bytes, DrawnSurface] = {}
        # The garment's own colour, for which the stage would be exposed, is not shown.
        plain = self._surface(np.ascontiguousarray(self._smooth.faces), self._smooth.positions.shape[1])
        plain.set_positions(self._smooth.positions[0])
        self._style = self._stage.drawn_style().replace(exposure=plain.suitable_exposure())

    def close(self) -> None:
        """Frees what the pictures needed."""
        self._stage.close()

    def simulated(self) -> Iterator[Picture]:
        """The truth's frames."""
        for index, positions in zip(self._truth.frames, self._truth.positions, strict=True):
            yield self._draw(index, self._truth.mesh, positions, None)

    def method(self, params: Any) -> Iterator[Picture]:
        """The same frames of a method with its parameters."""
        clip = self._truth.clip if method_of(params).keeps_mesh(params) else self._smooth
        for index, state in enumerate(pucker.run(clip, params)):
            if index < self._truth.first:
                continue
            detail = detail_of(state, clip.mesh, clip.positions[index], params)
            fine = own_mesh(detail)
            if fine is None:
                yield self._draw(index, clip.mesh, clip.positions[index], detail)
            else:
                places = detail.evaluate(fine.triangles, fine.barycentrics).positions
                yield self._draw(index, pucker.Mesh(fine.faces, len(places)), places, None)
            if index == self._truth.frames.stop - 1:
                return

    def _surface(self, faces: npt.NDArray[np.integer[Any]], count: int) -> DrawnSurface:
        """One of these triangles, made once."""
        key = faces.tobytes()
        if key not in self._meshes:
            self._meshes[key] = self._stage.renderer.surface(faces, count)
        return self._meshes[key]

    def _draw(self, index: int, mesh: Any, positions: Array, detail: Any) -> Picture:
        surface = self._surface(np.ascontiguousarray(mesh.faces), len(positions))
        self._stage.show(index)
        normals = pucker.vertex_normals(mesh, positions)
        surface.set_positions(positions, normals, origin=self._stage.garment.origin.tolist())
        surface.set_detail(detail, Mode.both)
        surface.send()
        shown = [*self._stage.surfaces[:-1], surface]
        return np.ascontiguousarray(self._stage.renderer.render(shown, self._stage.camera, self._style)[..., :3])


def to_and_fro(pictures: Iterator[Picture]) -> Iterator[Picture]:
    """The pictures, and back again without the ends, so that the video has no jump where it starts anew."""
    found = list(pictures)
    yield from found
    yield from found[-2:0:-1]


def write_videos(
    truth: Truth, methods: Mapping[str, Any], size: tuple[int, int], paths: Mapping[str, Path], simulated: str
) -> Iterator[str]:
    """Writes a video of each item in `paths` that is not there yet, and yields its name; `simulated` is the truth's."""
    missing = [name for name, path in paths.items() if not path.exists()]
    if not missing:
        return
    films = Films(truth, size)
    try:
        for name in missing:
            pictures = films.simulated() if name == simulated else films.method(methods[name])
            write_video(paths[name], to_and_fro(pictures), fps=FPS)
            yield name
    finally:
        films.close()


def digest_of(truth: Path, params: Any, size: tuple[int, int]) -> str:
    """Of all that a video depends on, so that one that was made before is taken again only if it would be the same."""
    found = hashlib.sha256(truth.read_bytes())
    told = "" if params is None else f"{type(params).__module__} {params!r}"
    for file in () if params is None else method_of(params).files(params):
        found.update(Path(file).read_bytes())
    found.update(f"{pucker.__version__} {size} {VIEW} {FPS} {told}".encode())
    return found.hexdigest()[:12]
