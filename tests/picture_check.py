"""Compares pictures, and keeps what differed under build/failed_pictures."""

import os
import re
from pathlib import Path

import numpy as np
from PIL import Image

ROOT = Path(__file__).resolve().parents[1]
FAILED = ROOT / "build" / "failed_pictures"
REFERENCES = ROOT / "tests" / "pictures"


def assert_same_picture(actual, expected, *, limit=2, share=1e-3):
    """At most this share of the pixels may differ by more than `limit` of 255 in any channel.

    A failure leaves the picture, what it should have been and eight times their difference under the test's name.
    """
    assert actual.shape == expected.shape, f"{actual.shape} is not {expected.shape}"
    difference = np.abs(actual.astype(int) - expected.astype(int))
    wrong = (difference.max(axis=2) > limit).mean()
    if wrong > share:
        pictures = {"picture": actual, "reference": expected, "difference": np.minimum(8 * difference[..., :3], 255)}
        raise AssertionError(
            f"{100 * wrong:.3f} % of the pixels differ by more than {limit}, {100 * share:g} % may: see {_save(pictures)}"
        )


def assert_as_before(actual, name, *, limit=8, share=0.01):
    """The picture is that of tests/pictures, as far as drivers differ: a pixel in a hundred may be off by more than 8.

    A picture that is to become the reference is copied there from build/failed_pictures.
    """
    path = REFERENCES / f"{name}.png"
    if not path.exists():
        raise AssertionError(f"there is no {path}; the picture is {_save({'picture': actual})}")
    with Image.open(path) as image:
        assert_same_picture(actual, np.asarray(image), limit=limit, share=share)


def _save(pictures):
    FAILED.mkdir(parents=True, exist_ok=True)
    test = re.sub(r"\W+", "_", os.environ["PYTEST_CURRENT_TEST"].split("::")[-1].rsplit(" ", 1)[0]).strip("_")
    for kind, pixels in pictures.items():
        Image.fromarray(pixels.astype(np.uint8)).save(FAILED / f"{test}-{kind}.png")
    return f"{FAILED / test}-*.png"
