"""Binary FBX that assimp alone does not read: takes that end before the keys of what they move, constraints."""

import subprocess
import sys
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from fbx_binary import write

import pucker
from pucker._core import sources
from pucker.cli import cli
from pucker.io import Limits, open_source
from pucker.io.fbx_plain import plain

LATE = [3.0, 4.0, 5.0]
TOLD = (
    "late.fbx: its take 'turn' of 0.03 to 0.80 s ends before the first key of 'cloth', and is read from the first key to "
    "the last, 3.00 to 5.00 s"
)


@pytest.mark.parametrize("version", [7400, 7500])
@pytest.mark.parametrize("isolated", [False, True])
def test_a_take_that_ends_before_its_keys_runs_over_them(tmp_path: Path, version: int, isolated: bool) -> None:
    path = write(tmp_path / "late.fbx", {"cloth": LATE}, (1 / 30, 0.8), version=version)
    with pytest.warns(UserWarning, match=TOLD):
        clip = pucker.load(path, isolated=isolated)
    assert clip.times[-1] == pytest.approx(2.0)
    np.testing.assert_allclose(clip.positions[:, 0, 0], clip.times, atol=1e-6)


def test_of_several_the_first_and_the_last_key_count(tmp_path: Path) -> None:
    path = write(tmp_path / "late.fbx", {"held": [0.5, 1.0], "cloth": LATE}, (0.4, 1.2))
    with pytest.warns(UserWarning, match="read from the first key to the last, 0.50 to 5.00 s"):
        clip = pucker.load(path)
    assert clip.times[-1] == pytest.approx(4.5)


@pytest.mark.parametrize(
    ("keys", "take"),
    [
        ({"cloth": [0.0, 1.0, 2.0]}, (0.0, 2.0)),
        ({"cloth": [0.0, 1.0, 2.0]}, (0.5, 1.5)),  # cut, as it was meant to be
        ({"cloth": LATE}, (0.0, 0.0)),  # all keys
        ({"held": [0.0], "cloth": [1.0, 2.0]}, (1.0, 2.0)),  # before the take: what it holds through it
        ({}, (0.0, 1.0)),
    ],
)
def test_other_takes_stay_as_they_are(tmp_path: Path, keys: dict[str, list[float]], take: tuple[float, float]) -> None:
    assert plain(write(tmp_path / "take.fbx", keys, take), Limits()) is None


def test_commands_tell_of_it_in_one_line(tmp_path: Path) -> None:
    path = write(tmp_path / "late.fbx", {"cloth": LATE}, (1 / 30, 0.8))
    done = CliRunner().invoke(cli, ["info", str(path)], prog_name="pucker")
    assert done.exit_code == 0
    assert done.stderr.splitlines() == [f"{tmp_path}/{TOLD}"]
    with open_source(path, isolated=True) as source:
        assert source.notes == (f"{tmp_path}/{TOLD}",)


def test_a_damaged_file_is_left_to_its_reader(tmp_path: Path) -> None:
    content = write(tmp_path / "late.fbx", {"cloth": LATE}, (1 / 30, 0.8)).read_bytes()
    bad = tmp_path / "bad.fbx"

    def assert_left_or_changed_in_place(limits: Limits) -> None:
        found = plain(bad, limits)
        assert found is None or len(found[0]) == bad.stat().st_size

    for end in range(20, len(content), 37):
        bad.write_bytes(content[:end])
        assert_left_or_changed_in_place(Limits())
    rng = np.random.default_rng(5)
    for _ in range(300):
        changed = bytearray(content)
        for place in rng.integers(0, len(content), 5):
            changed[place] = rng.integers(0, 256)
        bad.write_bytes(changed)
        assert_left_or_changed_in_place(Limits(memory=1 << 20))


@pytest.mark.parametrize("version", [7400, 7500])
def test_a_file_that_a_download_left_half_says_so(tmp_path: Path, version: int) -> None:
    path = write(tmp_path / "a.fbx", {"cloth": LATE}, (1 / 30, 0.8), version=version)
    content = path.read_bytes()
    path.write_bytes(content[: len(content) // 2])
    told = rf"a\.fbx: is truncated: it has {len(content) // 2} bytes, and what begins at byte \d+ ends at byte \d+$"
    for isolated in (False, True):
        with pytest.raises(pucker.Error, match=told):
            pucker.load(path, isolated=isolated)


def test_keys_that_unpack_to_more_than_they_say_take_no_memory(tmp_path: Path) -> None:
    """A curve says that it has 3 keys, and packs 32 MiB."""
    path = write(tmp_path / "bomb.fbx", {"cloth": LATE}, (1 / 30, 0.8), bomb=32 << 20)
    tracemalloc.start()
    try:
        plain(path, Limits())
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < 4 << 20


def test_the_keys_of_all_curves_are_limited_together(tmp_path: Path) -> None:
    many = [3.0] * 4000
    path = write(tmp_path / "many.fbx", {f"cloth {k}": many for k in range(8)}, (1 / 30, 0.8))
    one = 8 * len(many)
    assert path.stat().st_size < one
    assert plain(path, Limits(memory=8 * one)) is not None
    assert plain(path, Limits(memory=8 * one - 1)) is None


def test_the_core_takes_such_a_file_for_damage(tmp_path: Path) -> None:
    """Which is why its take is lengthened."""
    path = write(tmp_path / "late.fbx", {"cloth": LATE}, (1 / 30, 0.8))
    program = "import sys; from pucker._core import sources; sources.open_file(sys.argv[1])"
    assert subprocess.run([sys.executable, "-c", program, path], capture_output=True, check=False).returncode != 0


def test_a_constraint_does_not_keep_a_file_from_being_read(tmp_path: Path) -> None:
    """One of its properties is connected to the node that it holds."""
    keys, take = {"cloth": [0.0, 1.0]}, (0.0, 1.0)
    held = pucker.load(write(tmp_path / "held.fbx", keys, take, constraint=True))
    free = pucker.load(write(tmp_path / "free.fbx", keys, take))
    np.testing.assert_array_equal(held.positions, free.positions)
    with pytest.raises(pucker.Error, match="FBX-Parser"):
        sources.open_file(tmp_path / "held.fbx")


@pytest.mark.parametrize("name", ["cloth.png", "C:\\work\\cloth.png", "maps/cloth.png"])
def test_a_picture_beside_a_file_that_is_changed_is_found(tmp_path: Path, name: str) -> None:
    place = tmp_path / ("maps/cloth.png" if name.startswith("maps") else "cloth.png")
    place.parent.mkdir(exist_ok=True)
    place.write_bytes(b"picture")
    path = write(tmp_path / "late.fbx", {"cloth": LATE}, (1 / 30, 0.8), picture=name)
    with pytest.warns(UserWarning, match=TOLD):
        (material,) = pucker.load(path).material_list
    assert bytes(material.texture) == b"picture"


def test_a_control_with_a_pivot_that_moves_nothing_is_passed_over(tmp_path: Path) -> None:
    """As rigs have, whose controls are moved beside the joints; assimp names nodes for its pivot that there are not."""
    path = write(
        tmp_path / "rig.fbx",
        {"cloth": [0.0, 1.0], "arm_ctrl": [0.0, 1.0], "switch_ctrl": [0.0, 0.5]},
        (0.0, 1.0),
        bare={"arm_ctrl", "switch_ctrl"},
        pivots={"arm_ctrl", "switch_ctrl"},
        above={"switch_ctrl": "arm_ctrl"},
    )
    free = pucker.load(write(tmp_path / "free.fbx", {"cloth": [0.0, 1.0]}, (0.0, 1.0)))
    np.testing.assert_array_equal(pucker.load(path).positions, free.positions)


MOVED_ABOUT_A_PIVOT = (
    r"clip 'turn' moves the node '{}', which has a pivot or an offset and moves what is drawn; such motion is not read, "
    r"exports with baked animation have none$"
)


@pytest.mark.parametrize("pivot", ["arm", "cloth"])
def test_a_pivot_of_what_moves_a_mesh_is_refused(tmp_path: Path, pivot: str) -> None:
    keys = {"arm": [0.0, 1.0], "cloth": [0.0, 1.0]}
    path = write(tmp_path / "rig.fbx", keys, (0.0, 1.0), bare={"arm"}, pivots={pivot}, above={"cloth": "arm"})
    with pytest.raises(pucker.Error, match=MOVED_ABOUT_A_PIVOT.format(pivot)):
        pucker.load(path)


def test_of_another_file_pivots_count_by_what_they_move_of_the_character(tmp_path: Path) -> None:
    keys = {"arm": [0.0, 1.0], "cloth": [0.0, 1.0], "ctrl": [0.0, 1.0]}
    girl = write(tmp_path / "girl.fbx", keys, (0.0, 1.0), bare={"arm", "ctrl"}, above={"cloth": "arm"})
    bare = {*keys}
    calm = write(tmp_path / "calm.fbx", keys, (0.0, 1.0), bare=bare, above={"cloth": "arm"}, pivots={"ctrl"})
    np.testing.assert_array_equal(pucker.load(girl, motion=calm).positions, pucker.load(girl).positions)
    other = write(tmp_path / "other.fbx", keys, (0.0, 1.0), bare=bare, above={"cloth": "arm"}, pivots={"arm"})
    with pytest.raises(pucker.Error, match="other.fbx: " + MOVED_ABOUT_A_PIVOT.format("arm")):
        pucker.load(girl, motion=other)
