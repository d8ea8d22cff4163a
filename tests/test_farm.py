"""Many bakes by one command: the bits of single ones, nothing finished is lost, what fails is named and the rest is made."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import farm_jobs
import numpy as np
import psutil
import pytest
from click.testing import CliRunner, Result
from farm_jobs import cluster

import pucker
from pucker import examples, farm
from pucker.cli import cli
from pucker.io.npz import write_arrays

HERE = Path(__file__).parent


def call(*arguments: str | Path) -> Result:
    return CliRunner().invoke(cli, ["bake", *map(str, arguments)], prog_name="pucker")


def failure_of(*arguments: str | Path) -> str:
    """The sentence that a call fails with."""
    result = call(*arguments)
    assert result.exit_code == 2, result.output
    return result.stderr


def character(path: Path, frames: int = 4, size: int = 6) -> None:
    """A file with a little sheet that is squeezed, of its own size and speed."""
    clip = examples.squeezed_sheet(size, size, frames=frames)
    write_arrays(path, {"faces": clip.faces, "positions": clip.positions, "times": clip.times})


def shot_of(folder: Path, text: str) -> Path:
    """A shot file beside the characters a and b."""
    folder.mkdir(exist_ok=True)
    character(folder / "a.npz")
    character(folder / "b.npz", frames=5, size=7)
    path = folder / "shot.toml"
    path.write_text(text, encoding="utf-8")
    return path


TWO = """
[all]
set.relative_width = 0.1
levels = 2

[outputs."a.glb"]
file = "a.npz"

[outputs."more/b.npz"]
file = "b.npz"
levels = 3
set.threshold = 1.05
"""


def contents(folder: Path) -> dict[str, bytes]:
    """All files but those that were being written when their process was killed."""
    files = (path for path in folder.rglob("*") if path.is_file() and not path.name.startswith("."))
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def times_of(folder: Path) -> dict[str, int]:
    return {name: (folder / name).stat().st_mtime_ns for name in contents(folder)}


# --- jobs --------------------------------------------------------------------------------------------------------


def squares(scheduler: str | None) -> dict[str, int]:
    shared = farm.Shared("numbers", list(range(10)))
    jobs = (farm.Job(f"{k}", farm_jobs.square, (k, shared)) for k in range(10))
    with farm.finished(jobs, scheduler=scheduler) as results:
        return {done.job.name: done.result for done in results}


@pytest.mark.threads
def test_workers_return_what_one_process_does() -> None:
    with cluster(processes=False) as address:
        assert squares(address) == squares(None) == {f"{k}": k * k for k in range(10)}


@pytest.mark.threads
def test_an_error_belongs_to_its_job() -> None:
    with cluster(1, processes=False) as address:
        for scheduler in (None, address):
            jobs = (farm.Job(f"{number}", farm_jobs.root, (number,)) for number in (4.0, -1.0, 9.0))
            with farm.finished(jobs, scheduler=scheduler) as results:
                found = {done.job.name: done for done in results}
            assert [found[name].value for name in ("4.0", "-1.0", "9.0")] == [2.0, None, 3.0]
            with pytest.raises(ArithmeticError, match=r"-1\.0 has no root"):
                _ = found["-1.0"].result


@pytest.mark.slow
def test_a_job_that_kills_its_workers_takes_no_other_with_it() -> None:
    jobs = (farm.Job(f"{number}", farm_jobs.deadly, (number,)) for number in (0, *range(1, 40)))
    with farm.finished(jobs, workers=2) as results:
        found = {done.job.name: done for done in results}
    assert {name for name, done in found.items() if done.error is not None} == {"0"}
    assert farm.describe(found["0"].error).startswith("KilledWorker: ")


def test_less_than_one_worker_is_refused() -> None:
    with pytest.raises(ValueError, match="at least 1 worker, not 0"), farm.finished(iter(()), workers=0):
        pass


# --- shot files --------------------------------------------------------------------------------------------------


def test_a_shot_has_the_bits_of_single_bakes(tmp_path: Path) -> None:
    shot = shot_of(tmp_path / "shot", TWO)
    result = call(shot, "-o", tmp_path / "out", "--workers", "1")
    assert result.output == f"2 outputs in {tmp_path / 'out'}: 2 made, 0 there already, 0 failed\n"
    single = tmp_path / "single"
    (single / "more").mkdir(parents=True)
    width = ["--set", "relative_width=0.1"]
    call(shot.parent / "a.npz", "-o", single / "a.glb", *width, "--levels", "2")
    call(shot.parent / "b.npz", "-o", single / "more/b.npz", *width, "--levels", "3", "--set", "threshold=1.05")
    made = contents(tmp_path / "out")
    assert {name: made.pop(name) for name in contents(single)} == contents(single)
    assert sorted(made) == ["a.glb.json", "more/b.npz.json"]
    assert json.loads(made["a.glb.json"])["files"] == ["a.glb"]


def test_a_repeated_shot_makes_what_is_missing_or_has_changed(tmp_path: Path) -> None:
    shot, out = shot_of(tmp_path, TWO), tmp_path / "out"

    def made_again() -> set[str]:
        before = times_of(out)
        assert call(shot, "-o", out, "--workers", "1").exit_code == 0
        return {name for name, time in times_of(out).items() if before.get(name) != time and name + ".json" in before}

    assert call(shot, "-o", out, "--workers", "1").exit_code == 0
    assert made_again() == set()
    (out / "a.glb").unlink()
    assert made_again() == {"a.glb"}
    (out / "a.glb.json").write_text("[1", encoding="utf-8")
    assert made_again() == {"a.glb"}
    character(tmp_path / "b.npz", frames=6)
    assert made_again() == {"more/b.npz"}
    shot.write_text(changed := TWO.replace("1.05", "1.06"), encoding="utf-8")
    assert made_again() == {"more/b.npz"}
    shot.write_text(changed.replace("levels = 2", "levels = 4"), encoding="utf-8")
    assert made_again() == {"a.glb"}


def test_what_the_command_line_sets_takes_the_place_of_the_files(tmp_path: Path) -> None:
    shot = shot_of(tmp_path, TWO)
    options = ["--workers", "1", "--set", "min_width=0.08", "--set", "threshold=1.2"]
    assert call(shot, "-o", tmp_path / "out", *options).exit_code == 0
    call(tmp_path / "b.npz", "-o", tmp_path / "b.npz.out.npz", *options[2:], "--levels", "3")
    assert (tmp_path / "out/more/b.npz").read_bytes() == (tmp_path / "b.npz.out.npz").read_bytes()


def test_an_output_that_fails_is_named_and_the_others_are_made(tmp_path: Path) -> None:
    broken = TWO + '[outputs."0.glb"]\nfile = "missing.npz"\n[outputs."1.glb"]\nfile = "broken.npz"\n'
    shot = shot_of(tmp_path, broken)
    (tmp_path / "broken.npz").write_bytes(b"no archive")
    result = call(shot, "-o", tmp_path / "out", "--workers", "1", "--json")
    assert result.exit_code == 1
    first, second = result.stderr.splitlines()
    assert first == f"pucker: 0.glb: cannot read {tmp_path / 'missing.npz'}: No such file or directory"
    assert second.startswith(f"pucker: 1.glb: {tmp_path / 'broken.npz'}")
    rows = json.loads(result.stdout)
    assert [(row["output"], row["error"] is None) for row in rows] == [
        ("a.glb", True),
        ("more/b.npz", True),
        ("0.glb", False),
        ("1.glb", False),
    ]
    assert sorted(contents(tmp_path / "out")) == ["a.glb", "a.glb.json", "more/b.npz", "more/b.npz.json"]


def test_files_of_a_shot_are_found_from_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = '[outputs."a.glb"]\nfile = "a.npz"\nmethod = "drape"\nset = {levels = 1, stiffness_map = "map.npy"}\n'
    shot = shot_of(tmp_path, text)
    np.save(tmp_path / "map.npy", np.full(len(pucker.load(tmp_path / "a.npz").positions[0]), 0.5))
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert call(shot, "-o", tmp_path / "out").exit_code == 0
    before = times_of(tmp_path / "out")
    np.save(tmp_path / "map.npy", np.full(len(pucker.load(tmp_path / "a.npz").positions[0]), 2.0))
    assert call(shot, "-o", tmp_path / "out").exit_code == 0
    assert times_of(tmp_path / "out")["a.glb"] != before["a.glb"]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("outputs = 3", "outputs in {shot} must be a table, not 3"),
        ("", "{shot} lists no outputs"),
        ("[output.a]", "{shot} has no 'output' (did you mean 'outputs'?)"),
        ('[outputs."a.glb"]', "output 'a.glb' in {shot}: it needs the key 'file'"),
        ('[outputs."a.glb"]\nfile = 3', "file must be the path of a file, not 3"),
        ('[outputs."a.glb"]\nfile = "a.npz"\nclp = "W"', "it has no 'clp' (did you mean 'clip'?)"),
        ('[outputs."a.glb"]\nfile = "a.npz"\nworkers = 2', "it has no 'workers'"),
        ('[outputs."a.glb"]\nfile = "a.npz"\nlevels = 0', "0 is not in the range x>=1"),
        ('[outputs."a.glb"]\nfile = "a.npz"\nvat = 1', "vat must be true or false, not 1"),
        ('[outputs."a.glb"]\nfile = "a.npz"\nlevels = true', "levels must be a number, a text or a list, not True"),
        ('[outputs."a.glb"]\nfile = "a.npz"\ntargets = 3', "--targets, --floats and --graph are for --skinned"),
        ('[outputs."a.glb"]\nfile = "a.npz"\nset = 3', "set must be a table, not 3"),
        ('[outputs."a.glb"]\nfile = "a.npz"\nset.treshold = 1.2', "(did you mean 'threshold'?)"),
        ('[outputs."../a.glb"]\nfile = "a.npz"', "output '../a.glb' in {shot} must be a name within the folder"),
        (
            '[outputs."a.glb"]\nfile = "a.npz"\n[outputs."A.usdc"]\nfile = "a.npz"',
            "outputs 'a.glb' and 'A.usdc' in {shot} would write files of one name",
        ),
        (
            '[outputs.maps]\nfile = "a.npz"\n[outputs."maps/a.glb"]\nfile = "a.npz"',
            "output 'maps/a.glb' in {shot} would lie in output 'maps'",
        ),
        ("[", "{shot} is not TOML: "),
    ],
)
def test_a_wrong_shot_file_is_refused_before_anything_is_made(text: str, sentence: str, tmp_path: Path) -> None:
    shot = shot_of(tmp_path, text)
    assert sentence.format(shot=shot) in " ".join(failure_of(shot, "-o", tmp_path / "out").split())
    assert not (tmp_path / "out").exists()


def test_options_of_a_shot_and_of_one_bake_are_kept_apart(tmp_path: Path) -> None:
    shot = shot_of(tmp_path, TWO)
    assert "--levels is written in the shot file" in failure_of(shot, "-o", tmp_path / "out", "--levels", "2")
    one = failure_of(tmp_path / "a.npz", "-o", tmp_path / "a.glb", "--workers", "2")
    assert "--workers and --scheduler are for a shot file" in one
    assert "cannot read shot file" in failure_of(tmp_path / "none.toml", "-o", tmp_path / "out")


# --- killed workers ----------------------------------------------------------------------------------------------


def crowd(folder: Path, count: int) -> Path:
    """A shot of so many characters, each of its own file."""
    folder.mkdir()
    lines = ["[all]\nset.relative_width = 0.1\nlevels = 3\n"]
    for k in range(count):
        character(folder / f"{k}.npz", frames=8 + k % 3, size=6 + k % 5)
        lines.append(f'[outputs."{k:02}.glb"]\nfile = "{k}.npz"\n')
    (folder / "shot.toml").write_text("".join(lines), encoding="utf-8")
    return folder / "shot.toml"


def program(shot: Path, out: Path) -> "subprocess.Popen[bytes]":
    """The command on two workers, in a group of its own."""
    command = [sys.executable, "-c", "from pucker.cli import main; main()", "bake", str(shot), "-o", str(out)]
    return subprocess.Popen([*command, "--workers", "2", "--quiet"], start_new_session=True)


def workers_of(process: "subprocess.Popen[bytes]") -> list[psutil.Process]:
    children = psutil.Process(process.pid).children()
    return [child for child in children if any("spawn_main" in part for part in child.cmdline())]


def wait_for(outputs: int, folder: Path, process: "subprocess.Popen[bytes]") -> None:
    while len(list(folder.glob("[!.]*.json"))) < outputs:
        assert process.poll() is None
        time.sleep(0.01)


def whole(folder: Path) -> dict[str, int]:
    """When the outputs that are complete were written."""
    times = times_of(folder)
    return {name: when for name, when in times.items() if f"{name}.json" in times}


def test_a_shot_whose_worker_is_killed_has_the_bits_of_one_process(tmp_path: Path) -> None:
    shot = crowd(tmp_path / "crowd", 10)
    process = program(shot, tmp_path / "out")
    wait_for(3, tmp_path / "out", process)
    finished = whole(tmp_path / "out")
    workers = workers_of(process)
    assert len(workers) == 2
    workers[0].kill()
    assert process.wait() == 0
    assert finished.items() <= whole(tmp_path / "out").items()
    assert len(whole(tmp_path / "out")) == 10
    assert call(shot, "-o", tmp_path / "here", "--workers", "1").exit_code == 0
    assert contents(tmp_path / "out") == contents(tmp_path / "here")


def test_a_shot_whose_command_is_killed_goes_on(tmp_path: Path) -> None:
    shot, out = crowd(tmp_path / "crowd", 8), tmp_path / "out"
    process = program(shot, out)
    wait_for(3, out, process)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    finished = whole(out)
    assert 3 <= len(finished) < 8
    assert call(shot, "-o", out, "--workers", "1").exit_code == 0
    assert finished.items() <= whole(out).items()
    assert len(whole(out)) == 8
