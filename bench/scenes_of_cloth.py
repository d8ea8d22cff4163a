"""The scenes of `believe`: coarse clips, and fine cloth that Blender simulates over them, in two takes."""

from collections.abc import Callable
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt

import pucker
from pucker import byexample
from pucker.examples import bending_sleeve, grid_faces
from pucker.metrics.compare import Scene, Source

Array = npt.NDArray[np.float64]

ROOT: Final = Path(__file__).resolve().parents[1]
DATA: Final = ROOT / "data"
KEPT: Final = DATA / "scenes"
"""The recordings."""
UNSEEN_KEPT: Final = DATA / "unseen"
"""Recordings that nothing was tuned on or learned from."""
SIMULATED: Final = ROOT / "build" / "bench" / "believe"

COUNT: Final = 20
# Another take stands still for longer before the clip.
STILL: Final = (5, 21)


def _takes(
    clip: pucker.Clip, body: byexample.Body | None, levels: int, start: Array | None, cloth: byexample.Cloth
) -> list[Array]:
    return [
        byexample.simulate(clip, body, start=start, levels=levels, cloth=cloth, still=still, recordings=SIMULATED)
        for still in STILL
    ]


def dressed(file: str, clip: str, cut: str, garment: list[str]) -> tuple[pucker.Clip, byexample.Body, Array]:
    """A garment, the skin below it, and the pose that it is cut for: the first frame of another clip."""
    cloth, worn = (pucker.load(DATA / file, clip=which, parts=garment) for which in (clip, cut))
    skin, bare = (pucker.load(DATA / file, clip=which, parts=["Skin"]) for which in (clip, cut))
    return cloth, byexample.Body.of(skin, bare.positions[0]), worn.positions[0]


def _character(
    name: str, file: str, clip: str, cut: str, garment: list[str], *, levels: int, first: int, trained: str
) -> Scene:
    cloth, body, start = dressed(file, clip, cut, garment)
    takes = _takes(cloth, body, levels, start, byexample.Cloth())
    source = Source(file, clip, tuple(garment))
    return Scene.of_simulation(
        name, cloth, *takes, levels=levels, first=first, count=COUNT, trained=trained, source=source
    )


def _kimono(clip: str) -> Scene:
    name = f"kimono {clip}"
    return _character(name, "kimono_male.gltf", clip, "Idle", ["Clothes"], levels=2, first=6, trained="kimono.pose.npz")


def _dress() -> Scene:
    woman = "HumanArmature|Female_"
    return _character(
        "dress Run",
        "female_dress.fbx",
        woman + "Run",
        woman + "Idle",
        ["Dress"],
        levels=3,
        first=6,
        trained="dress.pose.npz",
    )


def cowboy_clip() -> pucker.Clip:
    """Shirt and trousers, which are the character's outside: there is no body beneath."""
    whole = pucker.load(DATA / "cowboy.dae")
    skin = whole.skin
    assert skin is not None
    assert whole.rest is not None
    clothed = [name.startswith(("Torso", "Chest", "Upper_", "Lower_")) for name in skin.joints]
    share = np.zeros(len(whole.rest))
    np.add.at(
        share,
        np.repeat(np.arange(len(share)), np.diff(skin.first)),
        skin.influence_weights * np.array(clothed)[skin.influence_joints],
    )
    faces = np.asarray(whole.faces)[(share[whole.faces] > 0.5).all(axis=1)]
    used, renumbered = np.unique(faces, return_inverse=True)
    return pucker.Clip.from_arrays(
        renumbered.reshape(-1, 3), whole.positions[:, used], whole.times, weld=False, rest=whole.rest[used]
    )


def _cowboy() -> Scene:
    clip = cowboy_clip()
    takes = _takes(clip, None, 2, None, byexample.Cloth(area=3.0))
    return Scene.of_simulation("cowboy", clip, *takes, levels=2, first=5, count=COUNT)


def limb_in(clip: pucker.Clip, thickness: float) -> byexample.Body:
    """The limb in a tube of cloth: the tube drawn together about its middle line."""
    rings = clip.positions.reshape(len(clip), -1, 16, 3)
    limb = rings.mean(axis=2, keepdims=True) + thickness * (rings - rings.mean(axis=2, keepdims=True))
    limb = limb.reshape(clip.positions.shape)
    return byexample.Body(np.asarray(clip.faces), limb[0], limb)


def _limb(name: str, clip: pucker.Clip, thickness: float, cloth: byexample.Cloth) -> Scene:
    """A tube of cloth over a limb."""
    takes = _takes(clip, limb_in(clip, thickness), 2, None, cloth)
    return Scene.of_simulation(name, clip, *takes, levels=2, first=8, count=COUNT)


SLEEVE_LIMB: Final = 0.7
KNEE_LIMB: Final = 0.65
"""Thickness of the limb, as a share of the cloth's."""


def sleeve_clip() -> pucker.Clip:
    """A sleeve on an arm that bends."""
    return bending_sleeve(16, 24, frames=31, angle=1.6)


def _sleeve() -> Scene:
    return _limb("sleeve", sleeve_clip(), SLEEVE_LIMB, byexample.Cloth(area=0.6, hold=0.6))


def knee_clip() -> pucker.Clip:
    """A trouser leg, wider at the hem, whose knee bends twice within the clip."""
    bent = bending_sleeve(16, 30, frames=31, angle=1.9)
    positions = bent.positions.reshape(len(bent), -1, 16, 3)
    middle = positions.mean(axis=2, keepdims=True)
    wider = np.linspace(1.5, 1.0, positions.shape[1])[None, :, None, None]
    order = np.concatenate([np.arange(0, 31, 2), np.arange(28, -1, -2)])
    leg = (middle + wider * (positions - middle)).reshape(bent.positions.shape)[order]
    return pucker.Clip.from_arrays(bent.faces, leg, bent.times, weld=False)


def _knee() -> Scene:
    return _limb("trouser knee", knee_clip(), KNEE_LIMB, byexample.Cloth(area=0.9, hold=0.6))


def _grid(columns: int, rows: int, width: float, height: float) -> Array:
    y, x = (index.ravel() / n for index, n in zip(np.mgrid[: rows + 1, : columns + 1], (rows, columns), strict=True))
    return np.stack([width * (x - 0.5), height * (y - 0.5), 0.0 * x], axis=1)


def _sheet_clip(columns: int, rows: int, positions: Array) -> pucker.Clip:
    times = np.arange(len(positions)) / 30.0
    return pucker.Clip.from_arrays(grid_faces(columns, rows), positions, times, weld=False)


def _sheet(name: str, clip: pucker.Clip, cloth: byexample.Cloth) -> Scene:
    takes = _takes(clip, None, 2, None, cloth)
    return Scene.of_simulation(name, clip, *takes, levels=2, first=10, count=COUNT)


# Less stiff, cloth gathered so much crumples at the size of its triangles.
_STIFF: Final = byexample.Cloth(area=1.0, hold=0.2, hold_stiffness=1.0, bending=20.0, bending_damping=2.0)


def curtain_clip() -> pucker.Clip:
    """Gathered to two thirds along the rail, less below, and swayed."""
    rest = _grid(20, 20, 1.0, 1.0)
    gathered = 0.5 - 0.5 * np.cos(np.pi * np.minimum(np.arange(31) / 20.0, 1.0))
    width = 1.0 - gathered[:, None] * (0.18 + 0.3 * (rest[:, 1] + 0.5) / 2.0)
    sway = 0.08 * np.sin(2.0 * np.pi * np.arange(31) / 30.0)[:, None] * (0.5 - rest[:, 1])
    positions = np.stack([width * rest[:, 0], np.broadcast_to(rest[:, 1], width.shape), sway], axis=2)
    return _sheet_clip(20, 20, positions)


def _curtain() -> Scene:
    return _sheet("gathered curtain", curtain_clip(), _STIFF)


def towel_clip() -> pucker.Clip:
    """Wrung by up to 2.5 radians; its long borders keep their length."""
    rest = _grid(12, 28, 0.5, 1.2)
    turn = 2.5 * (0.5 - 0.5 * np.cos(np.pi * np.minimum(np.arange(31) / 24.0, 1.0)))
    length = np.sqrt(1.0 - np.square(turn * 0.25 / 1.2))[:, None]
    angle = turn[:, None] * rest[:, 1] / 1.2
    positions = np.stack([np.cos(angle) * rest[:, 0], length * rest[:, 1], np.sin(angle) * rest[:, 0]], axis=2)
    return _sheet_clip(12, 28, positions)


def _towel() -> Scene:
    return _sheet("twisted towel", towel_clip(), byexample.Cloth(area=0.6, hold=0.4, hold_stiffness=2.0))


SHIRT_TRIANGLES: Final = 500
SHIRT_SET: Final = "tshirt.pose.npz"
"""Learned from the wind in `data/`."""
DIFFCLOTH: Final = ROOT / "build" / "bench" / "DiffCloth"
"""A clone of its repository, for winds of which `data/` has the recordings alone."""


def shirt_clip(wind: int | None = None) -> pucker.Clip:
    """Every third frame of a T-shirt in the wind, 30 a second, as it was simulated.

    DiffCloth sought the wind that brings the shirt to a goal, in steps 0 to 17; `data/` holds step 2. Other steps need
    the clone `DIFFCLOTH`.
    """
    file = DATA / "tshirt_wind.zip"
    if wind is not None:
        file = DIFFCLOTH / "output" / "tshirt-exampleopt" / f"iter{wind}"
        if not file.exists():
            raise FileNotFoundError(
                f"{file} is missing: git clone https://github.com/omegaiota/DiffCloth {DIFFCLOTH.relative_to(ROOT)}"
            )
    fine = pucker.load(file, clip="all", fps=90.0)
    return pucker.Clip.from_arrays(fine.faces, fine.positions[100::3], fine.times[100::3] - fine.times[100], weld=False)


def _shirt() -> Scene:
    return Scene.of_clip("T-shirt in the wind", shirt_clip(), SHIRT_TRIANGLES, levels=2, first=8, count=COUNT)


def _shirt_in(wind: int) -> Scene:
    """The T-shirt in another wind, on the coarse mesh of the first one."""
    return Scene.of_clip(
        f"T-shirt, wind {wind}",
        shirt_clip(wind),
        SHIRT_TRIANGLES,
        levels=2,
        first=8,
        count=COUNT,
        pose=shirt_clip().positions[0],
        trained=SHIRT_SET,
    )


SCENES: Final[dict[str, Callable[[], Scene]]] = {
    "kimono-run": lambda: _kimono("Run"),
    "kimono-sitdown": lambda: _kimono("SitDown"),
    "dress-run": _dress,
    "cowboy": _cowboy,
    "sleeve": _sleeve,
    "knee": _knee,
    "curtain": _curtain,
    "towel": _towel,
    "tshirt": _shirt,
}


UNSEEN: Final[dict[str, Callable[[], Scene]]] = {
    "tshirt-0": lambda: _shirt_in(0),
    "tshirt-3": lambda: _shirt_in(3),
}
"""Motions that nothing was tuned on or learned from."""


def scene(name: str) -> Scene:
    """A scene from its recording; without one it is simulated, and kept."""
    file = (UNSEEN_KEPT if name in UNSEEN else KEPT) / f"{name}.npz"
    if not file.exists():
        file.parent.mkdir(exist_ok=True)
        (SCENES | UNSEEN)[name]().save(file)
    return Scene.load(file)
