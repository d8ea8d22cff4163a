"""A finished simulation of fine cloth, decimated and draped again: how much of its folds the motion alone brings back.

    python examples/python/decimated_shirt.py data/tshirt_wind.zip picture.png

The T-shirt is DiffCloth's, in the wind. Needs the extras pucker[metrics] and pucker[render].
"""

import sys
from pathlib import Path

import numpy as np

import pucker
from pucker import compare, drape


def main(
    file: Path, *, clip: str = "0:89@90", triangles: int = 700
) -> tuple[pucker.Clip, pucker.Clip, list[drape.State]]:
    """The simulation, its coarse copy, and a state of the draped copy for each frame."""
    fine = pucker.load(file, clip=clip, fps=90.0)
    coarse = compare.coarsen(fine, triangles)
    # Cut for the first frame, in which the shirt hangs still.
    states = list(pucker.run(coarse, drape.Params(levels=2, cut="first")))
    print(
        f"{len(fine.faces)} triangles simulated, {len(coarse.faces)} left, "
        f"{states[0].detail.subdivision.fine.triangle_count} draped over them"
    )
    return fine, coarse, states


def picture(fine: pucker.Clip, coarse: pucker.Clip, states: list[drape.State], path: Path) -> None:
    """The last frame: coarse, draped, and as it was simulated."""
    from PIL import Image  # noqa: PLC0415 - of an extra that only this needs

    from pucker import render  # noqa: PLC0415

    last = len(coarse) - 1
    with render.ClipRenderer(coarse, (400, 440), view="front") as film:
        beside = [film.frame(last), film.frame(last, states[last])]
    with render.ClipRenderer(fine, (400, 440), view="front") as film:
        beside.append(film.frame(last))
    Image.fromarray(np.hstack([each[..., :3] for each in beside])).save(path)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: decimated_shirt.py SHIRT.zip PICTURE.png")
    picture(*main(Path(sys.argv[1])), Path(sys.argv[2]))
