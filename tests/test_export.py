"""Exported wrinkle paths, read back by libraries that had no part in writing them."""

import csv
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner, Result
from gltf_oracle import Gltf
from pxr import Usd, UsdGeom, UsdValidation

import pucker
from pucker import export
from pucker.cli import cli
from pucker.examples import bending_sleeve, squeezed_sheet

LINE_STRIP = 3
POINT_COLUMNS = ["x", "y", "z"]


@pytest.fixture(scope="module")
def clip() -> pucker.Clip:
    return bending_sleeve(frames=13)


@pytest.fixture(scope="module")
def params(clip: pucker.Clip) -> pucker.Params:
    return pucker.Params(min_width=0.02 * clip.height)


@pytest.fixture(scope="module")
def states(clip: pucker.Clip, params: pucker.Params) -> list[pucker.State]:
    wrinkler = pucker.Wrinkler(clip, params)
    return [wrinkler.advance(frame.positions, frame.time) for frame in clip]


@pytest.fixture(scope="module")
def table(clip: pucker.Clip, states: list[pucker.State]) -> pd.DataFrame:
    return export.table(clip, states=states)


def paths_of(table: pd.DataFrame) -> list[pd.DataFrame]:
    """The rows of each path, in the order of the table."""
    return [rows for _, rows in table.groupby(["frame", "id"], sort=False)]


# The table


def test_rows_are_the_points_of_the_states(states: list[pucker.State], table: pd.DataFrame) -> None:
    wrinkles = [(frame, wrinkle) for frame, state in enumerate(states) for wrinkle in state.wrinkles]
    paths = paths_of(table)
    assert len(paths) == len(wrinkles) > 20
    for rows, (frame, wrinkle) in zip(paths, wrinkles, strict=True):
        assert (rows["frame"].iloc[0], rows["id"].iloc[0], rows["alive"].iloc[0]) == (frame, wrinkle.id, wrinkle.alive)
        np.testing.assert_array_equal(rows[POINT_COLUMNS], wrinkle.points)
        np.testing.assert_array_equal(rows["age"], wrinkle.age)
        np.testing.assert_array_equal(rows[["width", "height"]], np.stack([wrinkle.widths, wrinkle.heights], axis=1))
        np.testing.assert_array_equal(rows["point"], np.arange(len(wrinkle.points)))


def test_places_on_the_mesh_are_the_places_in_space(clip: pucker.Clip, table: pd.DataFrame) -> None:
    positions = clip.positions[table["frame"]]
    every = np.arange(len(table))
    t, depth = table["t"].to_numpy()[:, None], table["depth"].to_numpy()[:, None]
    on_edge = t * positions[every, table["vertex_0"]] + (1 - t) * positions[every, table["vertex_1"]]
    expected = (1 - depth) * on_edge + depth * positions[every, table["apex"]]
    np.testing.assert_allclose(table[POINT_COLUMNS], expected, atol=1e-12 * clip.height)
    np.testing.assert_array_equal(table["time"], clip.times[table["frame"]])


def test_segments_lie_in_their_triangles(clip: pucker.Clip, table: pd.DataFrame) -> None:
    for rows in paths_of(table):
        assert rows["triangle"].iloc[-1] == -1
        corners = clip.faces[rows["triangle"].iloc[:-1]]
        for end in (rows.iloc[:-1], rows.iloc[1:]):
            for column in ("vertex_0", "vertex_1"):
                assert (corners == end[column].to_numpy()[:, None]).any(axis=1).all()


@pytest.mark.parametrize("suffix", ["parquet", "csv"])
def test_table_comes_back_bit_for_bit(
    tmp_path: Path, clip: pucker.Clip, states: list[pucker.State], table: pd.DataFrame, suffix: str
) -> None:
    report = export.paths(clip, tmp_path / f"paths.{suffix}", states=states)
    assert report.path == tmp_path / f"paths.{suffix}"
    if suffix == "parquet":
        pd.testing.assert_frame_equal(pd.read_parquet(report.path), table)
    else:
        with report.path.open(newline="") as file:
            rows = list(csv.DictReader(file))
        assert list(rows[0]) == list(table.columns)
        for name in table.columns:
            kind = (lambda word: word == "True") if name == "alive" else float
            assert [kind(row[name]) for row in rows] == table[name].tolist()


def test_params_give_the_paths_of_a_run_with_them(
    clip: pucker.Clip, params: pucker.Params, table: pd.DataFrame
) -> None:
    pd.testing.assert_frame_equal(export.table(clip, params=params), table)
    assert len(export.table(clip, params=params.replace(threshold=1.6))) < len(table)


# glTF


class Lines(Gltf):
    """The lines of an exported glTF."""

    def strips(self, node: int) -> list[dict[str, Any]]:
        """Extras of each path of a frame, with its points, widths and heights."""
        out = []
        for primitive in self.primitives(node):
            assert primitive["mode"] == LINE_STRIP
            rows = self.accessor(primitive["indices"])[:, 0].astype(int)
            values = {name: self.accessor(k)[rows] for name, k in primitive["attributes"].items()}
            out.append(values | primitive["extras"])
        return out

    def shown(self, time: float) -> list[int]:
        """The nodes that have a size at a time, by the steps of the animation."""
        (animation,) = self.json["animations"]
        out = []
        for channel in animation["channels"]:
            sampler = animation["samplers"][channel["sampler"]]
            assert (channel["target"]["path"], sampler["interpolation"]) == ("scale", "STEP")
            keys, scales = self.accessor(sampler["input"])[:, 0], self.accessor(sampler["output"])
            assert (np.diff(keys) > 0).all()
            if scales[max(np.searchsorted(keys, time, side="right") - 1, 0)].all():
                out.append(channel["target"]["node"])
        return out


@pytest.mark.parametrize("suffix", ["glb", "gltf"])
def test_line_strips_of_a_gltf_are_the_paths(
    tmp_path: Path, clip: pucker.Clip, states: list[pucker.State], table: pd.DataFrame, suffix: str
) -> None:
    export.paths(clip, tmp_path / f"paths.{suffix}", states=states)
    gltf = Lines(tmp_path / f"paths.{suffix}")
    frames = table["frame"].unique()
    assert [node["name"] for node in gltf.json["nodes"]] == [f"frame {frame}" for frame in frames]
    strips = [strip for node in range(len(frames)) for strip in gltf.strips(node)]
    paths = paths_of(table)
    assert len(strips) == len(paths)
    for strip, rows in zip(strips, paths, strict=True):
        np.testing.assert_allclose(strip["POSITION"], rows[POINT_COLUMNS], atol=1e-7)
        np.testing.assert_allclose(strip["_WIDTH"][:, 0], rows["width"], rtol=1e-6)
        np.testing.assert_allclose(strip["_HEIGHT"][:, 0], rows["height"], rtol=1e-6, atol=1e-12)
        assert [strip[name] for name in ("id", "alive", "age")] == [rows[n].iloc[0] for n in ("id", "alive", "age")]


def test_bounds_of_a_gltf_hold_its_values(tmp_path: Path, clip: pucker.Clip, states: list[pucker.State]) -> None:
    export.paths(clip, tmp_path / "paths.glb", states=states)
    gltf = Lines(tmp_path / "paths.glb")
    for k, accessor in enumerate(gltf.json["accessors"]):
        values = gltf.accessor(k)
        np.testing.assert_allclose(values.min(axis=0), accessor["min"], rtol=1e-7)
        np.testing.assert_allclose(values.max(axis=0), accessor["max"], rtol=1e-7)
        assert (gltf.json["bufferViews"][accessor["bufferView"]]["byteOffset"] + accessor["byteOffset"]) % 4 == 0


def test_player_of_a_gltf_shows_each_frame_in_its_turn(
    tmp_path: Path, clip: pucker.Clip, states: list[pucker.State], table: pd.DataFrame
) -> None:
    export.paths(clip, tmp_path / "paths.glb", states=states)
    gltf = Lines(tmp_path / "paths.glb")
    frames = table["frame"].unique().tolist()
    assert 0 < len(frames) < len(clip)  # some frames have no wrinkles, and show none
    for frame, time in enumerate(clip.times):
        assert gltf.shown(time + 0.01) == ([frames.index(frame)] if frame in frames else [])


# USD


def curves_at(path: Path) -> tuple[Usd.Stage, UsdGeom.BasisCurves]:
    stage = Usd.Stage.Open(str(path))
    return stage, UsdGeom.BasisCurves(stage.GetDefaultPrim())


@pytest.mark.parametrize("suffix", ["usda", "usdc", "usd"])
def test_curves_of_a_usd_are_the_paths(
    tmp_path: Path, clip: pucker.Clip, states: list[pucker.State], table: pd.DataFrame, suffix: str
) -> None:
    export.paths(clip, tmp_path / f"paths.{suffix}", states=states)
    stage, curves = curves_at(tmp_path / f"paths.{suffix}")
    assert (stage.GetStartTimeCode(), stage.GetEndTimeCode()) == (0, len(clip) - 1)
    assert stage.GetTimeCodesPerSecond() == pytest.approx(30.0)
    assert curves.GetTypeAttr().Get() == UsdGeom.Tokens.linear
    primvars = UsdGeom.PrimvarsAPI(curves)
    for frame in range(len(clip)):
        rows = table[table["frame"] == frame]
        counts = [len(path) for path in paths_of(rows)]
        heads = rows[rows["point"] == 0]
        assert list(curves.GetCurveVertexCountsAttr().Get(frame)) == counts
        points = np.asarray(curves.GetPointsAttr().Get(frame)).reshape(-1, 3)
        np.testing.assert_allclose(points, rows[POINT_COLUMNS], atol=1e-7)
        np.testing.assert_allclose(curves.GetWidthsAttr().Get(frame), rows["width"], rtol=1e-6)
        np.testing.assert_allclose(primvars.GetPrimvar("height").Get(frame), rows["height"], rtol=1e-6, atol=1e-12)
        for name in ("id", "alive", "age"):
            np.testing.assert_allclose(primvars.GetPrimvar(name).Get(frame), heads[name], rtol=1e-6)


def test_extent_of_a_usd_holds_the_curves_with_their_widths(
    tmp_path: Path, clip: pucker.Clip, states: list[pucker.State], table: pd.DataFrame
) -> None:
    export.paths(clip, tmp_path / "paths.usdc", states=states)
    _, curves = curves_at(tmp_path / "paths.usdc")
    for frame, rows in table.groupby("frame"):
        low, high = np.asarray(curves.GetExtentAttr().Get(float(frame)))
        half = rows["width"].to_numpy()[:, None] / 2
        assert (low <= rows[POINT_COLUMNS] - half + 1e-6).all(axis=None)
        assert (high >= rows[POINT_COLUMNS] + half - 1e-6).all(axis=None)


def test_usd_passes_its_own_validators(tmp_path: Path, clip: pucker.Clip, states: list[pucker.State]) -> None:
    export.paths(clip, tmp_path / "paths.usdc", states=states)
    validators = UsdValidation.ValidationRegistry().GetOrLoadAllValidators()
    stage, _ = curves_at(tmp_path / "paths.usdc")
    errors = UsdValidation.ValidationContext(validators).Validate(stage)
    assert [error.GetMessage() for error in errors] == []


def test_time_codes_of_an_uneven_clip_keep_its_times(tmp_path: Path) -> None:
    even = squeezed_sheet(6, 6, frames=5, compression=2.0)
    uneven = pucker.Clip.from_arrays(even.faces, even.positions, [1.0, 1.1, 1.4, 1.5, 2.0], weld=False)
    export.paths(uneven, tmp_path / "paths.usda", params=pucker.Params(min_width=0.05))
    stage, curves = curves_at(tmp_path / "paths.usda")
    seconds = np.array(curves.GetPointsAttr().GetTimeSamples()) / stage.GetTimeCodesPerSecond()
    np.testing.assert_allclose(seconds, uneven.times - 1.0, atol=1e-9)


# Whatever the format

SUFFIXES = [suffix.removeprefix(".") for suffix in export.FORMATS]


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_clip_without_wrinkles_is_an_empty_file(tmp_path: Path, suffix: str) -> None:
    still = squeezed_sheet(4, 4, frames=3, compression=1.0)
    path = tmp_path / f"paths.{suffix}"
    report = export.paths(still, path, params=pucker.Params(min_width=0.1))
    assert (report.frames, report.wrinkles, report.points) == (3, 0, 0)
    match suffix:
        case "csv":
            assert len(pd.read_csv(path)) == 0
        case "parquet":
            assert len(pd.read_parquet(path)) == 0
        case "gltf":
            assert "nodes" not in json.loads(path.read_bytes())
        case "glb":
            assert path.read_bytes()[:4] == b"glTF"
        case _:
            _, curves = curves_at(path)
            assert len(curves.GetPointsAttr().Get(1)) == 0


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_failure_in_the_middle_leaves_the_file_as_it_was(tmp_path: Path, clip: pucker.Clip, suffix: str) -> None:
    path = tmp_path / f"paths.{suffix}"
    path.write_text("before")

    def tiring() -> Any:
        yield from ()
        raise OSError("tired")

    with pytest.raises(OSError, match="tired"):
        export.paths(clip, path, states=tiring())
    assert path.read_text() == "before"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_writer_that_fails_leaves_nothing(
    tmp_path: Path, clip: pucker.Clip, states: list[pucker.State], suffix: str
) -> None:
    # A folder stands where the file should go, so that the last step cannot be done.
    (tmp_path / f"paths.{suffix}" / "inside").mkdir(parents=True)
    with pytest.raises(OSError, match="paths"):
        export.paths(clip, tmp_path / f"paths.{suffix}", states=states)
    assert list(tmp_path.iterdir()) == [tmp_path / f"paths.{suffix}"]


def test_states_must_be_one_a_frame(tmp_path: Path, clip: pucker.Clip, states: list[pucker.State]) -> None:
    with pytest.raises(ValueError, match="one state a frame: 13, got 12"):
        export.table(clip, states=states[:-1])
    with pytest.raises(ValueError, match="one state a frame: 13, got more"):
        export.table(clip, states=[*states, states[-1]])


def test_unknown_ending_lists_those_there_are(tmp_path: Path, clip: pucker.Clip) -> None:
    with pytest.raises(ValueError, match=r"paths\.txt must end in one of \.glb, .*\.parquet"):
        export.paths(clip, tmp_path / "paths.txt")
    with pytest.raises(FileNotFoundError, match=r"folder .*nowhere does not exist"):
        export.paths(clip, tmp_path / "nowhere" / "paths.csv")


@pytest.mark.parametrize(
    ("suffix", "package"), [("glb", "pygltflib"), ("usdc", "pxr"), ("csv", "pandas"), ("parquet", "pyarrow")]
)
def test_missing_package_is_told_before_anything_is_computed(
    tmp_path: Path, clip: pucker.Clip, monkeypatch: pytest.MonkeyPatch, suffix: str, package: str
) -> None:
    for name in [name for name in sys.modules if name.startswith("pucker.io.write.")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(pucker.Error, match=rf"{package}: install the extra pucker\[io\]"):
        export.paths(clip, tmp_path / f"paths.{suffix}", states=iter([]))


def test_readers_and_writers_are_imported_when_used() -> None:
    code = "import pucker, pucker.io.export, sys; print(*sorted(sys.modules))"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert not {"pxr", "pandas", "pyarrow", "pygltflib", "trimesh", "meshio", "scipy"} & set(loaded)


# The command


def call(*arguments: object) -> Result:
    return CliRunner().invoke(cli, [str(argument) for argument in arguments], prog_name="pucker")


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_command_writes_every_format(tmp_path: Path, data_dir: Path, suffix: str) -> None:
    out = tmp_path / f"paths.{suffix}"
    choices = ["--clip", "115:123", "--parts", "l_lower", "--set", "relative_width=0.01", "-o", out]
    result = call("export", data_dir / "kyonshi_lower.md3", *choices, "--json", "--quiet")
    assert result.exit_code == 0, result.output
    content = json.loads(result.stdout)
    assert content["frames"] == 17
    assert content["wrinkles"] > 0
    assert content["file"] == str(out)
    assert list(tmp_path.iterdir()) == [out]


def test_command_says_what_it_wrote_unless_quiet(tmp_path: Path, data_dir: Path) -> None:
    arguments = ["export", data_dir / "kyonshi_lower.md3", "--clip", "115:123", "-o", tmp_path / "paths.csv"]
    assert "paths.csv" in call(*arguments).stdout
    assert call(*arguments, "--quiet").output == ""


def test_command_refuses_in_one_sentence(tmp_path: Path, data_dir: Path) -> None:
    for output in ("paths.txt", "nowhere/paths.csv"):
        result = call("export", data_dir / "kyonshi_lower.md3", "-o", tmp_path / output)
        assert result.exit_code == 2
        assert result.stderr.startswith("pucker: ")
        assert result.stderr.count("\n") == 1
    assert list(tmp_path.iterdir()) == []
