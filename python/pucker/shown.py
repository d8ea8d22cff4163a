"""What objects of the core say of themselves, at a prompt and in a notebook, and what they become for other packages."""

import base64
import html
import io
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from pucker import _core, convert

if TYPE_CHECKING:
    import numpy.typing as npt

# Of a picture, in pixels.
_SIDE: Final = 320


def _says(kind: type) -> Callable[[Callable[[Any], str]], Callable[[Any], str]]:
    """Takes a function as the `__repr__` of a class: its name and what the function tells, in one line."""

    def take(describe: Callable[[Any], str]) -> Callable[[Any], str]:
        def say(self: Any) -> str:
            return f"<{kind.__name__}, {describe(self)}>"

        setattr(kind, "__repr__", say)  # noqa: B010 - a bound class
        return describe

    return take


def _count(number: int, one: str) -> str:
    return f"{number} {one}{'' if number == 1 else 's'}"


def _range(values: Any) -> str:
    """The least and the largest of some values."""
    return f"{np.min(values):.4g} to {np.max(values):.4g}" if len(values) else "none"


@_says(_core.Mesh)
def _mesh(mesh: _core.Mesh) -> str:
    counts = (mesh.vertex_count, "vertices"), (mesh.triangle_count, "triangles"), (len(mesh.edges), "edges")
    return ", ".join(f"{count} {name}" for count, name in counts)


@_says(_core.MeshReport)
def _mesh_report(report: _core.MeshReport) -> str:
    names = [name for name in dir(report) if not name.startswith("_")]
    return ", ".join(f"{getattr(report, name)} {name.replace('_', ' ')}" for name in names)


@_says(_core.LocalFrames)
def _local_frames(frames: _core.LocalFrames) -> str:
    return f"{_count(len(frames.areas), 'triangle')}, area {frames.areas.sum():.4g} units of length squared"


@_says(_core.Stretch)
def _stretch(stretch: _core.Stretch) -> str:
    told = f"{_count(len(stretch.minimum), 'triangle')}, stretched {_range([*stretch.minimum, *stretch.maximum])} times"
    return told if len(stretch.left) == len(stretch.minimum) else f"{told}, without directions"


@_says(_core.CompressionField)
def _field(field: _core.CompressionField) -> str:
    return f"{_count(len(field.compression), 'triangle')}, compression {_range(field.compression)}"


@_says(_core.PackedWrinkles)
def _packed(packed: _core.PackedWrinkles) -> str:
    reached = np.count_nonzero(packed.triangles[:, 0])
    return f"{_count(len(packed.points), 'point')}, {reached} of {_count(len(packed.triangles), 'triangle')} reached"


@_says(_core.Seed)
def _seed(seed: _core.Seed) -> str:
    return f"triangle {seed.triangle} at ({', '.join(f'{weight:.4g}' for weight in seed.barycentrics)})"


@_says(_core.CurveSamples)
def _samples(samples: _core.CurveSamples) -> str:
    sizes = f"{_range(samples.widths)} wide, {_range(samples.heights)} high"
    return f"{_count(len(samples.points), 'point')}, {sizes} in units of length"


@_says(_core.PathEnergy)
def _energy(energy: _core.PathEnergy) -> str:
    parts = ((name, getattr(energy, name)) for name in ("alignment", "motion", "shape"))
    return f"{energy.sum:.4g}: {', '.join(f'{name} {value:.4g}' for name, value in parts)}"


@_says(_core.Subdivision)
def _subdivision(fine: _core.Subdivision) -> str:
    return f"{_count(len(fine.faces), 'triangle')}, {len(fine.triangles)} vertices"


@_says(_core.method.SurfacePoints)
def _points(points: Any) -> str:
    most = float(np.linalg.norm(points.displacements, axis=1).max(initial=0.0))
    return f"{_count(len(points.positions), 'point')}, displaced by up to {most:.4g} units of length"


@_says(_core.Crowd)
def _crowd(crowd: _core.Crowd) -> str:
    return _count(crowd.threads, "thread")


@_says(_core.method.State)
def _state(state: Any) -> str:
    return f"frame {state.frame} at {state.time:.4g} s"


@_says(_core.State)
def _wrinkler_state(state: _core.State) -> str:
    compressing = np.count_nonzero(state.labels == 0)
    told = f"{compressing} of {_count(len(state.labels), 'triangle')} compressing"
    return f"{_state(state)}, {_count(len(state.wrinkles), 'wrinkle')}, {told}"


@_says(_core.Wrinkler)
def _wrinkler(run: _core.Wrinkler) -> str:
    triangles = _count(run.mesh.triangle_count, "triangle")
    try:
        count = len(run.wrinkles)
    except ValueError:
        return f"{triangles}, before its first frame"
    return f"{triangles}, {_count(count, 'wrinkle')}"


def _drawn(thing: object, draw: "Callable[[], npt.NDArray[np.uint8]]") -> str | None:
    """A picture with what an object says of itself below; None, for which a notebook takes the latter, without OpenGL."""
    try:
        from PIL import Image  # noqa: PLC0415 - of an extra

        image = Image.fromarray(draw())
    except (ModuleNotFoundError, _core.Error):
        return None
    content = io.BytesIO()
    image.save(content, "PNG")
    source = f"data:image/png;base64,{base64.b64encode(content.getvalue()).decode()}"
    return f'<img src="{source}" width="{_SIDE}" height="{_SIDE}"><br><code>{html.escape(repr(thing))}</code>'


def _clip_as_html(clip: _core.Clip) -> str | None:
    """The middle frame."""

    def draw() -> "npt.NDArray[np.uint8]":
        from pucker.render import ClipRenderer  # noqa: PLC0415 - of an extra

        index = len(clip) // 2
        with ClipRenderer(clip, (_SIDE, _SIDE), focus="all", frames=(index, index)) as renderer:
            return renderer.frame(index)

    return _drawn(clip, draw)


def _state_as_html(state: _core.State) -> str | None:
    """The garment with its wrinkles."""

    def draw() -> "npt.NDArray[np.uint8]":
        from pucker.render import Camera, Renderer  # noqa: PLC0415 - of an extra

        with Renderer((_SIDE, _SIDE)) as renderer:
            surface = renderer.surface(state.detail.faces, len(state.positions))
            surface.set_positions(state.positions)
            surface.set_detail(state.detail)
            return renderer.render([surface], Camera.fit(state.positions, aspect=1.0))[..., :3]

    return _drawn(state, draw)


setattr(_core.Clip, "_repr_html_", _clip_as_html)  # noqa: B010 - a bound class
setattr(_core.State, "_repr_html_", _state_as_html)  # noqa: B010
for _convert in (convert.to_trimesh, convert.to_pyvista, convert.to_polyscope):
    setattr(_core.method.State, _convert.__name__, _convert)
