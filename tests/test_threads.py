"""How many threads calls use, and that results do not depend on it."""

import os
import subprocess
import sys

import numpy as np
import pytest
from motion import params_for

import pucker
from pucker import drape
from pucker.cli import main
from pucker.examples import bending_sleeve, squeezed_sheet
from pucker.farm import local_client

SHEET = squeezed_sheet(16, 12, frames=4)


@pytest.fixture(autouse=True)
def _as_before():
    before = pucker.threads()
    yield
    pucker.threads(before)


def draped(threads: int) -> list[bytes]:
    """What each frame of a run gave on so many threads."""
    assert pucker.threads(threads) == threads
    run = drape.Drape(SHEET.mesh, SHEET.positions[0], drape.Params(levels=3, iterations=10))
    frames = []
    for positions, time in zip(SHEET.positions, SHEET.times, strict=True):
        run.advance(positions, time)
        frames.append(run.save())
    return frames


@pytest.mark.threads
def test_draped_cloth_has_the_same_bits_on_any_number_of_threads():
    alone = draped(1)
    for threads in (2, 3, 8):
        assert draped(threads) == alone


@pytest.mark.threads
@pytest.mark.parametrize("params", [pucker.Params(min_width=0.02), pucker.waves.Params(wavelength=0.2, unit="clip")])
def test_points_of_a_surface_have_the_same_bits_on_any_number_of_threads(params):
    state = list(pucker.run(SHEET, params))[2]
    triangles = np.repeat(np.arange(SHEET.mesh.triangle_count), 20)
    places = np.random.default_rng(1).dirichlet([1.0, 1.0, 1.0], len(triangles))
    found = []
    for threads in (1, 2, 3, 8):
        pucker.threads(threads)
        points = state.detail.evaluate(triangles, places)
        assert np.abs(points.displacements).max() > 0.0
        found.append(points.positions.tobytes() + points.normals.tobytes() + points.base_normals.tobytes())
    assert len(set(found)) == 1


@pytest.mark.threads
def test_a_crowd_that_is_not_told_has_what_was_set():
    pucker.threads(3)
    assert pucker.Crowd().threads == 3
    assert pucker.Crowd(2).threads == 2
    clip = bending_sleeve()
    runs = [pucker.Wrinkler(clip.mesh, params_for(clip)) for _ in range(4)]
    states = pucker.Crowd().advance(runs, [clip.positions[0]] * 4, 0.0)
    assert len({state.packed.points.tobytes() for state in states}) == 1


def test_none_is_one_a_core_and_too_many_are_refused():
    assert pucker.threads(0) >= 1
    with pytest.raises(ValueError, match="threads must be at most 1024, got 1025"):
        pucker.threads(1025)


@pytest.mark.parametrize(("before", "after"), [(None, "0"), ("3", "3")])
def test_a_command_uses_every_core_unless_the_environment_says(before, after, monkeypatch):
    monkeypatch.setenv("PUCKER_THREADS", before or "")  # what it was comes back
    if before is None:
        monkeypatch.delenv("PUCKER_THREADS")
    seen = []
    monkeypatch.setattr("pucker.cli.cli", lambda **_: seen.append(os.environ["PUCKER_THREADS"]))
    main()
    assert seen == [after]


def test_workers_of_a_sweep_use_one_thread_each(monkeypatch):
    monkeypatch.setenv("PUCKER_THREADS", "0")
    with local_client(1) as client:
        assert set(client.run(pucker.threads).values()) == {1}


def said(call: str, threads: str | None) -> subprocess.CompletedProcess[str]:
    """What a program prints that has PUCKER_THREADS in its environment."""
    environment = {name: value for name, value in os.environ.items() if name != "PUCKER_THREADS"}
    if threads is not None:
        environment["PUCKER_THREADS"] = threads
    return subprocess.run(
        [sys.executable, "-c", f"import os, pucker\n{call}"],
        check=False, capture_output=True, text=True, timeout=120, env=environment,
    )  # fmt: skip


@pytest.mark.parametrize(("threads", "expected"), [(None, "1 True"), ("3", "3 True"), ("", "1 True")])
def test_the_environment_says_how_many(threads, expected):
    crowd = int(threads) if threads else "None"
    call = f"print(pucker.threads(), {crowd} in (None, pucker.Crowd().threads))"
    done = said(call, threads)
    assert done.stdout.strip() == expected, done.stderr


@pytest.mark.parametrize("threads", ["many", "-1", "2.5", "1025"])
def test_an_environment_that_is_no_number_is_refused(threads):
    done = said("pucker.threads()", threads)
    assert f"PUCKER_THREADS must be a whole number from 0 to 1024, got '{threads}'" in done.stderr


def test_a_forked_process_drapes_on_threads_of_its_own():
    done = said(
        """
from pucker import drape
from pucker.examples import squeezed_sheet
clip = squeezed_sheet(16, 12, frames=3)
pucker.threads(3)
def last():
    run = drape.Drape(clip.mesh, clip.positions[0], drape.Params(levels=2, iterations=5))
    for positions, time in zip(clip.positions, clip.times):
        run.advance(positions, time)
    return run.save()
before = last()
child = os.fork()
if not child:
    os._exit(7 if last() == before else 1)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
assert last() == before
print("same")
""",
        None,
    )
    assert done.stdout.strip() == "same", done.stderr
