"""Normal maps that are baked in Blender, drawn there by its own Normal Map node."""

import numpy as np
import pytest
from blender_process import Blender

pytestmark = pytest.mark.blender


def test_a_normal_map_shades_the_coarse_sheet_as_the_fine_one_is_shaded(blender: Blender) -> None:
    blender.run("mapped")
    drawn = np.load(blender.out / "mapped.npz")
    whole = np.all([drawn[name][..., 3] > 0.99 for name in drawn.files], axis=0)
    assert whole.sum() > 5000
    shading = {name: (drawn[name] - drawn["smooth"])[whole][:, 0] for name in drawn.files}

    def correlation(name: str) -> float:
        return float(np.corrcoef(shading[name], shading["fine"])[0, 1])

    assert shading["fine"].std() > 0.05
    assert correlation("mapped") > 0.97
    assert shading["mapped"].std() == pytest.approx(shading["fine"].std(), rel=0.05)
    # With green upside down, as DirectX has it, it is not.
    assert abs(correlation("flipped")) < 0.2
