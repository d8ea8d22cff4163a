"""The laws by which wrinkles get their shape, measured on ridges of simulated cloth."""

from itertools import pairwise
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

import pucker
import pucker.plot
from pucker import Profile
from pucker._core.profiles import circle_height
from pucker.metrics import Truth, ridges_of

from . import report, simulate

TITLE: Final = "Laws of wrinkles, measured"
PEERS: Final = ("scipy", "libigl")

EVERY: Final = 4
COUNT: Final = 300
# Of λ̃ − 1.
BINS: Final = (0.0, 0.01, 0.02, 0.035, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.5, 1.0, 2.0)
FEWEST: Final = 20
FITTED: Final = (0.025, 0.7)
PICTURE: Final = Path(__file__).resolve().parents[1] / "docs" / "performance" / "laws.png"
THESES: Final = (Profile.quartic, Profile.sinusoidal, Profile.arcs, Profile.bspline)
WITH_VALLEYS: Final = (Profile.wave, Profile.crease)

Array = npt.NDArray[np.float64]


def _of_truth(truth: Truth) -> dict[str, Any]:
    fold = truth.constants["wavelength"] * truth.side
    found = [
        ridges_of(truth.mesh.faces, truth.rest, truth.guide[frame], truth.folds[frame], fold, count=COUNT, seed=frame)
        for frame in range(0, len(truth), EVERY)
    ]

    def all_of(name: str) -> Array:
        return np.concatenate([getattr(each, name) for each in found])

    widths = all_of("widths")
    return {
        "truth": f"{truth.name}, {truth.fabric}",
        "steepness": (all_of("heights") / widths).tolist(),
        "widths": (widths / fold).tolist(),
        "compression": all_of("compression").tolist(),
        "distances": _numbers(all_of("distances") / widths),
        "extents": _numbers(all_of("extents") / widths),
        "section": all_of("sections").mean(axis=0).tolist(),
        "course": np.nanmedian(all_of("courses"), axis=0).tolist(),
        "crest": float(all_of("crests").mean() / all_of("heights").mean()),
    }


def _numbers(values: Array) -> list[float]:
    known: list[float] = values[np.isfinite(values)].tolist()
    return known


def measure() -> report.Samples:
    """Every resolved truth; a few seconds a frame."""
    truths = (simulate.load(*each) for each in simulate.kept())
    return {"truths": [_of_truth(truth) for truth in truths if truth.resolved]}


def _law(excess: Array) -> Array:
    """Crest to floor over the width, as the rule has it."""
    height: Array = np.asarray(Profile.bspline.measured_height(1.0, 1.0 + excess))
    return height


def _by_compression(values: Array, excess: Array) -> list[tuple[float, Array, int]]:
    """Median excess, quartiles and number of what is in each bin."""
    out = []
    for least, most in pairwise(BINS):
        inside = (excess >= least) & (excess < most)
        if inside.sum() >= FEWEST:
            out.append(
                (float(np.median(excess[inside])), np.quantile(values[inside], (0.25, 0.5, 0.75)), int(inside.sum()))
            )
    return out


def page(samples: report.Samples) -> str:
    """The figure, and the numbers behind it."""
    truths = samples["truths"]
    steepness, widths, compression = (
        np.concatenate([each[of] for each in truths]) for of in ("steepness", "widths", "compression")
    )
    excess = compression - 1.0
    _draw(truths, steepness, widths, excess)
    rows = _by_compression(steepness, excess)
    fitted = [(at, three[1]) for at, three, _ in rows if FITTED[0] <= at <= FITTED[1]]
    off = max(abs(found / float(_law(np.array(at))) - 1.0) for at, found in fitted)
    section = np.mean([each["section"] for each in truths], axis=0)
    course = np.mean([each["course"] for each in truths], axis=0)
    return (
        f"{len(excess)} ridges of the folds of {len(truths)} resolved [truths](../truths.md), cut across by "
        "`metrics.ridges_of`, beside what the dynamic method takes them to be. ε = λ̃ − 1 is the compression of the smooth "
        "coarse cloth against the cut pose, averaged over a fold. Height is from the crest to the floors of the two valleys "
        "beside it, width is between these.\n\n"
        "![](laws.png)\n\n"
        "**Cross-section.** From crest to floor, as means over each truth (the same to 0.03), and of the "
        f"[profiles](../profile.md):\n\n{_sections_table(section)}\n"
        f"A crest stands above the smooth surface with {_mean(truths, 'crest'):.2f} of the height; the rest is valley. Of the theses' profiles, which have none, that is "
        "1; of `wave` 0.64; of `crease`, the same section upside down, 0.36.\n\n"
        "**Height.** Ridges take up an eighth of the coarse mesh's compression where it is small, a half where it is large, not all of it:\n\n"
        + report.table(
            ["ε", "ridges", "height over width", "quartiles", "`measured`", "`profile`, sinusoidal", "`circle`"],
            [
                [
                    f"{at:.3f}",
                    str(number),
                    f"{three[1]:.3f}",
                    f"{three[0]:.3f} to {three[2]:.3f}",
                    f"{float(_law(np.array(at))):.3f}",
                ]
                + [f"{each(at):.3f}" for each in (_exact, _circle)]
                for at, three, number in rows
            ],
        )
        + f'\n`shape.height = "measured"` is 0.56 ε^0.8, here off by {off:.0%} at most for ε from {FITTED[0]:g} to {FITTED[1]:g}.\n\n'
        "**Width.** In widths of the fabric's fold (λ); the theses' law, s/λ̃, with s = 1.4 λ:\n\n"
        + report.table(
            ["ε", "width", "quartiles", "1.4/λ̃"],
            [
                [f"{at:.3f}", f"{three[1]:.2f}", f"{three[0]:.2f} to {three[2]:.2f}", f"{1.4 / (1.0 + at):.2f}"]
                for at, three, _ in _by_compression(widths, excess)
            ],
        )
        + "\n**Ends.** Height along a ridge over that where it is cut, by the distance from an end in widths: "
        + ", ".join(f"{share:.2f} at {0.25 * k:g}" for k, share in enumerate(course) if k)
        + ". A ridge is level within a width from its end (`shape.taper = 1`, the default); with 0 it would rise to its middle.\n\n"
        "**Neighbours.** The next crest is "
        f"{_median(truths, 'distances'):.2f} widths away: folds lie side by side. The region that is compressed at least half as much is "
        f"{_median(truths, 'extents'):.1f} widths long across them.\n\n"
        "By truth:\n\n"
        + report.table(
            ["", "ridges", "height over the law's", "width in λ", "crest", "neighbour", "region"],
            [_row(each) for each in truths],
        )
    )


def _exact(excess: float) -> float:
    return float(Profile.sinusoidal.height_for(1.0, 1.0 + excess))


def _circle(excess: float) -> float:
    return float(circle_height(1.0, 1.0 + excess))


def _mean(truths: list[dict[str, Any]], name: str) -> float:
    return float(np.mean([each[name] for each in truths]))


def _median(truths: list[dict[str, Any]], name: str) -> float:
    return float(np.median(np.concatenate([each[name] for each in truths])))


def _row(truth: dict[str, Any]) -> list[str]:
    steepness, excess = np.array(truth["steepness"]), np.array(truth["compression"]) - 1.0
    inside = (excess >= FITTED[0]) & (excess <= FITTED[1])
    ratio = float(np.median(steepness[inside] / _law(excess[inside])))
    three = [float(np.median(truth[of])) for of in ("widths", "distances", "extents")]
    return [
        truth["truth"],
        str(len(excess)),
        f"{ratio:.2f}",
        f"{three[0]:.2f}",
        f"{truth['crest']:.2f}",
        f"{three[1]:.2f}",
        f"{three[2]:.1f}",
    ]


def _profile_section(profile: Profile, count: int) -> Array:
    """From the crest to the floor, or the end of a profile that has none; of a crease from the ridge to the valley."""
    floor = np.arccos(-0.25) / np.pi if profile in WITH_VALLEYS else 1.0
    values = np.asarray(profile.value(np.linspace(0.0, 0.5 * floor, count), 1.0, 0.25))
    if profile == Profile.crease:
        values = values[::-1]
    section: Array = (values - values[-1]) / (values[0] - values[-1])
    return section


def _sections_table(measured: Array) -> str:
    shares = np.linspace(0.0, 1.0, len(measured))
    rows = [["simulated", *(f"{value:.2f}" for value in measured), ""]]
    for profile in (*THESES, *WITH_VALLEYS):
        section = _profile_section(profile, len(measured))
        rows.append(
            [f"`{profile.name}`", *(f"{value:.2f}" for value in section), f"{np.abs(section - measured).max():.2f}"]
        )
    return report.table(["share of the way", *(f"{share:g}" for share in shares), "largest difference"], rows)


def _draw(truths: list[dict[str, Any]], steepness: Array, widths: Array, excess: Array) -> None:
    figure = pucker.plot.Figure((12.0, 8.0))
    across, heights, wide, ends = figure.subplots(2, 2).ravel()
    share = np.linspace(0.0, 1.0, len(truths[0]["section"]))
    smooth = np.linspace(0.0, 1.0, 101)
    for each in truths:
        across.plot(share, each["section"], "o", color="0.5", markersize=3)
        ends.plot(0.25 * np.arange(len(each["course"])), each["course"], "o-", color="0.5", markersize=3)
    for profile in (*THESES, *WITH_VALLEYS):
        across.plot(smooth, _profile_section(profile, len(smooth)), label=profile.name)
    across.set(title="Cross-section", xlabel="from crest to floor", ylabel="height")
    across.legend()
    fine = np.geomspace(0.003, 2.0, 200)
    for axes, values in ((heights, steepness), (wide, widths)):
        for at, three, _ in _by_compression(values, excess):
            axes.errorbar(at, three[1], [[three[1] - three[0]], [three[2] - three[1]]], fmt="o", color="0.5", capsize=3)
        axes.set_xscale("log")
    heights.plot(fine, _law(fine), label="measured")
    heights.plot(fine, [_exact(each) for each in fine], label="profile, sinusoidal")
    heights.plot(fine, [_circle(each) for each in fine], label="circle")
    heights.set(title="Height over width", xlabel="ε = λ̃ − 1", ylabel="crest to floor over width", yscale="log")
    heights.legend()
    wide.plot(fine, 1.4 / (1.0 + fine), label="s/λ̃, s = 1.4 λ")
    wide.set(title="Width", xlabel="ε = λ̃ − 1", ylabel="in folds' widths λ")
    wide.legend()
    along = np.linspace(0.0, 2.0, 101)
    rise = np.minimum(along, 1.0)
    ends.plot(along, rise * rise * (3.0 - 2.0 * rise), label="taper = 1")
    ends.set(title="From an end", xlabel="distance in widths", ylabel="height")
    ends.legend()
    figure.savefig(PICTURE, dpi=80)
