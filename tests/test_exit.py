"""No thread is left behind: programs end, and the C library is unloaded, with the pool's threads awake, asleep or in a frame."""

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parent
LIBRARY = TESTS.parent / "build/python/cpp/c/libpucker.so"
THREADS = 4
HEAD = """
    import ctypes, itertools, os, sys, threading, time
    import numpy as np
    import pucker
    from pucker import drape
    from pucker.examples import squeezed_sheet

    def tasks():
        return len(os.listdir("/proc/self/task"))

    sheet = squeezed_sheet(16, 12, frames=4)
    params = drape.Params(levels=3, iterations=4)
"""


def ended(body: str, *, refused: bool = False, **environment: str) -> str:
    """What a program of its own prints that has to end by itself and soon, without a word on stderr but of a call that was refused."""
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(HEAD) + textwrap.dedent(body)],
        env={**os.environ, "PYTHONPATH": str(TESTS), **environment},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    # The interpreter may end while it writes that down.
    quiet = done.stderr == "" or (refused and done.stderr.startswith("Exception in thread"))
    assert (done.returncode, quiet) == (0, True), done.stderr
    return done.stdout


@pytest.mark.threads
@pytest.mark.parametrize("pause", [0, 0.05])
def test_a_program_ends_while_threads_wait_for_the_next_loop(pause):
    printed = ended(f"""
        pucker.threads({THREADS})
        before = tasks()
        states = pucker.run(sheet, params)
        next(states)
        time.sleep({pause})  # a tenth of a millisecond after a loop they sleep
        print(tasks() - before)
    """)
    assert printed == f"{THREADS - 1}\n"


@pytest.mark.threads
@pytest.mark.parametrize("way", ["", "sys.exit(0)", "os._exit(0)"])
def test_a_program_ends_during_a_frame_of_a_crowd_of_a_daemon_thread(way):
    # A call that begins when the interpreter has ended is refused.
    printed = ended(
        f"""
        runs = [drape.Drape(sheet.mesh, sheet.positions[0], params) for _ in range(12)]
        crowd = pucker.Crowd({THREADS})
        begun = threading.Event()

        def work():
            for frame in itertools.count():
                crowd.advance(runs, [sheet.positions[frame % 4]] * len(runs), frame / 30)
                begun.set()

        threading.Thread(target=work, daemon=True).start()
        begun.wait()
        time.sleep(0.003)  # the next frame has begun
        print("last line", flush=True)
        {way}
    """,
        refused=True,
    )
    assert printed == "last line\n"


@pytest.mark.skipif(not LIBRARY.exists(), reason="no C library; ./run test makes it")
@pytest.mark.parametrize("pause", [0, 0.05])
def test_the_c_library_has_no_thread_left_when_it_is_unloaded(pause):
    printed = ended(
        f"""
        import _ctypes
        import test_c

        before = tasks()
        library = ctypes.CDLL({str(LIBRARY)!r})
        run = test_c.Run(library, sheet, "drape", [("levels", "3"), ("iterations", "4")])
        for frame in sheet:
            run.advance(frame.positions, frame.time)
        started = tasks() - before
        run.close()
        time.sleep({pause})
        _ctypes.dlclose(library._handle)
        print(started, tasks() - before, "libpucker.so" in open("/proc/self/maps").read())
    """,
        PUCKER_THREADS=str(THREADS),
    )
    assert printed == f"{THREADS - 1} 0 False\n"


@pytest.mark.skipif(not LIBRARY.exists(), reason="no C library; ./run test makes it")
def test_a_program_ends_during_a_frame_through_c():
    printed = ended(
        f"""
        import test_c

        library = ctypes.CDLL({str(LIBRARY)!r})
        begun = threading.Event()

        def work():
            run = test_c.Run(library, sheet, "drape", [("levels", "3"), ("iterations", "60")])
            for frame in itertools.count():
                run.advance(sheet.positions[frame % 4], frame / 30)
                begun.set()

        threading.Thread(target=work, daemon=True).start()
        begun.wait()
        print("last line", flush=True)
    """,
        PUCKER_THREADS=str(THREADS),
    )
    assert printed == "last line\n"
