"""The ground-truth bench: coarse copies that follow, measures that vanish on the reference itself, and closed forms."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner, Result
from motion import rotation, sheet
from PIL import Image

import pucker
from pucker import compare
from pucker.cli import cli
from pucker.examples import bending_sleeve, grid_faces
from pucker.metrics.compare import report
from pucker.metrics.compare.bench import Drawn, Reference
from pucker.metrics.compare.silhouette import SIDE, Views, difference
from pucker.render import ContextError


def buckling_sheet(*, compression: float = 1.5, folds: int = 6, frames: int = 24) -> pucker.Clip:
    """A fine sheet of side 1 that is squeezed along x and keeps its length by rising in waves: folds along y."""
    columns, rows = 96, 16
    y, x = (
        index.ravel() / count for index, count in zip(np.mgrid[: rows + 1, : columns + 1], (rows, columns), strict=True)
    )
    # The length of a period of a·sin is found from its height by quadrature, and the height from the length.
    phase = np.linspace(0.0, 2.0 * np.pi, 2001)
    heights = np.linspace(0.0, 2.0, 401)
    lengths = np.trapezoid(np.sqrt(1.0 + np.square(heights[:, None] * np.cos(phase))), phase, axis=1) / (2.0 * np.pi)
    positions = []
    for squeeze in np.linspace(1.0, compression, frames):
        steepness = np.interp(squeeze, lengths, heights)
        width = 1.0 / squeeze
        wave = 2.0 * np.pi * folds / width
        positions.append(np.stack([width * x, y, steepness / wave * np.sin(wave * width * x)], axis=1))
    return pucker.Clip.from_arrays(grid_faces(columns, rows), positions, np.arange(frames) / 30.0, weld=False)


def flat_copy(clip: pucker.Clip, columns: int = 12, rows: int = 8) -> pucker.Clip:
    """A coarse copy of the buckling sheet whose vertices lie where the waves cross the plane z = 0: a flat sheet."""
    y, x = (
        index.ravel() / count for index, count in zip(np.mgrid[: rows + 1, : columns + 1], (rows, columns), strict=True)
    )
    places = compare.closest_places(np.stack([x, y, 0.0 * x], axis=1), clip.faces, clip.positions[0])
    return pucker.Clip.from_arrays(grid_faces(columns, rows), places.carry(clip.positions), clip.times, weld=False)


@pytest.fixture(scope="module")
def fine() -> pucker.Clip:
    return bending_sleeve(18, 24, frames=10)


def moved(clip: pucker.Clip, linear: np.ndarray, offset: np.ndarray) -> pucker.Clip:
    """The first frame of a clip, and then the same moved as a whole."""
    positions = [clip.positions[0], clip.positions[0] @ linear.T + offset]
    return pucker.Clip.from_arrays(clip.faces, positions, [0.0, 1.0], weld=False)


def test_a_coarse_copy_has_as_many_triangles_as_asked_for_and_lies_on_the_fine_surface(fine):
    coarse = compare.coarsen(fine, 200)
    assert 198 <= len(coarse.faces) <= 200
    assert len(coarse) == len(fine)
    assert coarse.report.mesh.non_manifold_edges == 0
    for index in (0, 9):
        distances = compare.closest_places(coarse.positions[index], fine.faces, fine.positions[index]).distances
        assert distances.max() < 1e-12


def test_a_coarse_copy_goes_with_any_affine_motion(fine, rng):
    linear, offset = rotation(rng) @ np.diag([0.5, 1.0, 2.0]), rng.normal(size=3)
    first, second = compare.coarsen(moved(fine, linear, offset), 200).positions
    np.testing.assert_allclose(second, first @ linear.T + offset, atol=1e-12)


def test_a_coarse_copy_keeps_the_orientation(fine):
    coarse = compare.coarsen(fine, 200)
    places = compare.closest_places(coarse.positions[0], fine.faces, fine.positions[0])
    normals = places.carry(pucker.vertex_normals(fine.mesh, fine.positions[0]))
    cosines = np.einsum("kd,kd->k", normals, pucker.vertex_normals(coarse.mesh, coarse.positions[0]))
    assert cosines.min() > 0.5


def test_clips_of_one_mesh_that_are_decimated_in_one_pose_have_one_coarse_mesh(fine):
    bent = fine.beginning(10).positions[5:]
    other = pucker.Clip.from_arrays(fine.faces, bent, np.arange(5.0), weld=False)
    own, coarse = compare.coarsen(other, 200), compare.coarsen(other, 200, pose=fine.positions[0])
    first = compare.coarsen(fine, 200)
    assert not np.array_equal(own.faces, first.faces)
    np.testing.assert_array_equal(coarse.faces, first.faces)
    np.testing.assert_array_equal(coarse.positions, first.positions[5:])
    for pose in (fine.positions, fine.positions[0] * np.nan):
        with pytest.raises(ValueError, match="the pose must be"):
            compare.coarsen(other, 200, pose=pose)


@pytest.mark.parametrize("count", [0, 864, 9999])
def test_numbers_of_triangles_that_make_no_coarse_mesh_are_refused(fine, count):
    with pytest.raises(ValueError, match=f"not {count}"):
        compare.coarsen(fine, count)


def test_points_of_a_mesh_are_found_and_carried(rng):
    given = sheet(rng)
    triangles = rng.integers(len(given.faces), size=50)
    weights = rng.dirichlet(np.ones(3), 50)
    points = np.einsum("kc,kcd->kd", weights, given.rest[given.faces[triangles]])
    places = compare.closest_places(points, given.faces, given.rest)
    np.testing.assert_allclose(places.distances, 0.0, atol=1e-12)
    np.testing.assert_allclose(places.carry(given.rest), points, atol=1e-12)
    colours = rng.normal(size=(4, len(given.rest), 2))
    np.testing.assert_allclose(places.carry(colours)[2], places.carry(colours[2]))


def test_every_measure_vanishes_for_the_fine_surface_itself(fine):
    reference = Reference(fine, 5, Views(fine.positions))
    positions = np.array(fine.positions[5])
    same = Drawn(fine.faces.astype(np.int64), positions, pucker.vertex_normals(fine.mesh, positions))
    for name, value in reference.measure(same, compare.CURVATURE_RINGS).items():
        assert value == pytest.approx(0.0, abs=1e-5), name


def test_distance_of_a_sheet_that_is_lifted_is_the_lift():
    clip = buckling_sheet(frames=2)
    reference = Reference(clip, 0, Views(clip.positions))
    lifted = clip.positions[0] + np.array([0.0, 0.0, 0.03])
    found = reference.measure(Drawn(clip.faces.astype(np.int64), lifted, np.tile([0.0, 0.0, 1.0], (len(lifted), 1))), 3)
    assert found["distance"] == pytest.approx(0.03)
    assert found["normals"] == pytest.approx(0.0, abs=1e-6)
    assert found["area"] == pytest.approx(0.0, abs=1e-12)


def test_normals_are_compared_by_their_angle():
    clip = buckling_sheet(frames=2)
    reference = Reference(clip, 0, Views(clip.positions))
    tilted = np.array([0.0, np.sin(0.2), np.cos(0.2)])
    positions = np.array(clip.positions[0])
    found = reference.measure(Drawn(clip.faces.astype(np.int64), positions, np.tile(tilted, (len(positions), 1))), 3)
    assert found["normals"] == pytest.approx(np.degrees(0.2))


def test_outlines_of_a_square_and_of_a_larger_one_differ_by_a_frame():
    corners = np.array([[-1, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0]], float)
    views, faces = Views(corners * 1.2), [[0, 1, 2], [0, 2, 3]]
    small, large = views.masks(faces, corners)[0], views.masks(faces, 1.2 * corners)[0]
    assert difference(large, small) == pytest.approx(0.44, abs=8.0 / SIDE)
    assert difference(small, small) == 0.0


def test_folds_of_a_buckled_sheet_run_along_it():
    clip = buckling_sheet()
    coarse = flat_copy(clip)
    owners = compare.closest_places(clip.positions[0], coarse.faces, coarse.positions[0]).triangles
    directions = Reference(clip, 23, Views(clip.positions)).fold_directions(owners, len(coarse.faces))
    folded = directions[np.any(directions != 0.0, axis=1)]
    assert len(folded) >= 0.5 * len(directions)
    assert np.abs(folded[:, 1]).min() > np.cos(np.radians(3.0))


def test_the_narrowest_fold_is_four_edges_wide(fine):
    edge = pucker.mean_edge_length(fine.mesh, fine.positions[0])
    assert pucker.Params(min_width=compare.narrowest_fold(fine)).flat_width == pytest.approx(4.0 * edge)


def test_wrinkles_come_nearer_to_cloth_that_buckles_than_the_coarse_mesh_does():
    clip = buckling_sheet()
    coarse = flat_copy(clip)
    params = pucker.Params(min_width=1.0 / (6.0 * np.pi))
    rows = list(compare.compare(clip, coarse, {"coarse": None, "ours": params}, every=23))
    plain, wrinkled = rows
    assert (plain.surface, wrinkled.surface) == ("coarse", "ours")
    assert wrinkled.wrinkles > 2
    assert wrinkled.direction < 10.0
    assert wrinkled.curvature < 0.9 * plain.curvature
    assert wrinkled.curvedness < 0.9 * plain.curvedness
    assert wrinkled.area < 0.9 * plain.area


def test_a_row_for_each_surface_of_each_frame_measured(fine):
    surfaces = compare.surfaces_of(pucker.Params(min_width=compare.narrowest_fold(fine)))
    rows = list(compare.compare(fine, compare.coarsen(fine, 200), surfaces, every=4))
    assert [(row.frame, row.surface) for row in rows] == [(frame, name) for frame in (4, 8) for name in surfaces]
    assert all(np.isnan(row.direction) and row.wrinkles == 0 for row in rows if row.surface == "coarse")


@pytest.mark.parametrize("every", [0, 10])
def test_a_bench_without_frames_is_refused(fine, every):
    with pytest.raises(ValueError, match=f"not {every}"):
        next(compare.compare(fine, compare.coarsen(fine, 200), {"coarse": None}, every=every))


def test_clips_of_different_length_are_refused(fine):
    with pytest.raises(ValueError, match="not 10 and 2"):
        next(compare.compare(fine, compare.coarsen(moved(fine, np.eye(3), np.zeros(3)), 200), {"coarse": None}))


def test_a_clip_that_is_a_point_has_no_height_to_measure_by(fine):
    nowhere = 0.0 * moved(fine, np.eye(3), np.zeros(3)).positions
    point = pucker.Clip.from_arrays(fine.faces, nowhere, [0.0, 1.0], weld=False)
    with pytest.raises(ValueError, match=r"not 0\.0"):
        next(compare.compare(point, point, {"coarse": None}, every=1))


def row(surface: str, frame: int, **measures: float) -> compare.Row:
    values = dict.fromkeys(compare.MEASURES, 1.0) | measures
    return compare.Row(triangles=300, surface=surface, frame=frame, time=0.1 * frame, wrinkles=4, **values)


def test_means_are_over_the_frames_and_in_the_order_of_the_surfaces():
    rows = [row("one", 1, area=0.1), row("another", 1, direction=np.nan), row("one", 2, area=0.3), row("another", 2)]
    found = compare.means(rows)
    assert list(found.index) == [(300, "one"), (300, "another")]
    assert found.loc[(300, "one"), "area"] == pytest.approx(0.2)
    assert found.loc[(300, "another"), "direction"] == 1.0


def test_numbers_that_are_none_are_null_in_json():
    (found,) = compare.summary([row("coarse", 1, direction=np.nan)])
    assert found["direction"] is None
    assert json.loads(json.dumps(found)) == found


# What finds wrinkles on a mesh as coarse as these.
TRACED = {"bend": 0.0, "seeding": "scattered", "coherence": 0.0}


@pytest.fixture(scope="module")
def written(fine, tmp_path_factory) -> tuple[Path, list[compare.Row]]:
    """A report of a short clip."""
    folder = tmp_path_factory.mktemp("report") / "made" / "here"
    surfaces = {
        "coarse": None,
        "ours": pucker.Params(
            min_width=compare.narrowest_fold(fine), threshold=1.2, guide={"rounds": 0}, tracing=TRACED
        ),
    }
    coarse = compare.coarsen(fine, 200)
    rows = list(compare.compare(fine, coarse, surfaces, every=3))
    files = compare.write_report(folder, rows, fine, [coarse], surfaces)
    assert sorted(files) == sorted(folder.iterdir())
    return folder, rows


def test_a_report_holds_every_row(written):
    folder, rows = written
    pd.testing.assert_frame_equal(pd.read_csv(folder / "frames.csv"), compare.table(rows))
    means = json.loads((folder / "means.json").read_text(encoding="utf-8"))["means"]
    assert [line["surface"] for line in means] == ["coarse", "ours"]
    assert means[1]["area"] == pytest.approx(np.mean([row.area for row in rows if row.surface == "ours"]))


def test_bold_is_what_is_nearer_than_the_first_surface_as_rounded(fine, tmp_path, monkeypatch):
    monkeypatch.setattr("pucker.metrics.compare.report.sheet", lambda *_arguments: None)
    rows = [row("coarse", 1, direction=np.nan), row("ours", 1, area=0.5, distance=0.99999, normals=1.2)]
    compare.write_report(tmp_path, rows, fine, [fine], {"coarse": None})
    lines = (tmp_path / "index.md").read_text(encoding="utf-8").splitlines()
    assert "| coarse | 4.0 | 1.00 | 1.00 | 100.00 | 1.00 | 100.00 | 100.00 | – |" in lines
    assert "| ours | 4.0 | 1.00 | 1.00 | 100.00 | 1.20 | **50.00** | 100.00 | 1.00 |" in lines


def test_the_means_are_printed_in_the_words_and_units_of_the_page(written):
    folder, rows = written
    words = compare.in_words(compare.means(rows))
    page = (folder / "index.md").read_text(encoding="utf-8")
    (head,) = (line for line in page.splitlines() if line.startswith("|  |"))
    assert [name.partition(" [")[0] for name in words.columns] == [cell.strip() for cell in head.split("|")[2:-1]]
    assert {"distance [% of the height]", "outline [%]", "folds [degrees]"} <= set(words.columns)
    line = next(line for line in page.splitlines() if line.startswith("| ours |"))
    shown = [float(cell.strip(" *")) for cell in line.split("|")[2:-1]]
    np.testing.assert_allclose(words.loc[(compare.table(rows)["triangles"][0], "ours")], shown, atol=0.05)


def test_the_picture_shows_every_surface_beside_the_others(written):
    folder, _ = written
    pixels = np.asarray(Image.open(next(folder.glob("*.png"))), dtype=np.int64)
    # Cells are 300 pixels wide and high, with gaps of 3, the last row and column 3 from the edge.
    cells = [pixels[-303:-3, -303 * k : -303 * k + 300] for k in (3, 2, 1)]
    for one, other in ((0, 1), (0, 2), (1, 2)):
        assert np.count_nonzero(np.abs(cells[one] - cells[other]).max(axis=2) > 12) > 100
    for cell in cells:
        assert 0.05 < (np.abs(cell - cell[0, 0]).max(axis=2) > 12).mean() < 0.9


def test_the_picture_shows_the_fine_cloth_as_plain_as_its_copies(fine, tmp_path):
    (tmp_path / "black").mkdir()
    (tmp_path / "black" / "a.mtl").write_text("newmtl ink\nKd 0 0 0\n")
    corners = "".join("f {} {} {}\n".format(*face) for face in fine.faces + 1)
    for frame in range(3):
        points = "".join("v {} {} {}\n".format(*map(float, point)) for point in fine.positions[frame])
        (tmp_path / "black" / f"{frame}.obj").write_text(f"mtllib a.mtl\n{points}usemtl ink\n{corners}")
    black = pucker.load(tmp_path / "black")
    assert max(black.material_list[0].color[:3]) == 0.0
    coarse = compare.coarsen(fine, 200)
    for name, clip in (("black", black), ("plain", fine.beginning(3))):
        report.sheet(tmp_path / f"{name}.png", clip, coarse.beginning(3), {"coarse": None}, [1, 2])
    shown = [np.asarray(Image.open(tmp_path / f"{name}.png"), int) for name in ("black", "plain")]
    assert np.abs(shown[0] - shown[1]).mean() < 0.5


def call(*arguments: object) -> Result:
    return CliRunner().invoke(cli, ["compare", *map(str, arguments)], prog_name="pucker")


def short_run(data_dir: Path, folder: Path, *options: str) -> Result:
    shirt = data_dir / "tshirt_wind.zip"
    return call(shirt, "--clip", "60:63@90", "--fps", 90, "--triangles", 300, "--every", 3, "-o", folder, *options)


def test_the_command_compares_and_writes(data_dir, tmp_path):
    result = short_run(data_dir, tmp_path, "--json")
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    assert [line["surface"] for line in found] == list(compare.surfaces_of(pucker.Params()))
    assert {path.name for path in tmp_path.iterdir()} == {"index.md", "frames.csv", "means.json", "300.png"}


def test_tables_remain_if_nothing_can_be_drawn(data_dir, tmp_path, monkeypatch):
    def no_sheet(*_arguments: object) -> None:
        raise ContextError("no OpenGL")

    monkeypatch.setattr("pucker.metrics.compare.report.sheet", no_sheet)
    result = short_run(data_dir, tmp_path, "--quiet")
    assert result.exit_code == 2
    assert result.stderr == "pucker: no OpenGL\n"
    assert {path.name for path in tmp_path.iterdir()} == {"frames.csv", "means.json"}


@pytest.mark.parametrize(
    ("options", "named"),
    [
        (["--triangles", "9999"], "9999"),
        (["--triangles", "many"], "many"),
        (["--triangles", "300,300"], "300, 300"),
        (["--every", "0"], "0"),
        (["--set", "relative_width=0"], "0"),
    ],
)
def test_what_cannot_be_compared_is_told_in_one_sentence(options, named, data_dir, tmp_path):
    result = call(data_dir / "tshirt_wind.zip", "--clip", "0:3", *options, "-o", tmp_path / "none", "--quiet")
    assert result.exit_code == 2
    assert named in result.stderr
    assert "Traceback" not in result.output


def test_cloth_that_is_no_finer_than_its_copies_would_be_is_told(data_dir, tmp_path):
    kimono = [data_dir / "kimono_male.gltf", "--clip", "Walk", "--parts", "Band"]
    result = call(*kimono, "-o", tmp_path / "none", "--quiet")
    assert result.exit_code == 2
    assert "has 292 triangles, too few to be what copies of 700 are measured against" in result.stderr
    assert "--triangles" in result.stderr


def test_a_folder_that_cannot_be_made_is_told(data_dir, tmp_path):
    (tmp_path / "file").write_text("", encoding="utf-8")
    result = call(data_dir / "tshirt_wind.zip", "--clip", "0:3", "-o", tmp_path / "file" / "none")
    assert result.exit_code == 2
    assert f"{tmp_path / 'file'} is not a folder" in result.stderr
