"""Saved runs of every method whose numbers were forged, with a checksum that fits: refused, or able to go on with numbers."""

import math
import struct

import numpy as np
import pytest

import pucker
from pucker import byexample, drape, waves
from pucker.examples import squeezed_sheet

CLIP = squeezed_sheet(4, 4, frames=6, compression=1.5)
FRAMES = list(CLIP)
REST = CLIP.positions[0]


def sealed(data):
    """Bytes with their FNV-1a hash, as a saved run has it."""
    seal = 0xCBF29CE484222325
    for byte in data:
        seal = (seal ^ byte) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
    return data + seal.to_bytes(8, "little")


def by_example():
    fine = byexample.LoopSubdivision(CLIP.mesh, 1).fine.vertex_count
    details = np.full((2, fine, 3), 0.01)
    synthesis = byexample.Synthesis(CLIP.mesh, 1, REST, [REST, CLIP.positions[-1]], details, equal="share")
    return byexample.ByExample(synthesis, byexample.Params(sway=0.01))


RUNS = {
    "dynamic": lambda: pucker.Wrinkler(CLIP, pucker.Params(min_width=0.05)),
    "waves": lambda: waves.WaveField(CLIP.mesh, REST, waves.Params(unit="clip", wavelength=0.3)),
    "byexample": by_example,
    "drape": lambda: drape.Drape(CLIP.mesh, REST, drape.Params(levels=1)),
}

# What a state holds that is no number by rule: where cloth does not wrinkle it has no feature.
NO_NUMBERS = ("feature_sizes",)


def numbers(thing, depth=0):
    """All floating point arrays of a state and of what it holds, by name."""
    for name in dir(thing):
        if name.startswith("_") or name in NO_NUMBERS:
            continue
        value = getattr(thing, name)
        if isinstance(value, float) or (isinstance(value, np.ndarray) and value.dtype.kind == "f"):
            yield name, np.asarray(value)
        elif depth < 2 and type(value).__module__.startswith("pucker") and not callable(value):
            yield from ((f"{name}.{inner}", array) for inner, array in numbers(value, depth + 1))


@pytest.mark.parametrize("method", RUNS)
def test_a_forged_run_never_goes_on_with_what_is_no_number(method):
    run = RUNS[method]()
    for frame in FRAMES[:4]:
        state = run.advance(frame.positions, frame.time)
    assert all(np.isfinite(array).all() for _, array in numbers(state))
    saved = run.save()[:-8]
    assert sealed(saved) == run.save()
    went_on = 0
    for at in range(15, len(saved) - 8, 17 if len(saved) < 10_000 else 53):
        for value in (math.nan, math.inf, 1e300, -1.0):
            data = sealed(saved[:at] + struct.pack("<d", value) + saved[at + 8 :])
            try:
                again = type(run).restore(data)
                if again.params != run.params:
                    continue  # any that are in their ranges may be those of a run
                state = again.advance(FRAMES[4].positions, FRAMES[4].time)
            except (pucker.Error, ValueError):
                continue
            went_on += 1
            wrong = [name for name, array in numbers(state) if not np.isfinite(array).all()]
            assert wrong == [], f"{value} at byte {at} of {len(saved)}"
    assert went_on > 0
