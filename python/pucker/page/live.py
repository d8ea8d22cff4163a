"""What a live page holds in the place of the fine surface: all that a run of the method starts from."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import numpy as np

import pucker
from pucker.data_params import described
from pucker.drape import Params as DrapeParams
from pucker.drape import cut_of
from pucker.method import MethodType
from pucker.names import patterns
from pucker.sliders import control_of, shown, value_of
from pucker.waves import Params as WaveParams

from .content import Coarse
from .numbers import Archive
from .skin import write_skin

# Into how many pieces edges are divided at most where the detail is no mesh of its own, and how many triangles there may be.
_MOST_PIECES: Final = 8
_MOST_TRIANGLES: Final = 60_000
# Parameters that name the files of which a page holds what they say.
_HELD: Final = ("trained", "cut")


def core_bytes() -> bytes:
    """The core as WebAssembly. Raises pucker.Error where it has not been built."""
    file = Path(__file__).with_name("pucker.wasm")
    if not file.exists():
        raise pucker.Error(f"a live page needs the core as WebAssembly, which is not there: ./run wasm makes {file}")
    return file.read_bytes()


def pieces_of(clip: "pucker.Clip") -> int:
    """Into how many pieces each edge is divided if nothing else is said."""
    most = int(np.sqrt(_MOST_TRIANGLES / len(clip.faces)))
    return max(1, min(_MOST_PIECES, most))


def exact_of(params: Any) -> tuple[str, ...]:
    """Which positions a run with any value of the page's parameters starts from."""
    return ("positions", "body_positions") if isinstance(params, DrapeParams) else ("positions",)


def check(clip: "pucker.Clip", params: Any, *, body: bool) -> None:
    """Raises ValueError for what a live page cannot do."""
    for field in params.fields():
        value = value_of(params, field.name)
        if isinstance(value, str) and value and field.name not in _HELD:
            raise ValueError(f"a live page cannot hold the file that params.{field.name} names, {value}")
    if isinstance(params, WaveParams) and params.compute.name != "cpu":
        raise ValueError(f"a live page has waves of params.compute = cpu alone, not {params.compute.name}")
    if isinstance(params, DrapeParams) and params.contact and not body and len(clip.body_faces):
        raise ValueError(
            "a live page of cloth that is kept out of the body needs the body: with it, or params.contact off"
        )


def write_start(
    clip: "pucker.Clip", method: MethodType, params: Any, coarse: Coarse, levels: int | None, archive: Archive
) -> dict[str, Any]:
    """Adds what a run starts from besides the frames; what a page has to know besides.

    Of that `finest`, `cut` and `words` are for characters that a reader brings: into how many pieces edges are divided, with how
    many triangles at most; which pose a garment was cut for, None where the method asks for none; and the rules by which names
    tell cloth.
    """
    told: dict[str, Any] = {
        "method": method.name,
        "pieces": pieces_of(clip) if levels is None else levels,
        "finest": (_MOST_PIECES, _MOST_TRIANGLES) if levels is None else (levels, None),
        "cut": None,
        "words": patterns(),
        "height": clip.height,
        "exact": exact_of(params),
        "begin": float(clip.times[0]),
        "values": {},
        "controls": [],
        "set": None,
    }
    for field in params.fields():
        value = value_of(params, field.name)
        if value != field.default and not isinstance(value, str) and value is not None:
            told["values"][field.name] = _text(value)
        if control := _control(field, value):
            told["controls"].append(control)
    told["controls"].sort(key=lambda control: control["group"] != "common")
    if getattr(params, "trained", ""):
        told["set"] = _write_set(params.trained, archive)
    told["skin"] = write_skin(clip, coarse, archive)
    archive.add_wholes("shared", clip.shared_vertices)
    poses: dict[str, Any] = {"rest": clip.rest}
    if isinstance(params, DrapeParams):
        cut = cut_of(clip, params.cut)
        poses["standing"] = cut.pose
        # A pose of the clip's own file, or of another, is that of no other garment.
        told["cut"] = params.cut if params.cut in ("rest", "first") else ""
        if coarse.body_vertices is not None and cut.body is not None and len(cut.body) == len(clip.body_weld):
            poses["body_standing"] = cut.body[coarse.body_vertices]
    for name, pose in poses.items():
        if pose is not None:
            archive.add_doubles(name, pose)
    return {"origin": coarse.origin.tolist(), "live": told}


def _control(field: Any, value: Any) -> Mapping[str, Any] | None:
    """What changes a parameter on the page; None for what it cannot change there."""
    control = control_of(field, value)
    if control.kind == "text" or field.name == "compute":
        return None
    node, _, _ = field.name.rpartition(".")
    return {
        "name": field.name,
        "group": "common" if field.common else node or "more",
        "doc": described(field),
        "kind": control.kind,
        "value": "" if value is None else _text(value),
        "low": control.low,
        "high": control.high,
        "step": control.step,
        "choices": list(field.choices),
    }


def _text(value: Any) -> str:
    """A value as the core reads it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(shown(value)) if not isinstance(value, float) else repr(value)


def _write_set(path: str, archive: Archive) -> dict[str, Any]:
    """Adds the arrays of a trained set; names of its arrays, and its texts."""
    texts, names = {}, []
    with np.load(path, allow_pickle=False) as arrays:
        for name in arrays.files:
            values = arrays[name]
            if values.dtype.kind == "U":
                texts[name] = str(values)
                continue
            names.append(name)
            if values.dtype.kind in "iu":
                archive.add_wholes(f"set_{name}", values)
            else:
                archive.add_doubles(f"set_{name}", values)
    return {"texts": texts, "arrays": names}
