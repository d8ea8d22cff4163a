"""Sweeps: each point once, nothing finished is lost whatever happens, every way of running gives the same table."""

import base64
import functools
import html
import io
import json
import math
import os
import re
import resource
import shlex
import signal
import subprocess
import sys
import threading
import time
import tomllib
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path

import numpy as np
import pandas as pd
import psutil
import pytest
import sweep_measures
from click.testing import CliRunner, Result
from farm_jobs import cluster
from PIL import Image
from sweep_measures import TRACES, grid

import pucker
from pucker import examples
from pucker.cli import cli
from pucker.native_viewer import viewer_program
from pucker.sweeps import table
from pucker.sweeps.ranking import depending, differences, ranked

HERE = Path(__file__).parent
PATHS_ONLY = functools.partial(pucker.metrics.measure, surface=False)
SHEET = examples.squeezed_sheet(6, 6, frames=11)


def measured(frame: pd.DataFrame) -> pd.DataFrame:
    """The table without what differs from run to run."""
    return frame[[name for name in frame.columns if not name.startswith("seconds.")]]


def assert_same_rows(one: pd.DataFrame, other: pd.DataFrame) -> None:
    pd.testing.assert_frame_equal(measured(one), measured(other), check_exact=True)


def times_of(folder: Path) -> dict[str, int]:
    return {path.name: path.stat().st_mtime_ns for path in folder.glob("[!.]*.parquet")}


class Counting:
    """A measure that remembers what it was called with, under the name it is given."""

    def __init__(self, name: str = "Counting") -> None:
        self.__module__, self.__qualname__ = "sweep_measures", name
        self.calls: list[tuple[float, int]] = []

    def __call__(self, clip: pucker.Clip, params: pucker.Params) -> dict[str, float]:
        self.calls.append((params.threshold, params.seed))
        return {"frames": len(clip)}


def sheet_grid(**parameters: object) -> pucker.sweep.Grid:
    return pucker.sweep.Grid(parameters, {"sheet": SHEET})


def run(grid: pucker.sweep.Grid, folder: Path, **options: object) -> pd.DataFrame:
    return pucker.sweep(grid, folder, **{"measure": sweep_measures.wrinkles, "quiet": True} | options)


def write_grid(folder: Path, text: str) -> Path:
    """A sweep file beside an OBJ sequence of two frames."""
    (folder / "sheet").mkdir()
    for k in range(3):
        vertices = "".join(f"v {x * (1 - 0.2 * k)} {y} {z}\n" for x, y, z in SHEET.positions[0])
        faces = "".join(f"f {a + 1} {b + 1} {c + 1}\n" for a, b, c in SHEET.faces)
        (folder / "sheet" / f"{k}.obj").write_text(vertices + faces)
    path = folder / "grid.toml"
    path.write_text(text)
    return path


CLIPS = '[clips.sheet]\nfile = "sheet"\nfps = 10\n'


# --- grids -------------------------------------------------------------------------------------------------------


def test_every_combination_is_one_row_that_tells_everything(tmp_path: Path) -> None:
    frame = run(grid(), tmp_path)
    assert len(frame) == 2 * 2 * 3
    assert len(set(zip(frame["clip"], frame["seed"], frame["threshold"], strict=True))) == len(frame)
    for _, row in frame.iterrows():
        clip = grid().clips[row["clip"]]
        leaves = [name for name in frame.columns[4:] if "." in name and not name.startswith("seconds.")]
        tree: dict[str, dict[str, object]] = {}
        for name in leaves:
            tree.setdefault(name.split(".")[0], {})[name.split(".")[1]] = row[name]
        top = {name: row[name] for name in ("threshold", "min_width", "interval", "verbatim", "seed")}
        params = pucker.Params(
            **{name: getattr(value, "item", lambda v=value: v)() for name, value in top.items()}, **tree
        )
        assert {name: row[name] for name in ("wrinkles", "length")} == sweep_measures.wrinkles(clip, params)
    assert set(frame["version"]) == {pucker.__version__}
    assert set(frame["measure"]) == {"sweep_measures.wrinkles"}
    assert frame["error"].isna().all()
    assert frame["wrinkles"].nunique() > 3


def test_stage_times_and_measures_of_the_package_are_columns(tmp_path: Path) -> None:
    frame = run(sheet_grid(relative_width=0.02), tmp_path, measure=PATHS_ONLY)
    direct = PATHS_ONLY(SHEET, pucker.Params(min_width=0.02 * SHEET.height))
    for name, value in direct.summary.items():
        assert frame[name][0] == value or (math.isnan(frame[name][0]) and math.isnan(value))
    assert {f"seconds.{stage}" for stage in direct.seconds} <= set(frame.columns)
    assert frame["seconds.frame"][0] > 0.0
    assert frame["measure"][0] == "pucker.metrics.run.measure(surface=False)"


def test_a_share_is_of_each_clips_height(tmp_path: Path) -> None:
    frame = run(grid(thresholds=1, seeds=1), tmp_path)
    heights = {name: clip.height for name, clip in grid().clips.items()}
    np.testing.assert_array_equal(frame["min_width"], [0.02 * heights[name] for name in frame["clip"]])
    np.testing.assert_array_equal(frame["relative_width"], 0.02)
    absolute = run(sheet_grid(min_width=[0.05]), tmp_path / "absolute")
    np.testing.assert_allclose(absolute["relative_width"], 0.05 / SHEET.height)


def test_without_a_width_it_is_what_rendering_takes(tmp_path: Path) -> None:
    assert run(sheet_grid(), tmp_path)["min_width"][0] == pucker.Params().relative_width * SHEET.height


def test_nested_and_dotted_names_are_the_same() -> None:
    nested, dotted = sheet_grid(shape={"profile": ["arcs"]}), sheet_grid(**{"shape.profile": ["arcs"]})
    assert nested.points("m") == dotted.points("m")


def test_an_id_changes_with_everything_the_measures_depend_on() -> None:
    def ids(grid: pucker.sweep.Grid, measure: str = "m") -> list[str]:
        return [point.id for point in grid.points(measure)]

    moved = pucker.Clip.from_arrays(SHEET.faces, SHEET.positions * 1.5, SHEET.times, weld=False)
    assert ids(sheet_grid()) == ids(sheet_grid())
    different = [
        ids(sheet_grid()),
        ids(sheet_grid(), "other"),
        ids(sheet_grid(threshold=1.25)),
        ids(pucker.sweep.Grid({}, {"sheet": SHEET}, [1])),
        ids(pucker.sweep.Grid({}, {"other": SHEET})),
        ids(pucker.sweep.Grid({"min_width": 0.0075 * SHEET.height}, {"sheet": moved})),
    ]
    assert len({tuple(one) for one in different}) == len(different)


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"treshold": [1.2]}, "no 'treshold' \\(did you mean 'threshold'\\?\\)"),
        ({"shape.hight": ["circle"]}, "no 'shape.hight' \\(did you mean 'shape.height'\\?\\)"),
        ({"profile": ["arcs"]}, "no 'profile' \\(did you mean 'shape.profile'\\?\\)"),
        ({"seed": [1]}, "'seed' is swept by the list 'seeds'"),
        ({"threshold": []}, "threshold needs at least one value"),
        ({"threshold": [1.2, 1.3, 1.2]}, "threshold lists 1.2 twice"),
        ({"threshold": [1.2, -1.0]}, r"params.threshold .* got -1"),
        ({"shape.profile": ["arcs", "circle"]}, "params.shape.profile must be one of .* got 'circle'"),
        ({"threshold": [[1.2]]}, r"params.threshold must be a number, got \[1.2\]"),
        ({"relative_width": ["wide"]}, "relative_width must be a number, got 'wide'"),
        ({"min_width": 0.1, "relative_width": 0.1}, "cannot have both min_width and relative_width"),
    ],
)
def test_a_wrong_grid_is_refused_by_name_and_value(parameters: dict[str, object], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        sheet_grid(**parameters)


def test_a_clip_without_height_needs_an_absolute_width() -> None:
    flat = pucker.Clip.from_arrays(SHEET.faces, 0.0 * SHEET.positions, SHEET.times, weld=False)
    with pytest.raises(ValueError, match=r"clip 'flat': params\.min_width must be given for a clip without height"):
        pucker.sweep.Grid({}, {"flat": flat})
    (point,) = pucker.sweep.Grid({"min_width": 0.1}, {"flat": flat}).points("m")
    assert point.params.min_width == 0.1


def test_a_grid_without_clips_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one clip"):
        pucker.sweep.Grid({"threshold": [1.2]}, {})


# --- sweep files -------------------------------------------------------------------------------------------------


def test_a_sweep_file_is_the_grid_it_describes(tmp_path: Path) -> None:
    text = "seeds = [3, 4]\n[parameters]\nthreshold = [1.1, 1.2]\nshape.profile = 'arcs'\n" + CLIPS + "frames = 2\n"
    read = pucker.sweep.Grid.from_toml(write_grid(tmp_path, text))
    clip = pucker.load(tmp_path / "sheet", fps=10)
    short = pucker.Clip.from_arrays(clip.faces, clip.positions[:2], clip.times[:2], weld=False)
    made = pucker.sweep.Grid({"threshold": [1.1, 1.2], "shape": {"profile": ["arcs"]}}, {"sheet": short}, [3, 4])
    assert read.points("m") == made.points("m")
    assert len(read.clips["sheet"]) == 2


def test_cutting_a_clip_keeps_the_height_a_share_is_of(data_dir: Path, tmp_path: Path) -> None:
    walk = f'[clips.walk]\nfile = "{data_dir}/kimono_male.gltf"\nclip = "Walk"\nparts = ["Band"]\n'
    whole, cut = tmp_path / "whole.toml", tmp_path / "cut.toml"
    whole.write_text(walk)
    cut.write_text(walk + "frames = 5\n")
    (one,), (other,) = (pucker.sweep.Grid.from_toml(path).points("m") for path in (whole, cut))
    assert one.params == other.params
    assert one.id != other.id


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("seed = [0]\n" + CLIPS, "grid.toml has no 'seed' \\(did you mean 'seeds'\\?\\)"),
        (CLIPS + 'part = ["a"]\n', "clip 'sheet' in .*grid.toml has no 'part' \\(did you mean 'parts'\\?\\)"),
        ("[parameters]\nthreshhold = [1.2]\n" + CLIPS, "no 'threshhold' \\(did you mean 'threshold'\\?\\)"),
        (
            "[parameters]\nfold_size = [0.1]\n" + CLIPS,
            "fold_size is a parameter of drape, but the grid's method is dynamic",
        ),
        ("[parameters]\nthreshold = [1.2\n" + CLIPS, "sweep file .*grid.toml is not TOML: "),
        ("parameters = 3\n" + CLIPS, "parameters in .*grid.toml must be a table, not 3"),
        ("[clips.sheet]\nfps = 10\n", "clip 'sheet' in .*grid.toml must be a table with the key 'file'"),
        (CLIPS + 'loops = "two"\n', "loops of clip 'sheet' in .* must be of kind int, got 'two'"),
        (CLIPS + "frames = 4\n", r"frames of clip .* must lie in \[1, 3\], got 4"),
        ("seeds = [0.5]\n" + CLIPS, "params.seed must be a whole number .* got 0.5"),
        ("", "a grid needs at least one clip"),
    ],
)
def test_a_wrong_sweep_file_is_refused_by_name_and_value(text: str, sentence: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=sentence):
        pucker.sweep.Grid.from_toml(write_grid(tmp_path, text))


def test_a_missing_sweep_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(pucker.Error, match=r"none\.toml: No such file"):
        pucker.sweep(tmp_path / "none.toml", tmp_path)


# --- points ------------------------------------------------------------------------------------------------------


def test_only_what_is_missing_is_run(tmp_path: Path) -> None:
    whole = grid()
    part = pucker.sweep.Grid(whole.parameters | {"threshold": [1.1, 1.2]}, whole.clips, [0])
    first, second = Counting(), Counting()
    run(part, tmp_path, measure=first)
    before = times_of(tmp_path)
    frame = run(whole, tmp_path, measure=second)
    assert len(first.calls) == 4
    assert Counter(first.calls) + Counter(second.calls) == Counter(zip(frame["threshold"], frame["seed"], strict=True))
    assert before.items() <= times_of(tmp_path).items()


def test_rows_read_back_are_those_returned(tmp_path: Path) -> None:
    frame = run(grid(), tmp_path)
    read = pucker.sweep.load(tmp_path)
    key = ["clip", "threshold", "seed"]
    pd.testing.assert_frame_equal(
        read.sort_values(key, ignore_index=True), frame.sort_values(key, ignore_index=True), check_exact=True
    )
    pd.testing.assert_frame_equal(run(grid(), tmp_path), frame, check_exact=True)


def test_a_folder_of_points_is_a_parquet_dataset(tmp_path: Path) -> None:
    run(grid(), tmp_path, measure=sweep_measures.picky)
    assert len(pd.read_parquet(tmp_path)) == 12


def test_a_failing_point_has_its_error_and_the_others_go_on(tmp_path: Path) -> None:
    frame = run(grid(), tmp_path, measure=sweep_measures.picky)
    failed = frame["threshold"] == 1.3
    assert failed.sum() == 4
    assert set(frame["error"][failed]) == {"ArithmeticError: 1.3 is too much"}
    assert frame["error"][~failed].isna().all()
    assert frame["wrinkles"].isna().equals(failed)


def test_a_failed_point_is_run_again_on_request_only(tmp_path: Path) -> None:
    run(grid(), tmp_path, measure=sweep_measures.picky)
    mended = Counting("picky")
    assert run(grid(), tmp_path, measure=mended)["error"].notna().sum() == 4
    assert mended.calls == []
    assert run(grid(), tmp_path, measure=mended, retry=True)["error"].isna().all()
    assert [threshold for threshold, _ in mended.calls] == [1.3] * 4


@pytest.mark.parametrize(
    ("result", "sentence"),
    [
        ({"threshold": 1.0}, "ValueError: a measure cannot be called 'threshold': that is a column of every row"),
        ({"name": "x"}, "ValueError: could not convert string to float: 'x'"),
        (None, "TypeError: .*"),
    ],
)
def test_what_is_no_measure_is_an_error_of_its_point(result: object, sentence: str, tmp_path: Path) -> None:
    (error,) = run(sheet_grid(), tmp_path, measure=lambda _clip, _params: result)["error"]
    assert pd.Series([error]).str.fullmatch(sentence)[0]


def test_a_measure_without_a_name_is_refused(tmp_path: Path) -> None:
    nameless = Counting()
    del nameless.__qualname__
    with pytest.raises(ValueError, match="a measure must be a function, so that it has a name"):
        run(sheet_grid(), tmp_path, measure=nameless)


def test_rows_as_a_dataset_have_a_dimension_for_what_varies(tmp_path: Path) -> None:
    frame = run(grid(), tmp_path)
    dataset = pucker.sweep.to_xarray(frame)
    assert dict(dataset.sizes) == {"clip": 2, "seed": 2, "threshold": 3}
    for _, row in frame.iterrows():
        place = dataset.sel(clip=row["clip"], seed=row["seed"], threshold=row["threshold"])
        assert float(place["wrinkles"]) == row["wrinkles"]
    assert dataset.attrs["shape.profile"] == "crease"
    assert dataset.attrs["version"] == pucker.__version__


def test_a_dataset_needs_rows_that_can_be_told_apart(tmp_path: Path) -> None:
    frame = run(grid(), tmp_path)
    with pytest.raises(ValueError, match="more than one row for clip, seed, threshold"):
        pucker.sweep.to_xarray(pd.concat([frame, frame]))
    with pytest.raises(ValueError, match="needs a row without an error"):
        pucker.sweep.to_xarray(frame.assign(error="broken"))


# --- what goes wrong ---------------------------------------------------------------------------------------------


def test_a_damaged_point_is_named_and_made_anew_once_it_is_deleted(tmp_path: Path) -> None:
    frame = run(grid(), tmp_path)
    damaged = sorted(tmp_path.glob("*.parquet"))[3]
    damaged.write_bytes(damaged.read_bytes()[:-100])
    for read in (lambda: pucker.sweep.load(tmp_path), lambda: run(grid(), tmp_path)):
        with pytest.raises(pucker.Error, match=rf"{damaged.name} is damaged: delete it"):
            read()
    damaged.unlink()
    assert_same_rows(run(grid(), tmp_path), frame)


def test_another_table_in_the_folder_is_named(tmp_path: Path) -> None:
    pd.DataFrame({"x": [1, 2]}).to_parquet(tmp_path / "other.parquet")
    with pytest.raises(pucker.Error, match=r"other\.parquet is not a point of a sweep"):
        pucker.sweep.load(tmp_path)


def test_what_a_killed_sweep_was_writing_is_no_point(tmp_path: Path) -> None:
    frame = run(grid(), tmp_path)
    (tmp_path / f".{frame['id'][0]}-12345678.parquet").write_bytes(b"PAR1")
    assert len(pucker.sweep.load(tmp_path)) == len(frame)
    assert len(pd.read_parquet(tmp_path)) == len(frame)


@pytest.mark.parametrize("folder", ["nowhere", "."])
def test_a_folder_without_points_is_named(folder: str, tmp_path: Path) -> None:
    with pytest.raises(pucker.Error, match="holds no points of a sweep"):
        pucker.sweep.load(tmp_path / folder)


def test_a_folder_that_cannot_be_written_is_told_before_anything_runs(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    counting = Counting()
    with pytest.raises(OSError, match="file"):
        run(sheet_grid(), tmp_path / "file" / "sweep", measure=counting)
    with pytest.raises(OSError, match="file"):
        run(sheet_grid(), tmp_path / "file", measure=counting)
    assert counting.calls == []


@contextmanager
def no_room(most: int) -> Iterator[None]:
    """No file may become larger."""
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, limits[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)


def test_without_room_for_a_point_the_sweep_ends_and_goes_on_later(tmp_path: Path) -> None:
    few = run(grid(thresholds=1), tmp_path)
    before = times_of(tmp_path)
    with no_room(1000), pytest.raises(OSError, match=r"\.parquet cannot be written: File too large"):
        run(grid(), tmp_path)
    assert times_of(tmp_path) == before
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(before)
    whole = run(grid(), tmp_path)
    assert before.items() <= times_of(tmp_path).items()
    assert_same_rows(whole[whole["threshold"] == 1.1].reset_index(drop=True), few)


def program(folder: Path, traces: Path, *, workers: int = 1) -> "subprocess.Popen[bytes]":
    """The sweep of `sweep_measures` in a process of its own."""
    command = [sys.executable, sweep_measures.__file__, str(folder), str(workers)]
    return subprocess.Popen(command, env={**os.environ, TRACES: str(traces)}, start_new_session=True)


def kill_at_random_moments(kills: int, rng: np.random.Generator, tmp_path: Path, *, workers: int) -> None:
    """Kills a sweep so often after it has written another point, then lets it end and checks what it found."""
    folder = tmp_path / "sweep"
    finished: dict[str, int] = {}
    for _ in range(kills):
        process = program(folder, tmp_path, workers=workers)
        while len(times_of(folder)) == len(finished) and process.poll() is None:
            time.sleep(0.005)
        time.sleep(rng.uniform(0.0, 0.05))
        process.send_signal(signal.SIGKILL)
        process.wait()
        assert finished.items() <= times_of(folder).items()
        finished = times_of(folder)
    assert program(folder, tmp_path, workers=workers).wait() == 0
    assert finished.items() <= times_of(folder).items()
    found = pucker.sweep.load(folder)
    undisturbed = run(grid(thresholds=8), tmp_path / "undisturbed").assign(measure="sweep_measures.slow")
    key = ["clip", "threshold", "seed"]
    assert_same_rows(
        found.drop(columns="id").assign(measure="sweep_measures.slow").sort_values(key, ignore_index=True),
        undisturbed.drop(columns="id").sort_values(key, ignore_index=True),
    )
    # A point is measured again only if its process was killed between measuring and writing it.
    measured_points = (tmp_path / "measured").read_text().splitlines()
    assert len(measured_points) <= len(found) + kills * (1 if workers == 1 else 2 * workers)


def test_a_killed_sweep_goes_on(rng: np.random.Generator, tmp_path: Path) -> None:
    kill_at_random_moments(2, rng, tmp_path, workers=1)


@pytest.mark.slow
def test_a_sweep_killed_twenty_times_ends_with_the_rows_of_an_undisturbed_one(
    rng: np.random.Generator, tmp_path: Path
) -> None:
    kill_at_random_moments(20, rng, tmp_path, workers=1)


@pytest.mark.slow
def test_a_sweep_killed_with_its_workers_goes_on(rng: np.random.Generator, tmp_path: Path) -> None:
    kill_at_random_moments(3, rng, tmp_path, workers=2)


def test_two_sweeps_into_one_folder_share_it(tmp_path: Path) -> None:
    counting = Counting()
    frames: list[pd.DataFrame] = []

    def sweep() -> None:
        frames.append(run(grid(), tmp_path, measure=counting))

    threads = [threading.Thread(target=sweep) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert_same_rows(frames[0], frames[1])
    assert len(times_of(tmp_path)) == len(frames[0]) == 12


@pytest.mark.slow
def test_two_processes_that_sweep_into_one_folder_seldom_measure_a_point_twice(tmp_path: Path) -> None:
    processes = [program(tmp_path / "sweep", tmp_path) for _ in range(2)]
    assert [process.wait() for process in processes] == [0, 0]
    found = pucker.sweep.load(tmp_path / "sweep")
    assert len(found) == 32
    assert len((tmp_path / "measured").read_text().splitlines()) < 1.5 * len(found)


# --- dask --------------------------------------------------------------------------------------------------------


@pytest.mark.threads
def test_the_workers_of_a_scheduler_give_the_same_table(tmp_path: Path) -> None:
    with cluster(processes=False) as address:
        frame = run(grid(), tmp_path / "dask", measure=sweep_measures.picky, scheduler=address)
    assert_same_rows(frame, run(grid(), tmp_path / "here", measure=sweep_measures.picky))
    assert_same_rows(pucker.sweep.load(tmp_path / "dask"), pucker.sweep.load(tmp_path / "here"))


def test_without_workers_there_is_no_sweep(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="at least 1 worker, not 0"):
        run(grid(), tmp_path, workers=0)


class Unloadable(Counting):
    def __reduce__(self) -> tuple[object, ...]:
        return import_module, ("nowhere",)


def test_workers_must_have_the_same_version_and_the_measure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with cluster(1, processes=False) as address:
        with pytest.raises(ValueError, match=r"workers cannot load the measure .*: ModuleNotFoundError: .*'nowhere'"):
            run(grid(), tmp_path, measure=Unloadable(), scheduler=address)
        monkeypatch.setattr("pucker.farm._version", lambda: "0.0.1")
        with pytest.raises(ConnectionError, match=rf"worker .* runs pucker 0\.0\.1, this process {pucker.__version__}"):
            run(grid(), tmp_path, scheduler=address)
    assert times_of(tmp_path) == {}


def test_a_scheduler_that_does_not_answer_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pucker.farm._PATIENCE", 0.5)
    with pytest.raises(ConnectionError, match=r"no dask scheduler answers at tcp://127\.0\.0\.1:1"):
        run(grid(), tmp_path, scheduler="tcp://127.0.0.1:1")
    with pytest.raises(ConnectionError, match="no dask scheduler answers at nonsense"):
        run(grid(), tmp_path, scheduler="nonsense")
    with (
        cluster(0, processes=False) as address,
        pytest.raises(ConnectionError, match=f"the dask scheduler at {address} has no workers"),
    ):
        run(grid(), tmp_path, scheduler=address)


@pytest.mark.slow
def test_a_local_cluster_of_two_processes_gives_the_same_table(tmp_path: Path) -> None:
    here = run(grid(), tmp_path / "here")
    with cluster() as address:
        assert_same_rows(run(grid(), tmp_path / "dask", scheduler=address), here)
    assert_same_rows(run(grid(), tmp_path / "own", workers=2), here)


@pytest.mark.slow
def test_a_point_whose_worker_is_killed_runs_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(TRACES, str(tmp_path))
    frame = run(grid(), tmp_path / "dask", measure=sweep_measures.deadly_once, workers=2)
    assert (tmp_path / "killed").exists()
    here = run(grid(), tmp_path / "here", measure=sweep_measures.deadly_once)
    assert_same_rows(frame, here)


@pytest.mark.slow
def test_a_point_that_kills_every_worker_has_that_error(tmp_path: Path) -> None:
    frame = run(pucker.sweep.Grid({"threshold": [1.2, 1.3]}, {"sheet": SHEET}), tmp_path, measure=sweep_measures.deadly,
                workers=2)  # fmt: skip
    assert frame["error"].isna().tolist() == [True, False]
    assert frame["error"][1].startswith("KilledWorker: ")


@pytest.mark.slow
def test_when_the_scheduler_goes_away_what_is_finished_stays(tmp_path: Path) -> None:
    address = "tcp://127.0.0.1:18786"
    environment = {**os.environ, TRACES: str(tmp_path), "PYTHONPATH": str(HERE)}
    dask = [sys.executable, "-m", "dask"]
    options = ["--host", "127.0.0.1", "--port", "18786", "--no-dashboard"]
    scheduler = subprocess.Popen([*dask, "scheduler", *options], env=environment)
    worker = subprocess.Popen([*dask, "worker", address, "--nthreads", "1", "--no-dashboard"], env=environment)
    try:
        killer = threading.Thread(target=kill_after_points, args=(scheduler, tmp_path / "sweep", 3))
        killer.start()
        with pytest.raises(ConnectionError, match="the dask scheduler went away"):
            run(grid(thresholds=8), tmp_path / "sweep", measure=sweep_measures.slow, scheduler=address)
        killer.join()
    finally:
        for process in (scheduler, worker):
            process.kill()
            process.wait()
    finished = times_of(tmp_path / "sweep")
    assert 3 <= len(finished) < 32
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(TRACES, str(tmp_path))
        frame = run(grid(thresholds=8), tmp_path / "sweep", measure=sweep_measures.slow)
    assert finished.items() <= times_of(tmp_path / "sweep").items()
    assert len(frame) == 32


def kill_after_points(process: "subprocess.Popen[bytes]", folder: Path, points: int) -> None:
    while len(times_of(folder)) < points:
        time.sleep(0.01)
    process.kill()


# --- command line ------------------------------------------------------------------------------------------------


PLAIN = "[parameters]\nthreshold = [1.1, 1.3]\nrelative_width = 0.02\n" + CLIPS


def call(*arguments: str | Path) -> Result:
    return CliRunner().invoke(cli, ["sweep", *map(str, arguments), "--workers", "1"], prog_name="pucker")


@pytest.fixture
def picky(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the command measures fails at a threshold of 1.3."""
    monkeypatch.setattr("pucker.metrics.measure", sweep_measures.picky)


@pytest.fixture
def cheap(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the command measures takes no time."""
    monkeypatch.setattr("pucker.metrics.measure", sweep_measures.wrinkles)


@pytest.mark.usefixtures("cheap")
def test_the_command_does_what_the_call_does(tmp_path: Path) -> None:
    path = write_grid(tmp_path, PLAIN)
    result = call(path, "-o", tmp_path / "points")
    assert (result.exit_code, result.stdout) == (0, f"2 points in {tmp_path / 'points'}\n")
    assert_same_rows(pucker.sweep.load(tmp_path / "points"), run(pucker.sweep.Grid.from_toml(path), tmp_path / "call"))


@pytest.mark.usefixtures("cheap")
def test_the_command_writes_tables_and_json(tmp_path: Path) -> None:
    path = write_grid(tmp_path, PLAIN)
    table = call(path, "-o", tmp_path / "points", "--table", tmp_path / "all.csv", "--json")
    quiet = call(path, "-o", tmp_path / "points", "--table", tmp_path / "all.parquet", "--quiet")
    assert (quiet.exit_code, quiet.output) == (0, "")
    frame = pucker.sweep.load(tmp_path / "points")
    rows = json.loads(table.stdout)
    for read in (
        pd.DataFrame(rows),
        pd.read_csv(tmp_path / "all.csv"),
        pd.read_parquet(tmp_path / "all.parquet"),
    ):
        assert list(read.columns) == list(frame.columns)
        np.testing.assert_allclose(read["length"], frame["length"], rtol=1e-14)
    assert sorted(item.name for item in tmp_path.iterdir()) == [
        "all.csv",
        "all.parquet",
        "grid.toml",
        "points",
        "sheet",
    ]


def test_a_table_and_a_page_may_lie_in_a_folder_that_is_made_with_the_points(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    grid = write_grid(tmp_path, PLAIN)
    result = call(grid, "-o", "out/points", "--table", "out/all.csv", "--html", "out/page.html", "--no-surface")
    assert result.exit_code == 0, result.output
    assert sorted(item.name for item in Path("out").iterdir()) == ["all.csv", "page.html", "points"]
    for option, file in (("--table", "other/all.csv"), ("--html", "other/page.html")):
        result = call(grid, "-o", "more/points", option, file)
        assert (result.exit_code, result.stderr) == (2, "pucker: folder other does not exist\n")
        assert not Path("more").exists()


@pytest.mark.usefixtures("picky")
def test_failed_points_are_told_and_are_status_one(tmp_path: Path) -> None:
    result = call(write_grid(tmp_path, PLAIN), "-o", tmp_path / "points", "--quiet", "--json")
    assert result.exit_code == 1
    assert result.stderr == "pucker: 1 of 2 points failed: ArithmeticError: 1.3 is too much\n"
    assert [row["wrinkles"] is None for row in json.loads(result.stdout)] == [False, True]


@pytest.mark.parametrize(
    ("text", "options", "sentence"),
    [
        ("[parameters]\nhight = 1\n" + CLIPS, [], "no 'hight' (did you mean 'shape.height'?)"),
        (PLAIN, ["-o", "grid.toml/points"], "grid.toml is not a folder"),
        (PLAIN, ["--table", "all.xlsx"], "all.xlsx must end in one of .csv, .parquet"),
        (PLAIN, ["--scheduler", "nonsense"], "no dask scheduler answers at nonsense"),
        (CLIPS.replace('sheet"', 'shirt"'), [], "shirt"),
    ],
)
def test_what_cannot_be_done_is_one_sentence_and_status_two(
    text: str, options: list[str], sentence: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    result = call(write_grid(tmp_path, text), "-o", "points", *options)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert sentence in result.stderr
    assert result.stderr.count("\n") == 1


@pytest.mark.usefixtures("cheap")
def test_a_report_shows_what_depends_on_the_parameters(tmp_path: Path) -> None:
    text = PLAIN + '[clips.other]\nfile = "sheet"\nfps = 20\n'
    path = write_grid(tmp_path, text)
    assert call(path, "-o", tmp_path / "points", "--report", tmp_path / "report").exit_code == 0
    page = (tmp_path / "report" / "index.md").read_text()
    assert page.startswith("# grid\n\n4 points of pucker ")
    assert "every combination of `clip` (sheet, other), `threshold` (1.1, 1.3)." in page
    frame = pucker.sweep.load(tmp_path / "points")
    for name in ("wrinkles", "length"):
        assert f"![{name}]({name}.png)" in page
        assert (tmp_path / "report" / f"{name}.png").stat().st_size > 1000
        for clip, rows in frame.groupby("clip"):
            cells = " | ".join(f"{value:.4g}" for value in rows.sort_values("threshold")[name])
            assert f"| {clip} | {cells} |" in page
    assert len(pd.read_csv(tmp_path / "report" / "table.csv")) == 4


def test_a_report_says_what_each_measure_means_and_shows_every_point(tmp_path: Path) -> None:
    path = write_grid(tmp_path, PLAIN + '[clips.other]\nfile = "sheet"\nfps = 20\n')
    options = ["--report", tmp_path / "report", "--no-surface", "--workers", "1"]
    assert call(path, "-o", tmp_path / "points", *options).exit_code == 0
    page = (tmp_path / "report" / "index.md").read_text()
    frame = pucker.sweep.load(tmp_path / "points")
    names = [name for name in table.measures(frame) if frame[name].notna().any()]
    assert len(names) > 5
    for name in names:
        assert pucker.metrics.MEANINGS[name].sentence() in page
    for clip in ("sheet", "other"):
        assert f"### {clip}, frame " in page
        with Image.open(tmp_path / "report" / f"points-{clip}.jpg") as picture:
            cells = np.array_split(np.asarray(picture.convert("L")), 2, axis=1)
        # A sheet stands in each of the two cells.
        assert min(np.ptp(cell[50:350, 50:-50]) for cell in cells) > 20


def test_a_report_is_written_whatever_a_clip_is_called(tmp_path: Path) -> None:
    names = ["up/down", "up_down", r"$\\undefined{$"]
    clips = "".join(f'[clips."{name}"]\nfile = "sheet"\nfps = 20\n' for name in names)
    path = write_grid(tmp_path, PLAIN + clips)
    options = ["--report", tmp_path / "report", "--no-surface", "--workers", "1"]
    result = call(path, "-o", tmp_path / "points", *options)
    assert result.exit_code == 0, result.output
    page = (tmp_path / "report" / "index.md").read_text()
    pictures = re.findall(r"\((points-.*?\.jpg)\)", page)
    assert len(pictures) == len(set(pictures)) == 4
    assert all((tmp_path / "report" / name).is_file() for name in pictures)


PROFILES = '[parameters]\nrelative_width = 0.02\nshape.profile = ["quartic", "arcs"]\n' + CLIPS


def test_a_page_ranks_compares_and_shows_every_row(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write_grid(tmp_path, PROFILES + '[clips.other]\nfile = "sheet"\nfps = 20\n')
    options = ["--html", "page.html", "--rank-by", "arc_length_deficit"]
    result = call("grid.toml", "-o", "points", *options)
    assert result.exit_code == 0, result.output
    text = (tmp_path / "page.html").read_text()
    assert "/*{" not in text
    frame = pucker.sweep.load(tmp_path / "points")
    for name in depending(frame):
        for clip, rows in frame.groupby("clip"):
            assert all(f">{value:.4g}<" in text for value in rows[name] if not math.isnan(value)), (name, clip)
    # The deficits are negative, zero or positive; what is nearest to 0 comes first.
    nearest = frame.groupby("shape.profile")["arc_length_deficit"].mean().abs().idxmin()
    assert ranked(frame, "arc_length_deficit").rows[0].settings == nearest
    # A drawing and two pictures of each of the four rows.
    assert text.count("<svg") == 4
    uris = re.findall(r'src="data:image/jpeg;base64,([^"]+)"', text)
    assert len(uris) == 8
    for uri in uris:
        with Image.open(io.BytesIO(base64.b64decode(uri))) as picture:
            assert picture.size == (360, 400)
            assert np.ptp(np.asarray(picture.convert("L"))) > 20
    commands = [html.unescape(found) for found in re.findall(r"<code>(.*?)</code>", text)]
    assert len(commands) == 4
    assert len(set(commands)) == 4
    assert all(words[:3] == ["pucker", "view", "sheet"] for words in map(shlex.split, commands))
    if viewer_program() is not None:
        for number, command in enumerate(commands):
            words = [*shlex.split(command)[1:], "--headless", "--frames", "2:2", "-o", str(number)]
            done = subprocess.run([sys.executable, "-c", "from pucker.cli import main; main()", *words], check=False)
            assert done.returncode == 0
            assert (tmp_path / str(number) / "frame_0002.png").exists()
    result = call("grid.toml", "-o", "points", "--html", "page.html", "--rank-by", "alive")
    assert result.exit_code == 2
    assert "no measure 'alive' depends on the settings of the sweep; there are " in result.stderr


def test_a_page_needs_nothing_but_itself_and_ranks_by_what_is_chosen(tmp_path: Path) -> None:
    page_browser = pytest.importorskip("page_browser")
    result = call(write_grid(tmp_path, PROFILES), "-o", tmp_path / "points", "--html", tmp_path / "page.html")
    assert result.exit_code == 0, result.output
    with page_browser.browser_page() as shown:
        shown.open(tmp_path / "page.html")
        shown.page.select_option("#measure", "arc_length_deficit")
        visible = shown.page.locator(".ranking:not([hidden])")
        assert visible.count() == 1
        assert visible.get_attribute("data-measure") == "arc_length_deficit"
        assert [url for url in shown.asked if not url.startswith(("file:", "data:", "about:"))] == []
        assert shown.complaints == []
        # While the mouse is held on a picture, the first stands in its place.
        images = shown.page.locator(".pictures figure img.close")
        first, own = images.nth(0).get_attribute("src"), images.nth(1).get_attribute("src")
        images.nth(1).hover()
        shown.page.mouse.down()
        assert images.nth(1).get_attribute("src") == first != own
        shown.page.mouse.up()
        assert images.nth(1).get_attribute("src") == own


def test_places_are_shared_and_follow_what_is_better() -> None:
    rows = [("a", "x", 1.2), ("a", "y", 0.9), ("a", "z", 0.8), ("b", "x", 2.0), ("b", "y", 2.0), ("b", "z", 3.0)]
    frame = pd.DataFrame(
        [{"id": str(k), "clip": c, "s": s, "error": None, "area_restored": v} for k, (c, s, v) in enumerate(rows)]
    )
    found = ranked(frame, "area_restored")  # nearer to 1
    assert [(row.settings, row.place) for row in found.rows] == [("y", 1.25), ("x", 2.0), ("z", 2.75)]
    assert differences(2.0, 1.0, pucker.metrics.MEANINGS["area_restored"]).judged == 1.0
    assert differences(2.0, 3.0, None).text == "+50 %"
    assert differences(2.0, 2.0, None).text == ""


def test_every_measure_has_a_meaning_on_its_page(data_dir: Path) -> None:
    found = pucker.metrics.measure(SHEET, pucker.Params(min_width=0.02))
    assert pucker.metrics.MEANINGS.keys() == found.summary.keys()
    page = (data_dir.parent / "docs" / "metrics.md").read_text(encoding="utf-8")
    assert all(f"`{name}`" in page for name in found.summary)


@pytest.mark.slow
def test_the_command_on_two_processes_says_nothing_else(tmp_path: Path) -> None:
    command = [sys.executable, "-c", "from pucker.cli import main; main()", "sweep", str(write_grid(tmp_path, PLAIN))]
    options = ["-o", str(tmp_path / "points"), "--workers", "2", "--no-surface"]
    done = subprocess.run([*command, *options], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, f"2 points in {tmp_path / 'points'}\n", "")


@pytest.mark.slow
def test_the_cluster_of_the_script_runs_sweeps(tmp_path: Path) -> None:
    with subprocess.Popen([HERE.parent / "run", "cluster", "18787"], start_new_session=True) as script:
        try:
            frame = run_when_there(grid(), tmp_path / "dask", "tcp://127.0.0.1:18787", script)
            processes = [psutil.Process(script.pid), *psutil.Process(script.pid).children(recursive=True)]
            listening = [c.laddr for p in processes for c in p.net_connections() if c.status == psutil.CONN_LISTEN]
        finally:
            script.terminate()
    assert_same_rows(frame, run(grid(), tmp_path / "here", measure=PATHS_ONLY))
    assert {address.ip for address in listening} == {"127.0.0.1"}
    assert len(listening) >= 4


def run_when_there(
    grid: pucker.sweep.Grid, folder: Path, scheduler: str, script: "subprocess.Popen[bytes]"
) -> pd.DataFrame:
    """The sweep, once the script has set everything up; its measure is one that workers have."""
    while True:
        try:
            return run(grid, folder, measure=PATHS_ONLY, scheduler=scheduler)
        except ConnectionError:
            assert script.poll() is None


def test_the_shipped_sweep_is_a_grid_over_all_files_of_the_data(data_dir: Path) -> None:
    path = data_dir.parent / "sweeps" / "profiles.toml"
    grid = pucker.sweep.Grid.from_toml(path)
    assert set(grid.parameters["shape.profile"]) == set(pucker.Profile.__members__)
    assert set(grid.parameters["shape.height"]) == set(pucker.HeightRule.__members__)
    files = {table["file"] for table in tomllib.loads(path.read_text())["clips"].values()}
    assert {path.parent / file for file in files} == {
        path.parent / "../data" / file.name
        for file in data_dir.iterdir()
        if file.is_file() and file.suffix not in (".txt", ".md") and not file.name.endswith(".pose.npz")
    }
