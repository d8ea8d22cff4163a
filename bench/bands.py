"""What can be known about folds: a simulation beside the same on a finer mesh, by band of wavelength."""

import dataclasses
from typing import Any, Final

import numpy as np
import numpy.typing as npt

import pucker
from pucker import byexample, metrics
from pucker.metrics.compare import closest_places

from . import report, scenes_of_cloth

Array = npt.NDArray[np.float64]

TITLE: Final = "What can be known about folds"
PEERS: Final = ("scipy", "libigl")

CLIPS: Final = ("Run", "SitDown")
LEVELS: Final = (2, 3)
CLOTHS: Final = {
    "as shipped sets were taught": byexample.Cloth(),
    "soft, with bending": byexample.Cloth(hold_stiffness=0.5, bending=200.0, quality=12),
}
"""At the coarser of LEVELS."""

EDGES: Final = (4.0, 8.0, 16.0, 32.0, 64.0)
"""Cut-offs in mean edges of level 2; four of these are an edge of the coarse mesh."""

FIRST: Final = 6
SEED: Final = 1


def of_level(cloth: byexample.Cloth, finer: int) -> byexample.Cloth:
    """The same sheet on a mesh that is so many levels finer.

    Blender divides tension by the mean edge and multiplies bending by it, and has hold and air act on each vertex: an edge half as
    long wants half the tension, twice the bending and a quarter of hold and air.
    """
    half = 2.0**finer
    return dataclasses.replace(
        cloth,
        tension=cloth.tension / half,
        shear=cloth.shear / half,
        bending=cloth.bending * half,
        hold_stiffness=cloth.hold_stiffness / half**2,
        air=cloth.air / half**2,
    )


def _heights(
    clip: pucker.Clip, body: byexample.Body, start: Array, level: int, cloth: byexample.Cloth
) -> tuple[pucker.Mesh, Array, Array, Array, float]:
    """Mesh, its start pose, heights (frames, n), those of its lag alone, and the lag's ratio."""
    positions = byexample.simulate(
        clip,
        body,
        start=start,
        levels=level,
        cloth=of_level(cloth, level - LEVELS[0]),
        recordings=scenes_of_cloth.SIMULATED,
    )
    loop = byexample.LoopSubdivision(clip.mesh, level)
    rest = loop.matrix @ start
    guide = np.array([loop.matrix @ each for each in clip.positions])
    faces = loop.fine.faces
    ratio = metrics.fitted_lag(guide, positions, metrics.vertex_areas(faces, rest))
    lag = metrics.heights(faces, guide, metrics.lagging(guide, ratio))
    return loop.fine, rest, metrics.heights(faces, guide, positions), lag, ratio


def measure() -> report.Samples:
    """Simulates what has no recording; takes about six minutes of two cores."""
    found: list[dict[str, Any]] = []
    for name, cloth in CLOTHS.items():
        for which in CLIPS:
            clip, body, start = scenes_of_cloth.dressed("kimono_male.gltf", which, "Idle", ["Clothes"])
            coarse, fine = (_heights(clip, body, start, level, cloth) for level in LEVELS)
            mesh, rest = coarse[:2]
            edge = pucker.mean_edge_length(mesh, rest)
            bands = metrics.Bands(mesh.faces, rest, [count * edge for count in EDGES])
            places = closest_places(rest, fine[0].faces, fine[1])
            true, trailing = (places.carry(each[FIRST:, :, None])[..., 0] for each in fine[2:4])
            heights, lag = (each[FIRST:] for each in coarse[2:4])
            rows = {
                "the coarser simulation": (heights, true),
                "its lag alone": (lag, true),
                "noise of the same spectrum": (metrics.noise_like(true, bands, SEED), true),
                "the coarser simulation, lag taken out of both": (heights - lag, true - trailing),
            }
            found.append(
                {
                    "cloth": name,
                    "clip": which,
                    "ratios": [coarse[4], fine[4]],
                    "rows": {
                        row: [dataclasses.asdict(each) for each in metrics.band_agreement(*pair, bands)]
                        for row, pair in rows.items()
                    },
                }
            )
    return {"found": found}


def _band(index: int) -> str:
    if index == 0:
        return f"below {EDGES[0]:g}"
    return f"{EDGES[index - 1]:g} to {EDGES[index]:g}" if index < len(EDGES) else f"above {EDGES[-1]:g}"


def page(samples: report.Samples) -> str:
    """A table for each clip and cloth."""
    text = (
        "The kimono simulated by Blender with two and with three subdivisions (15 360 and 61 440 triangles), forces scaled so that the sheet is the same. The finer is taken for "
        "the truth; heights are over the Loop-subdivided coarse clip, split by [band](../bands.md) of wavelength, in edges of the coarser of both meshes: four are an edge of the "
        "coarse one. Each cell: correlation, and size over the truth's in brackets. What the coarser simulation does not reach, no method can be asked for. Simulations are taken from `build/bench` where they are kept.\n"
    )
    head = ("", *(_band(index) for index in range(len(EDGES) + 1)))
    for each in samples["found"]:
        ratios, rows = each["ratios"], each["rows"]
        text += f"\n## {each['clip']}, cloth {each['cloth']}\n\n"
        lines = [
            (row, *(f"{band['correlation']:.2f} ({band['rms']:.2f})" for band in bands)) for row, bands in rows.items()
        ]
        shares = next(iter(rows.values()))
        lines.append(("share of the truth", *(f"{100 * band['share']:.0f} %" for band in shares)))
        text += report.table(head, lines)
        text += f"\nFitted lag, drag over hold a frame: {ratios[0]:.3f} and {ratios[1]:.3f}.\n"
    return text
