"""The clips made in code do what their descriptions say."""

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import pucker
from pucker import examples

CLIPS = [examples.squeezed_sheet, examples.folded_sheet, examples.bending_sleeve]


def test_the_kimono_of_the_package_is_that_of_the_data(data_dir: Path) -> None:
    assert examples.kimono().read_bytes() == (data_dir / "kimono_male.gltf").read_bytes()


def run(clip: pucker.Clip, **params: float) -> list[pucker.State]:
    """The states of all frames."""
    wrinkler = pucker.Wrinkler(clip.mesh, pucker.Params(**params))
    return [wrinkler.advance(frame.positions, frame.time) for frame in clip]


def most_compressed(clip: pucker.Clip) -> float:
    return max(float(state.compression.max()) for state in run(clip, min_width=0.02))


@pytest.mark.parametrize("make", CLIPS)
def test_motion_ends_where_it_began(make: Callable[[], pucker.Clip]) -> None:
    clip = make()
    np.testing.assert_allclose(clip.positions[-1], clip.positions[0], atol=1e-12)
    assert np.abs(clip.positions[len(clip) // 2] - clip.positions[0]).max() > 0.1


@pytest.mark.parametrize("make", CLIPS)
def test_meshes_are_oriented_manifolds_without_defects(make: Callable[[], pucker.Clip]) -> None:
    clip = make()
    report = clip.report
    assert (report.zero_area_triangles, report.duplicate_faces) == (0, 0)
    assert (report.mesh.non_manifold_edges, report.mesh.fan_vertices, report.mesh.isolated_vertices) == (0, 0, 0)
    directed = Counter((int(a), int(b)) for face in clip.faces for a, b in zip(face, np.roll(face, -1), strict=True))
    assert max(directed.values()) == 1


@pytest.mark.parametrize("make", CLIPS)
def test_cloth_is_compressed_past_the_threshold(make: Callable[[], pucker.Clip]) -> None:
    assert most_compressed(make()) > pucker.Params().threshold


def test_wrinkles_of_the_squeezed_sheet_run_across_the_squeeze() -> None:
    clip = examples.squeezed_sheet()
    wrinkles = run(clip, min_width=0.02)[len(clip) // 2].wrinkles
    assert len(wrinkles) > 3
    for wrinkle in wrinkles:
        along = np.abs(wrinkle.points[-1] - wrinkle.points[0])
        assert along[0] < 1e-3 * along[1]


@pytest.mark.parametrize("closed", [False, True])
def test_a_grid_has_two_triangles_a_cell(closed: bool) -> None:
    faces = examples.grid_faces(5, 4, closed=closed)
    assert faces.shape == (40, 3)
    assert faces.dtype == np.int32
    np.testing.assert_array_equal(np.unique(faces), np.arange((5 if closed else 6) * 5))


@pytest.mark.parametrize(
    ("make", "options", "named"),
    [
        (examples.grid_faces, {"columns": 0, "rows": 3}, "0 and 3"),
        (examples.grid_faces, {"columns": 2, "rows": 3, "closed": True}, "3 columns"),
        (examples.squeezed_sheet, {"compression": 0.5}, "0.5"),
        (examples.bending_sleeve, {"frames": 1}, "not 1"),
    ],
)
def test_impossible_clips_are_refused(make: Callable[..., object], options: dict[str, object], named: str) -> None:
    with pytest.raises(ValueError, match=named):
        make(**options)
