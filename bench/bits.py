"""Whether the results are still the same bits: digests of whole runs, kept in a file.

An optimisation that promises the same bits is checked by comparing every array of every frame of every clip with what
they were before it. The mathematical functions of another libc or processor may differ in a last bit, so the kept
digests hold for machines like the one that made them.
"""

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import click
import numpy as np
import numpy.typing as npt

import pucker
from pucker import byexample, drape, method

from . import scenes

KEPT: Final = Path(__file__).with_name("bits.json")
_LOOPS: Final = 3


def arrays(state: method.State) -> Iterator[npt.NDArray[np.generic]]:
    """Everything a frame gave."""
    match state:
        case pucker.State():
            yield from _of_wrinkles(state)
        case pucker.waves.State():
            waves = state.waves
            yield from (waves.stretches, waves.directions, waves.wave_vectors, waves.amplitudes, waves.normals)
            yield from (state.phases, np.array(state.energy))
        case byexample.State():
            yield from (state.pose_weights, state.surface.features, state.surface.detail, state.surface.positions)
        case drape.State():
            yield from (state.lengths.fold_sizes, state.lengths.wavelengths, state.guide, state.draped)
            yield from (state.detail.fine_positions, state.detail.fine_normals, np.array(state.solved.residual))
        case _:
            raise TypeError(f"no digest of {type(state).__name__}")


def _of_wrinkles(state: pucker.State) -> Iterator[npt.NDArray[np.generic]]:
    yield from (state.labels, state.costs, state.reference, state.compression)
    for part in ("minimum", "maximum", "left", "right"):
        yield getattr(state.stretch, part)
    yield from (state.motion.minimum, state.motion.maximum)
    yield from (state.packed.triangles, state.packed.overlaps, state.packed.points)
    for wrinkle in state.wrinkles:
        yield np.array([wrinkle.id, wrinkle.alive], dtype=np.int64)
        yield np.array(wrinkle.age)
        yield from (wrinkle.vertices, wrinkle.t, wrinkle.apex, wrinkle.depth, wrinkle.triangles)
        yield from (wrinkle.points, wrinkle.knot_widths, wrinkle.knot_heights)


def _digest(clip: pucker.Clip, params: object) -> str:
    out = hashlib.sha256()
    for state in pucker.run(clip, params):
        for array in arrays(state):
            out.update(np.ascontiguousarray(array).tobytes())
    return out.hexdigest()[:16]


def digests() -> dict[str, str]:
    """The digest of each run, by name."""
    out = {}
    for character in scenes.CHARACTERS:
        clip = character.load(_LOOPS)
        for threshold, width in scenes.grid():
            params = scenes.params(clip, threshold, width)
            out[f"{character.name} {threshold:g} {width:g}"] = _digest(clip, params)
        params = scenes.params(clip, *next(scenes.grid()))
        out[f"{character.name} projection"] = _digest(clip, params.replace(persistence={"method": "projection"}))
        printed = pucker.Params.printed().replace(threshold=params.threshold, min_width=params.min_width)
        out[f"{character.name} verbatim"] = _digest(clip, printed)
        out[f"{character.name} dynamic"] = _digest(clip, pucker.Params())
        out[f"{character.name} waves"] = _digest(clip, pucker.waves.Params())
        out[f"{character.name} draped"] = _digest(character.load(), drape.Params())
    for garment in scenes.TRAINED:
        out[f"{garment.name} by example"] = _digest(garment.load(), byexample.Params(trained=str(garment.trained)))
    return out


def check(*, keep: bool) -> bool:
    """Compares with the kept digests and says which runs have changed; `keep`: keeps the new ones instead."""
    found = digests()
    if keep:
        KEPT.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
        return True
    kept = json.loads(KEPT.read_text(encoding="utf-8"))
    changed = [name for name in kept | found if kept.get(name) != found.get(name)]
    for name in changed:
        click.echo(f"changed: {name}")
    click.echo(f"{len(found) - len(changed)} of {len(found)} runs give the same bits as before")
    return not changed
