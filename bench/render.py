"""Time of whole frames, from packing to the picture."""

import time
from functools import reduce
from itertools import islice
from typing import Any, Final

import pucker
from pucker import byexample, drape
from pucker._core import draw
from pucker.cli import demo
from pucker.render.clip import ClipRenderer

from . import report, scenes

TITLE: Final = "Performance of drawing"
PEERS: Final = ("moderngl",)
SIZE: Final = (1920, 1080)
# Frames drawn of each run, spread over it; the first cannot have wrinkles yet.
FRAMES: Final = 5
PASSES: Final = ("compute", "shadow", "depth", "occlusion", "plain", "wrinkled")
COUNTS: Final = ("wrinkles", "patches", "bytes")
TIMES: Final = ("pack", "upload", *PASSES, "picture", "whole")
DEMO_FRAMES: Final = range(20, 60, 8)
DEMO_AIM: Final = 90.0
# Each half of the demo's video.
FILM: Final = (demo.SIZE[0] // 2, demo.SIZE[1])
# What is drawn of the wrinkles, from all to nothing.
MODES: Final = {
    "both": "the whole picture",
    "displacement": "the surface displaced, not shaded by the wrinkles' normals",
    "normals": "the wrinkles' normals on the flat surface",
    "base": "without wrinkles",
}
# What of the light is drawn.
LIGHTS: Final[dict[str, tuple[str, ...]]] = {
    "nothing": (),
    "shadows": ("shadows",),
    "occlusion": ("occlusion",),
    "shadows and occlusion": ("shadows", "occlusion"),
    "all": tuple(draw.LIGHT_PARTS),
}
LIGHT_FRAME: Final = 20
LIGHT_REPEATS: Final = 4
EXAMPLE_TIMES: Final = ("core", "upload", "compute", "plain", "picture", "whole")
SOFTWARE_NOTE: Final = (
    "This is a software rasteriser: the processor does the GPU's work; [a graphics card](gpu.md) has a page of its own (the "
    "theses' frames take 4.68 to 9.78 ms of GPU time; the aim here is 0.5 ms). Its timer queries miss compute shaders and deferred "
    "work, so the passes do not add up to `picture`.\n\n"
)


def _measure(clip: pucker.Clip, threshold: float, width: float) -> dict[str, Any]:
    params = scenes.params(clip, threshold, width)
    out: dict[str, Any] = {"threshold": threshold, "width": width, **{name: [] for name in (*COUNTS, *TIMES)}}
    step = len(clip) // FRAMES
    wrinkler = pucker.Wrinkler(clip.mesh, params)
    with ClipRenderer(clip, SIZE, params=params) as renderer:
        renderer.frame(0)  # what a driver does at a program's first use is none of a frame's time
        for frame in clip:
            state = wrinkler.advance(frame.positions, frame.time)
            if frame.index % step != step - 1:
                continue
            sent, begin = _sent(renderer), time.perf_counter()
            renderer.show(frame.index, state)
            shown = time.perf_counter()
            renderer.renderer.render(renderer.surfaces, renderer.camera, renderer.drawn_style())
            drawn = time.perf_counter()
            passes = renderer.timings()
            out["pack"].append(state.seconds["packing"])
            out["upload"].append(shown - begin)
            out["picture"].append(drawn - shown)
            out["whole"].append(sum(state.seconds.values()) + drawn - begin)
            for name in PASSES:
                out[name].append(passes.get(name, 0.0))
            out["bytes"].append(_sent(renderer) - sent)
            out["wrinkles"].append(len(state.wrinkles))
            out["patches"].append(renderer.garment.report().patches)
        out["device"] = renderer.renderer.context.info["GL_RENDERER"]
    return out


def _measure_example(garment: scenes.Garment, compute: str) -> dict[str, Any]:
    """A clip by example, its surfaces made where they are drawn or on the processor."""
    params = byexample.Params(trained=str(garment.trained), compute=compute)
    learned, clip = byexample.load(params.trained), garment.load()
    out: dict[str, Any] = {
        "garment": garment.trained.name.partition(".")[0],
        "made": compute,
        **{each: [] for each in ("bytes", *EXAMPLE_TIMES)},
    }
    out |= {"triangles": len(clip.faces) * 4**learned.levels, "poses": len(learned.details)}
    with ClipRenderer(clip, SIZE, params=params) as renderer:
        for index, state in enumerate(pucker.run(clip, params)):
            sent, begin = _sent(renderer), time.perf_counter()
            renderer.show(index, state)
            shown = time.perf_counter()
            renderer.renderer.render(renderer.surfaces, renderer.camera, renderer.drawn_style())
            drawn = time.perf_counter()
            passes = renderer.timings()
            if index == 0:
                continue  # tables that are sent once, and what a driver does at a program's first use
            core = sum(state.seconds.values())
            out["core"].append(core)
            out["upload"].append(shown - begin)
            out["picture"].append(drawn - shown)
            out["whole"].append(core + drawn - begin)
            for each in ("compute", "plain"):
                out[each].append(passes.get(each, 0.0))
            out["bytes"].append(_sent(renderer) - sent)
            if index == FRAMES:
                break
    return out


def _measure_demo() -> list[dict[str, Any]]:
    """The frames of the demo as they are and with parts of the work left out: seconds of each picture."""
    clip, params = demo.clip(), pucker.Params()
    states = list(pucker.run(clip, params))
    out = []
    for samples in (draw.SAMPLES, 0):
        with ClipRenderer(clip, demo.SIZE, params=params, samples=samples) as renderer:
            for mode in MODES:
                renderer.frame(DEMO_FRAMES[0], states[DEMO_FRAMES[0]], mode=mode)  # its programs' first use
                pictures = []
                for frame in DEMO_FRAMES:
                    begin = time.perf_counter()
                    renderer.frame(frame, states[frame], mode=mode)
                    pictures.append(time.perf_counter() - begin)
                out.append({"samples": samples, "mode": mode, "picture": pictures})
    return out


def _measure_film() -> list[dict[str, Any]]:
    """The demo's video, whose pictures are the clip as it came beside draped cloth: seconds of each picture, both halves."""
    clip, params = demo.clip(), drape.Params()
    states = list(islice(pucker.run(clip, params), DEMO_FRAMES[-1] + 1))
    out = []
    for samples in (draw.SAMPLES, 0):
        with ClipRenderer(clip, FILM, params=params, samples=samples, focus="all") as renderer:
            renderer.frame(DEMO_FRAMES[0], states[DEMO_FRAMES[0]])  # its programs' first use
            pictures = []
            for frame in DEMO_FRAMES:
                begin = time.perf_counter()
                renderer.frame(frame)
                renderer.frame(frame, states[frame])
                pictures.append(time.perf_counter() - begin)
            out.append({"samples": samples, "picture": pictures})
    return out


def _measure_light() -> list[dict[str, Any]]:
    """Seconds of all processors together that a picture takes, with parts of the light."""
    kimono = next(c for c in scenes.CHARACTERS if c.file == "kimono_male.gltf").load()
    methods = {"no wrinkles": None, "dynamic": pucker.Params(), "draped": drape.Params()}
    out = []
    for method, params in methods.items():
        state = None if params is None else next(islice(pucker.run(kimono, params), LIGHT_FRAME, None))
        with ClipRenderer(kimono, SIZE, params=params, focus="all") as renderer:
            for light, parts in LIGHTS.items():
                renderer.style = reduce(draw.without, set(draw.LIGHT_PARTS) - set(parts), draw.Style())
                renderer.frame(LIGHT_FRAME, state)  # its programs' first use
                spent = []
                for _ in range(LIGHT_REPEATS):
                    begin = time.process_time()
                    renderer.frame(LIGHT_FRAME, state)
                    spent.append(time.process_time() - begin)
                out.append({"method": method, "light": light, "spent": min(spent)})
    return out


def _sent(renderer: ClipRenderer) -> int:
    return sum(surface.uploaded for surface in renderer.surfaces)


def measure() -> report.Samples:
    """Seconds and counts of each picture."""
    clip = next(c for c in scenes.CHARACTERS if c.file == "kimono_male.gltf").load()
    return {
        "runs": [_measure(clip, threshold, width) for threshold, width in scenes.grid()],
        "demo": _measure_demo(),
        "film": _measure_film(),
        "light": _measure_light(),
        "examples": [_measure_example(each, compute) for each in scenes.TRAINED for compute in ("cpu", "gpu")],
    }


def page(samples: report.Samples) -> str:
    """The page's text."""
    device = samples["runs"][0]["device"]
    rows = [
        [
            f"{run['threshold']:g}",
            f"{100 * run['width']:g} %",
            *(f"{report.median(run[name]):.0f}" for name in COUNTS),
            *(f"{1e3 * report.median(run[name]):.2f}" for name in TIMES),
        ]
        for run in samples["runs"]
    ]
    return (
        f"Milliseconds a frame of the kimono's walk at {SIZE[0]} × {SIZE[1]} with {draw.SAMPLES} samples a pixel, medians "
        f"over {FRAMES} frames, on {device}.\n\n"
        + (SOFTWARE_NOTE if "llvmpipe" in device else "")
        + "`pack` is the CPU time of packing, `upload` that of sending a frame to the GPU, with the bytes sent; passes are GPU "
        "time by timer queries; `picture` is the wall clock of drawing and reading back; `whole` is everything, with the "
        "stages that find the wrinkles. Patches are tessellated triangles.\n\n"
        + report.table(["τ", "smallest width", *COUNTS, *TIMES], rows)
        + _page_of_light(samples)
        + _page_of_demo(samples)
        + _page_of_examples(samples)
    )


def _page_of_light(samples: report.Samples) -> str:
    spent = {(run["method"], run["light"]): run["spent"] for run in samples["light"]}
    methods = dict.fromkeys(method for method, _ in spent)
    rows = [
        [
            light,
            *(
                f"{1e3 * spent[each, light]:.0f} ({spent[each, light] / spent[each, 'nothing']:.2f})"
                for each in methods
            ),
        ]
        for light in LIGHTS
    ]
    return (
        f"\n## Light\n\nMilliseconds of processor time, all threads together, that a picture of the walking kimono takes with parts "
        f"of the [light](../render.md#light), {SIZE[0]} × {SIZE[1]} with {draw.SAMPLES} samples, and how many times that of none of "
        f"them; the least of {LIGHT_REPEATS}.\n\n" + report.table(["light", *methods], rows)
    )


def _page_of_demo(samples: report.Samples) -> str:
    times = {(run["samples"], run["mode"]): 1e3 * report.median(run["picture"]) for run in samples["demo"]}
    kinds = sorted({count for count, _ in times}, reverse=True)
    names = {count: f"{count} samples" if count else "no samples" for count in kinds}
    film = {run["samples"]: 1e3 * report.median(run["picture"]) for run in samples["film"]}
    return (
        f"\n## The demo\n\nMilliseconds by the clock of a picture of `./run demo`, {demo.SIZE[0]} × {demo.SIZE[1]}, medians over "
        f"{len(DEMO_FRAMES)} frames: of its video, draped cloth beside the clip as it came; and of dynamic wrinkles, with parts of the "
        "work left out.\n\n"
        + "".join(report.at_most(f"the video, {names[count]}", film[count], DEMO_AIM, "ms") for count in kinds)
        + "".join(report.at_most(f"dynamic, {names[count]}", times[count, "both"], DEMO_AIM, "ms") for count in kinds)
        + "\n"
        + report.table(
            ["drawn", *(names[count] for count in kinds)],
            [
                ["the video: coarse and draped", *(f"{film[count]:.0f}" for count in kinds)],
                *(
                    [f"dynamic, {about}", *(f"{times[count, mode]:.0f}" for count in kinds)]
                    for mode, about in MODES.items()
                ),
            ],
        )
    )


def _page_of_examples(samples: report.Samples) -> str:
    rows = [
        [
            run["garment"],
            run["made"],
            str(run["triangles"]),
            str(run["poses"]),
            f"{report.median(run['bytes']):.0f}",
            *(f"{1e3 * report.median(run[name]):.2f}" for name in EXAMPLE_TIMES),
        ]
        for run in samples["examples"]
    ]
    return (
        "\n## By example\n\nThe running kimono and dress with their trained sets, first frames aside. `core` is the CPU time of "
        "the method's stages: with `compute` cpu the [surface](../synthesis.md), with gpu the weights alone, as [compute programs](../computed_surface.md) "
        "make the rest; `bytes` are sent a frame, body and all.\n\n"
        + report.table(["garment", "compute", "triangles", "details", "bytes", *EXAMPLE_TIMES], rows)
    )
