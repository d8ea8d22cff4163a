"""Ctrl-C while the program ``pucker`` imports its packages ends it as Ctrl-C later does: one sentence, status 130."""

import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from pucker.cli import cli, params

TOLD = "pucker: interrupted; what was not complete is not there\n"
# As the console script that a wheel brings, but that Ctrl-C is pressed when a module is first looked for.
PROGRAM = """
import os, signal, sys
at = sys.argv.pop(1)
signal.signal(signal.SIGINT, signal.default_int_handler)  # which the tests' own parent may ignore
class Pressed:
    def find_spec(self, name, path=None, target=None):
        if name == at:
            os.kill(os.getpid(), signal.SIGINT)
sys.meta_path.insert(0, Pressed())
from pucker.cli import main
sys.exit(main())
"""


def ended(path: Path, *words: str) -> subprocess.CompletedProcess[str]:
    path.write_text(PROGRAM)
    return subprocess.run([sys.executable, str(path), *words], capture_output=True, text=True, check=False, timeout=60)


@pytest.mark.parametrize(
    "at", ["pucker._core", "numpy", "numpy.linalg", "pucker.io", "click", "pucker.cli.errors", "pucker.cli.view"]
)
def test_the_program_is_interrupted_while_it_is_imported(at: str, tmp_path: Path) -> None:
    done = ended(tmp_path / "pucker", at, "info", "no.glb")
    assert (done.returncode, done.stdout, done.stderr) == (130, "", TOLD)


def test_a_command_is_interrupted_while_its_packages_are_imported(data_dir: Path, tmp_path: Path) -> None:
    words = ["bake", str(data_dir / "kimono_male.gltf"), "-o", str(tmp_path / "a.glb")]
    for at in ("pygltflib", "pucker.bake.clip"):
        done = ended(tmp_path / "pucker", at, *words)
        assert (done.returncode, done.stdout, done.stderr) == (130, "", TOLD)
    assert not (tmp_path / "a.glb").exists()


def test_what_a_compiled_module_makes_of_it_is_an_interruption(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(**_: object) -> None:
        raise ImportError("initialization failed") from KeyboardInterrupt()

    monkeypatch.setattr(params.command, "callback", broken)
    done = CliRunner().invoke(cli, ["params"], prog_name="pucker")
    assert (done.exit_code, done.stderr) == (130, TOLD)


def test_other_programs_keep_their_own_way(tmp_path: Path) -> None:
    done = ended(tmp_path / "mine.py", "numpy.linalg", "info", "no.glb")
    assert done.returncode != 130
    assert "KeyboardInterrupt" in done.stderr
