"""Whole frames of the characters, stage by stage, and how far they are from what the work must take."""

from typing import Any, Final

from . import native, report

TITLE: Final = "Performance of whole frames"
PEERS: Final = ()
STAGES: Final = ("stretch", "labels", "reference", "persistence", "tracing", "shape", "packing")
# The theses' garments have 350 to 750 triangles.
SMALL: Final = 750
# Milliseconds that the median frame of a clip is to take with what is shipped.
SHIPPED_AIMS: Final = {"kimono_male.gltf Walk": 0.25, "kimono_male.gltf Run": 0.35, "kimono_male.gltf SitDown": 0.25}
# Rough costs of the machine's operations in nanoseconds, for the bound: a double that streams through the cache, a square
# root or division, an exponential, a node visited by a cut.
STREAM_NS, ROOT_NS, EXPONENTIAL_NS, NODE_NS = 0.25, 2.0, 4.0, 10.0


def measure() -> report.Samples:
    """Seconds of each stage and frame."""
    return {"scenes": native.run("frames")}


def bound_ms(scene: dict[str, Any]) -> float:
    """Milliseconds a frame cannot do without, by the operations its stages need (the page says which)."""
    half = len(scene["wrinkles"]) // 2
    points = report.median(scene["path_points"][half:])
    reached = report.median(scene["reached"][half:])
    triangle = 60 * STREAM_NS + 9 * ROOT_NS + 3 * EXPONENTIAL_NS + 2 * NODE_NS
    point = 40 * STREAM_NS + 30 * ROOT_NS + EXPONENTIAL_NS
    return 1e-6 * (int(scene["triangles"]) * triangle + points * point + reached * (9 * STREAM_NS + 3 * ROOT_NS))


def _totals(scene: dict[str, Any]) -> list[float]:
    """Milliseconds of each frame of the second half."""
    half = len(scene["wrinkles"]) // 2
    return [1e3 * sum(scene["seconds"][stage][k] for stage in STAGES) for k in range(half, len(scene["wrinkles"]))]


def _row(scene: dict[str, Any]) -> list[str]:
    half = len(scene["wrinkles"]) // 2
    totals = _totals(scene)
    new = scene["new_wrinkles"][half:]
    quiet = [count for count, born in zip(scene["allocations"][half:], new, strict=True) if born == 0]
    return [
        scene["name"],
        f"{scene['threshold']:g}",
        f"{100 * scene['min_width']:.3g} %",
        f"{scene['triangles']}",
        f"{sum(scene['wrinkles'][half:]) / len(totals):.1f}",
        f"{report.median(totals):.3f}",
        f"{report.percentile(totals, 0.99):.3f}",
        *(f"{1e3 * report.median(scene['seconds'][stage][half:]):.3f}" for stage in STAGES),
        f"{report.median(totals) / bound_ms(scene):.1f}",
        f"{report.median(quiet):g}" if quiet else "-",
    ]


def _slowest_row(scene: dict[str, Any]) -> list[str]:
    half = len(scene["wrinkles"]) // 2
    share = (report.percentile(scene["seconds"][stage][half:], 0.99) for stage in STAGES)
    return [
        scene["name"],
        f"{scene['threshold']:g}",
        f"{100 * scene['min_width']:.3g} %",
        *(f"{1e3 * seconds:.3f}" for seconds in share),
    ]


def _aims(scenes: list[dict[str, Any]]) -> str:
    text = ""
    for scene in scenes:
        totals = _totals(scene)
        size = f"{scene['name']}, {scene['triangles']} triangles"
        if scene["triangles"] > SMALL:
            size += " (larger than the theses' garments)"
        if scene["shipped"]:
            if scene["name"] in SHIPPED_AIMS:
                text += report.at_most(
                    f"{size}, as shipped, median", report.median(totals), SHIPPED_AIMS[scene["name"]], "ms"
                )
            continue
        if scene["name"] in SHIPPED_AIMS and "Walk" not in scene["name"]:
            continue
        if scene["threshold"] == 1.25 and scene["min_width"] > 0.0075:
            aim = 0.2 if scene["triangles"] > SMALL else 0.06
            text += report.at_most(f"{size}, τ 1.25, 1 %, median", report.median(totals), aim, "ms")
            text += report.at_most(f"{size}, τ 1.25, 1 %, p99", report.percentile(totals, 0.99), 0.5, "ms")
        if scene["threshold"] == 1.15 and scene["min_width"] < 0.0075:
            text += report.at_most(f"{size}, τ 1.15, 0.5 %, median", report.median(totals), 0.7, "ms")
    return text


def page(samples: report.Samples) -> str:
    """The page's text."""
    scenes = samples["scenes"]
    head = ["scene", "τ", "L_min", "triangles", "wrinkles", "median", "p99", *STAGES, "× bound", "allocations"]
    shipped, of_theses = ([scene for scene in scenes if scene["shipped"] == which] for which in (True, False))
    return (
        "Milliseconds per frame of `Wrinkler(clip)`: all stages on one core, from the rest pose, with wrinkles fading at sewn "
        "borders. Second half of 20 rounds of a clip, each stage of each frame as fast as in the quickest of five runs. L_min "
        "is a share of the character's height, `wrinkles` the mean number alive, `allocations` the median over frames without "
        "new wrinkles; these are queues of the maximum flow library.\n\n"
        + _aims(scenes)
        + "\n## As shipped\n\nThe default parameters.\n\n"
        + report.table(head, [_row(scene) for scene in shipped])
        + "\n## Settings of the theses\n\nTheir τ and L_min; all else as shipped, smoothing of the stretch included.\n\n"
        + report.table(head, [_row(scene) for scene in of_theses])
        + "\n## 99th percentile\n\nOf each stage as shipped, milliseconds.\n\n"
        + report.table(["scene", "τ", "L_min", *STAGES], [_slowest_row(scene) for scene in shipped])
        + f"""
## The bound

`× bound` says how many times as long the median frame takes as the operations no implementation of these formulas can do
without, each done once and nothing else:

- a triangle: about 60 numbers read or written by all stages together ({STREAM_NS} ns each while they stream through the
  second-level cache), 9 square roots and divisions ({ROOT_NS} ns) for its frame and its two stretches, 3 exponentials for
  its label costs ({EXPONENTIAL_NS} ns) and 2 nodes of the cut visited ({NODE_NS} ns);
- a point of a path: 40 numbers, 30 square roots and divisions for its direction, its carried shape, its share of the banded
  system, its size and its packed form, and an exponential for its weight;
- a triangle that a wrinkle reaches: its 9 coordinates and 3 divisions for its distance.

Flow that has to be moved, vertices that have to be passed, seeds that have to be tried and refused, and triangles that have
to be looked at to know that no wrinkle reaches them are left out: they depend on the cloth.
"""
    )
