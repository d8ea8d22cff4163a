"""Fixtures that several test files share."""

import zlib
from pathlib import Path

import numpy as np
import pytest


@pytest.fixture(scope="session")
def data_dir() -> Path:
    """Folder of the example data."""
    return Path(__file__).resolve().parents[1] / "data"


@pytest.fixture
def rng(request: pytest.FixtureRequest) -> np.random.Generator:
    """Random numbers that are the same in every run of one test, and others in another test."""
    return np.random.default_rng(zlib.crc32(request.node.nodeid.encode()))
