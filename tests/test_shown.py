"""What objects say of themselves."""

import base64
import io
import re
import subprocess
import sys
from types import ModuleType

import numpy as np
import pytest
from PIL import Image

import pucker
from pucker import _core
from pucker.examples import bending_sleeve

SLEEVE = bending_sleeve()
PARAMS = pucker.Params.ridges().replace(min_width=0.015)


@pytest.fixture(scope="module")
def run():
    """A run, and the state it is in after 12 frames."""
    wrinkler = pucker.Wrinkler(SLEEVE.mesh, PARAMS)
    for positions, time in zip(SLEEVE.positions[:12], SLEEVE.times, strict=False):
        state = wrinkler.advance(positions, time)
    return wrinkler, state


def test_objects_say_their_counts_and_sizes_in_one_line(run):
    wrinkler, state = run
    field = pucker.CompressionField(SLEEVE.mesh, SLEEVE.positions[11], state.stretch)
    seed = pucker.Seed(7, [0.25, 0.25, 0.5])
    triangles, edges, wrinkles = SLEEVE.mesh.triangle_count, len(SLEEVE.mesh.edges), len(state.wrinkles)
    compressing = int((state.labels == 0).sum())
    reached = int((state.packed.triangles[:, 0] > 0).sum())
    assert min(wrinkles, compressing, reached) > 1
    least, most = state.stretch.minimum.min(), state.stretch.maximum.max()
    samples = pucker.sample_curve(field, state.wrinkles[0])
    points = state.detail.evaluate([0, 1], np.full((2, 3), 1 / 3))
    said = {
        repr(SLEEVE.mesh): f"<Mesh, 400 vertices, {triangles} triangles, {edges} edges>",
        repr(pucker.Wrinkler(SLEEVE.mesh, PARAMS)): f"<Wrinkler, {triangles} triangles, before its first frame>",
        repr(wrinkler): f"<Wrinkler, {triangles} triangles, {wrinkles} wrinkles>",
        repr(
            state
        ): f"<State, frame 11 at 0.3667 s, {wrinkles} wrinkles, {compressing} of {triangles} triangles compressing>",
        repr(
            state.packed
        ): f"<PackedWrinkles, {len(state.packed.points)} points, {reached} of {triangles} triangles reached>",
        repr(state.stretch): f"<Stretch, {triangles} triangles, stretched {least:.4g} to {most:.4g} times>",
        repr(
            state.frames
        ): f"<LocalFrames, {triangles} triangles, area {state.frames.areas.sum():.4g} units of length squared>",
        repr(seed): "<Seed, triangle 7 at (0.25, 0.25, 0.5)>",
        repr(field): f"<CompressionField, {triangles} triangles, compression 1 to {field.compression.max():.4g}>",
        repr(pucker.Crowd(1)): "<Crowd, 1 thread>",
        repr(
            pucker.Subdivision(SLEEVE.mesh, 2)
        ): f"<Subdivision, {6 * triangles} triangles, {400 + edges + triangles} vertices>",
    }
    for found, expected in said.items():
        assert found == expected
    assert repr(state.motion).endswith("times, without directions>")
    assert re.fullmatch(r"<CurveSamples, \d+ points, \S+ to \S+ wide, 0 to \S+ high in units of length>", repr(samples))
    assert re.fullmatch(r"<SurfacePoints, 2 points, displaced by up to \S+ units of length>", repr(points))
    assert "48 boundary edges" not in repr(SLEEVE.report.mesh)
    assert f"{triangles} triangles" in repr(SLEEVE.report.mesh)


def picture_in(text):
    found = re.match(r'<img src="data:image/png;base64,([^"]+)"', text)
    with Image.open(io.BytesIO(base64.b64decode(found[1]))) as image:
        return np.asarray(image)


def test_clips_and_states_show_a_picture_above_what_they_say(run):
    for thing in (SLEEVE, run[1]):
        shown = thing._repr_html_()
        pixels = picture_in(shown)
        assert pixels.shape == (320, 320, 3)
        # A figure that fills the picture from top to bottom or from side to side.
        ink = np.abs(pixels.astype(int) - pixels[0, 0]).max(axis=2) > 30
        assert max(ink.any(axis=1).mean(), ink.any(axis=0).mean()) > 0.7
        assert shown.endswith(
            f"<code>{repr(thing).replace('<', '&lt;').replace('>', '&gt;').replace(chr(39), '&#x27;')}</code>"
        )


def test_the_picture_of_a_state_shows_its_wrinkles(run):
    state = run[1]
    before = pucker.Wrinkler(SLEEVE.mesh, PARAMS).advance(SLEEVE.positions[11], 0.0)
    assert not before.wrinkles
    difference = np.abs(picture_in(state._repr_html_()).astype(int) - picture_in(before._repr_html_())).max(axis=2)
    assert 0.002 < (difference > 12).mean() < 0.3


@pytest.mark.parametrize(
    "lacking", ["sys.modules['moderngl'] = None", "os.environ['MESA_GL_VERSION_OVERRIDE'] = '3.3'"]
)
def test_without_a_renderer_they_leave_it_at_words(lacking):
    program = f"""
import os, sys
{lacking}
import pucker
clip = pucker.examples.bending_sleeve()
print(clip._repr_html_(), pucker.Wrinkler(clip.mesh, pucker.Params(min_width=0.1)).advance(clip.positions[0], 0.0)._repr_html_())
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("None None\n", "")


def things(scope=_core, path=""):
    """Everything public of the core with its words, by its dotted name."""
    for name, value in vars(scope).items():
        # A constant has the words of its type, not its own.
        constant = float | int | str | tuple | dict | np.ndarray
        if name.startswith("_") or isinstance(value, constant) or type(value).__name__ == "pybind11_static_property":
            continue
        if type(value).__module__.startswith("pucker._core"):
            continue
        if isinstance(value, ModuleType) or (isinstance(value, type) and value.__module__.startswith("pucker._core")):
            yield f"{path}{name}", value.__doc__
            # What an enumeration brings along is Python's own.
            if not hasattr(value, "__members__"):
                yield from things(value, f"{path}{name}.")
        else:
            words = (value.__func__ if isinstance(value, staticmethod) else value).__doc__ or ""
            # A function's words begin with its signature.
            yield f"{path}{name}", words if isinstance(value, property) else words.partition("\n")[2]


def test_help_has_words_for_everything():
    found = dict(things())
    assert {"Wrinkler.advance", "State.packed", "MeshReport.edges", "method.State.frame", "Params"} <= found.keys()
    assert [name for name, words in found.items() if not (words or "").strip()] == []
