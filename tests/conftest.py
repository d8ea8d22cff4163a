"""Fixtures that several test files share."""

import zlib
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from blender_process import Blender
from hypothesis import settings

from pucker.render import Renderer

# How long a test takes says more of what else the machine does than of what is tested.
settings.register_profile("pucker", deadline=None)
settings.load_profile("pucker")


@pytest.fixture(scope="session")
def data_dir() -> Path:
    """Folder of the example data."""
    return Path(__file__).resolve().parents[1] / "data"


@pytest.fixture
def rng(request: pytest.FixtureRequest) -> np.random.Generator:
    """Random numbers that are the same in every run of one test, and others in another test."""
    return np.random.default_rng(zlib.crc32(request.node.nodeid.encode()))


@pytest.fixture(scope="module")
def blender(tmp_path_factory: pytest.TempPathFactory, data_dir: Path) -> Blender:
    """Blender with the extension, installed once for all tests of a module."""
    return Blender(tmp_path_factory.mktemp("blender"), data_dir)


@pytest.fixture
def never_run(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fails a test in which a bake lets the method run, since what it is given should be refused before."""

    def run(*_: object, **__: object) -> None:
        pytest.fail("the method ran before the input was checked")

    monkeypatch.setattr("pucker.bake.clip.pucker.run", run)


@pytest.fixture(scope="module")
def renderer(request: pytest.FixtureRequest) -> Iterator[Renderer]:
    """One renderer for all tests of a module, whose pictures are square and PICTURE_SIDE pixels wide."""
    side = request.module.PICTURE_SIDE
    with Renderer((side, side), samples=0) as made:
        yield made


@pytest.fixture
def no_gl_error(renderer: Renderer) -> Iterator[None]:
    """Neither before nor after the test is there an error of OpenGL."""
    assert renderer.context.error == "GL_NO_ERROR"
    yield
    assert renderer.context.error == "GL_NO_ERROR"
