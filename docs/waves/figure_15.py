"""Draws Loviscach 2006, figure 15: an irregular sheet squeezed to 98, 75 and 50 %, not relaxed, relaxed, and solved."""

import io
from pathlib import Path
from typing import Final

import matplotlib.pyplot as plt
import numpy as np
import numpy.typing as npt
from PIL import Image

import pucker
from pucker import waves
from pucker.examples import irregular_sheet

RATIOS: Final = (0.98, 0.75, 0.5)
WAVELENGTH: Final = 0.12
LIGHT: Final = np.array([0.45, 0.2, 0.87])
ROWS: Final = {"random": ("random", 0), "relaxed": ("random", 400), "all at once": ("solved", 0)}


def states(
    mesh: pucker.Mesh, rest: npt.NDArray[np.float64], profile: str, start: str, rounds: int
) -> list[waves.State]:
    """The sheet at each of RATIOS, a second apart."""
    relax = {"start": start, "start_rounds": rounds, "rounds": rounds}
    params = waves.Params(
        wavelength=WAVELENGTH, unit="clip", profile=profile, gradient="full", relax=relax, crush={"threshold": 1}
    )
    field = waves.WaveField(mesh, rest, params)
    return [field.advance(rest * [ratio, 1, 1], i) for i, ratio in enumerate(RATIOS)]


def draw(axes: plt.Axes, mesh: pucker.Mesh, state: waves.State) -> None:
    """The sheet from above, lit from the right."""
    fine = pucker.Subdivision(mesh, 24)
    corners = np.asarray(state.detail.evaluate(fine.triangles, fine.barycentrics).positions)[fine.faces]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    shade = np.clip(normals @ LIGHT / np.linalg.norm(normals, axis=1), 0, 1)
    flat = state.detail.evaluate(fine.triangles, fine.barycentrics).base
    axes.tripcolor(flat[:, 0], flat[:, 1], fine.faces, facecolors=shade, cmap="gray", vmin=0, vmax=1)
    axes.triplot(state.positions[:, 0], state.positions[:, 1], mesh.faces, color="tab:orange", linewidth=0.15)
    axes.set_aspect("equal")
    axes.axis("off")


def main() -> None:
    """Writes figure_15.png beside this file."""
    mesh, rest = irregular_sheet()
    widths = [*RATIOS, RATIOS[-1]]
    figure, grid = plt.subplots(len(ROWS), 4, figsize=(7.5, 7.2), layout="constrained", width_ratios=widths)
    for row, (name, (start, rounds)) in zip(grid, ROWS.items(), strict=True):
        shown = states(mesh, rest, "cosine", start, rounds)
        shown.append(states(mesh, rest, "accordion", start, rounds)[-1])
        for column, (axes, state) in enumerate(zip(row, shown, strict=True)):
            draw(axes, mesh, state)
            axes.set_title(f"{100 * widths[column]:.0f} %, {name}" if column < 3 else "accordion", fontsize=7)
    drawn = io.BytesIO()
    figure.savefig(drawn, dpi=100)
    Image.open(drawn).convert("RGB").quantize(32).save(Path(__file__).with_suffix(".png"), optimize=True)


if __name__ == "__main__":
    main()
