"""Figures: what they draw is what the stages hold."""

import subprocess
import sys

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from matplotlib.collections import PolyCollection, QuadMesh
from matplotlib.colors import to_rgba
from motion import params_for, rotation, run, sheet, sphere, tube

import pucker
import pucker.plot
from pucker import LABEL_TINTS
from pucker.examples import bending_sleeve, squeezed_sheet
from pucker.metrics import ToldApart, Weight
from pucker.plot.profiles import PROFILES
from pucker.render import Camera


@pytest.fixture(scope="module")
def sleeve() -> tuple[pucker.Clip, list[pucker.State]]:
    clip = bending_sleeve()
    return clip, run(pucker.Wrinkler(clip, params_for(clip, threshold=1.15)), clip)


def polygons(figure) -> list[np.ndarray]:
    """What is drawn on the cloth, in order, without the point that closes each outline."""
    (drawn,) = (each for each in figure.axes[0].collections if isinstance(each, PolyCollection))
    return [path.vertices[:-1] for path in drawn.get_paths()]


def fills(figure) -> np.ndarray:
    return figure.axes[0].collections[0].get_facecolor()


def side_lengths(corners: np.ndarray) -> np.ndarray:
    return np.linalg.norm(corners - np.roll(corners, -1, axis=1), axis=2)


def signed_areas(flat: np.ndarray) -> np.ndarray:
    first, second = flat[:, 1] - flat[:, 0], flat[:, 2] - flat[:, 0]
    return 0.5 * (first[:, 0] * second[:, 1] - first[:, 1] * second[:, 0])


def covering(flat: np.ndarray, points: np.ndarray) -> np.ndarray:
    """How many triangles cover each point."""
    ones = np.ones((len(flat), 1, 3))
    weights = np.linalg.solve(
        np.concatenate([flat.transpose(0, 2, 1), ones], axis=1), np.vstack([points.T, np.ones(len(points))])
    )
    return np.sum((weights > 1e-6).all(axis=1), axis=0)


# --- laid flat ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["sheet", "tube", "sphere"])
def test_laid_flat_triangles_keep_their_shape_and_do_not_overlap(rng, name):
    body = {"sheet": sheet(rng), "tube": tube(), "sphere": sphere()}[name]
    flat = pucker.plot.unfolded(body.mesh, body.rest)
    assert np.abs(side_lengths(flat) - side_lengths(body.rest[body.faces])).max() < 1e-12
    assert (signed_areas(flat) > 0).all()
    inside = np.einsum("mk,mkd->md", rng.dirichlet([2, 2, 2], len(flat)), flat)
    assert (covering(flat, inside) == 1).all()


def test_a_flat_sheet_in_space_is_laid_flat_in_one_piece(rng):
    body = sheet(rng)
    flat = pucker.plot.unfolded(body.mesh, body.rest @ rotation(rng).T + 3.0).reshape(-1, 2)
    there = body.rest[body.faces].reshape(-1, 3)[:, :2]
    distances = [np.linalg.norm(points[:, None] - points[None], axis=2) for points in (flat, there)]
    assert np.abs(distances[0] - distances[1]).max() < 1e-12


def test_a_tube_is_cut_along_one_line_only():
    body = tube(columns=14, rows=8)
    flat = pucker.plot.unfolded(body.mesh, body.rest)
    glued = sum(
        np.abs(
            np.sort_complex(flat[t, [k, (k + 1) % 3]] @ [1, 1j]) - np.sort_complex(flat[other, shared] @ [1, 1j])
        ).max()
        < 1e-9
        for t, row in enumerate(body.mesh.triangle_neighbours)
        for k, other in enumerate(row)
        if other > t
        for shared in [np.isin(body.faces[other], body.faces[t, [k, (k + 1) % 3]])]
    )
    inner = int(np.sum(body.mesh.triangle_neighbours >= 0)) // 2
    # Across the cut lie at least the sides of the rows and at most those and one line round the tube.
    assert 8 <= inner - glued <= 8 + 14


def test_a_triangle_without_area_is_left_out_of_the_layout():
    mesh = pucker.Mesh([[0, 1, 2], [1, 2, 3]], 4)
    flat = pucker.plot.unfolded(mesh, [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0.5, 0.5, 0]])
    assert signed_areas(flat) == pytest.approx([0.5, 0.0])


# --- on the cloth -------------------------------------------------------------------------------------------------


def test_triangles_laid_flat_are_drawn_where_they_are_in_the_colours_of_their_labels(rng, sleeve):
    clip, _ = sleeve
    flat, labels = pucker.plot.unfolded(clip.mesh, clip.positions[0]), rng.integers(0, 3, len(clip.faces))
    figure = pucker.plot.labels(flat, labels)
    assert np.abs(np.array(polygons(figure)) - flat).max() == 0
    colours = np.array([to_rgba(colour) for colour in pucker.plot.LABEL_COLOURS])
    assert (fills(figure) == colours[labels]).all()


def test_label_colours_have_the_hues_of_the_drawn_overlay():
    ours = np.array([to_rgba(colour)[:3] for colour in pucker.plot.LABEL_COLOURS]) * 255
    tints = LABEL_TINTS[:, :3].astype(float)
    assert np.array_equal(ours[[0, 2]].round(), tints[[0, 2]])
    assert np.ptp(ours[1]) == np.ptp(tints[1]) == 0


def test_cloth_in_space_is_seen_as_the_renderer_sees_it_the_nearest_triangle_last(sleeve):
    clip, states = sleeve
    corners = clip.positions[15][clip.faces]
    local = corners @ np.stack(Camera.orbit((0, 0, 0), 1.0, 35.0, 12.0).axes, axis=1)
    order = np.argsort(local[:, :, 2].mean(axis=1), kind="stable")
    drawn = np.array(polygons(pucker.plot.labels(corners, states[15].labels)))
    assert np.abs(drawn - local[order][:, :, :2]).max() < 1e-12


def test_values_are_drawn_in_the_colours_of_their_bar(rng, sleeve):
    clip, states = sleeve
    flat = pucker.plot.unfolded(clip.mesh, clip.positions[0])
    figure = pucker.plot.triangles(flat, states[15].compression, name="compression", limits=(1.0, 1.5))
    bar = figure.axes[1]
    assert bar.get_ylabel() == "compression"
    assert bar.get_ylim() == (1.0, 1.5)
    order = np.argsort(states[15].compression)
    lightness = fills(figure)[order, :3].sum(axis=1)
    assert (np.diff(lightness) <= 1e-12).all()


def test_an_ellipse_is_what_the_stretch_makes_of_a_circle():
    clip = squeezed_sheet(compression=1.6)
    rest, squeezed = (pucker.local_frames(clip.mesh, clip.positions[frame]) for frame in (0, 15))
    stretch = pucker.stretch(rest.matrices, squeezed.matrices)
    for corners in (clip.positions[15][clip.faces][:, :, :2], clip.positions[15][clip.faces]):
        drawn = polygons(pucker.plot.ellipses(corners, squeezed, stretch, view=(0.0, 0.0)))
        extents = np.array([np.ptp(outline, axis=0) for outline in drawn if len(outline) > 3])
        assert len(extents) == len(clip.faces)
        assert extents[:, 1] / extents[:, 0] == pytest.approx(1.6)


def test_ellipses_follow_a_layout_that_does_not_keep_lengths(rng, sleeve):
    clip, states = sleeve
    flat = pucker.plot.unfolded(clip.mesh, clip.positions[15])
    skew = rng.normal(size=(2, 2))
    whole = polygons(pucker.plot.ellipses(flat, states[15].frames, states[15].stretch))
    skewed = polygons(pucker.plot.ellipses(flat @ skew.T, states[15].frames, states[15].stretch))
    assert max(np.abs(one @ skew.T - other).max() for one, other in zip(whole, skewed, strict=True)) < 1e-12


def test_an_ellipse_is_as_many_times_as_large_as_its_circle_as_its_triangle_has_grown(sleeve):
    clip, states = sleeve
    flat = pucker.plot.unfolded(clip.mesh, clip.positions[15])
    unit = pucker.stretch(states[15].frames.matrices, states[15].frames.matrices)

    def areas(stretch):
        drawn = polygons(pucker.plot.ellipses(flat, states[15].frames, stretch))[1::2]
        return np.array([0.5 * np.abs(np.imag(np.conj(z) @ np.roll(z, -1))) for z in (d @ [1, 1j] for d in drawn)])

    change = states[15].stretch.minimum * states[15].stretch.maximum
    assert areas(states[15].stretch) / areas(unit) == pytest.approx(change)


def test_ellipses_in_space_are_left_out_where_the_cloth_faces_away(sleeve):
    clip, states = sleeve
    corners = clip.positions[15][clip.faces]
    facing = states[15].frames.normals @ np.array(Camera.orbit((0, 0, 0), 1.0, 90.0, 0.0).axes[2]) > 0
    drawn = polygons(pucker.plot.ellipses(corners, states[15].frames, states[15].stretch, view=(90.0, 0.0)))
    assert sum(len(outline) > 3 for outline in drawn) == facing.sum()


def legend_counts(figure) -> dict[str, int]:
    (legend,) = figure.legends
    return {name: int(count) for name, count in (t.get_text().rstrip(")").split(" (") for t in legend.get_texts())}


@pytest.mark.parametrize("view", [(0.0, 0.0), (35.0, 12.0), (200.0, -60.0)])
def test_the_legend_counts_the_labels_in_sight(rng, view):
    body = sphere()
    labels = rng.integers(0, 3, len(body.faces))
    towards = np.array(Camera.orbit((0, 0, 0), 1.0, *view).axes[2])
    # Of a convex body seen from afar those triangles are in sight that face the viewer.
    normals, middles = body.frames(body.rest).normals, body.rest[body.faces].mean(axis=1)
    facing = np.sign(np.einsum("mi,mi->m", normals, middles)) * (normals @ towards) > 1e-9
    figure = pucker.plot.labels(body.rest[body.faces], labels, view=view)
    assert list(legend_counts(figure).values()) == [int(np.sum(facing & (labels == k))) for k in range(3)]
    flat = pucker.plot.unfolded(body.mesh, body.rest)
    assert list(legend_counts(pucker.plot.labels(flat, labels)).values()) == np.bincount(labels, minlength=3).tolist()


def test_a_bar_marks_what_it_is_told_to(sleeve):
    clip, states = sleeve
    flat = pucker.plot.unfolded(clip.mesh, clip.positions[0])
    marks = {"1": 1.0, "τ": 1.15}
    of = states[15]
    for figure, places in (
        (pucker.plot.triangles(flat, of.compression, name="λ̃", limits=(0.9, 1.5), marks=marks), marks),
        (pucker.plot.ellipses(flat, of.frames, of.stretch), {"1": 0.0}),
        (pucker.plot.ellipses(flat, of.frames, of.stretch, threshold=1.15), {"1": 0.0, "1/τ": -np.log(1.15)}),
    ):
        bar = figure.axes[1]
        assert {text.get_text(): text.xy[1] for text in bar.texts} == pytest.approx(places)
        assert [line.get_ydata()[0] for line in bar.lines] == pytest.approx(list(places.values()))


# --- label costs --------------------------------------------------------------------------------------------------


def test_panels_of_costs_hold_the_costs_and_the_cheapest_label():
    params = pucker.Params(label={"alpha": 7.0})
    figure = pucker.plot.label_costs(params, limits=(0.8, 1.4))
    meshes = [next(each for each in axes.collections if isinstance(each, QuadMesh)) for axes in figure.axes[:4]]
    a, b = np.moveaxis(meshes[0].get_coordinates(), 2, 0)
    a, b = 0.5 * (a[:-1, :-1] + a[1:, 1:]), 0.5 * (b[:-1, :-1] + b[1:, 1:])
    possible = ~meshes[0].get_array().mask
    assert np.array_equal(possible, a * b >= 1 - 1e-12)
    costs = pucker.label_costs(1 / a[possible], b[possible], params)
    for column in range(3):
        assert np.abs(meshes[column].get_array().data[possible] - costs[:, column]).max() < 1e-9
    cheapest = meshes[3].get_array().data[possible]
    taken = np.take_along_axis(costs, cheapest[:, None].astype(int), axis=1)[:, 0]
    assert np.abs(taken - costs.min(axis=1)).max() < 1e-9
    assert set(cheapest.tolist()) == {0, 1, 2}


# --- paths --------------------------------------------------------------------------------------------------------


def drawn_paths(figure) -> list[np.ndarray]:
    """Segments of the living and of the dying paths."""
    return [np.array(c.get_segments()).reshape(-1, 2, 2) for c in figure.axes[0].collections[1:]]


def test_paths_laid_flat_are_as_long_as_on_the_cloth_and_all_are_counted(sleeve):
    clip, states = sleeve
    seen = [w for w in states[15].wrinkles if not w.gone]
    flat = pucker.plot.unfolded(clip.mesh, clip.positions[15])
    figure = pucker.plot.paths(flat, clip.faces, states[15].wrinkles)
    for alive, segments in zip((True, False), drawn_paths(figure), strict=True):
        steps = [np.linalg.norm(np.diff(w.points, axis=0), axis=1) for w in seen if w.alive == alive]
        lengths = np.linalg.norm(segments[:, 1] - segments[:, 0], axis=1)
        assert lengths == pytest.approx(np.concatenate([np.empty(0), *steps]), abs=1e-12)
    assert legend_counts(figure) == {
        "living": sum(w.alive for w in seen),
        "dying": sum(not w.alive for w in seen),
    }
    assert legend_counts(figure)["living"] > 3


@pytest.mark.parametrize("azimuth", [0.0, 90.0, 200.0])
def test_paths_in_space_are_drawn_where_no_triangle_hides_them(sleeve, azimuth):
    clip, states = sleeve
    corners = clip.positions[15][clip.faces]
    axes = np.stack(Camera.orbit((0, 0, 0), 1.0, azimuth, 10.0).axes)
    living = [w for w in states[15].wrinkles if w.alive]
    middles = [0.5 * (w.points[1:] + w.points[:-1]) @ axes.T for w in living]
    local = corners @ axes.T
    shown = [
        np.array([not any(hides(triangle, point) for triangle in local) for point in points]) for points in middles
    ]
    figure = pucker.plot.paths(corners, clip.faces, living, view=(azimuth, 10.0))
    expected = np.concatenate([points[seen, :2] for points, seen in zip(middles, shown, strict=True)])
    assert 0 < len(expected) < sum(map(len, middles))
    assert drawn_paths(figure)[0].mean(axis=1) == pytest.approx(expected, abs=1e-12)
    assert legend_counts(figure)["living"] == sum(seen.any() for seen in shown)


def hides(triangle: np.ndarray, point: np.ndarray) -> bool:
    """Whether a triangle lies before a point, both in the camera's axes."""
    weights = np.linalg.lstsq(np.vstack([triangle[:, :2].T, np.ones(3)]), [*point[:2], 1.0], rcond=None)[0]
    return bool((weights >= 0).all() and weights @ triangle[:, 2] > point[2] + 1e-9)


def test_paths_of_another_mesh_are_refused(sleeve):
    clip, states = sleeve
    corners = clip.positions[15][clip.faces]
    with pytest.raises(ValueError, match=r"wrinkle \d+ lies on another mesh than these faces"):
        pucker.plot.paths(corners, clip.faces[::-1], states[15].wrinkles)
    with pytest.raises(ValueError, match=r"wrinkle \d+ lies in triangle \d+ of another mesh"):
        pucker.plot.paths(corners[:2], clip.faces[:2], states[15].wrinkles)


def test_the_strip_of_a_path_holds_its_t_on_every_edge_it_crosses(sleeve):
    _, states = sleeve
    frames = {w.id: sum(w.id in {v.id for v in s.wrinkles} for s in states) for s in states for w in s.wrinkles}
    chosen = max(frames, key=frames.get)
    figure = pucker.plot.path_strip(states, chosen)
    axes = figure.axes[0]
    edges = [tuple(map(int, text.get_text().split(", "))) for text in axes.get_yticklabels()]
    strip = axes.collections[0].get_array()
    seen = 0
    for column, state in enumerate(states):
        for wrinkle in state.wrinkles:
            if wrinkle.id != chosen:
                continue
            crossed = []
            for (first, second), t, apex in zip(wrinkle.vertices, wrinkle.t, wrinkle.apex, strict=True):
                if apex < 0:
                    crossed.append(edges.index((min(first, second), max(first, second))))
                    assert strip[crossed[-1], column] == (t if first < second else 1 - t)
            assert strip[:, column].count() == len(crossed)
            seen += len(crossed)
    assert strip.count() == seen > 50


def test_rows_of_a_strip_follow_the_path(sleeve):
    _, states = sleeve
    first = states[12].wrinkles[0]
    edges = [text.get_text() for text in pucker.plot.path_strip(states[12:13], first.id).axes[0].get_yticklabels()]
    crossed = [f"{min(v)}, {max(v)}" for v, apex in zip(first.vertices, first.apex, strict=True) if apex < 0]
    assert edges == crossed


def test_lifelines_have_a_bar_for_each_frame_of_each_wrinkle(sleeve):
    _, states = sleeve
    (bars,) = pucker.plot.lifelines(states).axes[0].collections
    assert len(bars.get_paths()) == sum(len(state.wrinkles) for state in states)
    grey = (bars.get_facecolor() == to_rgba("#b9bac0")).all(axis=1)
    assert grey.sum() == sum(not wrinkle.alive for state in states for wrinkle in state.wrinkles)


# --- cross-sections -----------------------------------------------------------------------------------------------


def drawn_lengths(figure) -> list[float]:
    curves = [line.get_xydata() for line in figure.axes[0].lines]
    return [float(np.linalg.norm(np.diff(points, axis=0), axis=1).sum()) for points in curves]


def test_profiles_of_one_length_are_drawn_as_long():
    assert drawn_lengths(pucker.plot.profiles(2.0, 2.6)) == pytest.approx([2.6] * len(PROFILES), rel=1e-4)


def test_profiles_by_the_circle_rule_are_as_high_and_not_as_long():
    figure = pucker.plot.profiles(2.0, 2.6, rule=pucker.HeightRule.circle)
    tops = [np.abs(line.get_ydata()).max() for line in figure.axes[0].lines]
    circle, wave = float(pucker.profiles.circle_height(2.0, 2.6)), float(pucker.Profile.wave.height_for(2.0, 2.6))
    wavy = (pucker.Profile.wave, pucker.Profile.crease)
    expected = [wave if profile in wavy else circle for profile in PROFILES]
    assert tops == pytest.approx(expected, rel=1e-4)
    assert np.ptp(drawn_lengths(figure)) > 0.01


def test_heights_are_those_of_the_profiles():
    *curves, circle = pucker.plot.heights().axes[0].lines
    for profile, line in zip(pucker.Profile.__members__.values(), curves, strict=True):
        ratio, height = line.get_data()
        assert profile.arc_length(ratio, height) == pytest.approx(np.ones(len(ratio)))
    ratio, height = circle.get_data()
    assert height == pytest.approx(pucker.profiles.circle_height(ratio, np.ones(len(ratio))))


# --- numbers over frames ------------------------------------------------------------------------------------------


def test_terms_of_an_energy_are_drawn_under_their_names():
    figure = pucker.plot.energies({"data": [3.0, 2.0, 1.0], "sum": [4.0, 3.0, 2.0]}, x=[10, 20, 30], name="iteration")
    data = {line.get_label(): line.get_xydata().tolist() for line in figure.axes[0].lines}
    assert data == {"data": [[10, 3], [20, 2], [30, 1]], "sum": [[10, 4], [20, 3], [30, 2]]}
    assert figure.axes[0].get_xlabel() == "iteration"


def test_energies_of_paths_are_drawn_term_by_term(sleeve):
    clip, states = sleeve
    before, after = states[11], states[12]
    persistence = pucker.Persistence(clip.mesh, params_for(clip, threshold=1.15))
    field = pucker.CompressionField(clip.mesh, clip.positions[12], after.stretch)
    motion = pucker.Motion(field, clip.positions[11], after.motion, 1 / 30, 0.05)
    energies = [persistence.energy(w, motion, w.t) for w in before.wrinkles if w.alive]
    drawn = {line.get_label(): line.get_ydata() for line in pucker.plot.energies(energies).axes[0].lines}
    assert len(energies) > 1
    for term in ("alignment", "motion", "shape", "sum"):
        assert drawn[term].tolist() == [getattr(energy, term) for energy in energies]


def test_stage_times_are_stacked_to_the_time_of_the_frame(sleeve):
    _, states = sleeve
    top = pucker.plot.stage_times(states).axes[0].collections[-1].get_paths()[0].vertices
    highest = [top[top[:, 0] == state.frame, 1].max() for state in states]
    assert highest == pytest.approx([1e3 * sum(state.seconds.values()) for state in states])


# --- sweeps -------------------------------------------------------------------------------------------------------


@pytest.fixture
def table(rng) -> pd.DataFrame:
    rows = [(t, p, s) for t in (1.3, 1.1, 1.2) for p in ("quartic", "arcs") for s in range(4)]
    frame = pd.DataFrame(rows, columns=["threshold", "profile", "seed"])
    return frame.assign(flicker=rng.uniform(size=len(frame)))


def test_a_sweep_over_numbers_joins_the_means_of_each_hue(table):
    axes = pucker.plot.sweep(table, x="threshold", y="flicker", hue="profile").axes[0]
    lines = {line.get_label(): line.get_xydata() for line in axes.lines if not line.get_label().startswith("_")}
    assert list(lines) == ["quartic", "arcs"]
    for name, points in lines.items():
        rows = table[table.profile == name]
        expected = [[t, np.mean(rows.flicker[rows.threshold == t])] for t in (1.1, 1.2, 1.3)]
        assert points == pytest.approx(np.array(expected))
    assert sum(len(line.get_xdata()) for line in axes.lines) == len(table) + 6


def test_a_sweep_over_names_keeps_their_order_and_marks_the_means(table):
    axes = pucker.plot.sweep(table, x="profile", y="flicker", hue="threshold").axes[0]
    assert [text.get_text() for text in axes.get_xticklabels()] == ["quartic", "arcs"]
    means = {round(float(s[0, 1]), 12) for dashes in axes.collections for s in dashes.get_segments()}
    assert means == {round(mean, 12) for mean in table.groupby(["profile", "threshold"]).flicker.mean()}


def test_rows_without_a_measure_are_counted_in_the_title(table):
    table.loc[[2, 5], "flicker"] = np.nan
    axes = pucker.plot.sweep(table, x="threshold", y="flicker").axes[0]
    assert axes.get_title() == "2 of 24 rows have no flicker"
    assert np.isfinite(axes.lines[-1].get_ydata()).all()


# --- figures ------------------------------------------------------------------------------------------------------


def test_figures_leave_pyplot_alone():
    code = "import sys, pucker; pucker.plot.heights().savefig(sys.argv[1]); print('matplotlib.pyplot' in sys.modules)"
    out = subprocess.run([sys.executable, "-c", code, "/dev/null"], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "False"


def test_a_notebook_shows_a_figure_as_a_picture():
    assert pucker.plot.heights()._repr_png_().startswith(b"\x89PNG")


def test_several_plots_stand_in_one_figure(sleeve):
    clip, states = sleeve
    corners = clip.positions[8][clip.faces]
    figure = pucker.plot.Figure((9.0, 4.0))
    left, right = figure.subfigures(1, 2)
    assert pucker.plot.labels(corners, states[8].labels, figure=left) is left
    pucker.plot.ellipses(corners, states[8].frames, states[8].stretch, figure=right)
    assert len(figure.axes) == 3


# --- bad input ----------------------------------------------------------------------------------------------------

FLAT = np.array([[[0.0, 0], [1, 0], [0, 1]]])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda _: pucker.plot.labels(FLAT, [3]), "triangle 0 has 3"),
        (lambda _: pucker.plot.labels(FLAT, [1, 1]), r"labels must have shape \(1\), not \(2,\)"),
        (lambda _: pucker.plot.labels(FLAT[0], [1]), r"corners must have shape .* not \(3, 2\)"),
        (lambda _: pucker.plot.labels(np.nan * FLAT, [1]), "corners must be finite"),
        (lambda _: pucker.plot.triangles(FLAT, [np.inf], name="x"), "triangle 0 has inf"),
        (lambda _: pucker.plot.triangles(FLAT, [1], name="x", limits=(2, 2)), "limits must rise, not go from 2 to 2"),
        (
            lambda _: pucker.plot.triangles(FLAT, [1], name="x", limits=(0, 2), marks={"τ": 3}),
            r"'τ' .* \[0, 2\], not at 3",
        ),
        (lambda _: pucker.plot.paths(FLAT, [[0, 1]], []), r"faces must have shape \(1, 3\) .* not \(1, 2\)"),
        (lambda s: pucker.plot.ellipses(FLAT, s.frames, s.stretch), "frames must be of 1 triangles"),
        (lambda _: pucker.plot.label_costs(limits=(0, 1)), "limits must rise from above 0"),
        (lambda s: pucker.plot.path_strip([s], 12345), "no state has a wrinkle 12345"),
        (lambda _: pucker.plot.lifelines([]), "at least one state"),
        (lambda _: pucker.plot.stage_times([]), "at least one state"),
        (lambda _: pucker.plot.energies({"a": [1], "b": [1, 2]}), "one length, not {'a': 1, 'b': 2}"),
        (lambda _: pucker.plot.energies({"a": [0.0]}, log=True), "term a has no positive number"),
        (lambda _: pucker.plot.profiles(1.0, 2.0), "arc"),
        (lambda _: pucker.plot.sweep(pd.DataFrame({"a": [1]}), x="b", y="a"), "no column 'b'; it has a"),
        (lambda _: pucker.plot.sweep(pd.DataFrame({"a": ["x"]}), x="a", y="a"), "must hold numbers"),
    ],
)
def test_what_cannot_be_drawn_is_refused_in_one_sentence(sleeve, call, message):
    with pytest.raises(ValueError, match=message):
        call(sleeve[1][15])


@pytest.fixture
def squeezed():
    """A flat sheet squeezed along x to 0.6, and its waves."""
    clip = squeezed_sheet(compression=1 / 0.6)
    crush = pucker.waves.Crush(clip.mesh, clip.positions[0], 0.1, pucker.waves.CrushParams(threshold=1))
    return clip, np.array(clip.positions[15]), crush.step(clip.positions[15])


def test_a_line_across_the_crests_is_as_long_as_the_wave(squeezed):
    clip, positions, planes = squeezed
    figure = pucker.plot.waves(clip.mesh, positions[:, :2], planes)
    cloth, lines = figure.axes[0].collections
    ends = np.array(lines.get_segments())
    np.testing.assert_allclose(ends.mean(axis=1), positions[:, :2], atol=1e-12)
    np.testing.assert_allclose(np.abs(ends[:, 1] - ends[:, 0]), np.tile([0.06, 0.0], (len(ends), 1)), atol=1e-9)
    assert len(cloth.get_facecolor()) == len(clip.faces)
    np.testing.assert_allclose(cloth.get_facecolor()[0], mpl.colormaps["YlGnBu"](0.8), atol=0.01)


def test_waves_in_space_have_lines_where_no_triangle_hides_them():
    clip = bending_sleeve(frames=5)
    planes = list(pucker.run(clip, pucker.waves.Params()))[2].waves
    figure = pucker.plot.waves(clip.mesh, clip.positions[2], planes)
    shown = len(figure.axes[0].collections[1].get_segments())
    assert 0 < shown < np.count_nonzero(np.asarray(planes.amplitudes) > 0)


@pytest.mark.parametrize("angle", [0.0, 30.0, 100.0])
def test_the_strongest_wave_of_a_spectrum_is_marked(angle):
    x, y = np.meshgrid((np.arange(120) + 0.5) / 60, (np.arange(80) + 0.5) / 80)
    k = 9 * np.array([np.cos(np.radians(angle)), np.sin(np.radians(angle))])
    figure = pucker.plot.spectrum(3 + np.cos(2 * np.pi * (k[0] * x + k[1] * y) + 1), (2.0, 1.0), expected=k)
    peak, true = figure.axes[0].lines
    found = np.stack(peak.get_data(), axis=1)
    sign = 1 if found[0] @ k > 0 else -1
    np.testing.assert_allclose(sign * found[0], k, atol=0.15)
    np.testing.assert_array_equal(found[1], -found[0])
    np.testing.assert_array_equal(np.stack(true.get_data(), axis=1)[0], k)
    assert "length 0.11" in figure.axes[0].get_title()


def test_waves_that_cannot_be_drawn_are_refused(squeezed):
    clip, positions, planes = squeezed
    one = pucker.Mesh(np.array([[0, 1, 2]]), 3)
    for call, message in (
        (lambda: pucker.plot.waves(clip.mesh, positions[:-1], planes), "positions must have shape"),
        (lambda: pucker.plot.waves(one, positions[:3], planes), "waves must be of 3 vertices"),
        (lambda: pucker.plot.spectrum(np.ones((4, 4)), (1, 1)), "heights must be finite and not all the same"),
        (lambda: pucker.plot.spectrum(np.eye(4), (1, 0)), "size must be positive"),
        (lambda: pucker.plot.spectrum(np.ones(4), (1, 1)), r"heights must have shape \(any, any\)"),
    ):
        with pytest.raises(ValueError, match=message):
            call()


# --- told apart ---------------------------------------------------------------------------------------------------


def test_what_gives_away_is_drawn_largest_first_with_its_way():
    weights = (Weight("height", 0.6, -1.5), Weight("ridge length", 0.3, 0.7), Weight("curvature", 0.1, 0.0))
    told = ToldApart(("arm", "leg"), (0.8, 0.9), (4, 4), weights)
    (axes,) = pucker.plot.giveaways(told, most=2).axes
    bars = axes.patches
    assert [bar.get_width() for bar in bars] == pytest.approx([30.0, 60.0])
    assert [label.get_text() for label in axes.get_yticklabels()] == ["ridge length", "height"]
    assert [text.get_text().strip() for text in axes.texts] == ["0.7 σ more", "1.5 σ less"]
    assert bars[0].get_facecolor() != bars[1].get_facecolor()
    with pytest.raises(ValueError, match="most must be positive, not 0"):
        pucker.plot.giveaways(told, most=0)


def test_patches_stand_side_by_side_at_one_scale(rng):
    rows = {"simulated": rng.normal(size=(3, 9, 9)), "waves": np.zeros((3, 9, 9))}
    figure = pucker.plot.relief(rows)
    assert len(figure.axes) == 6
    pictures = [axes.images[0] for axes in figure.axes]
    assert np.array_equal(pictures[1].get_array(), rows["simulated"][1])
    assert len({picture.get_clim() for picture in pictures}) == 1
    assert pictures[0].get_clim()[1] == pytest.approx(3.0 * np.sqrt(np.square(rows["simulated"]).mean()))
    assert [axes.get_ylabel() for axes in figure.axes[::3]] == ["simulated", "waves"]
    with pytest.raises(ValueError, match="rows of patches must be of one shape"):
        pucker.plot.relief({**rows, "waves": np.zeros((2, 9, 9))})
    with pytest.raises(ValueError, match="the height of full colour must be positive, not 0"):
        pucker.plot.relief(rows, most=0.0)
    with pytest.raises(ValueError, match="rows of patches must be of one shape"):
        pucker.plot.relief({})


@pytest.mark.parametrize("plotted", [pucker.plot.lifelines, lambda states: pucker.plot.path_strip(states, 0)])
def test_states_without_wrinkles_are_refused_in_a_sentence(plotted):
    states = list(pucker.run(squeezed_sheet(compression=1.5), pucker.waves.Params()))
    with pytest.raises(
        TypeError, match=r"of the dynamic method's states, which have some, not of a pucker\.waves\.State$"
    ):
        plotted(states)
