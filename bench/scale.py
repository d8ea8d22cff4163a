"""Time and memory a triangle from ten thousand to a million triangles."""

from typing import Any, Final

from . import native, report, shared

TITLE: Final = "Performance by size"
PEERS: Final = ()
SERIES: Final = {
    "finer": "The same sheet, its mesh finer: wrinkles stay as many and their paths cross more triangles.",
    "larger": "A larger sheet of the same mesh: wrinkles grow in number with the triangles.",
}
AIMS: Final = {"finer": 1.2, "larger": 1.5}
# Bytes a triangle of what a frame needs and of its results.
RESULTS: Final = (113, 209)
# Lines of the cache for a point of a path and for a triangle that a wrinkle reaches.
LINES_A_POINT: Final = 12
LINES_A_REACHED: Final = 1
# Of runs that are no dynamic wrinkles.
ORDER: Final = {"by example": ("weights", "detail", "normals"), "draped": ("guide", "balance", "normals")}
STAGES: Final = ("stretch", "labels", "reference", "persistence", "tracing", "shape", "packing")


def measure() -> report.Samples:
    """Seconds of each stage and frame."""
    samples = native.run("scale")
    with shared.Others() as others:
        samples["shared"] = native.run("shared")
    for scene in samples["shared"].values():
        scene["others"] = others.rate
    return {**samples}


def _nanoseconds(scene: dict[str, Any], stages: tuple[str, ...] = STAGES) -> float:
    """Median nanoseconds a triangle, without the first frame, which sets memory aside."""
    frames = range(1, len(scene["wrinkles"]))
    totals = [sum(scene["seconds"][stage][k] for stage in stages) for k in frames]
    return 1e9 * report.median(totals) / int(scene["triangles"])


def _row(scene: dict[str, Any]) -> list[str]:
    return [
        f"{scene['triangles']}",
        f"{report.median(scene['wrinkles'][1:]):.0f}",
        f"{1e-6 * _nanoseconds(scene) * scene['triangles']:.2f}",
        f"{_nanoseconds(scene):.0f}",
        *(f"{_nanoseconds(scene, (stage,)):.1f}" for stage in STAGES),
        f"{scene['bytes_held'] / scene['triangles']:.0f}",
    ]


def page(samples: report.Samples) -> str:
    """The page's text."""
    head = ["triangles", "wrinkles", "ms a frame", "ns a triangle", *STAGES, "bytes a triangle"]
    text = (
        "A sheet that folds and is squeezed along its folds, and opens again; one core. Medians over 23 frames, each stage as "
        "fast as in the quickest of three runs, in nanoseconds a triangle. Bytes are what the heap holds for a run at its end, "
        "its own mesh not among them. A run holds at most 4096 wrinkles (`tracing.max_wrinkles`), which the largest sheet reaches.\n"
    )
    for name, about in SERIES.items():
        scenes = samples[name]
        growth = _nanoseconds(scenes[-1]) / _nanoseconds(scenes[0])
        text += (
            f"\n## {name.capitalize()}\n\n{about}\n\n"
            + report.at_most(
                f"a triangle of {scenes[-1]['triangles']} against one of {scenes[0]['triangles']}",
                growth,
                AIMS[name],
                "×",
            )
            + "\n"
            + report.table(head, [_row(scene) for scene in scenes])
        )
    return text + _of_threads(samples["shared"]) + _bound(samples["streams"], samples["larger"])


def _of_threads(scenes: dict[str, Any]) -> str:
    """A million triangles on one thread and on two."""
    text = (
        "\n## Threads\n\nMilliseconds a frame by the clock, medians, and how many times as fast each stage is [on two "
        "threads](../threads.md); the runs take turns, and have the same bits in the end, or nothing is written. The largest sheet by "
        "dynamic wrinkles; by example and draped a sheet of three levels, over eight poses and a ball that rises into it.\n\n"
    )
    rows: dict[tuple[str, ...], list[list[str]]] = {}
    verdicts = ""
    for name, scene in scenes.items():
        if not scene["same"]:
            raise ValueError(f"one thread and two do not have the same bits: {name}, {scene['triangles']} triangles")
        one, two = scene["threads"]["1"], scene["threads"]["2"]
        stages = STAGES if set(one["seconds"]) == set(STAGES) else tuple(ORDER[name])
        seconds = {count: scene["threads"][count]["whole"][1:] for count in ("1", "2")}
        rows.setdefault(stages, []).append(
            [
                name,
                *shared.cells(seconds),
                *(
                    f"{report.median(one['seconds'][stage][1:]) / report.median(two['seconds'][stage][1:]):.2f}"
                    for stage in stages
                ),
            ]
        )
        verdicts += shared.verdict(f"{scene['triangles']} triangles, {name}", seconds, scene["others"])
    tables = "\n".join(report.table(["run", *shared.HEAD, *stages], each) for stages, each in rows.items())
    return (
        text
        + tables
        + "\n"
        + verdicts
        + "\nWhere labels are cut, and where paths are merged, lengthened and traced, each step depends on those before: these stay on "
        "one thread. [Many cores](cores.md) are simulated.\n"
    )


def _bound(streams: list[dict[str, Any]], scenes: list[dict[str, Any]]) -> str:
    small, large = (1e9 * stream["seconds"] / stream["triangles"] for stream in streams)
    near, far = (1e9 * stream["line_seconds"] / stream["lines"] for stream in streams)
    triangles = scenes[-1]["triangles"]
    points = report.median(scenes[-1]["path_points"][1:]) / triangles
    reached = report.median(scenes[-1]["reached"][1:]) / triangles
    streaming = (RESULTS[0] + 2 * RESULTS[1]) / (1.5 * streams[0]["bytes"]) * (large - small)
    lines = LINES_A_POINT * points + LINES_A_REACHED * reached
    fetching = lines * (far - near)
    least = 1 + (streaming + fetching) / _nanoseconds(scenes[0])
    return (
        f"\n## The bound\n\nReading {streams[0]['bytes'] // 2} bytes a triangle from 16 arrays and writing as many into 16 others "
        f"takes {small:.1f} ns a triangle at {streams[0]['triangles']} and {large:.1f} at {streams[1]['triangles']}, beyond the caches "
        "(what is written is read first, so that it counts twice). A frame has to read at least "
        f"{RESULTS[0]} bytes a triangle (corners, neighbours, positions, the shapes and references before) and to write {RESULTS[1]} "
        f"(its frames, stretches, costs, references and compression): {streaming:.0f} ns more a triangle.\n\n"
        "Reading a number here and there in as much memory as a run holds, each without waiting for the one before, takes "
        f"{near:.1f} and {far:.1f} ns. To move a point of a path {LINES_A_POINT} lines of the cache are read (its edge's vertices and its "
        "triangle's plane and axes in both frames, its corners, its direction, its two stretches), for a triangle that a wrinkle reaches "
        f"one more, as those beside it share theirs; a triangle of the largest sheet has {points:.3f} points and {reached:.3f} such parts: "
        f"{fetching:.0f} ns more.\n\n"
        f"Together a triangle of the largest sheet costs at least **{least:.2f} ×** one of the smallest, in the file's order, each "
        "array and each line fetched once a frame.\n"
    )
