"""The suite: every method on every scene of a folder."""

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pucker
from pucker import byexample

from .judged import PLAIN, Judged, Smoothed
from .judging import Judge
from .scene import Scene, scenes_of


def standard(scene: Scene, folder: str | os.PathLike[str]) -> dict[str, Any]:
    """What a suite compares: the coarse mesh, every method with its defaults, and the theses' formulas.

    By example where the trained set that the scene names lies in the folder of the scenes or the one above.
    """
    surfaces: dict[str, Any] = {
        PLAIN: None,
        "verbatim": pucker.Params.printed(),
        "dynamic": pucker.Params(),
        "dynamic, smooth": Smoothed(pucker.Params()),
        "waves": pucker.waves.Params(),
        "draped": pucker.drape.Params(),
    }
    if scene.trained:
        for place in (Path(folder), Path(folder).parent):
            if (place / scene.trained).is_file():
                surfaces["by example"] = byexample.Params(trained=str(place / scene.trained))
    return surfaces


def suite(
    folder: str | os.PathLike[str],
    surfaces: Mapping[str, Any] | None = None,
    *,
    scenes: Sequence[str] | None = None,
    bounds: bool = True,
) -> Iterator[Judged]:
    """Judges surfaces on every scene of a folder, scene by scene.

    Args:
        folder: Of recordings that `Scene.save` wrote.
        surfaces: What `Judge.judge` takes, by name; `standard` by default.
        scenes: Only the files of these names, without ending.
        bounds: Whether the controls, the mean detail and the second take are measured too.

    Raises:
        pucker.Error: For a scene that is not there.
    """
    for file in scenes_of(folder, scenes):
        scene = Scene.load(file)
        judge = Judge(scene)
        for name, params in (standard(scene, folder) if surfaces is None else surfaces).items():
            yield judge.judge(name, params)
        if bounds:
            yield from judge.controls()
            yield judge.mean_detail()
            again = judge.second_take()
            if again is not None:
                yield again
