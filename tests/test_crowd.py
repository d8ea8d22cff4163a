"""Many characters at once: the same bits as alone, and nothing changed by a call that is refused."""

import subprocess
import sys

import numpy as np
import pytest
from motion import params_for

import pucker
from pucker.examples import bending_sleeve, folded_sheet, squeezed_sheet


@pytest.fixture(scope="module")
def clips() -> list[pucker.Clip]:
    return [bending_sleeve(), folded_sheet(9, 7), squeezed_sheet(8, 8), bending_sleeve(12, 18), folded_sheet()]


# With these parameters a frame 1e60 times as large costs more than a number of 64 bits holds.
STEEP = {"verbatim": True, "label": {"alpha": 500.0}}


def wrinklers_of(clips: list[pucker.Clip]) -> list[pucker.Wrinkler]:
    return [pucker.Wrinkler(clip.mesh, params_for(clip)) for clip in clips]


@pytest.mark.threads
@pytest.mark.parametrize("threads", [0, 1, 2, 9])
def test_characters_of_a_crowd_get_the_same_bits_as_alone(clips, threads):
    crowd = pucker.Crowd(threads)
    assert threads in (crowd.threads, 0)
    together, alone = wrinklers_of(clips), wrinklers_of(clips)
    seen = 0
    for k in range(len(clips[0])):
        states = crowd.advance(together, [clip.positions[k] for clip in clips], clips[0].times[k])
        for wrinkler, clip, state in zip(alone, clips, states, strict=True):
            expected = wrinkler.advance(clip.positions[k], clip.times[k])
            assert state.wrinkles == expected.wrinkles
            assert state.packed.points.tobytes() == expected.packed.points.tobytes()
            seen += len(state.wrinkles)
    assert [wrinkler.save() for wrinkler in together] == [wrinkler.save() for wrinkler in alone]
    assert seen > 20


@pytest.mark.threads
def test_each_character_may_have_a_time_of_its_own(clips):
    together = wrinklers_of(clips)
    times = np.arange(len(clips), dtype=np.float64)
    states = pucker.Crowd(2).advance(together, [clip.positions[0] for clip in clips], times)
    assert [state.time for state in states] == times.tolist()


@pytest.mark.threads
@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda w, p, t: (w, p[:-1], t), "positions for each of 5 runs"),
        (lambda w, p, t: (w, p, t[:-1]), "times"),
        (lambda w, p, t: (w, [*p[:-1], p[-1][1:]], t), "positions must have shape"),
        (
            lambda w, p, t: (w, [*p[:-1], np.full_like(p[-1], np.nan)], t),
            "step 4 of the crowd: positions must be finite",
        ),
        (lambda w, p, t: (w, p, [*t[:-1], -1.0]), "step 4 of the crowd: time must grow"),
        (lambda w, p, t: ([*w[:-1], w[0]], [*p[:-1], p[0]], t), "steps 0 and 4 of the crowd name the same one"),
    ],
)
def test_a_call_that_is_refused_changes_nothing(clips, change, message):
    crowd, wrinklers = pucker.Crowd(3), wrinklers_of(clips)
    crowd.advance(wrinklers, [clip.positions[0] for clip in clips], 0.0)
    before = [wrinkler.save() for wrinkler in wrinklers]
    with pytest.raises(ValueError, match=message):
        crowd.advance(*change(wrinklers, [clip.positions[1] for clip in clips], [0.1] * len(clips)))
    assert [wrinkler.save() for wrinkler in wrinklers] == before


@pytest.mark.threads
def test_a_character_that_fails_stays_as_it_was_and_the_others_go_on(clips):
    wrinklers = [pucker.Wrinkler(clip.mesh, params_for(clip, **STEEP)) for clip in clips]
    crowd = pucker.Crowd(3)
    crowd.advance(wrinklers, [clip.positions[0] for clip in clips], 0.0)
    before = wrinklers[1].save()
    positions = [clip.positions[1] for clip in clips]
    positions[1] = 1e60 * positions[1]
    with pytest.raises(ValueError, match="costs must be finite"):
        crowd.advance(wrinklers, positions, 0.1)
    assert wrinklers[1].save() == before
    for wrinkler, clip in zip(wrinklers, clips, strict=True):
        if wrinkler is not wrinklers[1]:
            alone = pucker.Wrinkler(clip.mesh, params_for(clip, **STEEP))
            alone.advance(clip.positions[0], 0.0)
            alone.advance(clip.positions[1], 0.1)
            assert wrinkler.save() == alone.save()


def run_script(script: str) -> subprocess.CompletedProcess[str]:
    head = """
import os, threading, time, pucker
from pucker.examples import bending_sleeve
clip = bending_sleeve()
params = pucker.Params(min_width=0.0075 * clip.height)
runs = [pucker.Wrinkler(clip.mesh, params) for _ in range(4)]
crowd = pucker.Crowd(3)
def step(time):
    return crowd.advance(runs, [clip.positions[0]] * len(runs), time)
step(0.0)
"""
    return subprocess.run(
        [sys.executable, "-X", "faulthandler", "-c", head + script],
        check=False,
        capture_output=True,
        text=True,
        timeout=120,
    )


def test_a_crowd_does_not_survive_a_fork_but_a_new_one_works():
    done = run_script("""
child = os.fork()
if not child:
    try:
        step(1.0)
    except pucker.Error as error:
        assert "make a new crowd" in str(error)
        crowd = pucker.Crowd(2)
        step(1.0)
        del crowd
        os._exit(7)
    os._exit(1)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
step(1.0)
""")
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("call", ["step(next(times))", "pucker.local_frames(clip.mesh, clip.positions[0])"])
def test_the_interpreter_ends_while_a_daemon_thread_is_in_a_call(call):
    done = run_script(f"""
import itertools
times = itertools.count(1)
started = threading.Event()
def work():
    while True:
        {call}
        started.set()
threading.Thread(target=work, daemon=True).start()
started.wait()
time.sleep(0.02)
print("last line")
""")
    assert done.returncode == 0, done.stderr
    assert done.stdout == "last line\n"


def test_a_crowd_of_nobody_and_of_too_many_threads():
    assert pucker.Crowd().advance([], [], 0.0) == []
    with pytest.raises(ValueError, match="threads must be at most 1024, got 5000"):
        pucker.Crowd(5000)
