"""Draped cloth: frames, set-up and memory by level, nearness to the balance by iterations, and levels against each other."""

import subprocess
import sys
import time
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

import pucker
from pucker import drape, metrics
from pucker.method import start

from . import characters, report, scenes, shared

TITLE: Final = "Performance of draped cloth"
PEERS: Final = ()
LEVELS: Final = (1, 2, 3, 4)
# Frames that are timed: fewer where there are more triangles.
FRAMES: Final = {1: 60, 2: 60, 3: 20, 4: 6}
# Milliseconds a frame on one thread and on two, by level, as shipped and without contact.
FRAME_AIMS: Final = {(1, True): 1.5, (2, True): 12.0, (2, False): 8.0, (3, True): 30.0, (3, False): 30.0}
SHARED_AIMS: Final = {(2, True): 7.0, (2, False): 4.5, (3, True): 17.0, (3, False): 17.0}
CONTACT: Final = {True: "", False: ", without contact"}
CHARACTERS: Final = 100
"""Of the crowd, each of `CROWD_LEVEL`."""
CROWD_LEVEL: Final = 1
CROWD_FRAMES: Final = 4
CROWD_ROUNDS: Final = 3
CROWD_AIM: Final = 0.95
SETUP_AIMS: Final = {2: 0.2, 3: 1.0}
ITERATIONS: Final = (8, 15, 30, 60, 120)
CONVERGED: Final = 1000
# Compared are frames after these, as the first one has more iterations.
BEGIN: Final = 4
COMPARED: Final = 8
SUBJECTS: Final = (
    scenes.Character("kimono_male.gltf", "SitDown", ("Clothes",)),
    scenes.Character("kimono_male.gltf", "Run", ("Clothes",)),
)
ROUGH: Final = (
    *SUBJECTS,
    scenes.Character("female_dress.fbx", "HumanArmature|Female_Sitting", ("Dress",)),
    scenes.Character("female_dress.fbx", "HumanArmature|Female_Run", ("Dress",)),
    scenes.Character("mage.glb", "Sit_Floor_Down", ("Mage_Body", "Mage_Arm*")),
)

Floats = npt.NDArray[np.float64]


def _states(clip: pucker.Clip, params: drape.Params, frames: int) -> list[drape.State]:
    """Those of the first frames."""
    run = start(clip, params)
    return [run.advance(clip.positions[k], clip.times[k]) for k in range(min(frames, len(clip)))]


def _heights(states: list[drape.State]) -> Floats:
    """(F, N) over the guide."""
    faces = states[0].detail.subdivision.fine.faces
    return metrics.heights(faces, np.array([s.guide for s in states]), np.array([s.draped for s in states]))


def _params(level: int, contact: bool) -> drape.Params:
    return drape.Params().replace(levels=level, contact=contact)


def _timed(level: int, contact: bool) -> dict[str, Any]:
    """Seconds of the processor, as a user's own call spends them."""
    params = _params(level, contact)
    clip = SUBJECTS[0].load(loops=3)
    begin = time.thread_time()
    start(clip, params)
    setup = time.thread_time() - begin
    seconds = []
    states = pucker.run(clip, params)
    for _ in range(FRAMES[level]):
        begin = time.thread_time()
        state = next(states)
        seconds.append(time.thread_time() - begin)
    return {
        "triangles": state.detail.subdivision.fine.triangle_count,
        "setup": setup,
        "first": seconds[0],
        "frames": seconds[1:],
    }


def _shared(level: int, contact: bool) -> shared.Seconds:
    return shared.by_threads(SUBJECTS[0].load(loops=3), _params(level, contact), FRAMES[level])


def _crowd(characters: int) -> dict[str, Any]:
    """Seconds by the clock of a frame of all characters, each at another place of its clip, on one thread and two, which take turns."""
    clip = SUBJECTS[0].load()
    params = drape.Params().replace(levels=CROWD_LEVEL)
    walls: shared.Seconds = {"1": [], "2": []}
    for _ in range(CROWD_ROUNDS):
        for threads, seconds in walls.items():
            crowd = pucker.Crowd(int(threads))
            runs: list[Any] = [start(clip, params) for _ in range(characters)]
            for frame in range(CROWD_FRAMES + 1):
                at = [(frame + number * len(clip) // characters) % len(clip) for number in range(characters)]
                begin = time.perf_counter()
                states: list[Any] = crowd.advance(runs, [clip.positions[k] for k in at], frame / 30.0)
                # A run begins with more iterations.
                if frame > 0:
                    seconds.append(time.perf_counter() - begin)
    return {"characters": characters, "triangles": states[0].detail.subdivision.fine.triangle_count, "walls": walls}


def memory(level: int) -> float:
    """Bytes a triangle that a run takes, after some frames, in this process."""

    def resident() -> int:
        return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * 4096

    clip = SUBJECTS[0].load()
    params = drape.Params().replace(levels=level, iterations=1)
    before = resident()
    run = start(clip, params)
    for k in range(4):
        state = run.advance(clip.positions[k], clip.times[k])
    triangles: int = state.detail.subdivision.fine.triangle_count
    return (resident() - before) / triangles


def memory_alone(level: int) -> float:
    """The same in a process of its own, which has freed nothing before."""
    call = f"from bench import drape; print(drape.memory({level}))"
    done = subprocess.run([sys.executable, "-c", call], stdout=subprocess.PIPE, text=True, check=True)
    return float(done.stdout)


def _correlation(a: Floats, b: Floats) -> float:
    """Of heights, mean over frames."""
    return float(np.mean((a * b).sum(1) / np.sqrt((a * a).sum(1) * (b * b).sum(1))))


def _nearness(clip: pucker.Clip) -> dict[str, Any]:
    """How near runs of so many iterations a frame are to one that converges in every frame: whole, and in long waves."""
    shipped = drape.Params()
    converged = _states(clip, shipped.replace(iterations=CONVERGED), 20)
    full = _heights(converged)[BEGIN:]
    edge = pucker.mean_edge_length(clip.mesh, clip.positions[0])
    bands = metrics.Bands(
        converged[0].detail.subdivision.fine.faces, np.array(converged[0].guide), [edge * cut for cut in (2, 4, 8)]
    )
    out = {}
    for iterations in ITERATIONS:
        begin = time.thread_time()
        states = _states(clip, shipped.replace(iterations=iterations), 20)
        spent = time.thread_time() - begin
        heights = _heights(states)[BEGIN:]
        size = float(np.sqrt(np.square(heights).sum() / np.square(full).sum()))
        residual = float(np.mean([s.solved.residual for s in states[BEGIN:]]))
        # Shorter ones lie by chance, and are not judged by place.
        judged = float(np.mean([row.correlation for row in metrics.band_agreement(full, heights, bands)[1:]]))
        out[str(iterations)] = (_correlation(full, heights), judged, size, residual, spent)
    return out


def _levels(clip: pucker.Clip) -> dict[str, Any]:
    """Heights of the same cloth, whose folds are of one length, at two levels, by band."""
    heights: dict[int, Floats] = {}
    for level in (2, 3, 4):
        # Twice as many edges a wave, as they are half as long.
        wave = drape.Params().edges_per_wave * 2 ** (level - 2)
        states = _states(clip, drape.Params().replace(levels=level, edges_per_wave=wave, iterations=100), COMPARED)
        if level == 2:
            fine = states[0].detail.subdivision.fine
            guide = np.array(states[0].guide)
        # Vertices of a coarser level are the first of a finer one.
        heights[level] = _heights(states)[BEGIN // 2 :, : len(guide)]
    edge = pucker.mean_edge_length(fine, guide)
    bands = metrics.Bands(fine.faces, guide, [edge * cut for cut in (4, 8, 16, 32)])
    return {
        f"{level} and {level + 1}": [
            (row.shortest / edge, row.longest / edge, row.correlation, row.rms, row.share)
            for row in metrics.band_agreement(heights[level], heights[level + 1], bands)
        ]
        for level in (2, 3)
    }


def roughness(states: list[drape.State]) -> float:
    """What heights differ by from the mean of their neighbours', as a share of them."""
    return characters.roughness(states[0].detail.subdivision.fine.edges, _heights(states))


def _cases() -> list[tuple[int, bool]]:
    """Levels with contact and without."""
    return [(level, contact) for level in LEVELS for contact in CONTACT]


def measure() -> report.Samples:
    """Seconds, bytes and agreement."""
    return {
        "timed": [[level, contact, _timed(level, contact)] for level, contact in _cases()],
        "shared": [[level, contact, _shared(level, contact)] for level, contact in _cases()],
        "crowd": [_crowd(count) for count in (1, CHARACTERS)],
        "memory": {str(level): memory_alone(level) for level in LEVELS[1:]},
        "nearness": {subject.name: _nearness(subject.load()) for subject in SUBJECTS},
        "levels": _levels(SUBJECTS[0].load()),
        "rough": {subject.name: roughness(_states(subject.load(), drape.Params(), 40)) for subject in ROUGH},
    }


def _of_threads(timed: list[Any]) -> str:
    text, rows = "", []
    for level, contact, seconds in timed:
        rows.append([f"{level}{CONTACT[contact]}", *shared.cells(seconds)])
        aim = SHARED_AIMS.get((level, contact))
        if aim is not None:
            two = 1e3 * shared.medians(seconds)[1]
            text += report.at_most(f"level {level}{CONTACT[contact]}, on two threads", two, aim, "ms a frame")
        text += shared.verdict(f"level {level}{CONTACT[contact]}", seconds)
    return (
        "\nMilliseconds by the clock, medians, [on one and two threads](../threads.md):\n\n"
        + report.table(["levels", *shared.HEAD], rows)
        + "\n"
        + text
    )


def _of_crowd(found: list[dict[str, Any]]) -> str:
    rows, text = [], ""
    for each in found:
        one, two = (report.median(each["walls"][threads]) for threads in ("1", "2"))
        share = one / (2.0 * two)
        count = each["characters"]
        rows.append(
            [f"{count}", f"{1e3 * one:.1f}", f"{1e3 * two:.1f}", f"{1e3 * two / count:.2f}", f"{100.0 * share:.0f} %"]
        )
        if count > 1:
            text += report.at_least(
                f"{count} characters on two cores", share, CROWD_AIM, "of one core's speed, by core"
            )
    head = ["characters", "one thread", "two threads", "a character, on two", "share of two cores"]
    return (
        f"\n## A crowd\n\n`pucker.Crowd` of characters of {found[0]['triangles']} triangles, each at another place of *SitDown*: milliseconds by the clock of "
        "a frame of all, medians. A crowd gives each thread whole characters.\n\n"
        + report.table(head, rows)
        + "\n"
        + text
    )


def _of_frames(timed: list[Any], memory_of: dict[str, float]) -> str:
    rows, text = [], ""
    for level, contact, entry in timed:
        frame = report.median(entry["frames"])
        taken = memory_of.get(str(level)) if contact else None
        rows.append(
            [
                f"{level}{CONTACT[contact]}",
                f"{entry['triangles']}",
                f"{1e3 * entry['setup']:.0f}",
                f"{1e3 * entry['first']:.0f}",
                f"{1e3 * frame:.1f}",
                f"{1e3 * min(entry['frames']):.1f}",
                f"{1e9 * frame / entry['triangles']:.0f}",
                "–" if taken is None else f"{taken:.0f}",
            ]
        )
        aim = FRAME_AIMS.get((level, contact))
        if aim is not None:
            text += report.at_most(f"{entry['triangles']} triangles{CONTACT[contact]}", 1e3 * frame, aim, "ms a frame")
    head = [
        "levels",
        "triangles",
        "set-up",
        "first frame",
        "frame",
        "fastest frame",
        "ns a triangle",
        "bytes a triangle",
    ]
    return report.table(head, rows) + "\n" + text


def page(samples: report.Samples) -> str:
    """The page's text."""
    shipped = {level: entry for level, contact, entry in samples["timed"] if contact}
    each = {level: report.median(entry["frames"]) / entry["triangles"] for level, entry in shipped.items()}
    text = (
        "`pucker.run(clip, pucker.drape.Params())` with what is shipped but `levels`, and `contact=False` where that is said, on the kimono's "
        "`Clothes`, 960 triangles, *SitDown*: milliseconds of one processor, medians. Set-up has the thickness in it; bytes are those of the process.\n\n"
        + _of_frames(samples["timed"], samples["memory"])
    )
    for level, aim in SETUP_AIMS.items():
        if level in shipped:
            text += report.at_most(
                f"set-up of {shipped[level]['triangles']} triangles", shipped[level]["setup"], aim, "s"
            )
    text += _of_threads(samples["shared"])
    first, last = min(each), max(each)
    text += report.at_most(
        f"a triangle of level {last} against one of level {first}", each[last] / each[first], 1.5, "×"
    )
    for level, taken in samples["memory"].items():
        if level == "3":
            text += report.at_most("memory at level 3", taken, 600, "bytes a triangle")
    text += _of_crowd(samples["crowd"])
    text += (
        "\n## Iterations\n\nHeights over the guide, against a run that converges in every frame (residual 10⁻⁶), frames 5 to 20: correlation of "
        "the whole, the mean of that in [bands](../bands.md) of two coarse edges and more, which are judged by place, and size. What one frame "
        "lacks, the next ones carry along.\n\n"
    )
    for name, found in samples["nearness"].items():
        lines = [
            [count, f"{whole:.3f}", f"{judged:.3f}", f"{size:.2f}", f"{residual:.1e}", f"{1e3 * spent / 20:.1f}"]
            for count, (whole, judged, size, residual, spent) in found.items()
        ]
        text += (
            report.table([name, "whole", "judged bands", "size", "residual", "ms a frame, with the first"], lines)
            + "\n"
        )
        text += report.at_least(f"{name}, judged bands, as shipped", found["30"][1], 0.97, "") + "\n"
    text += (
        "## Levels\n\nThe same cloth, cut and fold length at two levels, 100 iterations a frame, *SitDown*: heights by [band](../bands.md), at the vertices of "
        "level 2, in edges of it.\n\n"
    )
    for name, bands in samples["levels"].items():
        lines = [
            [
                f"{low:.0f} to {high:.0f}" if np.isfinite(high) else f"above {low:.0f}",
                f"{c:.2f}",
                f"{rms:.2f}",
                f"{share:.2f}",
            ]
            for low, high, c, rms, share in bands
        ]
        text += report.table([f"levels {name}", "correlation", "size", "share"], lines) + "\n"
        text += report.at_least(f"least correlation, levels {name}", min(row[2] for row in bands), 0.9, "") + "\n"
    text += (
        "## Roughness\n\nWhat heights differ by from the mean of their neighbours', as a share of them, as shipped.\n\n"
    )
    for name, found in samples["rough"].items():
        text += report.at_most(name, found, 0.3, "of the heights")
    return text
