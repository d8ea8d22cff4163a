"""The script that runs at night: it goes on after a failure, and its sum tells of it."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

NIGHTLY = Path(__file__).parent.parent / ".ci" / "nightly"
STEPS = ["tests", "sanitizers", "soak", "fuzz", "faults", "bits", "compilers", "wheel"]


@pytest.fixture
def project(tmp_path):
    """A folder whose `run` writes down how it is called, and fails for faults and bits."""
    (tmp_path / ".ci").mkdir()
    shutil.copy(NIGHTLY, tmp_path / ".ci" / "nightly")
    run = tmp_path / "run"
    run.write_text(
        '#!/bin/sh\necho "$@" >> calls\ncase "$*" in *faults*) exit 3 ;; *bits*) echo "other bits"; exit 1 ;; esac\n'
    )
    run.chmod(0o755)
    return tmp_path


def nightly(project, *steps):
    environment = {**os.environ, "PUCKER_VENV": str(project / "no environment")}
    command = [project / ".ci" / "nightly", *steps]
    return subprocess.run(command, check=False, capture_output=True, text=True, env=environment)


def test_it_goes_on_after_a_failure_and_sums_up(project):
    result = nightly(project)
    assert result.returncode == 1
    assert len((project / "calls").read_text().splitlines()) == len(STEPS)
    told = dict(line.split(": ", 1) for line in result.stdout.split("\n\n")[-1].splitlines())
    assert list(told) == [*STEPS, "blender"]
    assert {step for step, text in told.items() if text.startswith("FAILED")} == {"faults", "bits"}
    assert told["faults"].startswith("FAILED with status 3")
    assert told["blender"] == "left out, its module is not installed"
    assert "other bits" in result.stdout
    assert (project / "build" / "nightly" / "bits.log").read_text() == "other bits\n"


def test_single_steps_can_be_named(project):
    result = nightly(project, "soak", "wheel")
    assert result.returncode == 0
    assert (project / "calls").read_text().splitlines() == ["soak 100000", "test --wheel"]
    result = nightly(project, "moon")
    assert result.returncode == 2
    assert "there is no step moon; there are tests sanitizers" in result.stderr


def test_no_source_is_compiled_by_rules_of_its_own_for_numbers():
    # A function in a header is kept once for all sources, by the rules of whichever the linker met first.
    root = NIGHTLY.parent.parent
    listings = [root / "CMakeLists.txt", *root.glob("cpp/**/CMakeLists.txt"), *root.glob("cmake/**/*.cmake")]
    assert len(listings) > 3
    for listing in listings:
        for flag in (
            "finite-math",
            "fast-math",
            "associative-math",
            "reciprocal-math",
            "unsafe-math",
            "cx-limited-range",
        ):
            assert flag not in listing.read_text().lower().replace("eigen_fast_math", ""), (listing, flag)
