"""Baking: how fine the surface has to be divided, what is lost, and what each format takes."""

import tempfile
import time
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

import pucker
import pucker.bake
from pucker.bake.mesh import MAX_LEVEL, wanted_levels
from pucker.method import Detail

from . import report
from .scenes import Character

TITLE: Final = "Performance of baking"
PEERS: Final = ("usd-core", "pygltflib")
WALK: Final = Character("kimono_male.gltf", "Walk", ("Clothes", "Band"))
FRAME: Final = 20
SHARES: Final = (1.0, 0.75, 0.5, 0.375, 0.25)
POINTS: Final = 40_000
OUTPUTS: Final = (
    ("walk.glb", False),
    ("walk.glb", True),
    ("walk.usdc", False),
    ("walk.usdz", False),
    ("walk.npz", False),
)

Array = npt.NDArray[np.float64]


def _lost(clip: pucker.Clip, detail: Detail, levels: npt.NDArray[np.int32]) -> dict[str, float]:
    """What interpolation over the triangles loses at points spread evenly over all that wrinkles displace."""
    fine = pucker.Subdivision(clip.mesh, np.minimum(levels, MAX_LEVEL))
    positions = clip.positions[FRAME]
    vertices = detail.evaluate(fine.triangles, fine.barycentrics)
    reached = np.isfinite(detail.feature_sizes)[fine.source]
    places = np.einsum("fkc,fcd->fkd", fine.corners, positions[clip.faces[fine.source]])
    areas = 0.5 * np.linalg.norm(np.cross(places[:, 1] - places[:, 0], places[:, 2] - places[:, 0]), axis=1) * reached
    rng = np.random.default_rng(5)
    chosen = rng.choice(len(areas), POINTS, p=areas / areas.sum())
    weights = rng.dirichlet((1, 1, 1), POINTS)
    inside = np.einsum("nk,nkc->nc", weights, fine.corners[chosen])
    exact = detail.evaluate(fine.source[chosen].astype(np.int32), inside / inside.sum(axis=1)[:, None])
    normals = np.einsum("nk,nkd->nd", weights, vertices.normals[fine.faces[chosen]])
    normals /= np.linalg.norm(normals, axis=1)[:, None]
    on = exact.offsets > 0.0
    angles = np.degrees(np.arccos(np.clip(np.einsum("nd,nd->n", normals, exact.normals)[on], -1.0, 1.0)))
    offsets = np.einsum("nk,nk->n", weights, vertices.offsets[fine.faces[chosen]])
    error = np.sqrt(np.mean((offsets - exact.offsets)[on] ** 2)) / exact.offsets.max()
    return {
        "triangles": len(fine.faces),
        "mean": float(angles.mean()),
        "most": float(np.quantile(angles, 0.95)),
        "offset": float(error),
    }


def measure() -> report.Samples:
    """Triangles and losses by share of a wrinkle's width; triangles, bytes and seconds by format."""
    clip = WALK.load()
    params = pucker.Params()
    details = [state.detail for state in pucker.run(clip, params)]
    shares = []
    for share in SHARES:
        levels = wanted_levels(clip, details, share)
        one = _lost(clip, details[FRAME], np.max(levels, axis=0))
        shares.append({"share": share, "one": one, "own": _lost(clip, details[FRAME], levels[FRAME])})
    formats: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory() as folder:
        for name, per_frame in (*OUTPUTS, ("walk", True)):
            begin, processor = time.perf_counter(), time.process_time()
            baked = pucker.bake.surface(WALK.load(), Path(folder) / name, params=params, per_frame=per_frame or None)
            label = "folder of OBJ files" if "." not in name else f"`{Path(name).suffix}`{' --per-frame' * per_frame}"
            formats.append(
                {
                    "name": label,
                    "triangles": baked.triangles,
                    "free": per_frame,
                    "bytes": baked.bytes,
                    "processor": time.process_time() - processor,
                    "wall": time.perf_counter() - begin,
                }
            )
    body = len(clip.body_faces)
    return {"shares": shares, "formats": formats, "cloth": len(clip.faces), "body": body, "frames": len(clip)}


def page(samples: report.Samples) -> str:
    """The page's text."""
    head = ["`--edge-share`"]
    for kind in ("one mesh", "own mesh"):
        head += [f"{kind}: triangles", "normal, mean", "95 % below", "offset, r.m.s."]
    rows = []
    for each in samples["shares"]:
        row = [f"{each['share']:g}"]
        for kind in ("one", "own"):
            lost = each[kind]
            row += [
                f"{lost['triangles']}",
                f"{lost['mean']:.1f}°",
                f"{lost['most']:.1f}°",
                f"{100 * lost['offset']:.1f} %",
            ]
        rows.append(row)
    outputs = [
        [
            each["name"],
            f"{each['triangles']}{' at most' if each['free'] else ''}",
            f"{each['bytes'] / 1e6:.1f}",
            f"{each['processor']:.1f}",
            f"{each['wall']:.1f}",
        ]
        for each in samples["formats"]
    ]
    return (
        f"The kimono's walk, {samples['frames']} frames, {samples['cloth']} triangles of cloth and {samples['body']} of body, "
        f"with L_min {100 * pucker.Params().relative_width:g} % of its height.\n\n"
        "## How fine\n\n"
        f"What is lost in frame {FRAME} at places spread evenly over all that wrinkles displace: the angle "
        "between the interpolated and the exact normal, and the error of the offset as a share of the highest wrinkle.\n\n"
        + report.table(head, rows)
        + "\n## Formats\n\nFrom running the wrinkles to the last byte, with the body; seconds of all cores together, and by "
        "the clock.\n\n" + report.table(["output", "triangles of cloth", "MB", "processor [s]", "clock [s]"], outputs)
    )
