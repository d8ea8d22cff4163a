"""The programs in examples/python do what they say."""

import importlib.util
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

FOLDER = Path(__file__).resolve().parents[1] / "examples" / "python"


def module(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, FOLDER / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


@pytest.mark.parametrize("simulator", ["mujoco", pytest.param("newton", marks=pytest.mark.slow)])
def test_a_simulation_that_is_streamed_gets_folds_that_it_has_no_vertices_for(monkeypatch, capsys, simulator):
    pytest.importorskip(simulator)
    example = module("simulated_guide")
    monkeypatch.setattr(example, "SECONDS", 0.5)
    clip, states = example.main(getattr(example, f"in_{simulator}"))
    assert len(states) == len(clip) == 45
    assert "45 frames, 800 triangles simulated, 12800 draped" in capsys.readouterr().out
    np.testing.assert_array_equal(clip.positions[-1], states[-1].positions)
    # Along its upper edge the simulated mesh is as short as it was gathered; the draped one folds, and is longer.
    state = states[-1]
    loop = state.detail.subdivision
    _, rest = example.curtain()
    cut = loop.matrix @ rest
    edges = loop.fine.edges
    upper = edges[(cut[edges][:, :, 1] > -1e-3).all(axis=1)]

    def length(places: np.ndarray) -> float:
        return float(np.linalg.norm(places[upper[:, 0]] - places[upper[:, 1]], axis=1).sum())

    assert len(upper) > 70  # corners are rounded
    assert length(state.guide) < 0.85 * length(cut)
    assert length(state.draped) - length(state.guide) > 0.3 * (length(cut) - length(state.guide))


def test_a_decimated_simulation_is_draped_again(data_dir, tmp_path, capsys):
    example = module("decimated_shirt")
    fine, coarse, states = example.main(data_dir / "tshirt_wind.zip", clip="0:5@90", triangles=300)
    assert len(fine) == len(coarse) == len(states) == 6
    assert "2745 triangles simulated, 300 left, 4800 draped" in capsys.readouterr().out
    # In the frame that it was cut for it lies on the guide.
    assert np.linalg.norm(states[0].draped - states[0].guide, axis=1).max() < 1e-6
    assert np.linalg.norm(states[-1].draped - states[-1].guide, axis=1).max() > 1e-4
    example.picture(fine, coarse, states, tmp_path / "shirt.png")
    assert (tmp_path / "shirt.png").stat().st_size > 10_000


def test_a_simulator_of_ones_own_is_a_truth_and_a_method_of_ones_own_is_judged_by_it(monkeypatch, tmp_path, capsys):
    simulator, method = module("own_simulator"), module("own_method")
    monkeypatch.setattr(simulator, "LEVELS", 1)
    file = tmp_path / "sleeve.npz"
    truth = simulator.main(file, 10, 14)
    assert [each.of for each in truth.reproduced] == ["finer"]
    # Long folds are of the sheet, the shortest of the mesh.
    assert truth.resolved
    assert not truth.judged[0]
    assert truth.reproduced[0].correlation[0] < 0.9 < max(truth.reproduced[0].correlation[:-1])
    assert "| ceiling: the next finer mesh |" in capsys.readouterr().out
    rows = method.main([file])
    told = capsys.readouterr().out
    assert "| bulges | " in told
    assert [each.surface for each in rows][-2:] == ["bulges", "draped"]
    bulges = rows[-2]
    assert bulges.kind == "method"
    assert bulges.judged == truth.judged
    # It is somewhere: what is compressed has risen.
    assert max(bulges.size) > 0.01
    assert all(np.isfinite(bulges.correlation))
