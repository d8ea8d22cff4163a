"""The page of memory over many frames, and the program behind it."""

import subprocess

import pytest
from bench import memory

PRINTED = """\
dynamic: 2000 frames of 200 triangles, resident 1048576, 2097152, 3145728 bytes, in use 1048576, 1048576, 1572864 bytes
by example: 2000 frames of 200 triangles, resident 5242880, 5242880, 5242880 bytes, in use 4194304, 4194304, 4194304 bytes
"""


def test_the_page_has_a_row_a_method_and_says_by_how_much_it_grew():
    page = memory.page(memory.read(PRINTED))
    assert "| dynamic | 1.00 | 2.00 | 3.00 | 1.00 | 1.00 | 1.50 |" in page
    assert "| by example | 5.00 | 5.00 | 5.00 | 4.00 | 4.00 | 4.00 |" in page
    assert "dynamic, resident, more at the end than at the start: **2 MiB**, aim ≤ 1 MiB: missed" in page
    assert "dynamic, in use, more at the end than at the start: **0.5 MiB**, aim ≤ 1 MiB: met" in page
    with pytest.raises(ValueError, match="the soak printed no line of a method, but 'none'"):
        memory.read("none")


def _soak(*arguments: str) -> subprocess.CompletedProcess[str]:
    if not memory.PROGRAM.exists():
        pytest.skip("no soak; ./run test builds it")
    command = [str(memory.PROGRAM), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)


def test_runs_of_all_methods_hold_no_more_in_the_end_and_a_leak_is_refused():
    done = _soak("--memory", "2000")
    assert (done.returncode, done.stderr) == (0, "")
    runs = memory.read(done.stdout)["runs"]
    assert [run["name"] for run in runs] == ["dynamic", "waves", "by example", "draped"]
    leaking = _soak("--memory", "2000", "--leak", "2048")
    assert leaking.returncode == 1
    for name in ("dynamic", "waves", "by example", "draped"):
        assert f"frames of {name}, by more than 1048576" in leaking.stderr


def test_too_few_frames_to_tell_are_refused():
    done = _soak("--memory", "100")
    assert (done.returncode, done.stderr) == (1, "soak: memory is looked at over at least 2000 frames, got 100\n")
