"""The project's script."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([ROOT / "run", *arguments], capture_output=True, text=True, check=False)


def test_alone_it_lists_every_command_it_knows() -> None:
    listed = set(re.findall(r"^  ([a-z]+) ", run().stdout, re.MULTILINE))
    branches = re.findall(r"^    ([a-z |]+)\)$", (ROOT / "run").read_text(encoding="utf-8"), re.MULTILINE)
    handled = {name for branch in branches for name in branch.split(" | ")}
    assert {"demo", "test", "lint", "docs"} <= listed
    assert listed == handled


def test_help_is_status_zero_on_standard_output() -> None:
    done = run("help")
    assert done.returncode == 0
    assert done.stdout == run().stdout
    assert done.stderr == ""


def test_help_of_the_viewer_builds_nothing(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    for name in ("run", "docs/viewer.md"):
        shutil.copy(ROOT / name, tmp_path / name)
    shutil.copytree(ROOT / "scripts", tmp_path / "scripts")
    done = subprocess.run([tmp_path / "run", "view", "--help"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert {"--clip", "--headless", "--frames", "--camera"} <= set(re.findall(r"--[a-z]+", done.stdout))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["docs", "run", "scripts"]


@pytest.mark.parametrize("command", ["tset", "", "--all"])
def test_an_unknown_command_is_named(command: str) -> None:
    done = run(command)
    assert done.returncode == 1
    assert f"No such command: {command}" in done.stderr
    assert done.stdout == ""


@pytest.mark.parametrize("status", [0, 3])
def test_set_up_shows_its_progress_and_if_it_fails_everything(status: int) -> None:
    made = 'for ((k = 1; k <= 25; ++k)); do echo "  [$k/25] Building $k"; echo noise; done'
    program = [
        "set -euo pipefail",
        f"source {ROOT / 'scripts' / 'progress.sh'}",
        f"work() {{ {made}; return {status}; }}",
        r"progressing '^\[[0-9]+/[0-9]+\] ' work && echo done",
    ]
    ran = subprocess.run(["bash", "-c", "\n".join(program)], capture_output=True, text=True, check=False)
    progress = [f"    [{k}/25] Building {k}" for k in (1, 11, 21)]
    lines = ran.stderr.splitlines()
    assert (ran.returncode, ran.stdout) == ((0, "done\n") if status == 0 else (status, ""))
    assert lines[:3] == progress
    assert lines.count("noise") == (0 if status == 0 else 25)
