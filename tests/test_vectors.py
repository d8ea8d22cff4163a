"""Unit vectors, and what stands for those that have no direction."""

import numpy as np
import pytest

from pucker.vectors import UP, unit, up_where_zero


@pytest.mark.parametrize("scale", [1e-8, 1.0, 1e8])
def test_unit_vectors_have_length_one_and_the_direction_they_had(rng, scale):
    vectors = scale * rng.normal(size=(9, 4, 3))
    found = unit(vectors)
    np.testing.assert_allclose(np.linalg.norm(found, axis=-1), 1.0, rtol=1e-14)
    np.testing.assert_allclose(np.cross(found, vectors), 0.0, atol=1e-14 * scale)
    assert ((found * vectors).sum(axis=-1) > 0.0).all()


def test_without_a_length_stands_what_is_given():
    vectors = np.array([[0.0, 0.0, 0.0], [0.0, 0.0, 2.0]])
    assert unit(vectors).tolist() == [[0.0, 0.0, 0.0], [0.0, 0.0, 1.0]]
    assert unit(vectors, UP).tolist() == [[0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
    assert up_where_zero(vectors).tolist() == [[0.0, 1.0, 0.0], [0.0, 0.0, 2.0]]
    assert vectors.tolist() == [[0.0, 0.0, 0.0], [0.0, 0.0, 2.0]]
