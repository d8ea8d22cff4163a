"""Welding from Python: arrays in, arrays out. The algorithm is tested with the C++ core."""

import numpy as np
import pytest

import pucker


def test_map_and_representatives_invert_each_other(rng: np.random.Generator) -> None:
    points = rng.random((40, 3))
    stored = rng.integers(0, 40, 300)
    frames = np.stack([points[stored], points[stored] @ rng.random((3, 3))])
    welded, first = pucker.weld(frames)
    assert welded.dtype == first.dtype == np.int32
    assert len(first) == len(np.unique(stored))
    np.testing.assert_array_equal(welded[first], np.arange(len(first)))
    np.testing.assert_array_equal(frames[:, first[welded]], frames)
    np.testing.assert_array_equal(first, np.sort(np.unique(stored, return_index=True)[1]))


def test_one_frame_may_leave_out_its_axis() -> None:
    points = np.array([[0.0, 0, 0], [1, 0, 0], [0, 0, 0]])
    np.testing.assert_array_equal(pucker.weld(points)[0], [0, 1, 0])


@pytest.mark.parametrize("dtype", [np.float32, np.int64, np.uint8])
def test_any_number_type_and_memory_order(dtype: type) -> None:
    points = np.asfortranarray([[[0, 0, 0], [9, 9, 9], [9, 9, 9]]], dtype=dtype)
    np.testing.assert_array_equal(pucker.weld(points)[0], [0, 1, 1])


def test_tolerance_is_a_share_of_the_diagonal() -> None:
    points = np.array([[0.0, 0, 0], [100, 0, 0], [99.5, 0, 0]])
    assert len(pucker.weld(points, 0.006)[1]) == 2
    assert len(pucker.weld(points, 0.004)[1]) == 3


@pytest.mark.parametrize("shape", [(3,), (4, 2), (2, 3, 2), (1, 2, 3, 3)])
def test_wrong_shape_is_refused(shape: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="positions"):
        pucker.weld(np.zeros(shape))


@pytest.mark.parametrize("tolerance", [-1e-9, 1.0, np.nan])
def test_tolerance_out_of_range_is_refused(tolerance: float) -> None:
    with pytest.raises(ValueError, match="tolerance"):
        pucker.weld(np.zeros((1, 3)), tolerance)


def test_words_are_no_positions() -> None:
    with pytest.raises(ValueError, match="positions"):
        pucker.weld([["a", "b", "c"]])
